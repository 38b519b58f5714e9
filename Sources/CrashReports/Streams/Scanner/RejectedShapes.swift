internal import BinaryPrimitives
internal import CrashLogModel

/// The shapes of lines that have an address and are not rows of a stack.
///
/// The million lines with pointers of a debug log have a few hundred shapes. A line of a shape that was rejected several times is
/// rejected without being read again:
///
///     10:41:07.331 DEBUG [3] socket.cc:120: queued buffer 0x7f12c4a01b30 refs=2
///     10:41:09.002 DEBUG [7] socket.cc:88: queued buffer 0x7f12c4a7e2f0 refs=10
///
/// A shape has a line's text and punctuation. Numbers count by their spelling and by whether they are too small for an address.
/// Lines with a text that opens a family's stack are never rejected by their shape (`FormatSearch.opening`), and a learned prefix clears
/// the shapes.
struct RejectedShapes: Sendable {
    /// Shapes in sets of four, the latest first, each with the number of its lines in its two lowest bits.
    private var shapes: [UInt64] = []

    private static let sets = 1024
    private static let ways = 4
    /// Number of lines of a shape that are read before it is rejected: a line may get a known prefix from the lines around it.
    private static let needed: UInt64 = 2
    private static let longestLine = 1024

    /// Whether lines of this shape are not rows.
    func contains(_ line: Span<UInt8>) -> Bool {
        guard !shapes.isEmpty, line.count <= Self.longestLine else { return false }
        let wanted = Self.shape(of: line) | Self.needed
        let first = Self.set(of: wanted)
        return (first..<first + Self.ways).contains { shapes[$0] == wanted }
    }

    /// Notes that a line was not a row.
    mutating func add(_ line: Span<UInt8>) {
        guard line.count <= Self.longestLine else { return }
        if shapes.isEmpty { shapes = Array(repeating: 0, count: Self.sets * Self.ways) }
        let shape = Self.shape(of: line)
        let first = Self.set(of: shape)
        let known = (first..<first + Self.ways).first { shapes[$0] & ~3 == shape }
        let lines = min(Self.needed, (known.map { shapes[$0] & 3 } ?? 0) + 1)
        var index = known ?? first + Self.ways - 1
        while index > first {
            shapes[index] = shapes[index - 1]
            index -= 1
        }
        shapes[first] = shape | lines
    }

    mutating func removeAll() { shapes = [] }

    /// The index of a set's first shape.
    private static func set(of shape: UInt64) -> Int { (Int(truncatingIfNeeded: shape >> 32) & (sets - 1)) * ways }

    /// The shape with zeros in its two lowest bits.
    private static func shape(of line: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ value: UInt64) { hash = (hash ^ value) &* 0x9e37_79b9_7f4a_7c15 }
        var index = 0
        while index < line.count {
            let byte = line[index]
            guard isWordByte(byte) else {
                // Two blanks are as many as three.
                if !isBlank(byte) || index < 2 || !isBlank(line[index - 1]) || !isBlank(line[index - 2]) { add(UInt64(byte)) }
                index += 1
                continue
            }
            let start = index
            index = addWord(of: line, from: start, add)
            // A disassembler's instructions have one byte and more.
            while isByte(line, start), isByte(line, index + 1), line.at(index) == UInt8(ascii: " ") { index += 3 }
        }
        return (hash ^ hash >> 29) & ~3
    }

    /// Whether two hexadecimal digits stand alone at `start`: `e8`.
    private static func isByte(_ line: Span<UInt8>, _ start: Int) -> Bool {
        guard let high = line.at(start), let low = line.at(start + 1), hexadecimalValue(high) != nil, hexadecimalValue(low) != nil else {
            return false
        }
        return line.at(start + 2).map { !isWordByte($0) } ?? true
    }

    /// Adds the word or number at `start` to a shape.
    /// - Returns: its end.
    private static func addWord(of line: Span<UInt8>, from start: Int, _ add: (UInt64) -> Void) -> Int {
        let isHexadecimal = line[start] == UInt8(ascii: "0") && line.at(start + 1).map { $0 | 0x20 == UInt8(ascii: "x") } == true
        var end = isHexadecimal ? start + 2 : start
        var (value, digits, letters, isNumber) = (UInt64(0), 0, 0, true)
        while end < line.count, isWordByte(line[end]) {
            if let digit = hexadecimalValue(line[end]) {
                value = value << 4 | UInt64(digit)
                if isDigit(line[end]) { digits += 1 } else { letters += 1 }
            } else {
                isNumber = false
            }
            end += 1
        }
        let length = digits + letters
        if isNumber, isHexadecimal || digits > 0 {
            let size: UInt64 = value == 0 ? 0 : value < 0x1000 ? 1 : value < 0x100_0000 ? 2 : value == .max ? 3 : 4
            // Numbers without `0x` are addresses by their length.
            let style = isHexadecimal ? (length >= 10 ? 1 : 2) : letters > 0 ? 8 + length : length < 8 ? 3 : 64 + length
            add(0x100 | UInt64(style) << 16 | (isHexadecimal || length >= 8 ? size << 12 : 0))
        } else if end - start >= 6, (start..<end).contains(where: { line[$0] == UInt8(ascii: "_") || isDigit(line[$0]) }) {
            // All functions' names are equal.
            add(0x100)
        } else {
            // `eth0` and `eth1` are equal.
            for index in start..<end { add(isDigit(line[index]) ? UInt64(UInt8(ascii: "0")) : UInt64(line[index])) }
        }
        return end
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}
