internal import BinaryPrimitives
internal import Unwinding

/// The message of a Rust panic that ended the process: with `panic = "abort"`, or while another panic unwound.
///
/// The functions that handle a panic have on their stack (library/core/src/panic/panic_info.rs, library/std/src/panicking.rs):
///
///     PanicInfo              message ─► fmt::Arguments, location ─► Location { file, its length, line, column }
///     FormatStringPayload    the formatted String { capacity, address, length }, message ─► fmt::Arguments
///     begin_panic's          text { address, length }, location ─► Location
///
/// No address of them is known; they are recognised by what they lead to.
struct RustPanicMessage {
    static let source = "PanicInfo"

    private let data: ProcessData
    /// The stack of the functions that handle the panic.
    private let stack: Range<UInt64>

    static func message(stack: UnwoundStack, _ data: ProcessData) -> RuntimeMessage? {
        let functions = data.functions(at: stack.frames.prefix(maxFrames).map { $0.programCounter &- ($0.isExact ? 0 : 1) })
        func lastIndex(_ matches: (String) -> Bool) -> Int? { functions.lastIndex { $0.map(matches) ?? false } }
        func stackOf(_ frames: ClosedRange<Int>) -> Range<UInt64>? {
            guard frames.upperBound + 1 < stack.frames.count else { return nil }
            let (start, end) = (stack.frames[frames.lowerBound].stackPointer, stack.frames[frames.upperBound + 1].stackPointer)
            return start < end && end - start <= maxStack ? start..<end : nil
        }
        // The caller of rust_begin_unwind is core::panicking::panic_fmt, which has the PanicInfo.
        if let handler = lastIndex({ $0.hasSuffix("rust_begin_unwind") }) {
            let text = stackOf(0...handler + 1).flatMap { RustPanicMessage(data: data, stack: $0).formattedText }
            return text.map { RuntimeMessage(text: $0, source: source) }
        }
        let begin = lastIndex { $0.contains("9panicking11begin_panic") }
        let text = begin.flatMap { stackOf($0...$0) }.flatMap { RustPanicMessage(data: data, stack: $0).fixedText }
        return text.map { RuntimeMessage(text: $0, source: "begin_panic") }
    }

    /// Maximum number of frames between the signal and the function that begins a panic; Rust 1.95 has 12.
    private static let maxFrames = 32
    /// Maximum number of bytes that are searched; the functions need some 1,000.
    private static let maxStack: UInt64 = 65_536

    private var size: UInt64 { UInt64(data.wordSize) }
    private var addresses: StrideTo<UInt64> { stride(from: stack.lowerBound, to: stack.upperBound, by: Int(size)) }

    /// The text that begin_panic was called with.
    private var fixedText: String? {
        for address in addresses where isLocation(data.word(at: address &+ 2 &* size)) {
            guard let start = data.word(at: address), let count = data.word(at: address &+ size), count < 1 << 24 else { continue }
            if let text = data.text(at: start, count: count) { return text }
        }
        return nil
    }

    private var formattedText: String? {
        for address in addresses {
            guard let message = data.word(at: address), isLocation(data.word(at: address &+ size)) else { continue }
            guard let arguments = FormatArguments(at: message, data) else { continue }
            let text =
                switch arguments {
                case .text(let start, let count): data.text(at: start, count: count)
                case .literals(let literals): formatted(literals, of: message, at: address)
                }
            if let text { return text }
        }
        return nil
    }

    /// `core::panic::Location`.
    private func isLocation(_ address: UInt64?) -> Bool {
        guard let address, let file = data.word(at: address), let count = data.word(at: address &+ size), (1..<4096).contains(count),
            let line = data.number(at: address &+ 2 &* size, size: 4), let column = data.number(at: address &+ 2 &* size &+ 4, size: 4)
        else { return false }
        return line > 0 && column > 0 && column < 1 << 20 && data.text(at: file, count: count)?.hasSuffix(".rs") == true
    }

