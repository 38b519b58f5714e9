internal import BinaryPrimitives
internal import CrashLogFormats
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
///
/// A line that could be a stack's first row is read if the next one could be its second: the two must agree in what comes before the
/// row, in the numbering and in the bracket of the address (`RowSummary`), which shapes decide as well.
///
///     10:41:07.331 DEBUG [3] pool.cc:12: released buffer [0x7f12c4a01b30]
///     10:41:09.002 DEBUG [3] socket.cc:88: closed handle [0x7f12c4a7e2f0]
struct RejectedShapes: Sendable {
    /// What is known of the lines of one shape.
    struct Entry: Sendable {
        fileprivate var shape: UInt64 = 0
        /// How many lines of the shape were no rows of a stack; began a stack of which the next line was not a part; and were that next
        /// line.
        fileprivate var rejections: UInt8 = 0
        fileprivate var singles: UInt8 = 0
        fileprivate var followers: UInt8 = 0
        /// The row that the line may be.
        fileprivate var row: RowSummary?

        /// Whether lines of this shape are not rows.
        var isRejected: Bool { rejections >= RejectedShapes.needed }
        /// Whether lines of this shape began stacks that had no second row.
        var mayBeSingle: Bool { singles >= RejectedShapes.needed }
    }

    /// Two shapes of lines of which the first began a stack that the second ended.
    private struct Pair: Sendable, Hashable {
        var key: UInt64 = 0
        var rejections: UInt8 = 0
    }

    /// In sets of four, the latest first.
    private var entries: [Entry] = []
    /// By their key; a newer pair takes the place of an older one.
    private var pairs: [Pair] = []

    private static let sets = 1024
    private static let ways = 4
    /// Number of lines of a shape that are read before it is rejected: a line may get a known prefix from the lines around it.
    fileprivate static let needed: UInt8 = 2
    private static let longestLine = 1024

    /// Whether a line of a shape that may be a single row is one because the next line is not a row that continues it.
    func isSingle(_ own: Entry, before next: Span<UInt8>) -> Bool {
        guard let row = own.row, let other = entry(of: next) else { return false }
        if let following = other.row {
            let pair = Self.pair(own.shape, other.shape)
            return !row.mayContinue(in: following, wasRejected: pairs[pair.index] == Pair(key: pair.key, rejections: Self.needed))
        }
        return other.followers >= Self.needed
    }

    /// Notes that a line was not a row of a stack.
    mutating func add(_ line: Span<UInt8>, _ row: RowSummary?) {
        change(line) { entry in
            entry.rejections = min(Self.needed, entry.rejections + 1)
            entry.row = row
        }
    }

    /// Notes that a line began a stack, and that the next one ended it.
    mutating func addSingle(_ line: Span<UInt8>, _ row: RowSummary?, before next: Span<UInt8>, _ nextRow: RowSummary?) {
        guard line.count <= Self.longestLine, next.count <= Self.longestLine else { return }
        change(line) { entry in
            entry.singles = min(Self.needed, entry.singles + 1)
            entry.row = row
        }
        let pair = Self.pair(Self.shape(of: line), Self.shape(of: next))
        if pairs[pair.index].key != pair.key { pairs[pair.index] = Pair(key: pair.key) }
        pairs[pair.index].rejections = min(Self.needed, pairs[pair.index].rejections + 1)
        change(next) { entry in
            entry.followers = min(Self.needed, entry.followers + 1)
            entry.row = nextRow
        }
    }

    mutating func removeAll() { (entries, pairs) = ([], []) }

    private static func pair(_ first: UInt64, _ second: UInt64) -> (key: UInt64, index: Int) {
        let key = (first ^ second << 1) &* 0x9e37_79b9_7f4a_7c15
        return (key, Int(truncatingIfNeeded: key >> 52))
    }

    /// What is known of lines of the shape of a line; `nil` if none was noted.
    func entry(of line: Span<UInt8>) -> Entry? {
        guard !entries.isEmpty, line.count <= Self.longestLine else { return nil }
        let shape = Self.shape(of: line)
        let first = Self.set(of: shape)
        for index in first..<first + Self.ways where entries[index].shape == shape { return entries[index] }
        return nil
    }

    private mutating func change(_ line: Span<UInt8>, _ body: (inout Entry) -> Void) {
        guard line.count <= Self.longestLine else { return }
        if entries.isEmpty {
            entries = Array(repeating: Entry(), count: Self.sets * Self.ways)
            // The upper twelve bits of a key are its index.
            pairs = Array(repeating: Pair(), count: 1 << 12)
        }
        let shape = Self.shape(of: line)
        let first = Self.set(of: shape)
        let known = (first..<first + Self.ways).first { entries[$0].shape == shape }
        var entry = known.map { entries[$0] } ?? Entry(shape: shape)
        body(&entry)
        var index = known ?? first + Self.ways - 1
        while index > first {
            entries[index] = entries[index - 1]
            index -= 1
        }
        entries[first] = entry
    }

    /// The index of a set's first entry.
    private static func set(of shape: UInt64) -> Int { (Int(truncatingIfNeeded: shape >> 32) & (sets - 1)) * ways }

    /// Whether lines of one shape have the same text, but for digits: no name of a function, which are all equal.
    static func isLiteral(_ text: Span<UInt8>) -> Bool {
        var index = 0
        while index < text.count {
            let start = index
            while index < text.count, isWordByte(text[index]) { index += 1 }
            if isFunctionName(text, start..<index) { return false }
            if index == start { index += 1 }
        }
        return true
    }

    private static func shape(of line: Span<UInt8>) -> UInt64 {
        var hash = ShapeHash()
        var index = 0
        while index < line.count {
            let byte = line[index]
            guard isWordByte(byte) else {
                // Two blanks are as many as three.
                if !isBlank(byte) || index < 2 || !isBlank(line[index - 1]) || !isBlank(line[index - 2]) { hash.add(UInt64(byte)) }
                index += 1
                continue
            }
            let start = index
            index = addWord(of: line, from: start, to: &hash)
            // A disassembler's instructions have one byte and more.
            while isByte(line, start), isByte(line, index + 1), line.at(index) == UInt8(ascii: " ") { index += 3 }
        }
        return hash.value
    }

    private struct ShapeHash {
        private var state: UInt64 = 0xcbf2_9ce4_8422_2325

        mutating func add(_ value: UInt64) { state = (state ^ value) &* 0x9e37_79b9_7f4a_7c15 }

        /// Not zero, which is an entry that is free.
        var value: UInt64 { state ^ state >> 29 | 1 }
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
    private static func addWord(of line: Span<UInt8>, from start: Int, to hash: inout ShapeHash) -> Int {
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
            hash.add(0x100 | UInt64(style) << 16 | (isHexadecimal || length >= 8 ? size << 12 : 0))
        } else if isFunctionName(line, start..<end) {
            // All functions' names are equal.
            hash.add(0x100)
        } else {
            // `eth0` and `eth1` are equal.
            for index in start..<end { hash.add(isDigit(line[index]) ? UInt64(UInt8(ascii: "0")) : UInt64(line[index])) }
        }
        return end
    }

    /// Whether a word may be the name of a function.
    private static func isFunctionName(_ text: Span<UInt8>, _ word: Range<Int>) -> Bool {
        word.count >= 6 && word.contains { text[$0] == UInt8(ascii: "_") || isDigit(text[$0]) }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}
