internal import BinaryPrimitives
internal import DWARF

/// Numbers as LLVM writes them in what it finds.
enum VerifierText {
    /// `0x` and at least so many digits.
    static func hex(_ value: UInt64, _ digits: Int = 1) -> String {
        let text = String(value, radix: 16)
        return "0x" + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// With capital digits.
    static func capitalHex(_ value: UInt64) -> String { "0x" + String(value, radix: 16, uppercase: true) }

    /// Why so many bytes cannot be read.
    static func endOfData(_ offset: UInt64, _ size: UInt64, of count: Int) -> String {
        offset <= UInt64(count)
            ? "unexpected end of data at offset \(hex(UInt64(count))) while reading [\(hex(offset)), \(hex(offset &+ size)))"
            : "offset \(hex(offset)) is beyond the end of data at \(hex(UInt64(count)))"
    }
}
