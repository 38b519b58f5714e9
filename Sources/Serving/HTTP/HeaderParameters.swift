internal import BinaryPrimitives

/// A header's value and its parameters: `form-data; name="a b"; filename=c` (RFC 9110, section
/// 5.6.6).
struct HeaderParameters {
    private(set) var value: String
    private var parameters: [(name: String, value: String)] = []

    init(_ text: String) {
        var rest = Array(text.utf8)[...]
        value = Self.word(rest.prefix { $0 != UInt8(ascii: ";") })
        rest = rest.drop { $0 != UInt8(ascii: ";") }
        while rest.popFirst() == UInt8(ascii: ";") {
            rest = rest.drop(while: isBlank)
            let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            rest = rest[name.endIndex...]
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest.removeFirst()
            var value = ""
            if rest.first == UInt8(ascii: "\"") {
                rest.removeFirst()
                value = Self.quoted(&rest)
                rest = rest.drop { $0 != UInt8(ascii: ";") }
            } else {
                let plain = rest.prefix { $0 != UInt8(ascii: ";") }
                rest = rest[plain.endIndex...]
                value = Self.word(plain)
            }
            parameters.append((Self.word(name).lowercased(), value))
        }
    }

    /// The first parameter of that name.
    subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Text without the blanks around it.
    private static func word(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = bytes.drop(while: isBlank)
        while bytes.last.map(isBlank) == true { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Up to the closing quotation mark, without the backslashes that quote one or another.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let next = rest.first, next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") {
                rest.removeFirst()
                bytes.append(next)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
