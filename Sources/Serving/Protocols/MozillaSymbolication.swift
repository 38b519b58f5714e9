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
        let maxJobs = service.limits.requestedJobs
        guard items.count <= maxJobs else { throw Refusal("please limit number of jobs in a single request to <= \(maxJobs)") }
        let jobs = try jobs(items, service.limits)
        let requested = MozillaModules(jobs)
        var lookup = ModuleLookup(requested.keys, service.symbolicator)
        var modules = requested.modules.map { ShownModule($0, &lookup, service) }
        var output = Array("{\"results\":[".utf8)
        var found: [UInt8] = []
        for (index, job) in jobs.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            let numbers = requested.numbers[index]
            try write(job, numbers, &modules, service, to: &output)
            if index == 0 || numbers != requested.numbers[index - 1] { found = foundModules(numbers, modules, lookup, service) }
            output += found
        }
        output.append(UInt8(ascii: "]"))
        if request.header("Debug") != nil { writeDebug(jobs, lookup, ContinuousClock.now - start, to: &output) }
        output.append(UInt8(ascii: "}"))
        return .json(output)
    }

    private static func four(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let job = try jobs([try RequestedJSON.value(of: request, service.limits)], service.limits)[0]
        let requested = MozillaModules([job])
        var lookup = ModuleLookup(requested.keys, service.symbolicator)
        lookup.lookUp(at: requested.wanted)
        let stacks = job.stacks.map { stack in
            WrittenJSON.array(
                stack.map { frame in
                    let key = frame.module.map { job.modules[$0] }
                    let functions = key.flatMap { key in frame.offset.map { lookup.functions(at: $0, in: key) } } ?? []
                    return .string(
                        "\(MozillaFunctions(functions).name ?? text(of: frame.offset)) (in \(key.map { shownName(of: $0, lookup) } ?? unknown))"
                    )
                })
        }
        let known = job.modules.map { wasFound($0, lookup) }
        return .json(.object([("symbolicatedStacks", .array(stacks)), ("knownModules", .array(known))]))
    }

    private static func jobs(_ items: [JSONValue], _ limits: Limits) throws(Refusal) -> [MozillaJob] {
        var room = limits.requestedFrames
        var jobs: [MozillaJob] = []
        for (number, item) in items.enumerated() {
            jobs.append(try MozillaJob(item, number: number, after: jobs.last, room: &room, limits))
        }
        return jobs
    }

    /// A module as the results of all jobs have it.
    private struct ShownModule {
        let key: ModuleKey
        /// As JSON.
        let name: [UInt8]
        /// `nil` where no frame is in it.
        let isFound: Bool?
        /// Texts of its frames, in the request's order; `nil` without symbols.
        private var texts: [[UInt8]]?
        private var next = 0

        init(_ module: MozillaModules.Module, _ lookup: inout ModuleLookup<ModuleKey>, _ service: Service) {
            key = module.key
            var name: [UInt8] = []
            JSONString.append(shownName(of: key, lookup), to: &name)
            self.name = name
            let symbols = lookup.modules[key]?.symbols
            isFound = lookup.modules[key]?.isFound
            guard let symbols, symbols.source != nil, let offsets = module.offsets else { return }
            texts = service.frameTexts.texts(of: symbols, at: offsets) { missing in
                lookup.lookUp(at: [key: Set(missing)], isKept: false)
                guard let module = lookup.modules[key] else { return missing.map { _ in [] } }
                return missing.map { offset in
                    var text: [UInt8] = []
                    MozillaFunctions(lookup.functions(at: offset, in: module)).write(to: &text)
                    return text
                }
            }
        }

        /// Writes the text of its next frame that has an offset.
        mutating func writeNext(to output: inout [UInt8]) {
            guard let texts, next < texts.count else { return }
            output += texts[next]
            next += 1
        }
    }

    private static func write(
        _ job: MozillaJob, _ numbers: [Int], _ modules: inout [ShownModule], _ service: Service, to output: inout [UInt8]
    ) throws(Refusal) {
        output += "{\"stacks\":[".utf8
        for (index, stack) in job.stacks.enumerated() {
            output += (index > 0 ? ",[" : "[").utf8
            for (number, frame) in stack.enumerated() {
                output += (number > 0 ? ",{\"frame\":" : "{\"frame\":").utf8
                output += String(number).utf8
                output += ",\"module\":".utf8
                if let module = frame.module { output += modules[numbers[module]].name } else { output += "\"\(unknown)\"".utf8 }
                output += ",\"module_offset\":\"".utf8
                output += text(of: frame.offset).utf8
                output.append(UInt8(ascii: "\""))
                if let module = frame.module, frame.offset != nil { modules[numbers[module]].writeNext(to: &output) }
                output.append(UInt8(ascii: "}"))
                try service.checkSize(of: output)
            }
            output.append(UInt8(ascii: "]"))
        }
        output.append(UInt8(ascii: "]"))
    }

    /// The end of a job's result: which of its modules have symbols, and why others have none.
    private static func foundModules(
        _ numbers: [Int], _ shown: [ShownModule], _ lookup: ModuleLookup<ModuleKey>, _ service: Service
    ) -> [UInt8] {
        var output = Array(",\"found_modules\":".utf8)
        var seen: Set<Int> = []
        let modules = numbers.filter { seen.insert($0).inserted }.map { shown[$0] }
        WrittenJSON.object(modules.map { ($0.key.text, $0.isFound.map { .boolean($0) } ?? .null) }).write(to: &output)
        let missing = modules.filter { $0.isFound == false }.map(\.key)
        if service.settings.includesReasons, !missing.isEmpty {
            output += ",\"module_errors\":".utf8
            let errors = missing.map { module in
                let reason = ImageSymbols.reason(module, lookup.modules[module]?.symbols)
                return (module.text, WrittenJSON.array([.object([("name", .string("SymbolsNotFound")), ("message", .string(reason))])]))
            }
            WrittenJSON.object(errors).write(to: &output)
        }
        output.append(UInt8(ascii: "}"))
        return output
    }

    /// `null`: no frame is in the module.
    private static func wasFound(_ module: ModuleKey, _ lookup: ModuleLookup<ModuleKey>) -> WrittenJSON {
        lookup.modules[module].map { .boolean($0.isFound) } ?? .null
    }

    /// Writes the member `debug`, which the header `Debug` requests: the time, and in how many jobs
    /// each module was looked for.
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

    private static let unknown = "<unknown>"

    /// The file that was loaded, where it is known; else what the request calls it.
    private static func shownName(of key: ModuleKey, _ lookup: ModuleLookup<ModuleKey>) -> String {
        lookup.modules[key]?.symbols?.codeFile ?? (key.debugName.isEmpty ? unknown : key.debugName)
    }

    /// `0x1104`; −1 is no offset.
    private static func text(of offset: ImageOffset?) -> String { offset.map { "0x" + String($0.value, radix: 16) } ?? "-0x1" }
}

