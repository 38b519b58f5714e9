internal import BinaryPrimitives
internal import CrashLogModel

/// Makes frames of registers: small systems print the program counter and the return address of the innermost call, but
/// no stack.
enum RegisterRows {
    /// Returns rows for the registers with the given names: `lr:0x080148dd pc:0x08014900`,
    /// `EPC: 00000000f7f3b8ae RA: 00000000f7f3b506`, `r14/lr: 0x08001705`, `MEPC : 0x42005322`, `epc1=0x4020a5d4`. The
    /// first register of the list gets the number 0, so that the frames are in order at any position in the line.
    /// - Returns: `nil` if the line has none of the registers, or if none of them has an address.
    static func rows(in line: Span<UInt8>, _ registers: [(name: String, kind: Frame.Kind)]) -> [StackRow]? {
        var rows: [StackRow] = []
        for (number, register) in registers.enumerated() {
            guard let value = value(of: register.name, in: line), value.number != 0 else { continue }
            var row = StackRow(number: number, in: value.range, address: value.number, addressRange: value.range, kind: register.kind)
            row.readResultInside(line)
            rows.append(row)
        }
        return rows.isEmpty ? nil : rows
    }

    static func value(of register: String, in line: Span<UInt8>) -> (number: UInt64, range: Range<Int>)? {
        var from = 0
        while let found = line.firstRange(of: register, from: from) {
            from = found.upperBound
            guard found.lowerBound == 0 || !isNameByte(line[found.lowerBound - 1]) else { continue }
            var rest = line.from(found.upperBound)
            rest.skipBlanks()
            guard rest.consume(":") || rest.consume("=") else { continue }
            rest.skipBlanks()
            let start = line.count - rest.count
            guard let number = rest.hasPrefix("0x") ? rest.readAddress() : rest.readHexadecimal(), line.count - rest.count - start >= 8
            else { continue }
            return (number, start..<line.count - rest.count)
        }
        return nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "_")
    }
}
