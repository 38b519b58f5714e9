internal import BinaryPrimitives

/// Writes one JSON document a line: objects, arrays and values in the order in which they are
/// given.
///
/// Offsets and addresses are strings with hexadecimal digits, as everywhere in cairn's JSON. What a
/// file holds that is no UTF-8 has U+FFFD in its place.
final class JSONText {
    private let output: DumpOutput
    /// Whether a comma comes before what comes next.
    private var needsComma = false

    init(_ output: DumpOutput) { self.output = output }

    private func begin(_ key: StaticString?) {
        if needsComma { output.byte(UInt8(ascii: ",")) }
        needsComma = false
        guard let key else { return }
        output.byte(UInt8(ascii: "\""))
        output.text(key)
        output.text("\":")
    }

    /// A line: one object.
    func line(_ body: () -> Void) {
        needsComma = false
        object(nil, body)
        output.byte(0x0a)
        needsComma = false
    }

    func object(_ key: StaticString?, _ body: () -> Void) {
        begin(key)
        output.byte(UInt8(ascii: "{"))
        body()
        output.byte(UInt8(ascii: "}"))
        needsComma = true
    }

    func array(_ key: StaticString?, _ body: () -> Void) {
        begin(key)
        output.byte(UInt8(ascii: "["))
        body()
        output.byte(UInt8(ascii: "]"))
        needsComma = true
    }

    func hex(_ key: StaticString?, _ value: UInt64, _ digits: Int = 1) {
        begin(key)
        output.byte(UInt8(ascii: "\""))
        output.hex(value, digits)
        output.byte(UInt8(ascii: "\""))
        needsComma = true
    }

    func number(_ key: StaticString?, _ value: UInt64) {
        begin(key)
        output.decimal(value)
        needsComma = true
    }

    func signed(_ key: StaticString?, _ value: Int64) {
        begin(key)
        output.signed(value)
        needsComma = true
    }

    func bool(_ key: StaticString?, _ value: Bool) {
        begin(key)
        output.text(value ? "true" : "false")
        needsComma = true
    }

    func name(_ key: StaticString?, _ names: DWARFNames, _ number: UInt64) {
        begin(key)
        output.byte(UInt8(ascii: "\""))
        output.name(names, number)
        output.byte(UInt8(ascii: "\""))
        needsComma = true
    }

    func string(_ key: StaticString?, _ bytes: [UInt8]) {
        begin(key)
        Self.write(bytes, to: output)
        needsComma = true
    }

    func string(_ key: StaticString?, _ text: String) { string(key, Array(text.utf8)) }

    /// A string with its quotation marks.
    static func write(_ bytes: [UInt8], to output: DumpOutput) { write(String(decoding: bytes, as: UTF8.self), to: output) }

    static func write(_ text: String, to output: DumpOutput) {
        var quoted: [UInt8] = []
        JSONString.append(text, to: &quoted)
        for byte in quoted { output.byte(byte) }
    }
}
