internal import BinaryPrimitives
internal import CrashLogModel
internal import ObjectFiles
internal import SymbolFiles
internal import Symbolication

/// Symbolicator's `POST /symbolicate` (getsentry.github.io/symbolicator, “Symbolicate”):
///
///     {"stacktraces": [{"frames": [{"instruction_addr": "0x100000fa0"}]}],
///      "modules": [{"type": "macho", "debug_id": "502fc0a5-1ec1-3e47-9998-684fa139dca7", "image_addr": "0x100000000"}]}
///
///     {"status": "completed",
///      "stacktraces": [{"frames": [{"status": "symbolicated", "original_index": 0, "instruction_addr": "0x100000fa0",
///                                   "symbol": "main", "sym_addr": "0x100000fa0", "function": "main",
///                                   "filename": "hello.c", "abs_path": "/tmp/hello.c", "lineno": 1}]}],
///      "modules": [{"debug_status": "found", …}]}
struct SentrySymbolication {
    static let routes = [
        Route(
            path: "/symbolicate", method: "POST", errors: .detail, maxBodyBytes: 55 << 20, canWait: true, descriptions: [description]
        ) { (request, service) throws(Refusal) in
            guard request.header("Content-Type")?.lowercased().hasPrefix("application/json") == true else {
                throw Refusal("expected Content-Type: application/json", status: 415)
            }
            let value = try RequestedJSON.value(of: request, service.limits)
            let request = try SentryRequest(value, service.settings.allowedSources, service.limits)
            return try SentrySymbolication(request, service.using(request.sources.compactMap(\.server))).response()
        },
        // Here each result is made at once. A server whose clients may wait looks before.
        Route(path: "/requests/", method: "GET", isWork: false, descriptions: [later]) { (_, _) throws(Refusal) in Response(404) },
    ]

