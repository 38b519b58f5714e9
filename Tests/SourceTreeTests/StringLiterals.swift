/// The string literals of a Swift file, without comments. An interpolation is one `…` in the text,
/// and the literals in it are literals of their own.
struct StringLiterals {
    struct Literal: Equatable {
        var line: Int
        /// Line endings and the indentation after them are one space, so that a phrase may go over
        /// several lines.
        var text: String
    }

    private(set) var all: [Literal] = []
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        readCode(isInterpolation: false)
        all.sort { $0.line < $1.line }
    }

    private func isNext(_ text: String) -> Bool {
        guard position < bytes.count, bytes[position] == text.utf8.first else { return false }
        return bytes[position...].starts(with: text.utf8)
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
    }

    /// Code to the end of the file, or to the parenthesis that ends an interpolation.
    private mutating func readCode(isInterpolation: Bool) {
        var depth = 0
        while position < bytes.count {
            if isNext("//") {
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { advance() }
            } else if isNext("/*") {
                while position < bytes.count, !isNext("*/") { advance() }
                advance(2)
            } else if let hashes = literalHashes() {
                readLiteral(hashes: hashes)
            } else {
                if bytes[position] == UInt8(ascii: "(") { depth += 1 }
                if bytes[position] == UInt8(ascii: ")") {
                    if depth == 0, isInterpolation { return advance() }
                    depth -= 1
                }
                advance()
            }
        }
    }

    /// How many `#` the literal that begins here has before its quote; `nil` where none begins.
    private func literalHashes() -> Int? {
        guard [UInt8(ascii: "#"), UInt8(ascii: "\"")].contains(bytes[position]) else { return nil }
        let hashes = bytes[position...].prefix { $0 == UInt8(ascii: "#") }.count
        let quote = position + hashes
        return quote < bytes.count && bytes[quote] == UInt8(ascii: "\"") ? hashes : nil
    }

    private mutating func readLiteral(hashes: Int) {
        let pounds = String(repeating: "#", count: hashes)
        let begin = line
        advance(hashes)
        let quotes = isNext("\"\"\"") ? "\"\"\"" : "\""
        advance(quotes.utf8.count)
        var text: [UInt8] = []
        while position < bytes.count, !isNext(quotes + pounds) {
            if isNext("\\" + pounds + "(") {
                text += "…".utf8
                advance(2 + hashes)
                readCode(isInterpolation: true)
            } else if isNext("\\" + pounds) {
                advance(1 + hashes)
                // A quote, a line ending, or the joint of two lines.
                text.append(position < bytes.count && bytes[position] == UInt8(ascii: "\"") ? UInt8(ascii: "\"") : UInt8(ascii: " "))
                advance()
            } else {
                text.append(bytes[position] == UInt8(ascii: "\n") ? UInt8(ascii: " ") : bytes[position])
                advance()
            }
        }
        advance(quotes.utf8.count + hashes)
        let words = String(decoding: text, as: UTF8.self).split(separator: " ")
        all.append(Literal(line: begin, text: words.joined(separator: " ")))
    }
}
