package import BinaryPrimitives

/// Checks the rules of RFC 8259 that the readers of logs do not insist on: no comma before a
/// closing bracket, no bare words, no raw control characters in strings, numbers without leading
/// zeros.
package enum JSONGrammar {
    /// Reads bytes that are one document and nothing else.
    /// - Throws: `LogError` with the position of the error.
    package static func document(_ bytes: Span<UInt8>, limits: Limits = .standard) throws(LogError) -> JSONValue {
        do { _ = try UTF8Span(validating: bytes) } catch {
            throw LogError("the bytes are not UTF-8", expected: "UTF-8", at: error.byteOffsets.lowerBound)
        }
        let value = try JSONParser(limits: limits).parse(bytes)
        guard allows(bytes) else { throw LogError("it is not JSON (RFC 8259): a comma, a number or a character in a string is wrong") }
        for index in value.range.upperBound..<bytes.count where !isBlank(bytes[index]) && bytes[index] != 0x0A && bytes[index] != 0x0D {
            throw LogError("something follows the JSON document", expected: "its end", at: index)
        }
        return value
    }

    /// - Parameter document: whose brackets and colons were found to be right (`JSONParser`).
    package static func allows(_ document: Span<UInt8>) -> Bool {
        var position = 0
        var followsComma = false
        while let byte = document.at(position) {
            position += 1
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "]"), UInt8(ascii: "}"): if followsComma { return false }
            case UInt8(ascii: "\""): guard passString(document, &position) else { return false }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                position -= 1
                guard passNumber(document, &position) else { return false }
            case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ","), UInt8(ascii: ":"): break
            default:
                let rest = document.from(position - 1)
                guard let word = (["true", "false", "null"] as [String]).first(where: { rest.hasPrefix($0) }) else { return false }
                position += word.utf8.count - 1
            }
            followsComma = byte == UInt8(ascii: ",")
        }
        return true
    }

    /// Up to after the closing quotation mark.
    private static func passString(_ document: Span<UInt8>, _ position: inout Int) -> Bool {
        while let byte = document.at(position) {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): position += 1
            case 0..<0x20: return false
            default: break
            }
        }
        return false
    }

    /// `-0.5e+3`
    private static func passNumber(_ document: Span<UInt8>, _ position: inout Int) -> Bool {
        func passDigits() -> Bool {
            let start = position
            while document.at(position).map(isDigit) == true { position += 1 }
            return position > start
        }
        if document.at(position) == UInt8(ascii: "-") { position += 1 }
        if document.at(position) == UInt8(ascii: "0") { position += 1 } else if !passDigits() { return false }
        if document.at(position) == UInt8(ascii: ".") {
            position += 1
            guard passDigits() else { return false }
        }
        if document.at(position).map({ $0 | 0x20 }) == UInt8(ascii: "e") {
            position += 1
            if [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(document.at(position)) { position += 1 }
            guard passDigits() else { return false }
        }
        // `01`, `1.2.3`, `1-2`
        guard let next = document.at(position) else { return true }
        return !isDigit(next) && !isOne(next, of: ".+-eE")
    }
}