    private static let later = RouteDescription(
        path: "/requests/{id}", summary: "Symbolicator’s results that are fetched later, for 90 seconds.",
        parameters: [
            .init(name: "id"), .init(name: "timeout", location: .query, schema: #"{"type":"integer","minimum":0,"maximum":3600}"#),
        ],
        results: [200: [.json("SentryLater")], 404: []])

    private static let description = RouteDescription(
        path: "/symbolicate", summary: "Symbolicator’s endpoint for stacks.", body: [.json("SentryRequest")],
        results: [200: [.json("SentryResult")]], refusals: [400, 415, 422])

    private let request: SentryRequest
    private let service: Service
    private var lookup: ModuleLookup<SentryModule>
    /// Location of each frame of each stack, in the order from callee to caller.
    private var locations: [[Location]] = []

    /// Location of a frame: its module and address.
    private struct Location {
        /// The module's number; `nil`: none has the address.
        var module: Int?
        /// The address that is looked up, as the frame counts it, and as an offset into the module.
        var address: UInt64
        var offset: ImageOffset?
    }

    init(_ request: SentryRequest, _ service: Service) throws(Refusal) {
        self.request = request
        self.service = service
        let sorted = request.modules.indices.filter { request.modules[$0].address > 0 }
            .sorted { request.modules[$0].address < request.modules[$1].address }
        let stacks = request.stacks.map { stack in
            Self.calleeFirst(stack.frames, request).map { ($0, Self.module(of: $0, request, sorted)) }
        }
        lookup = ModuleLookup(Set(stacks.joined().compactMap { $0.1.map { request.modules[$0] } }), service.symbolicator)
        var wanted: [SentryModule: Set<ImageOffset>] = [:]
        for (stack, frames) in zip(request.stacks, stacks) {
            var row: [Location] = []
            for (number, (frame, index)) in frames.enumerated() {
                guard let index else {
                    row.append(Location(address: frame.address))
                    continue
                }
                let module = request.modules[index]
                let caller = CallerAddress(lookup.modules[module]?.symbols?.opened.first?.machine, signal: request.signal)
                var location = Location(module: index, address: caller.address(of: frame, isFirst: number == 0, in: stack))
                let base = frame.offsetInModule == nil ? module.address : 0
                if location.address >= base {
                    let position = location.address - base
                    let object = lookup.modules[module]?.symbols?.opened.lazy.compactMap { $0 as? ObjectFile }.first
                    location.offset = object.map { $0.offset(atPosition: position) } ?? ImageOffset(position)
                }
                if let offset = location.offset { wanted[module, default: []].insert(offset) }
                row.append(location)
            }
            locations.append(row)
        }
        lookup.lookUp(at: wanted)
    }

    /// Frames from callee to caller, and the reverse of it.
    private static func calleeFirst<Element>(_ frames: [Element], _ request: SentryRequest) -> [Element] {
        request.options.isCallerFirst ? frames.reversed() : frames
    }

    /// - Parameter sorted: the numbers of the modules with addresses, by their addresses.
    private static func module(of frame: SentryRequest.Frame, _ request: SentryRequest, _ sorted: [Int]) -> Int? {
        if let number = frame.offsetInModule { return request.modules.indices.contains(number) ? number : nil }
        // The last that begins at or below the address.
        let low = (0..<sorted.count).partitionPoint { request.modules[sorted[$0]].address > frame.address }
        guard low > 0 else { return nil }
        let module = request.modules[sorted[low - 1]]
        if let size = module.size, frame.address - module.address >= size { return nil }
        return sorted[low - 1]
    }

    /// - Parameter facts: members of the response beside stacks and modules.
    func response(_ facts: [(key: String, value: WrittenJSON?)] = []) throws(Refusal) -> Response {
        var output: [UInt8] = []
        WrittenJSON.object([("status", .string("completed")), ("signal", request.signal.map { .unsigned($0) })] + facts)
            .write(to: &output)
        output.removeLast()
        output += ",\"stacktraces\":[".utf8
        for (index, (stack, locations)) in zip(request.stacks, locations).enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            var frames = zip(Self.calleeFirst(stack.frames, request), locations).enumerated().map { number, part in
                SentryFrame(part.0, number: number)
            }
            frames = symbolicated(frames, locations)
            output += "{\"frames\":[".utf8
            for (number, frame) in Self.calleeFirst(frames, request).enumerated() {
                if number > 0 { output.append(UInt8(ascii: ",")) }
                frame.json.write(to: &output)
                try service.checkSize(of: output)
            }
            output.append(UInt8(ascii: "]"))
            let registers = stack.registers.map { (key: $0.name, value: WrittenJSON?.some(SentryFrame.hexadecimal($0.value))) }
            let others: [(key: String, value: WrittenJSON?)] = [
                ("thread_id", stack.threadID.map { .unsigned($0) }), ("thread_name", stack.threadName.map { .string($0) }),
                ("is_requesting", stack.isRequesting.map { .boolean($0) }),
                ("registers", registers.isEmpty ? nil : .object(registers)),
            ]
            for case (let key, let value?) in others {
                output += ",\"\(key)\":".utf8
                value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
        let used = Set(locations.joined().compactMap(\.module))
        output += "],\"modules\":".utf8
        WrittenJSON.array(request.modules.indices.map { module($0, isUsed: used.contains($0)) }).write(to: &output)
        output.append(UInt8(ascii: "}"))
        return .json(output)
    }

    private func symbolicated(_ frames: [SentryFrame], _ locations: [Location]) -> [SentryFrame] {
        var shown: [SentryFrame] = []
        for (index, (frame, location)) in zip(frames, locations).enumerated() {
            guard let number = location.module else {
                // In a scanned stack, most values are no return addresses. Nor is the value after
                // the first function of a thread, or a zero at the end.
                let isAfterStart = shown.last?.texts["function"].map(Self.firstFunctions.contains) ?? false
                let isNull = frame.isAbsolute && location.address < 4096 && !shown.isEmpty
                if !frame.isScanned, index < frames.count - 1 || !isAfterStart && !isNull {
                    shown.append(frame.unresolved(.unknownImage, service.symbolicator.options))
                }
                continue
            }
            let module = request.modules[number]
            var frame = frame
            if let file = module.codeFile { frame.texts["package"] = file }
            let functions = location.offset.map { lookup.functions(at: $0, in: module) } ?? []
            if !functions.isEmpty {
                shown += functions.map { frame.resolved($0, at: location.address) }
            } else {
                let status = status(of: lookup.modules[module])
                if status != .missingSymbol || !frame.isScanned { shown.append(frame.unresolved(status, service.symbolicator.options)) }
            }
        }
        return shown
    }

    /// Those of glibc, whose rules say that they have no caller.
    private static let firstFunctions: Set = ["_start", "__clone", "__clone3"]

    /// Why a frame of a module has no function.
    private func status(of module: ModuleLookup<SentryModule>.Module?) -> SentryFrame.Status {
        guard let module, !module.isFound else { return .missingSymbol }
        return module.symbols?.isMalformed == true ? .malformed : .missing
    }

    private func module(_ number: Int, isUsed: Bool) -> WrittenJSON {
        let module = request.modules[number]
        let found = lookup.modules[module]
        let symbols = found?.symbols
        var status = "unused"
        if isUsed { status = found?.isFound == true ? "found" : symbols?.isMalformed == true ? "malformed" : "missing" }
        let features = (isUsed ? symbols : nil).features
        let unwinding = !isUsed ? "unused" : features.unwinds ? "found" : status == "malformed" ? status : "missing"
        return .object([
            ("debug_status", .string(status)), ("unwind_status", request.isUnwound ? .string(unwinding) : nil), ("features", features.json),
            ("arch", .string(isUsed ? symbols?.opened.first?.machine?.sentryName ?? "unknown" : "unknown")), ("type", .string(module.type)),
            ("code_id", module.codeID.map { .string($0) }), ("code_file", module.codeFile.map { .string($0) }),
            ("debug_id", module.debugID.map { .string($0) }), ("debug_file", module.debugFile.map { .string($0) }),
            ("image_addr", SentryFrame.hexadecimal(module.address)), ("image_size", module.size.map { .unsigned($0) }),
            ("candidates", request.options.wantsCandidates && isUsed ? candidates(symbols) : nil),
        ])
    }

    /// The files that were looked into, and the sources of the request that were not.
    private func candidates(_ symbols: ImageSymbols?) -> WrittenJSON? {
        let files = service.settings.includesReasons ? symbols?.candidates ?? [] : []
        let all = files + request.sources.compactMap(\.candidate)
        return all.isEmpty && !service.settings.includesReasons ? nil : .array(all)
    }
}

extension Architecture {
    /// As `symbolic` calls it.
    var sentryName: String { self == .i386 ? "x86" : name }
}

extension ImageSymbols {
    /// A file that is the module's, or called like it, cannot be read.
    fileprivate var isMalformed: Bool {
        refusals.contains { if case .unreadable = $0.reason { true } else { false } }
    }

    /// The files that were found, and those that were looked into and not used, with the reason.
    fileprivate var candidates: [WrittenJSON] {
        let used = files.map { file in
            WrittenJSON.object([
                ("source", .string("\(file.candidate.origin)")), ("location", .string(file.candidate.path)),
                ("download", .object([("status", .string("ok"))])), ("debug", .object([("status", .string("ok"))])),
            ])
        }
        let others = refusals.map { refusal in
            var status = "error"
            if case .unreadable = refusal.reason { status = "malformed" }
            return WrittenJSON.object([
                ("source", .string("files")), ("location", .string(refusal.path)),
                ("download", .object([("status", .string(status)), ("details", .string(refusal.description))])),
            ])
        }
        return used + others
    }
}

extension ImageSymbols? {
    /// Features of a module's files.
    fileprivate var features: SentryFeatures {
        let objects = self?.opened.compactMap { $0 as? ObjectFile } ?? []
        let sections = [".eh_frame", ".debug_frame", "__unwind_info", "__eh_frame", "__debug_frame"]
        let unwinds = objects.contains { object in sections.contains { object.section(named: $0).map { !$0.fileRange.isEmpty } ?? false } }
        return SentryFeatures(
            hasDebugInformation: self?.opened.contains(where: \.hasDebugInformation) ?? false, unwinds: unwinds,
            hasSymbols: self?.source != nil)
    }
}

private struct SentryFeatures {
    var hasDebugInformation: Bool
    var unwinds: Bool
    var hasSymbols: Bool

    var json: WrittenJSON {
        .object([
            ("has_debug_info", .boolean(hasDebugInformation)), ("has_unwind_info", .boolean(unwinds)),
            ("has_symbols", .boolean(hasSymbols)), ("has_sources", .boolean(false)),
        ])
    }
}
