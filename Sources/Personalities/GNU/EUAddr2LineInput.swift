internal import BinaryPrimitives

/// One line of eu-addr2line's input, parsed (`handle_address` of elfutils 0.188): a number, `SYMBOL`,
/// `SYMBOL+OFFSET`, `(SECTION)OFFSET`.
enum EUAddr2LineInput: Equatable {
    case address(UInt64)
    case symbol(Range<Int>, offset: UInt64)
    case section(Range<Int>, offset: UInt64)
    /// The line names no address.
    case none

    init(_ line: Span<UInt8>) {
        var rest = line
        rest.skipSpaces()
        if let value = Self.readInteger(&rest, base: 16), rest.isEmpty {
            self = .address(value)
            return
        }
        if line.at(0) == UInt8(ascii: "("), let close = line.firstIndex(of: UInt8(ascii: ")")), close > 1 {
            rest = line.from(close + 1)
            rest.skipSpaces()
            if let offset = Self.readInteger(&rest, base: nil), rest.isEmpty {
                self = .section(1..<close, offset: offset)
                return
            }
        }
        var end = 0
        while end < line.count, line[end] != UInt8(ascii: "+"), line[end] != UInt8(ascii: "-") { end += 1 }
        rest = line.from(end)
        if end == 0 {
            self = .none
        } else if rest.isEmpty {
            self = .symbol(0..<end, offset: 0)
        } else if let offset = Self.readInteger(&rest, base: nil), rest.isEmpty {
            self = .symbol(0..<end, offset: offset)
        } else {
            self = .none
        }
    }

    /// Reads a number as `strtoumax(3)` does: with a sign, in C's notation if no base is given; a number too
    /// large is the largest.
    static func readInteger(_ text: inout Span<UInt8>, base: UInt64?) -> UInt64? {
        var rest = text
        let isNegative = rest.at(0) == UInt8(ascii: "-")
        if isNegative || rest.at(0) == UInt8(ascii: "+") { rest = rest.from(1) }
        var radix = base ?? 10
        if radix == 16 || base == nil, rest.hasPrefix("0x") || rest.hasPrefix("0X"), rest.at(2).flatMap(hexadecimalDigit) != nil {
            rest = rest.from(2)
            radix = 16
        } else if base == nil, rest.at(0) == UInt8(ascii: "0") {
            radix = 8
        }
        var value: UInt64 = 0
        var (count, isTooLarge) = (0, false)
        while count < rest.count, let digit = hexadecimalDigit(rest[count]), digit < radix {
            let (product, high) = value.multipliedReportingOverflow(by: radix)
            let (sum, carry) = product.addingReportingOverflow(digit)
            isTooLarge = isTooLarge || high || carry
            value = sum
            count += 1
        }
        guard count > 0 else { return nil }
        text = rest.from(count)
        if isTooLarge { return .max }
        return isNegative ? 0 &- value : value
    }
}