/// The functions at a location, innermost inlined call first, as a frame has them. What is not known
/// is left out: the Firefox Profiler refuses `null`.
private struct MozillaFunctions {
    private let functions: [FrameResult.Function]

    init(_ functions: [FrameResult.Function]) { self.functions = functions }

    /// Name of the function that has the code. Calls that were inlined into it are written beside
    /// it.
    var name: String? { functions.last.flatMap { $0.name.isEmpty ? nil : $0.name } }

    /// The members of the frame's object, each after a comma.
    func write(to output: inout [UInt8]) {
        guard let outer = functions.last else { return }
        // Both or none: the profiler computes the function's address of them.
        if let name, let distance = outer.offset {
            output += ",\"function\":".utf8
            JSONString.append(name, to: &output)
            output += ",\"function_offset\":\"0x".utf8
            output += String(distance, radix: 16).utf8
            output.append(UInt8(ascii: "\""))
        }
        Self.write(outer.location, isFirst: false, to: &output)
        guard functions.count > 1 else { return }
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

    private static func write(_ location: SourceLocation?, isFirst: Bool, to output: inout [UInt8]) {
        guard let location, !location.file.isEmpty else { return }
        output += (isFirst ? "\"file\":" : ",\"file\":").utf8
        JSONString.append(location.file, to: &output)
        guard location.line > 0 else { return }
        output += ",\"line\":".utf8
        output += String(location.line).utf8
    }
}
