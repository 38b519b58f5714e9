internal import BinaryPrimitives
internal import CrashLogModel
internal import Symbolication

/// Mozilla's symbolication API, versions 4 and 5 (mozilla-eliot.readthedocs.io, “Symbolication”):
///
///     {"jobs": [{"memoryMap": [["basic", "20AD60B0B4C68177552708AA192E77390"]], "stacks": [[[0, 4474]]]}]}
///
///     {"results": [{"stacks": [[{"frame": 0, "module": "basic", "module_offset": "0x117a",
///                                "function": "inline_3(int)", "function_offset": "0x3", "file": "/src/basic.cpp", "line": 9}]],
///                   "found_modules": {"basic/20AD60B0B4C68177552708AA192E77390": true}}]}
enum MozillaSymbolication {
    static let routes = [
        Route(path: "/symbolicate/v5", method: "POST", readers: .all, descriptions: [description(5)]) {
            (request, service) throws(Refusal) in try five(request, service)
        },
        Route(path: "/symbolicate/v4", method: "POST", readers: .all, descriptions: [description(4)]) {
            (request, service) throws(Refusal) in try four(request, service)
        },
    ]

    private static func description(_ version: Int) -> RouteDescription {
        RouteDescription(
            path: "/symbolicate/v\(version)", summary: "Mozilla’s symbolication API, version \(version).",
            body: [.json(version == 5 ? "MozillaJobs" : "MozillaJob")],
            results: [200: [.json(version == 5 ? "MozillaResults" : "MozillaFour")]], refusals: [400])
    }

