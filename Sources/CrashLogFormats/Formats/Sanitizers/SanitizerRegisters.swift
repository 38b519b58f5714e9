internal import BinaryPrimitives
internal import CrashLogModel

/// The registers that a report lists: `Register values:` and below it
/// `rax = 0x0000000000000000 rbx = 0x00007ca634368940 …` (`DumpAllRegisters`); of
/// HWAddressSanitizer `Registers where the failure occurred (pc 0x…):` and
/// ` x0 0000000000000000 x1 …`.
struct SanitizerRegisters {
    private(set) var values: [(name: String, value: UInt64)] = []
    private var isOpen = false

    /// More than any processor has.
    private static let limit = 256

    /// Takes the heading, or a row below it.
    mutating func take(_ text: Span<UInt8>) -> Bool {
        if text.equals("Register values:") || text.hasPrefix("Registers where the failure occurred") {
            isOpen = true
            values = []
            return true
        }
        guard isOpen else { return false }
        isOpen = takeRow(text)
        return isOpen
    }

    private mutating func takeRow(_ text: Span<UInt8>) -> Bool {
        var rest = text
        var isRow = false
        while values.count < Self.limit {
            rest.skipBlanks()
            let name = rest.takeToken()
            guard name.count > 0, name.count <= 8, let first = name.at(0), (first | 0x20) &- UInt8(ascii: "a") < 26 else { break }
            rest.skipBlanks()
            if rest.take("=") { rest.skipBlanks() }
            guard let value = rest.takeAddress() ?? rest.takeHexadecimal() else { break }
            values.append((name.text, value))
            isRow = true
        }
        return isRow
    }
}
