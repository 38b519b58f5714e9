package import BinaryPrimitives

/// An instruction of a frame description (DWARF 5, section 6.4.2; vendors' by LLVM's
/// `DebugInfo/DWARF/DWARFDebugFrame`).
package struct CallFrameInstruction: Sendable {
    /// Kind of an operand.
    package enum Operand: Sendable {
        case address, offset, codeDelta, signedData, unsignedData, register, addressSpace, expression
    }

    /// `DW_CFA_…`, without the operand that some have in their lower bits.
    package var code: UInt8
    package private(set) var first: UInt64 = 0
    package private(set) var second: UInt64 = 0
    package private(set) var third: UInt64 = 0
    /// Range of the expression's bytes in the section.
    package private(set) var expression: Range<Int>?

    /// Returns the kinds of an instruction's operands; `nil` if the instruction is not known.
    package static func operands(_ code: UInt8) -> [Operand]? { table[Int(code)] }

    private static let table: [[Operand]?] = {
        var table = [[Operand]?](repeating: nil, count: 256)
        for code in [0x00, 0x0a, 0x0b, 0x2d] { table[code] = [] }
        for code in [0x02, 0x03, 0x04, 0x40] { table[code] = [.codeDelta] }
        for code in [0x05, 0x14, 0x80] { table[code] = [.register, .unsignedData] }
        for code in [0x06, 0x07, 0x08, 0x0d, 0xc0] { table[code] = [.register] }
        for code in [0x0e, 0x2e] { table[code] = [.offset] }
        for code in [0x10, 0x16] { table[code] = [.register, .expression] }
        for code in [0x11, 0x12, 0x15] { table[code] = [.register, .signedData] }
        table[0x01] = [.address]
        table[0x09] = [.register, .register]
        table[0x0c] = [.register, .offset]
        table[0x0f] = [.expression]
        table[0x13] = [.signedData]
        table[0x30] = [.register, .offset, .addressSpace]
        table[0x31] = [.register, .signedData, .addressSpace]
        return table
    }()

    /// The operands' values.
    package subscript(index: Int) -> UInt64 { index == 0 ? first : index == 1 ? second : third }

    /// Reads the next instruction and advances `bytes`.
    /// - Parameter end: offset in the section of the end of `bytes`.
    /// - Returns: `nil` if the instruction is not known: the start of the next one cannot be determined.
    package init?(_ bytes: inout RawSpan, endingAt end: Int, addressSize: Int, _ order: ByteOrder) throws(ReadError) {
        let byte = try bytes.read(UInt8.self)
        if byte & 0xc0 != 0 {
            code = byte & 0xc0
            first = UInt64(byte & 0x3f)
            if code == 0x80 { second = try bytes.readULEB128() }
            return
        }
        code = byte
        switch byte {
        case 0x01: first = try bytes.readUnsigned(size: addressSize, order)
        case 0x02: first = UInt64(try bytes.read(UInt8.self))
        case 0x03: first = UInt64(try bytes.read(UInt16.self, order))
        case 0x04: first = UInt64(try bytes.read(UInt32.self, order))
        default:
            guard let operands = Self.operands(byte) else { return nil }
            for (index, operand) in operands.enumerated() {
                var value: UInt64 = 0
                switch operand {
                case .signedData: value = UInt64(bitPattern: try bytes.readSLEB128())
                case .expression:
                    let block = try bytes.read(bytes: Int(clamping: try bytes.readULEB128()))
                    let start = end - bytes.byteCount - block.byteCount
                    expression = start..<start + block.byteCount
                default: value = try bytes.readULEB128()
                }
                switch index {
                case 0: first = value
                case 1: second = value
                default: third = value
                }
            }
        }
    }
}

extension CallFrameSection {
    /// Calls `body` with each instruction in a part of the section, as long as it returns `true`.
    /// - Returns: `false` if an instruction is not known or is cut short: those after it cannot be read.
    package func forEachInstruction(
        in range: Range<Int>, addressSize: Int, of section: RawSpan, _ body: (CallFrameInstruction) -> Bool
    ) -> Bool {
        var bytes = section.clamped(to: range)
        let end = range.lowerBound + bytes.byteCount
        while bytes.byteCount > 0 {
            let next: CallFrameInstruction?
            do throws(ReadError) {
                next = try CallFrameInstruction(&bytes, endingAt: end, addressSize: addressSize, byteOrder)
            } catch { return false }
            guard let next else { return false }
            guard body(next) else { return true }
        }
        return true
    }
}
