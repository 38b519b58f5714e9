internal import BinaryPrimitives
internal import CrashLogModel

/// The mapping that the kernel names at the end of its line about a program, where the program
/// counter is (`print_vma_addr` of `mm/memory.c`):
///
///     libtide.so.1[7f62356e8000+16f000]           the file's name, the mapping's start and size
///     libtide.so.1[72de4,7f62356e8000+16f000]     newer kernels: in front of them the program counter's offset in the file, `ip - vm_start + (vm_pgoff << PAGE_SHIFT)`
///
/// This package's result follows it, in parentheses: `harbour[55d0c0a1a000+2000] (tie at /src/a.h:3
/// inlined into moor+0x1b at /src/a.c:12)`.
struct KernelSegfaultMapping {
    var name: String
    /// File offset of the program counter.
    var fileOffset: UInt64?
    var start: UInt64
    var size: UInt64
    /// The name and the bracket in the text.
    var range: Range<Int>
    /// The result, innermost first, and where each part is.
    var functions: [(printed: PrintedSymbol, range: Range<Int>)] = []

    /// Finds it in `text`, which begins with `offset` of a line.
    /// - Parameter offset: added to the ranges.
    init?(in text: Span<UInt8>, at offset: Int) {
        var from = 0
        while let mark = text.firstRange(of: "in ", from: from) {
            from = mark.upperBound
            guard mark.lowerBound == 0 || isBlank(text[mark.lowerBound - 1]), let open = text.firstIndex(of: UInt8(ascii: "["), from: from),
                open > mark.upperBound, open - mark.upperBound <= 255
            else { continue }
            var rest = text.from(open + 1)
            guard var first = rest.readHexadecimal() else { continue }
            if rest.consume(",") {
                fileOffset = first
                guard let next = rest.readHexadecimal() else { return nil }
                first = next
            }
            guard rest.consume("+"), let size = rest.readHexadecimal(), rest.consume("]") else { continue }
            (name, start, self.size) = (text.clamped(to: mark.upperBound..<open).text, first, size)
            let end = text.count - rest.count
            range = offset + mark.upperBound..<offset + end
            readResult(rest, at: offset + end)
            return
        }
        return nil
    }

    func contains(_ address: UInt64) -> Bool { address >= start && address - start < size }

    /// Location of the program counter in the file. If the line does not give its file offset, the
    /// offset of the mapping follows from the file's program headers.
    func location(of address: UInt64?) -> ImageLocation? {
        if let fileOffset { return .fileOffset(fileOffset) }
        guard let address, contains(address) else { return nil }
        return .mapping(MappingLocation(offset: address - start, size: size))
    }

    // MARK: Results of this package

    private static let inlined = " inlined into "

    private mutating func readResult(_ text: Span<UInt8>, at offset: Int) {
        guard text.hasPrefix(" ("), let close = text.firstRange(of: ")", from: 2) else { return }
        // A name's parentheses are balanced.
        var (end, depth) = (1, 0)
        while end < text.count {
            if text[end] == UInt8(ascii: "(") { depth += 1 }
            if text[end] == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0 { break }
            end += 1
        }
        guard depth == 0, end >= close.lowerBound else { return }
        var start = 2
        while start < end, functions.count < Limits.standard.inlineDepth {
            let next = text.upTo(end).firstRange(of: KernelSegfaultMapping.inlined, from: start)
            let part = start..<(next?.lowerBound ?? end)
            functions.append((KernelSegfaultMapping.symbol(text.clamped(to: part)), offset + part.lowerBound..<offset + part.upperBound))
            start = next?.upperBound ?? end
        }
    }

    /// `moor+0x1b at /src/a.c:12`
    private static func symbol(_ text: Span<UInt8>) -> PrintedSymbol {
        var name = text
        var symbol = PrintedSymbol(location: AddressToLineText.readLocation(atEndOf: &name))
        symbol.offset = name.readHexadecimal(atEndBehind: "+0x")
        symbol.name = name.text
        return symbol
    }

    /// The same of a result, with the blank in front.
    static func text(_ result: FrameResult) -> String {
        let parts = result.functions.map { function in
            let offset = function.isInlined ? nil : function.offset
            return PlainText.line(function.name) + (offset.map { "+0x" + hexadecimal($0, digits: 0) } ?? "")
                + (function.location.map { " at " + SourceLocationText.text($0) } ?? "")
        }
        return " (" + parts.joined(separator: inlined) + ")"
    }
}
