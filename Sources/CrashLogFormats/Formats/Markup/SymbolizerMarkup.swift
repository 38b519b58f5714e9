internal import BinaryPrimitives
package import CrashLogModel

/// Symbolizer markup: elements in three braces, for a filter to replace with text. They give the
/// mappings of modules and the addresses that are code.
///
///     {{{reset}}}
///     {{{module:0:libc.so:elf:83238ab56ba10497}}}
///     {{{mmap:0x7acba69d5000:0x5a000:load:0:rx:0x1000}}}
///     {{{bt:0:0x7acba69d5010:pc}}}
///
/// The grammar is that of LLVM's document “Symbolizer Markup Format”; Fuchsia's logs hold it, and
/// LLVM's own programs print it (`LLVM_ENABLE_SYMBOLIZER_MARKUP`).
package struct SymbolizerMarkup: LineFormat {
    package static let name = "symbolizer-markup"
    package static let summary = "symbolizer markup ({{{bt:0:0x…:ra}}}): Fuchsia, LLVM’s own programs"
    package static let triggers = ["{{{reset", "{{{module:", "{{{mmap:", "{{{bt:", "{{{pc:"]

    private var threads: [ThreadTrace] = []
    /// `pc` elements in the text.
    private var textFrames: [Frame] = []
    private var images: [BinaryImage] = []
    /// Index in `images` of each module, by the module's number.
    private var modules: [UInt64: Int] = [:]
    private var mappings: [(range: Range<UInt64>, image: Int, linkAddress: UInt64)] = []

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        var position = 0
        while let element = MarkupElement(in: line, from: position) {
            if element.isOfTrace { return .certain }
            position = element.range.upperBound
        }
        return .none
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        var position = 0
        var isKnown = false
        while let element = MarkupElement(in: line, from: position) {
            position = element.range.upperBound
            switch element.content {
            case .reset:
                // Another process.
                if !threads.isEmpty || !textFrames.isEmpty { return .rejected }
                (images, modules, mappings) = ([], [:], [])
            case .module(let number, let name, let id): addModule(number, name, id)
            case .mapping(let start, let size, let module, let linkAddress): addMapping(start, size, module, linkAddress)
            case .frame(let number, let address, let kind):
                var frame = frame(address, kind ?? .returnAddress, in: line, element, range, isInText: false)
                frame.index = number
                append(frame)
            case .codeAddress(let address, let kind):
                var frame = frame(address, kind ?? .programCounter, in: line, element, range, isInText: true)
                frame.index = textFrames.count
                textFrames.add(frame)
            case .other: break
            }
            isKnown = true
        }
        if isKnown { return .more }
        // An inlined call that symbolication has put above its frame.
        if let printed = MarkupResult(inlined: line), !threads.isEmpty || !mappings.isEmpty {
            append(Frame(index: printed.index, address: nil, range: range, printed: printed.symbol, isInlined: true))
            return .more
        }
        return .unknown
    }

    // MARK: Images

    private mutating func addModule(_ number: UInt64, _ name: String, _ id: ImageID?) {
        guard images.count < Limits.standard.images else { return }
        modules[number] = images.count
        var image = BinaryImage(
            name: name.isEmpty ? "module \(number)" : Path.foreignName(of: name), path: name.hasPrefix("/") ? name : nil)
        image.id = id
        images.append(image)
    }

    private mutating func addMapping(_ start: UInt64, _ size: UInt64, _ module: UInt64, _ linkAddress: UInt64) {
        guard let image = modules[module], mappings.count < Limits.standard.images else { return }
        let (end, overflow) = start.addingReportingOverflow(size)
        guard !overflow, size > 0 else { return }
        mappings.append((start..<end, image, linkAddress))
        let base = images[image].base.map { min($0.value, start) } ?? start
        let last = images[image].base.map { $0.value &+ (images[image].size ?? 0) } ?? 0
        images[image].base = RuntimeAddress(base)
        images[image].size = max(last, end) - base
    }

    // MARK: Frames

    /// `ra` is a return address and `pc` is exact, as the document says. If neither is given, `bt`
    /// is a return address ("the symbolizing filter will usually apply the subtract one byte
    /// adjustment") and `pc`, which is in the text by itself, is exact: llvm-symbolizer reads them
    /// so.
    private func frame(
        _ address: UInt64, _ kind: Frame.Kind, in line: Span<UInt8>, _ element: MarkupElement, _ lineRange: Range<Int>, isInText: Bool
    ) -> Frame {
        let range = lineRange.lowerBound + element.range.lowerBound..<lineRange.lowerBound + element.range.upperBound
        var frame = Frame(index: 0, kind: kind, address: RuntimeAddress(address), range: range)
        // A return address may be one past a mapping's end.
        let inside = kind == .returnAddress ? ReturnAddress.call(before: address) : address
        if let mapping = mappings.last(where: { $0.range.contains(inside) }) {
            frame.image = mapping.image
            frame.imageName = images[mapping.image].name
            frame.imageLocation = .linkAddress(LinkAddress(address &- mapping.range.lowerBound &+ mapping.linkAddress))
        }
        frame.printed = MarkupResult(behind: line.from(element.range.upperBound), isInText: isInText)?.symbol
        return frame
    }

    private mutating func append(_ frame: Frame) {
        // Numbers begin again with another stack.
        let last = threads.last?.frames.last
        if threads.isEmpty || (last.map { frame.index < $0.index || (frame.index == $0.index && !$0.isInlined) } ?? false) {
            guard threads.count < Limits.standard.threads else { return }
            threads.append(ThreadTrace(index: threads.count, crashed: threads.isEmpty))
        }
        threads[threads.count - 1].frames.add(frame)
    }

    package mutating func finish() -> [CrashReport] {
        guard !threads.isEmpty || !textFrames.isEmpty else { return [] }
        var report = CrashReport(format: SymbolizerMarkup.name)
        report.cause = CrashCause(kind: .other, type: "backtrace")
        report.threads = threads
        if !textFrames.isEmpty {
            report.additionalBacktraces = [ThreadTrace(index: 0, name: "places in the text", frames: textFrames)]
        }
        report.images = images
        report.changeStacks { $0.setInlinedCallAddresses() }
        return [report]
    }

    /// An element is followed by the text that llvm-symbolizer's filter would have put in its
    /// position, `outer /src/a.c:12:3`. Above it is a row for each inlined call, numbered as the
    /// filter does: `#0.1 inner /src/a.c:3:5`. The filter drops the elements and with them the raw
    /// addresses. Here they stay, so that they can be looked up in other files later.
    package static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        ResultFilter.edits(of: report, results: results, in: log) { frame, result, log in
            // An element inside a sentence gets one function, the innermost, as the filter writes
            // it: `inner[/src/a.c:3:5]`.
            let isText = report.additionalBacktraces.contains { $0.frames.contains { $0.range == frame.range } }
            guard !isText else {
                guard let inner = result.functions.first else { return nil }
                return .rows(above: [], frame.range, followedBy: resultText(inner, isInText: true), in: log)
            }
            guard let outer = result.functions.last else { return nil }
            let above = result.functions.dropLast().enumerated().map { "#\(frame.index).\($0 + 1)" + resultText($1) }
            return .rows(above: above, frame.range, followedBy: resultText(outer), in: log)
        }
    }

    private static func resultText(_ function: FrameResult.Function, isInText: Bool = false) -> String {
        let name = " " + plain(function.name)
        guard let location = function.location else { return name }
        var locationText = plain(location.file) + ":\(location.line)"
        if location.column > 0 { locationText += ":\(location.column)" }
        return isInText ? name + "[" + locationText + "]" : name + " " + locationText
    }

    /// A name with an element in it (`{{{reset}}}`) would be one for the next filter.
    private static func plain(_ text: String) -> String {
        let line = PlainText.line(text)
        guard line.utf8.contains(UInt8(ascii: "{")) else { return line }
        return line.split(separator: "{{{", omittingEmptySubsequences: false).joined(separator: "{{\\u{7b}")
    }
}
