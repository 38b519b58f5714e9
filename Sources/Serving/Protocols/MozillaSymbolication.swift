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
        let stacks = job.stacks.map { stack in
            WrittenJSON.array(
                stack.map { frame in
                    let shown = MozillaFrame(frame, lookup)
                    return .string("\(shown.function ?? shown.offset) (in \(shown.module))")
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
        var used: Set<ModuleKey> = []
        var wanted: [ModuleKey: Set<ImageOffset>] = [:]
        for frame in jobs.lazy.flatMap(\.stacks).joined() {
            // Without a name or an id there is nothing to look for, and nothing is said of it.
            guard let module = frame.module, !module.debugName.isEmpty, !module.debugID.isEmpty else { continue }
            used.insert(module)
            if let offset = frame.offset { wanted[module, default: []].insert(offset) }
        }
        var lookup = ModuleLookup(used, service.symbolicator)
        lookup.look(at: wanted)
        return lookup
    }

    private static func write(_ job: MozillaJob, _ lookup: ModuleLookup<ModuleKey>, _ service: Service, to output: inout [UInt8])
        throws(Refusal)
    {
        output += "{\"stacks\":[".utf8
        for (index, stack) in job.stacks.enumerated() {
            output += (index > 0 ? ",[" : "[").utf8
            for (number, frame) in stack.enumerated() {
                if number > 0 { output.append(UInt8(ascii: ",")) }
                MozillaFrame(frame, lookup).json(number).write(to: &output)
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

/// A frame of a response. What is not known is left out: the Firefox Profiler refuses `null`.
private struct MozillaFrame {
    var module: String
    var offset: String
    private var functions: [FrameAnswer.Function] = []

    init(_ frame: MozillaJob.Frame, _ lookup: ModuleLookup<ModuleKey>) {
        module = frame.module.map(\.debugName).flatMap { $0.isEmpty ? nil : $0 } ?? "<unknown>"
        offset = frame.offset.map(\.description) ?? "-0x1"
        guard let key = frame.module else { return }
        if let name = lookup.modules[key]?.symbols?.codeFile { module = name }
        if let offset = frame.offset { functions = lookup.functions(at: offset, in: key) }
    }

    /// The function that has the code. The calls that were inlined into it are beside it.
    var function: String? { functions.last.flatMap { $0.name.isEmpty ? nil : $0.name } }

    func json(_ number: Int) -> WrittenJSON {
        var members: [(key: String, value: WrittenJSON?)] = [
            ("frame", .number(number)), ("module", .string(module)), ("module_offset", .string(offset)),
        ]
        guard let outer = functions.last else { return .object(members) }
        // Both or none: the profiler computes the function's address of them.
        if let function, let distance = outer.offset {
            members += [("function", .string(function)), ("function_offset", .string("0x" + String(distance, radix: 16)))]
        }
        members += Self.place(outer)
        let inlined = functions.dropLast().map { call in
            WrittenJSON.object([("function", call.name.isEmpty ? nil : .string(call.name))] + Self.place(call))
        }
        if !inlined.isEmpty { members.append(("inlines", .array(inlined))) }
        return .object(members)
    }

    private static func place(_ function: FrameAnswer.Function) -> [(key: String, value: WrittenJSON?)] {
        guard let location = function.location, !location.file.isEmpty else { return [] }
        return [("file", .string(location.file)), ("line", location.line > 0 ? .number(location.line) : nil)]
    }
}
