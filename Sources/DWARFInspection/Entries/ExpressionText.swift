internal import DWARF

/// Writes DWARF expressions (DWARF 5, section 2.5) as LLVM does, which also decides what is an
/// operation that it knows.
struct ExpressionText {
    /// Kind of an operand.
    private enum Operand {
        case unsigned(Int), signed(Int), uleb, sleb, address, reference
        /// As many bytes as the operand before it says.
        case block
        /// The offset of a base type in the unit.
        case baseType
        case subOperation
        case wasm
    }

    private static let operands: [[Operand]?] = {
        var table = [[Operand]?](repeating: nil, count: 256)
        func set(_ codes: ClosedRange<Int>, _ operands: [Operand] = []) { for code in codes { table[code] = operands } }
        table[0x03] = [.address]
        table[0x06] = []
        for (code, size) in [(0x08, 1), (0x0a, 2), (0x0c, 4), (0x0e, 8)] {
            table[code] = [.unsigned(size)]
            table[code + 1] = [.signed(size)]
        }
        (table[0x10], table[0x11]) = ([.uleb], [.sleb])
        set(0x12...0x14)
        table[0x15] = [.unsigned(1)]
        set(0x16...0x22)
        table[0x23] = [.uleb]
        set(0x24...0x27)
        table[0x28] = [.signed(2)]
        set(0x29...0x2e)
        table[0x2f] = [.signed(2)]
        set(0x30...0x6f)
        set(0x70...0x8f, [.sleb])
        table[0x90] = [.uleb]
        table[0x91] = [.sleb]
        table[0x92] = [.uleb, .sleb]
        table[0x93] = [.uleb]
        (table[0x94], table[0x95]) = ([.unsigned(1)], [.unsigned(1)])
        set(0x96...0x97)
        (table[0x98], table[0x99], table[0x9a]) = ([.unsigned(2)], [.unsigned(4)], [.reference])
        set(0x9b...0x9c)
        (table[0x9d], table[0x9e]) = ([.uleb, .uleb], [.uleb, .block])
        table[0x9f] = []
        set(0xa1...0xa3, [.uleb])
        (table[0xa5], table[0xa8]) = ([.uleb, .baseType], [.baseType])
        table[0xe0] = []
        table[0xe9] = [.subOperation]
        table[0xed] = [.uleb, .wasm]
        table[0xf3] = [.uleb]
        (table[0xfb], table[0xfc]) = ([.uleb], [.uleb])
        return table
    }()

    static let entryValues: Set<UInt8> = [0xa3, 0xf3]

    /// Context in which base types are found; `nil` in frames, which refer to none.
    let context: DumpContext?
    let registers: DWARFRegisterNames?
    /// Whose base types are referred to; `nil` where the section is dumped by itself.
    let unit: DumpUnit?
    let addressSize: Int
    /// Bytes of an offset; `nil` in location lists, where LLVM does not say.
    let offsetSize: Int?
    let isVerbose: Bool

    /// - Parameter bytes: the expression, and nothing else.
    func write(_ bytes: SectionBytes, to output: DumpOutput) {
        if bytes.isEmpty { output.text("<empty>") }
        var cursor = bytes.cursor(at: 0)
        // As LLVM counts the bytes of an entry value: in 32 bits, and from its beginning for each
        // operation.
        var (entrySize, entryStart): (UInt32, Int) = (0, 0)
        while cursor.position < bytes.count {
            let start = cursor.position
            let code = cursor.u8()
            guard let operands = Self.operands[Int(code)], let values = read(operands, &cursor) else {
                output.text("<decoding error>")
                for position in start..<bytes.count {
                    output.byte(0x20)
                    output.plainHex(UInt64(bytes[position]), 2)
                }
                return
            }
            output.name(DWARFNames.operations, UInt64(code))
            if !writeRegister(code, values, to: output) { write(operands, values, code, bytes, to: output) }
            if Self.entryValues.contains(code) {
                output.byte(UInt8(ascii: "("))
                (entrySize, entryStart) = (UInt32(truncatingIfNeeded: values[0]), cursor.position)
                continue
            }
            if entrySize != 0 {
                entrySize = entrySize &- UInt32(truncatingIfNeeded: cursor.position - entryStart)
                if entrySize == 0 { output.byte(UInt8(ascii: ")")) }
            }
            if cursor.position < bytes.count { output.text(", ") }
        }
    }

    /// Whether an expression has an operation of some, before the first that cannot be read or as
    /// that.
    func has(_ codes: Set<UInt8>, in bytes: SectionBytes) -> Bool {
        var cursor = bytes.cursor(at: 0)
        while cursor.position < bytes.count {
            let code = cursor.u8()
            if codes.contains(code) { return true }
            guard let operands = Self.operands[Int(code)], read(operands, &cursor) != nil else { return false }
        }
        return false
    }

