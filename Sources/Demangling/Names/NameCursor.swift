/// Why a name is given back as it is: it does not follow its scheme's grammar, or it needs more
/// than `Limits` allow.
struct Malformed: Error {}

/// Range of bytes of a mangled name.
struct NameRange: Equatable {
    var start: Int32 = 0
    var count: Int32 = 0

    var isEmpty: Bool { count == 0 }
}

/// A position in a mangled name. The readers of all schemes are built on it.
///
/// Letters are written as in the grammars, as literals of `Unicode.Scalar`: `consume("N")`. A mangled
/// name's own letters are ASCII; other bytes occur only inside identifiers, which are skipped by
/// their length.
struct NameCursor {
    let bytes: [UInt8]
    private(set) var position: Int
    private(set) var end: Int

    init(_ bytes: [UInt8], from position: Int = 0) {
        self.bytes = bytes
        end = bytes.count
        self.position = min(position, end)
    }

    var isAtEnd: Bool { position >= end }
    /// Bytes that are left.
    var left: Int { end &- position }

    /// The letter that comes next; NUL at the end, which no grammar knows.
    @inline(__always)
    var next: Unicode.Scalar { peek(0) }

    /// The letter `distance` after the next one; NUL beyond the end.
    @inline(__always)
    func peek(_ distance: Int) -> Unicode.Scalar {
        let index = position &+ distance
        return index < end ? Unicode.Scalar(bytes[index]) : "\0"
    }

    /// Whether a decimal digit comes next.
    @inline(__always)
    var digitIsNext: Bool { isDigit(next) }

    @inline(__always)
    mutating func consume(_ letter: Unicode.Scalar) -> Bool {
        guard next == letter, !isAtEnd else { return false }
        position &+= 1
        return true
    }

    @inline(__always)
    mutating func consume(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
        guard left >= 2, next == first, peek(1) == second else { return false }
        position &+= 2
        return true
    }

    mutating func consume(text: String) -> Bool {
        guard has(text, at: position) else { return false }
        position &+= text.utf8.count
        return true
    }

    /// Whether `text` is at `index`.
    @inline(__always)
    func has(_ text: String, at index: Int) -> Bool {
        var index = index
        for byte in text.utf8 {
            guard index < end, bytes[index] == byte else { return false }
            index &+= 1
        }
        return true
    }

    /// Moves over `count` letters that `peek` has seen.
    @inline(__always)
    mutating func skip(_ count: Int = 1) { position = min(position &+ count, end) }

    /// Moves to a position in the name, for back-references; to its end if it is beyond.
    mutating func move(to index: Int) { position = min(max(0, index), end) }

    /// Reads the decimal digits at the current position, perhaps none.
    mutating func readDigits() -> NameRange {
        let start = position
        while digitIsNext { position &+= 1 }
        return NameRange(start: Int32(truncatingIfNeeded: start), count: Int32(truncatingIfNeeded: position &- start))
    }

    /// Reads a decimal number.
    /// - Throws: without digits, or above 2³⁰, which no length or index in a name of a capped
    ///   length can be.
    mutating func readDecimal() throws(Malformed) -> Int {
        guard digitIsNext else { throw Malformed() }
        var value = 0
        while digitIsNext {
            value = value &* 10 &+ Int(next.value &- 48)
            guard value <= 1 << 30 else { throw Malformed() }
            position &+= 1
        }
        return value
    }

    /// Reads `count` bytes.
    mutating func readBytes(_ count: Int) throws(Malformed) -> NameRange {
        guard count >= 0, count <= left else { throw Malformed() }
        defer { position &+= count }
        return NameRange(start: Int32(truncatingIfNeeded: position), count: Int32(truncatingIfNeeded: count))
    }

    func range(from start: Int) -> NameRange {
        NameRange(start: Int32(truncatingIfNeeded: start), count: Int32(truncatingIfNeeded: max(0, position &- start)))
    }

    /// The bytes of `range`, which this cursor handed out.
    func slice(_ range: NameRange) -> ArraySlice<UInt8> { bytes[positions(range)] }

    /// The positions in `bytes` of `range`, which this cursor handed out.
    @inline(__always)
    func positions(_ range: NameRange) -> Range<Int> {
        let start = min(max(0, Int(range.start)), bytes.count)
        return start..<min(bytes.count, start &+ max(0, Int(range.count)))
    }
}

@inline(__always)
func isDigit(_ letter: Unicode.Scalar) -> Bool { letter.value &- 48 < 10 }