    /// Returns the string that was made of a message.
    /// - Parameter field: the address of a pointer to the message: a string's structure leads to the message or to its field.
    private func formatted(_ literals: [[UInt8]], of message: UInt64, at field: UInt64) -> String? {
        for address in addresses {
            guard let first = data.word(at: address), let second = data.word(at: address &+ size),
                let count = data.word(at: address &+ 2 &* size), let before = data.word(at: address &- size),
                let after = data.word(at: address &+ 3 &* size), [before, after].contains(message) || [before, after].contains(field)
            else { continue }
            // The capacity is first since Rust 1.66.
            let (capacity, start) = (min(first, second), max(first, second))
            guard count > 0, count <= capacity, capacity < 1 << 24 else { continue }
            let length = min(Int(count), ProcessData.maxText)
            let bytes = data.finder.bytes(at: start, count: length)
            if bytes.count == length, Self.holds(bytes, literals) { return data.text(at: start, count: count) }
        }
        return nil
    }

    /// Whether the fixed parts are in a text in their order. A text that is longer than what is read ends before some of them.
    private static func holds(_ text: [UInt8], _ literals: [[UInt8]]) -> Bool {
        var rest = text[...]
        for literal in literals {
            guard let start = rest.indices.first(where: { rest[$0...].starts(with: literal) }) else {
                return text.count == ProcessData.maxText
            }
            rest = rest[(start + literal.count)...]
        }
        return true
    }
}

/// A formatted text that was not made yet, `core::fmt::Arguments`: its fixed parts.
private enum FormatArguments {
    /// The text has no other parts.
    case text(UInt64, count: UInt64)
    case literals([[UInt8]])

    init?(at address: UInt64, _ data: ProcessData) {
        if let pieces = FormatArguments(pieces: address, data) {
            self = pieces
            return
        }
        // Since Rust 1.93: a template and the arguments; a fixed text has its length instead of arguments.
        guard let template = data.word(at: address), let arguments = data.word(at: address &+ UInt64(data.wordSize)), template != 0 else {
            return nil
        }
        if arguments & 1 == 1 {
            self = .text(template, count: arguments >> 1)
            return
        }
        guard let literals = Self.literals(template: data.finder.bytes(at: template, count: ProcessData.maxText)) else { return nil }
        self = .literals(literals)
    }

    /// Before: the slice of the fixed parts; then those of the arguments and of their formats, of which one may be missing (0), in
    /// either order.
    private init?(pieces address: UInt64, _ data: ProcessData) {
        let size = UInt64(data.wordSize)
        let fields = (0..<6).compactMap { data.word(at: address &+ UInt64($0) &* size) }
        guard fields.count == 6, (1...64).contains(fields[1]) else { return nil }
        let (pieces, count) = (fields[0], fields[1])
        let hasArguments = !(fields[2] == 0 && fields[5] == 0 || fields[4] == 0 && fields[3] == 0)
        var literals: [[UInt8]] = []
        for index in 0..<count {
            let piece = pieces &+ index &* 2 &* size
            guard let start = data.word(at: piece), let length = data.word(at: piece &+ size), length <= 4096 else { return nil }
            if count == 1, !hasArguments {
                self = .text(start, count: length)
                return
            }
            let bytes = data.finder.bytes(at: start, count: Int(length))
            guard bytes.count == length else { return nil }
            literals.append(bytes)
        }
        self = .literals(literals)
    }

    /// The template's parts (library/core/src/fmt/mod.rs, `Arguments`):
    ///
    ///     1…127         that many bytes of text
    ///     128           two bytes of their number, then the text
    ///     192…255       an argument: bit 0, four bytes of flags follow; bits 1 to 3, two bytes of width, precision, index
    ///     0             the end
    private static func literals(template: [UInt8]) -> [[UInt8]]? {
        var (found, position): ([[UInt8]], Int) = ([], 0)
        while position < template.count {
            let code = template[position]
            position += 1
            switch code {
            case 0: return found
            case 1...127, 128:
                var count = Int(code)
                if code == 128 {
                    guard position + 2 <= template.count else { return nil }
                    count = Int(template[position]) | Int(template[position + 1]) << 8
                    position += 2
                }
                guard position + count <= template.count else { return position < template.count ? found : nil }
                found.append(Array(template[position..<position + count]))
                position += count
            case 192...255:
                position += (code & 1 == 0 ? 0 : 4) + 2 * Int((code & 0b1110).nonzeroBitCount)
            default: return nil
            }
        }
        return found
    }
}
