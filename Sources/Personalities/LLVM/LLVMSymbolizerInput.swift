internal import BinaryPrimitives
internal import Console

/// One line of llvm-symbolizer's input, parsed: `[CODE |DATA |FRAME ][FILE:]NAME ADDRESS`, or without a name
/// if the command line has it (`parseCommand` of `llvm-symbolizer.cpp`, LLVM 19).
struct LLVMSymbolizerInput {
    enum Target: Equatable {
        case address(UInt64)
        /// `main`, `main+4`.
        case symbol(String, offset: UInt64)
    }

    /// The file that a line names.
    enum File: Equatable {
        /// The file of the command line.
        case given
        /// Range of the path in the line.
        case path(Range<Int>)
        case buildID([UInt8])
    }

    var subject = AddressQuery.Subject.code
    var file = File.given
    var target: Target
    var isAddress: Bool { if case .address = target { true } else { false } }

    /// Error in a line, in the tool's words.
    struct Misread: Error, Equatable { var message: String }

    /// - Parameters:
    ///   - isNamed: the command line names the file.
    ///   - isAddr2Line: numbers are hexadecimal, with `0x` or without.
    ///   - file: set to the file that the line names, before the rest is read.
    init(
        _ line: Span<UInt8>, isNamed: Bool, isAddr2Line: Bool, file take: (File) -> Void = { _ in }
    ) throws(Misread) {
        var rest = line
        if rest.consume("CODE ") {
            subject = .code
        } else if rest.consume("DATA ") {
            subject = .data
        } else if rest.consume("FRAME ") {
            subject = .frame
        }
        var hasPrefix = false
        var isBuildID = false
        rest.skipSpaces()
        while rest.hasPrefix("FILE:") || rest.hasPrefix("BUILDID:") {
            if hasPrefix { throw Misread(message: "duplicate input file specification prefix") }
            isBuildID = rest.consume("BUILDID:")
            if !isBuildID { _ = rest.consume("FILE:") }
            hasPrefix = true
            rest.skipSpaces()
        }
        if hasPrefix {
            if rest.isEmpty { throw Misread(message: isBuildID ? "must be followed by a hash" : "must be followed by an input file") }
            if isNamed { throw Misread(message: "input file has already been specified") }
        }
        if hasPrefix || !isNamed {
            let start = line.count - rest.count
            let (word, end) = rest.firstWord()
            if word.isEmpty {
                throw Misread(message: hasPrefix ? "unbalanced quotes in input file name" : "no input filename has been specified")
            }
            if isBuildID {
                guard let id = Self.buildID(rest.extracting(word)) else { throw Misread(message: "wrong format of build-id") }
                file = .buildID(id)
            } else {
                file = .path(start + word.lowerBound..<start + word.upperBound)
            }
            take(file)
            rest = rest.from(end)
        }
        rest.skipSpaces()
        let word = rest.upTo(rest.firstIndex { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") } ?? rest.count)
        guard let first = word.at(0) else { throw Misread(message: "no module offset has been specified") }
        if let number = isAddr2Line ? Self.hexadecimal(word) : Self.number(word) {
            target = .address(number)
            return
        }
        if isDigit(first) { throw Misread(message: "expected a number as module offset") }
        // `main+4`, if the text after the last `+` is a number; names of operators may contain `+`.
        if let plus = word.lastIndex(of: UInt8(ascii: "+")), plus > 0, let offset = Self.number(word.from(plus + 1)) {
            target = .symbol(word.upTo(plus).text, offset: offset)
        } else {
            target = .symbol(word.text, offset: 0)
        }
    }

    /// Decodes hexadecimal digits to bytes; if their number is odd, the first byte has one digit; `nil` for
    /// other text.
    static func buildID(_ text: Span<UInt8>) -> [UInt8]? {
        guard !text.isEmpty, text.count <= 128 else { return nil }
        var bytes: [UInt8] = []
        var index = 0
        if text.count % 2 == 1 {
            guard let digit = hexadecimalDigit(text[0]) else { return nil }
            bytes.append(UInt8(digit))
            index = 1
        }
        while index < text.count {
            guard let digit = hexadecimalDigit(text[index]), let next = hexadecimalDigit(text[index + 1]) else { return nil }
            bytes.append(UInt8(digit << 4 | next))
            index += 2
        }
        return bytes
    }

    /// Parses a number of 64 bits in C's notation: `0x1f`, `0b11`, `017`, `0o17`, `31`
    /// (`StringRef::getAsInteger` with radix 0).
    static func number(_ text: Span<UInt8>) -> UInt64? {
        guard text.at(0) == UInt8(ascii: "0"), let second = text.at(1) else { return digits(text, radix: 10) }
        switch second {
        case UInt8(ascii: "x"), UInt8(ascii: "X"): return digits(text.from(2), radix: 16)
        case UInt8(ascii: "b"), UInt8(ascii: "B"): return digits(text.from(2), radix: 2)
        case UInt8(ascii: "o"): return digits(text.from(2), radix: 8)
        default: return isDigit(second) ? digits(text.from(1), radix: 8) : nil
        }
    }

    static func hexadecimal(_ text: Span<UInt8>) -> UInt64? {
        text.hasPrefix("0x") || text.hasPrefix("0X") ? digits(text.from(2), radix: 16) : digits(text, radix: 16)
    }

    private static func digits(_ text: Span<UInt8>, radix: UInt64) -> UInt64? {
        guard !text.isEmpty else { return nil }
        var value: UInt64 = 0
        for index in text.indices {
            guard let digit = hexadecimalDigit(text[index]), digit < radix else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: radix)
            let (sum, overflow) = product.addingReportingOverflow(digit)
            if tooLarge || overflow { return nil }
            value = sum
        }
        return value
    }
}

/// The value of a hexadecimal digit.
func hexadecimalDigit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
}

extension Span<UInt8> {
    /// Skips white space as `isspace(3)` defines it.
    mutating func skipSpaces() {
        var index = 0
        while index < count, self[index] == UInt8(ascii: " ") || (self[index] >= 9 && self[index] <= 13) { index += 1 }
        self = from(index)
    }

    fileprivate func firstIndex(where matches: (UInt8) -> Bool) -> Int? {
        var index = 0
        while index < count {
            if matches(self[index]) { return index }
            index += 1
        }
        return nil
    }

    /// Returns the range of the next word, or of the text in quotes, and the start of the rest; empty if
    /// quotes are not closed: then nothing is consumed.
    fileprivate func firstWord() -> (word: Range<Int>, rest: Int) {
        var start = 0
        while start < count, self[start] == UInt8(ascii: " ") || self[start] == UInt8(ascii: "\r") { start += 1 }
        if let quote = at(start), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            guard let end = firstIndex(of: quote, from: start + 1) else { return (0..<0, 0) }
            return (start + 1..<end, end + 1)
        }
        let end = from(start).firstIndex { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }.map { start + $0 } ?? count
        return (start..<end, end)
    }
}
