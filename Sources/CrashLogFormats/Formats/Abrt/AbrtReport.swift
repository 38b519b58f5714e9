internal import BinaryPrimitives
package import CrashLogModel

/// The stacks of abrt as JSON: `core_backtrace` in a problem's folder, and the µReport that is sent
/// to a server with such a stack inside. Satyr writes both (`core_stacktrace.c`,
/// `koops_stacktrace.c`, `report.c`); abrt's text stacks are gdb's.
///
///     {"signal": 6, "executable": "/usr/bin/will_abort",
///      "stacktrace": [{"crash_thread": true, "frames": [
///        {"address": 4195427, "build_id": "92eb…", "build_id_offset": 1123, "file_name": "/usr/bin/will_abort"}]}]}
///
/// A kernel's frames have a function with offset and length instead; those of Python, Ruby, Java
/// and JavaScript have no addresses.
package struct AbrtReport: DocumentFormat {
    package static let name = "abrt-json"
    package static let summary = "abrt and satyr: core_backtrace and µReports, as JSON"
    package static let triggers = [
        "\"ureport_version\"", "\"build_id_offset\"", "\"crash_thread\"", "\"from_function_length\"", "\"raw_oops\"", "\"package_role\"",
    ]

    package static func begins(_ start: Span<UInt8>) -> Confidence {
        guard firstByte(start) == UInt8(ascii: "{") else { return .none }
        if start.contains("\"ureport_version\"") || start.contains("\"build_id_offset\"") || start.contains("\"from_function_length\"") {
            return .certain
        }
        return triggers.contains { start.contains($0) } ? .possible : .none
    }

    package static func parse(_ document: Span<UInt8>) throws(LogError) -> [CrashReport] {
        let root = try JSONParser().parse(document)
        let problem = root["problem"] ?? root
        var report = CrashReport(format: name)
        var table = ImageTable()
        report.threads = threads(of: problem, &table)
        guard !report.threads.isEmpty else {
            throw LogError("this report of abrt holds no stack", expected: "\"stacktrace\" or \"frames\" in it", at: 0)
        }
        describe(root, problem, &report)
        table.assign(to: &report)
        return [report]
    }

    // MARK: Stacks

    private static func threads(of problem: JSONValue, _ table: inout ImageTable) -> [ThreadTrace] {
        if problem["type"]?.string == "kerneloops" || problem["raw_oops"] != nil {
            let frames = AbrtKernelFrames(problem, &table).frames
            return frames.isEmpty ? [] : [ThreadTrace(index: 0, crashed: true, frames: frames)]
        }
        // Java has threads by name, Python and Ruby one list of frames.
        let stacks = (problem["stacktrace"] ?? problem["threads"])?.elements ?? []
        guard stacks.contains(where: { $0["frames"] != nil }) else {
            let frames = stacks.isEmpty ? problem["frames"]?.elements ?? [] : stacks
            return frames.isEmpty ? [] : [ThreadTrace(index: 0, crashed: true, frames: self.frames(frames, &table))]
        }
        return stacks.prefix(Limits.standard.threads).enumerated().map { index, stack in
            ThreadTrace(
                index: index, name: stack["name"]?.string, crashed: stack["crash_thread"]?.isTrue == true || stacks.count == 1,
                frames: frames(stack["frames"]?.elements ?? [], &table))
        }
    }

    private static func frames(_ elements: [JSONValue], _ table: inout ImageTable) -> [Frame] {
        var frames: [Frame] = []
        for element in elements.prefix(Limits.standard.framesPerThread) {
            var frame = Frame(
                index: frames.count, kind: .returnAddress, address: element["address"]?.unsigned.map { RuntimeAddress($0) },
                range: element.range)
            frame.isInlined = element["inlined"]?.isTrue == true
            let name = element["function_name"]?.string ?? element["name"]?.string
            if let offset = element["build_id_offset"]?.unsigned {
                frame.imageOffset = ImageOffset(offset)
                if let path = element["file_name"]?.string {
                    frame.imageName = Path.foreignName(of: path)
                    frame.image = image(path, element["build_id"]?.string, frame, &table)
                }
            }
            let file = element["source_file"]?.string ?? (frame.image == nil ? element["file_name"]?.string : nil)
            let line = element["source_line"]?.int ?? element["file_line"]?.int
            let location = file.flatMap { file in line.map { SourceLocation(file: file, line: $0) } }
            if name != nil || location != nil { frame.printed = PrintedSymbol(name: name, location: location) }
            frames.append(frame)
        }
        // Satyr keeps the program counter as libdwfl or libunwind give it, and takes one off for the name alone (`resolve_frame`).
        // `build_id_offset` counts from the module's first byte (`ip - start`): 4195427 - 1123 = 0x400000 in the report above, of a program
        // that is not position-independent.
        frames.decideKinds(isFirstExact: true)
        return frames
    }

    /// The frames' images, by their build IDs; address less offset is where an image begins.
    private static func image(_ path: String, _ id: String?, _ frame: Frame, _ table: inout ImageTable) -> Int? {
        let make = {
            return BinaryImage(name: Path.foreignName(of: path), path: path, id: id.flatMap { ImageID(text: $0) })
        }
        if let offset = frame.imageOffset, let base = frame.address?.distance(from: RuntimeAddress(offset.value)) {
            return table.index(ofImageAt: RuntimeAddress(base), make: make)
        }
        return table.index(ofImageNamed: Path.foreignName(of: path), id: id.flatMap { ImageID(text: $0) })
    }

    // MARK: What happened

    private static func describe(_ root: JSONValue, _ problem: JSONValue, _ report: inout CrashReport) {
        let system = root["os"]
        report.platform = system?["name"]?.string.map { name in name + (system?["version"]?.string.map { " " + $0 } ?? "") }
        report.architecture = system?["architecture"]?.string.map { Architecture(writtenName: $0) }
        report.process.path = problem["executable"]?.string
        report.process.name = report.process.path.map(Path.foreignName) ?? problem["component"]?.string
        var cause = CrashCause(
            kind: problem["type"]?.string == "core" || problem["signal"] != nil ? .signal : .other, signal: problem["signal"]?.text)
        if cause.signal == nil { cause.type = problem["exception_name"]?.string ?? problem["type"]?.string }
        cause.message = root["reason"]?.string
        report.cause = cause
    }

    /// `function_name` is satyr's own key. Its frames of cores have no keys for a source location;
    /// they get those of its frames of gdb (`source_file`, `source_line` of `struct sr_gdb_frame`).
    /// Inlined calls become objects in front, with `"inlined": true`.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        JSONFrame.edit(at: frame.range, of: log, functions: result.functions) { function, edit in
            edit.set("function_name", to: JSONString.quoted(function.name))
            if let location = function.location {
                edit.set("source_file", to: JSONString.quoted(location.file))
                edit.set("source_line", to: "\(location.line)")
            }
            if function.isInlined { edit.set("inlined", to: "true") }
        }
    }
}

