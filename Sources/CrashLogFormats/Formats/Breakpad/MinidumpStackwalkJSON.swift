internal import BinaryPrimitives
package import CrashLogModel

/// `minidump-stackwalk --json` of rust-minidump, and so Mozilla's crash server:
///
///     {"crash_info":{"address":"0x104a383d4","crashing_thread":0,"type":"EXC_BREAKPOINT / EXC_ARM_BREAKPOINT"},
///      "modules":[{"base_addr":"0x104a38000","debug_id":"4C4C44F655553144A1C78F23AF66DDA80","end_addr":"0x104a3c000","filename":"Demo"}],
///      "threads":[{"frames":[{"frame":0,"module":"Demo","module_offset":"0x3d4","offset":"0x104a383d4","trust":"context"}]}]}
///
/// `print_json` of `minidump-processor/src/process_state.rs` gives each frame's instruction, which
/// has been moved back into the call (`json-schema.md` beside it lists the keys). The copy of the
/// crashing thread at the top adds only its registers.
package struct MinidumpStackwalkJSON: DocumentFormat {
    package static let name = "minidump-stackwalk-json"
    package static let summary = "minidump-stackwalk of rust-minidump, and Mozilla’s crash server: --json"
    package static let acceptsResults = false
    package static let triggers = ["\"crash_info\"", "\"module_offset\""]

    package static func begins(_ start: Span<UInt8>) -> Confidence {
        guard firstByte(start) == UInt8(ascii: "{"), start.contains("\"crash_info\"") else { return .none }
        return start.contains("\"crashing_thread\"") ? .certain : .possible
    }

    package static func parse(_ document: Span<UInt8>) throws(LogError) -> [CrashReport] {
        let root = try JSONParser().parse(document)
        guard let threads = root["threads"]?.elements, threads.contains(where: { $0["frames"]?.elements.isEmpty == false }) else {
            throw LogError("not an output of minidump-stackwalk", expected: "an object with \"threads\" and their \"frames\"", at: 0)
        }
        var report = CrashReport(format: name)
        report.process.pid = root["pid"]?.int
        let system = root["system_info"]
        report.platform = [system?["os"]?.string, system?["os_ver"]?.string].compactMap { $0 }.joined(separator: " ")
        if report.platform?.isEmpty == true { report.platform = nil }
        report.architecture = system?["cpu_arch"]?.string.map { StackwalkText.architecture(Array($0.utf8).span) }
        let isELF = ["Linux", "Android"].contains(system?["os"]?.string ?? "")
        var table = ImageTable((root["modules"]?.elements ?? []).compactMap { image($0, isELF: isELF) })
        let crashed = root["crash_info"]?["crashing_thread"]?.int
        for (index, thread) in threads.enumerated().prefix(Limits.standard.threads) {
            report.threads.append(
                ThreadTrace(index: index, name: thread["thread_name"]?.string, crashed: index == crashed, frames: frames(thread)))
        }
        report.cause = cause(root["crash_info"])
        // The first module is the program.
        report.process.name = root["modules"]?.elements.first?["filename"]?.string
        table.assign(to: &report)
        return [report]
    }

    private static func cause(_ info: JSONValue?) -> CrashCause? {
        guard let type = info?["type"]?.string else { return nil }
        var cause = StackwalkText.cause(Array(type.utf8).span)
        cause.address = info?["address"]?.unsigned.map { RuntimeAddress($0) }
        return cause
    }

    /// - Parameter isELF: the identifier was made of a build ID.
    private static func image(_ module: JSONValue, isELF: Bool) -> BinaryImage? {
        guard let name = module["filename"]?.string, let base = module["base_addr"]?.unsigned else { return nil }
        var image = BinaryImage(name: name, base: RuntimeAddress(base))
        if let end = module["end_addr"]?.unsigned, end > base { image.size = end - base }
        image.id = module["debug_id"]?.string.flatMap { BreakpadID.identity($0, isELF: isELF) }
        return image
    }

    private static func frames(_ thread: JSONValue) -> [Frame] {
        var frames: [Frame] = []
        for element in (thread["frames"]?.elements ?? []).prefix(Limits.standard.framesPerThread) {
            let isContext = element["trust"]?.string == "context"
            var frame = Frame(
                index: element["frame"]?.int ?? frames.count, kind: isContext ? .programCounter : .exact,
                address: element["offset"]?.unsigned.map { RuntimeAddress($0) }, range: element.range)
            frame.imageName = element["module"]?.string
            frame.imageOffset = element["module_offset"]?.unsigned.map { ImageOffset($0) }
            var printed = PrintedSymbol(name: element["function"]?.string, offset: element["function_offset"]?.unsigned)
            if let file = element["file"]?.string, let line = element["line"]?.int {
                printed.location = SourceLocation(file: file, line: line)
            }
            if printed != PrintedSymbol() { frame.printed = printed }
            for inlined in element["inlines"]?.elements ?? [] { frames.append(self.inlined(inlined, in: frame)) }
            frames.append(frame)
        }
        return frames
    }

    /// A call that was inlined into the frame's function: it comes before it.
    private static func inlined(_ element: JSONValue, in holder: Frame) -> Frame {
        var frame = holder
        frame.isInlined = true
        frame.range = element.range
        frame.printed = PrintedSymbol(name: element["function"]?.string)
        if let file = element["file"]?.string, let line = element["line"]?.int {
            frame.printed?.location = SourceLocation(file: file, line: line)
        }
        return frame
    }
}
