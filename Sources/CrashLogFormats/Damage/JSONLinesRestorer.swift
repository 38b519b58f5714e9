internal import BinaryPrimitives
internal import CrashLogModel

/// Takes a log whose lines are JSON objects, with the text in one of their strings:
///
///     {"log":"==77==ERROR: AddressSanitizer: …\n","stream":"stderr","time":"2026-11-25T10:00:00Z"}    Docker's json-file driver
///     {"ts":"2026-11-25T10:00:00Z","level":"error","message":"    #0 0x5605e08941f0 (/app/moor+0x11f0)"}    loggers
///     {"_source":{"message":"    #0 0x5605e08941f0 (/app/moor+0x11f0)"}}                                     Elasticsearch
///
/// Docker's strings hold the line's end, loggers' do not. Lines without the string stay.
package struct JSONLinesRestorer: Restorer {
    private let key: [UInt8]

    package init(_ key: [UInt8]) { self.key = key }

    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        var strings = Strings(line)
        while let (found, value) = strings.next(in: line) {
            guard line.clamped(to: found).copied() == key else { continue }
            var string = JSONStringRestorer()
            _ = string.consume(line.clamped(to: value.lowerBound..<value.upperBound + 1), at: start + value.lowerBound, to: &text)
            if text.bytes.last != UInt8(ascii: "\n") { text.write(UInt8(ascii: "\n"), for: start + value.upperBound..<start + line.count) }
            return line.count
        }
        text.copy(line, at: start)
        return line.count
    }

    /// The key whose string a format claims as a line of its own; `nil` if the line is not such an
    /// object.
    package static func key(in line: Span<UInt8>, claim: (Span<UInt8>) -> Bool) -> [UInt8]? {
        let text = line.upTo(line.lengthWithoutEnding)
        guard text.at(0) == UInt8(ascii: "{"), text.at(text.count - 1) == UInt8(ascii: "}") else { return nil }
        var strings = Strings(text)
        while let (key, value) = strings.next(in: text) {
            guard value.count > 8 else { continue }
            let decoded = Array(JSONEscapes.decoded(text.clamped(to: value)).utf8)
            let content = decoded.span.upTo(decoded.span.lengthWithoutEnding)
            // A whole report in one string is read as that.
            if content.firstIndex(of: UInt8(ascii: "\n")) == nil, claim(content) { return text.clamped(to: key).copied() }
        }
        return nil
    }

    /// The members of an object that are strings, in their order, with those of objects inside of
    /// it (`_source.message`). Lists are skipped with all their contents.
    private struct Strings {
        private var index: Int
        private var left = 64

        init(_ line: Span<UInt8>) {
            index = 0
            while let byte = line.at(index), isBlank(byte) { index += 1 }
            if line.at(index) == UInt8(ascii: "{") { index += 1 } else { index = line.count }
        }

        /// - Returns: the ranges of key and value, without their quotes.
        mutating func next(in line: Span<UInt8>) -> (key: Range<Int>, value: Range<Int>)? {
            while left > 0 {
                // Between members: an object that was entered ends here.
                while let byte = line.at(index), isBlank(byte) || isOne(byte, of: ",}") { index += 1 }
                guard let key = string(in: line) else { return nil }
                left -= 1
                skipBlanks(in: line)
                guard line.at(index) == UInt8(ascii: ":") else { return nil }
                index += 1
                skipBlanks(in: line)
                switch line.at(index) {
                case UInt8(ascii: "\""):
                    guard let value = string(in: line) else { return nil }
                    return (key, value)
                case UInt8(ascii: "{"): index += 1
                default: skipValue(in: line)
                }
            }
            return nil
        }

        private mutating func skipBlanks(in line: Span<UInt8>) {
            while let byte = line.at(index), isBlank(byte) { index += 1 }
        }

        /// Skips a value, up to the comma or brace behind it.
        private mutating func skipValue(in line: Span<UInt8>) {
            var depth = 0
            while let byte = line.at(index) {
                switch byte {
                case UInt8(ascii: "\""):
                    guard string(in: line) != nil else { return index = line.count }
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    guard depth > 0 else { return }
                    depth -= 1
                case UInt8(ascii: ","):
                    if depth == 0 { return }
                default: break
                }
                index += 1
            }
        }

        private mutating func string(in line: Span<UInt8>) -> Range<Int>? {
            skipBlanks(in: line)
            guard line.at(index) == UInt8(ascii: "\"") else { return nil }
            let start = index + 1
            index = start
            while let mark = line.firstQuoteOrBackslash(from: index) {
                index = mark + (line[mark] == UInt8(ascii: "\\") ? 2 : 1)
                if line[mark] == UInt8(ascii: "\"") { return start..<mark }
            }
            index = line.count
            return nil
        }
    }
}