/// The frames of a kernel's oops as satyr has read them:
///
///     {"address": 18446744072102181385, "reliable": true, "function_name": "cfg80211_roamed", "function_offset": 137, "function_length": 144, "module_name": "cfg80211"}
struct AbrtKernelFrames {
    private(set) var frames: [Frame] = []

    init(_ problem: JSONValue, _ table: inout ImageTable) {
        for element in (problem["frames"]?.elements ?? []).prefix(Limits.standard.framesPerThread) {
            // Newer kernels print no addresses: satyr writes 0.
            let address = element["address"]?.unsigned.flatMap { $0 == 0 ? nil : RuntimeAddress($0) }
            var frame = Frame(index: frames.count, kind: .returnAddress, address: address, range: element.range)
            frame.isInlined = element["inlined"]?.isTrue == true
            let module = element["module_name"]?.string
            frame.imageName = module ?? "vmlinux"
            if let name = element["function_name"]?.string, let offset = element["function_offset"]?.unsigned {
                let size = element["function_length"]?.unsigned.flatMap { $0 == 0 ? nil : $0 }
                let location = element["source_file"]?.string.flatMap { file in
                    element["source_line"]?.int.map { SourceLocation(file: file, line: $0) }
                }
                frame.printed = PrintedSymbol(name: name, offset: offset, location: location)
                frame.imageLocation = .symbol(SymbolLocation(name: name, offset: offset, size: size))
            }
            frame.image = table.index(ofImageNamed: module.map { $0 + ".ko" } ?? "vmlinux", id: nil)
            frames.append(frame)
        }
        decideKinds(of: problem["raw_oops"]?.string ?? "")
    }

    /// The frames are those of the call trace, which are return addresses. The instruction pointer
    /// precedes them if the oops has one that is not in the trace. Its line in the kernel's own
    /// text has the same offset and length.
    private mutating func decideKinds(of oops: String) {
        guard case .symbol(let symbol)? = frames.first(where: { !$0.isInlined })?.imageLocation, let size = symbol.size else { return }
        let offsetText = "+0x" + hexadecimal(symbol.offset, digits: 0) + "/0x" + hexadecimal(size, digits: 0)
        for line in oops.split(separator: "\n")
        where ["RIP", "EIP", "IP:", "PC is at", "NIP [", "pc :"].contains(where: { line.contains($0) }) {
            guard line.contains(offsetText), let first = frames.firstIndex(where: { !$0.isInlined }) else { continue }
            for index in 0...first { frames[index].kind = .programCounter }
        }
    }
}