    /// Whether all operations are known and can be read, and the types that they name are base
    /// types of the unit.
    func isSound(_ bytes: SectionBytes, in unit: DumpUnit) -> Bool {
        var cursor = bytes.cursor(at: 0)
        while cursor.position < bytes.count {
            let code = cursor.u8()
            guard let operands = Self.operands[Int(code)], let values = read(operands, &cursor) else { return false }
            for (operand, value) in zip(operands, values) {
                // A conversion to 0 is one to the generic type (DWARF 5, section 2.5.1.6).
                guard case .baseType = operand, code != 0xa8 || value != 0 else { continue }
                let position = Int(clamping: value).addingReportingOverflow(unit.offset)
                guard !position.overflow, context?.entry(at: position.partialValue, in: unit)?.tag == Tag.baseType else { return false }
            }
        }
        return true
    }

    /// - Returns: `nil` if the operands cannot be determined.
    private func read(_ operands: [Operand], _ cursor: inout SectionCursor) -> [UInt64]? {
        var values: [UInt64] = []
        for operand in operands {
            let start = cursor.position
            // An operand that is cut short is zero, and what is left is read as the next operation:
            // as LLVM has it.
            defer { if cursor.isPastEnd { cursor.move(to: start) } }
            switch operand {
            case .unsigned(let size): values.append(cursor.number(size))
            case .signed(let size):
                let value = cursor.number(size)
                let shift = UInt64(64 - 8 * size)
                values.append(UInt64(bitPattern: Int64(bitPattern: value << shift) >> Int64(shift)))
            case .uleb, .baseType: values.append(cursor.uleb())
            case .sleb: values.append(UInt64(bitPattern: cursor.sleb()))
            case .address: values.append(cursor.number(addressSize))
            case .reference:
                guard let offsetSize else { return nil }
                values.append(cursor.number(offsetSize))
            case .block:
                values.append(UInt64(cursor.position))
                cursor.skip(values.first ?? 0)
                if cursor.isPastEnd { cursor.move(to: cursor.bytes.count) }
            case .subOperation:
                values.append(cursor.uleb())
                // `DW_OP_LLVM_nop` is the only one.
                guard values[0] == 1 else { return nil }
            case .wasm:
                guard let kind = values.first, kind <= 4 else { return nil }
                values.append(kind == 3 ? UInt64(cursor.u32()) : cursor.uleb())
            }
        }
        return values
    }

    /// Operations on registers have the register's name, if it has one.
    private func writeRegister(_ code: UInt8, _ values: [UInt64], to output: DumpOutput) -> Bool {
        let number: UInt64
        switch code {
        case 0x90, 0x92, 0xa5: number = values[0]
        case 0x70...0x8f: number = UInt64(code - 0x70)
        case 0x50...0x6f: number = UInt64(code - 0x50)
        default: return false
        }
        guard let name = registers?[number] else { return false }
        output.byte(0x20)
        output.text(name)
        if (0x70...0x8f).contains(code) || code == 0x92 { output.withSign(Int64(bitPattern: values[values.count - 1])) }
        if code == 0xa5 { writeBaseType(values[1], to: output) }
        return true
    }

    private func write(_ operands: [Operand], _ values: [UInt64], _ code: UInt8, _ bytes: SectionBytes, to output: DumpOutput) {
        for (operand, value) in zip(operands, values) {
            switch operand {
            case .subOperation: output.text(" DW_OP_LLVM_nop")
            case .baseType where unit != nil:
                // A conversion to 0 is one to the generic type (DWARF 5, section 2.5.1.6).
                if code == 0xa8, value == 0 { output.text(" 0x0") } else { writeBaseType(value, to: output) }
            case .block:
                let start = Int(clamping: value)
                for position in 0..<Int(clamping: min(values[0], UInt64(bytes.count))) {
                    output.byte(0x20)
                    output.hex(UInt64(bytes[start + position]), 2)
                }
            case .signed, .sleb:
                output.byte(0x20)
                output.withSign(Int64(bitPattern: value))
            case .unsigned, .uleb, .address, .reference, .baseType, .wasm:
                if Self.entryValues.contains(code) { break }
                output.byte(0x20)
                if case .address = operand, unit != nil {
                    output.hex(context?.printedAddress(value) ?? value, 1)
                } else {
                    output.hex(value, 1)
                }
            }
        }
    }

    private func writeBaseType(_ offset: UInt64, to output: DumpOutput) {
        guard let unit else {
            output.text(" <base_type ref: ")
            output.hex(offset, 1)
            output.byte(UInt8(ascii: ">"))
            return
        }
        let position = Int(clamping: offset).addingReportingOverflow(unit.offset)
        guard !position.overflow, let context, let type = context.entry(at: position.partialValue, in: unit), type.tag == Tag.baseType
        else {
            output.text(" <invalid base_type ref: ")
            output.hex(offset, 1)
            output.byte(UInt8(ascii: ">"))
            return
        }
        output.text(" (")
        if isVerbose {
            output.hex(offset, 8)
            output.text(" -> ")
        }
        output.hex(UInt64(position.partialValue), 8)
        output.byte(UInt8(ascii: ")"))
        if let name = context.value(Attribute.name, of: type).flatMap({ context.string($0) }) {
            output.text(" \"")
            output.name(name.bytes)
            output.byte(UInt8(ascii: "\""))
        }
    }
}