    private static func five(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let start = ContinuousClock.now
        let payload = try RequestedJSON.value(of: request, service.limits)
        var items = [payload]
        if let jobs = payload["jobs"] {
            guard case .array(let elements) = jobs.content else { throw Refusal("job 0 is invalid") }
            items = elements
        }
        let most = service.limits.requestedJobs
        guard items.count <= most else { throw Refusal("please limit number of jobs in a single request to <= \(most)") }
        let jobs = try jobs(items, service.limits)
        let lookup = lookup(jobs, service)
        var output = Array("{\"results\":[".utf8)
        for (index, job) in jobs.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            try write(job, lookup, service, to: &output)
        }
        output.append(UInt8(ascii: "]"))
        if request.header("Debug") != nil { writeDebug(jobs, lookup, ContinuousClock.now - start, to: &output) }
        output.append(UInt8(ascii: "}"))
        return .json(output)
    }

    private static func four(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let job = try jobs([try RequestedJSON.value(of: request, service.limits)], service.limits)[0]
        let lookup = lookup([job], service)
        let modules = MozillaModule.all(of: job, lookup)
        let stacks = job.stacks.map { stack in
            WrittenJSON.array(
                stack.map { frame in
                    let shown = MozillaFrame(frame, modules, lookup)
                    return .string("\(shown.function ?? shown.offsetText) (in \(shown.module))")
                })
        }
        let known = job.modules.map { wasFound($0, lookup) }
        return .json(.object([("symbolicatedStacks", .array(stacks)), ("knownModules", .array(known))]))
    }

    private static func jobs(_ items: [JSONValue], _ limits: Limits) throws(Refusal) -> [MozillaJob] {
        var room = limits.requestedFrames
        var jobs: [MozillaJob] = []
        for (number, item) in items.enumerated() { jobs.append(try MozillaJob(item, number: number, room: &room, limits)) }
        return jobs
    }

    private static func lookup(_ jobs: [MozillaJob], _ service: Service) -> ModuleLookup<ModuleKey> {
        var wanted: [ModuleKey: Set<ImageOffset>] = [:]
        for job in jobs {
            // `nil`: no frame is in the module.
            var offsets = [Set<ImageOffset>?](repeating: nil, count: job.modules.count)
            for frame in job.stacks.joined() {
                guard let module = frame.module else { continue }
                if offsets[module] == nil { offsets[module] = [] }
                if let offset = frame.offset { offsets[module]?.insert(offset) }
            }
            for case (let module, let offsets?) in zip(job.modules, offsets) where !module.debugName.isEmpty && !module.debugID.isEmpty {
                // Without a name or an id there is nothing to look for, and nothing is said of it.
                wanted[module, default: []].formUnion(offsets)
            }
        }
        var lookup = ModuleLookup(Set(wanted.keys), service.symbolicator)
        lookup.look(at: wanted)
        return lookup
    }

    private static func write(_ job: MozillaJob, _ lookup: ModuleLookup<ModuleKey>, _ service: Service, to output: inout [UInt8])
        throws(Refusal)
    {
        let known = MozillaModule.all(of: job, lookup)
        output += "{\"stacks\":[".utf8
        for (index, stack) in job.stacks.enumerated() {
            output += (index > 0 ? ",[" : "[").utf8
            for (number, frame) in stack.enumerated() {
                if number > 0 { output.append(UInt8(ascii: ",")) }
                MozillaFrame(frame, known, lookup).write(number, to: &output)
                try service.checkSize(of: output)
            }
            output.append(UInt8(ascii: "]"))
        }
        output += "],\"found_modules\":".utf8
        var seen: Set<ModuleKey> = []
        let modules = job.modules.filter { seen.insert($0).inserted }
        WrittenJSON.object(modules.map { ($0.text, wasFound($0, lookup)) }).write(to: &output)
        let missing = modules.filter { lookup.modules[$0]?.isFound == false }
        if service.settings.givesReasons, !missing.isEmpty {
            output += ",\"module_errors\":".utf8
            let errors = missing.map { module in
                let reason = ImageSymbols.reason(module, lookup.modules[module]?.symbols)
                return (module.text, WrittenJSON.array([.object([("name", .string("SymbolsNotFound")), ("message", .string(reason))])]))
            }
            WrittenJSON.object(errors).write(to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    /// `null`: no frame is in the module.
    private static func wasFound(_ module: ModuleKey, _ lookup: ModuleLookup<ModuleKey>) -> WrittenJSON {
        lookup.modules[module].map { .boolean($0.isFound) } ?? .null
    }

    /// What the header `Debug` brings: the time, and in how many jobs each module was looked for.
    private static func writeDebug(_ jobs: [MozillaJob], _ lookup: ModuleLookup<ModuleKey>, _ time: Duration, to output: inout [UInt8]) {
        var counts: [ModuleKey: Int] = [:]
        for job in jobs { for module in Set(job.modules) where lookup.modules[module] != nil { counts[module, default: 0] += 1 } }
        let modules = counts.sorted { $0.key.text < $1.key.text }.map { ($0.key.text, WrittenJSON.number($0.value)) }
        output += ",\"debug\":{\"time\":\(time / .seconds(1)),\"modules\":".utf8
        WrittenJSON.object([
            ("count", .number(counts.values.reduce(0, +))), ("stacks_per_module", .object(modules)),
        ]).write(to: &output)
        output.append(UInt8(ascii: "}"))
    }
}

/// A module of a job as its frames show it.
private struct MozillaModule {
    var name: String
    var found: ModuleLookup<ModuleKey>.Module?

    static func all(of job: MozillaJob, _ lookup: ModuleLookup<ModuleKey>) -> [MozillaModule] {
        job.modules.map { key in
            let found = lookup.modules[key]
            let name = found?.symbols?.codeFile ?? (key.debugName.isEmpty ? MozillaFrame.unknown : key.debugName)
            return MozillaModule(name: name, found: found)
        }
    }
}

/// A frame of a response. What is not known is left out: the Firefox Profiler refuses `null`.
private struct MozillaFrame {
    static let unknown = "<unknown>"

    var module: String
    private var offset: ImageOffset?
    private var functions: [FrameAnswer.Function] = []

    init(_ frame: MozillaJob.Frame, _ modules: [MozillaModule], _ lookup: ModuleLookup<ModuleKey>) {
        offset = frame.offset
        guard let number = frame.module else {
            module = Self.unknown
            return
        }
        module = modules[number].name
        if let found = modules[number].found, let offset { functions = lookup.functions(at: offset, in: found) }
    }

    /// The function that has the code. The calls that were inlined into it are beside it.
    var function: String? { functions.last.flatMap { $0.name.isEmpty ? nil : $0.name } }

    /// `0x1104`; −1 is no offset.
    var offsetText: String { offset.map(\.description) ?? "-0x1" }

    /// Straight into the response: a request has thousands of frames.
    func write(_ number: Int, to output: inout [UInt8]) {
        output += "{\"frame\":".utf8
        output += String(number).utf8
        output += ",\"module\":".utf8
        JSONString.append(module, to: &output)
        output += ",\"module_offset\":\"".utf8
        output += offsetText.utf8
        output.append(UInt8(ascii: "\""))
        if let outer = functions.last {
            // Both or none: the profiler computes the function's address of them.
            if let function, let distance = outer.offset {
                output += ",\"function\":".utf8
                JSONString.append(function, to: &output)
                output += ",\"function_offset\":\"0x".utf8
                output += String(distance, radix: 16).utf8
                output.append(UInt8(ascii: "\""))
            }
            Self.write(outer.location, isFirst: false, to: &output)
            if functions.count > 1 {
                output += ",\"inlines\":[".utf8
                for (index, call) in functions.dropLast().enumerated() {
                    output += (index > 0 ? ",{" : "{").utf8
                    if !call.name.isEmpty {
                        output += "\"function\":".utf8
                        JSONString.append(call.name, to: &output)
                    }
                    Self.write(call.location, isFirst: call.name.isEmpty, to: &output)
                    output.append(UInt8(ascii: "}"))
                }
                output.append(UInt8(ascii: "]"))
            }
        }
        output.append(UInt8(ascii: "}"))
    }

    private static func write(_ location: SourceLocation?, isFirst: Bool, to output: inout [UInt8]) {
        guard let location, !location.file.isEmpty else { return }
        output += (isFirst ? "\"file\":" : ",\"file\":").utf8
        JSONString.append(location.file, to: &output)
        guard location.line > 0 else { return }
        output += ",\"line\":".utf8
        output += String(location.line).utf8
    }
}
