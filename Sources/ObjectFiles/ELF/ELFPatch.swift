internal import BinaryPrimitives
internal import CLibelf

/// One relocation as its record gives it.
struct ELFRelocationRecord {
    /// The field, in bytes from the section's first.
    var offset: UInt64
    var symbol: Int
    var type: UInt32
    /// Zero where the addend is in the field.
    var addend: UInt64
}

/// Writes into the fields of one section what its relocations say.
struct ELFPatch {
    enum Problem: Error {
        case unknownType(UInt32)
        case outside(UInt64, count: Int)
        case noSuchSymbol(Int)
        case cutShort
    }

    /// Address of the section.
    let address: UInt64
    let order: ByteOrder
    let machine: Int32
    /// Whether addends are in the fields, also beside those in the records.
    private let hasAddendsInFields: Bool
    /// Rule of the last relocation: most neighbours have the same type.
    private var last: (type: UInt32, rule: ELFRelocationRule)?

    init(address: UInt64, order: ByteOrder, machine: Int32, hasAddends: Bool) {
        self.address = address
        self.order = order
        self.machine = machine
        // The assemblers for SuperH and Xtensa write zero into the records of debug sections, and the addend into the field
        // (`partial_inplace` of GNU Binutils).
        hasAddendsInFields = !hasAddends || machine == EM_SH || machine == EM_XTENSA
    }

    mutating func apply(_ record: ELFRelocationRecord, symbol: UInt64, to bytes: inout [UInt8]) throws(Problem) {
        let rule = try rule(record.type)
        guard rule.operation != .nothing else { return }
        guard let offset = Int(exactly: record.offset), offset < bytes.count else { throw .outside(record.offset, count: bytes.count) }
        let size: Int
        switch rule.field {
        case .bytes(let count): size = count
        case .lowSixBits: size = 1
        case .uleb128:
            guard let last = bytes[offset...].prefix(10).firstIndex(where: { $0 < 0x80 }) else {
                throw .outside(record.offset, count: bytes.count)
            }
            size = last - offset + 1
        }
        guard size <= bytes.count - offset else { throw .outside(record.offset, count: bytes.count) }
        let before = read(bytes, offset, size, rule.field)
        var value = symbol &+ record.addend
        switch rule.operation {
        case .nothing: return
        case .absolute: value = hasAddendsInFields ? value &+ before : value
        case .relative: value = (hasAddendsInFields ? value &+ before : value) &- (address &+ record.offset)
        case .add: value = before &+ value
        case .subtract: value = before &- value
        }
        write(value, &bytes, offset, size, rule.field)
    }

    private mutating func rule(_ type: UInt32) throws(Problem) -> ELFRelocationRule {
        if let last, last.type == type { return last.rule }
        guard let rule = ELFRelocationRule.rule(machine: machine, type: type) else { throw .unknownType(type) }
        last = (type, rule)
        return rule
    }

    private func read(_ bytes: [UInt8], _ offset: Int, _ size: Int, _ field: ELFRelocationRule.Field) -> UInt64 {
        var value: UInt64 = 0
        switch field {
        case .bytes:
            for index in 0..<size {
                let byte = bytes[offset + (order == .littleEndian ? size - 1 - index : index)]
                value = value << 8 | UInt64(byte)
            }
        case .lowSixBits: value = UInt64(bytes[offset] & 0x3f)
        case .uleb128:
            for index in 0..<size { value |= UInt64(bytes[offset + index] & 0x7f) << UInt64(7 * index) }
        }
        return value
    }

    private func write(_ value: UInt64, _ bytes: inout [UInt8], _ offset: Int, _ size: Int, _ field: ELFRelocationRule.Field) {
        var rest = value
        switch field {
        case .bytes:
            for index in 0..<size {
                bytes[offset + (order == .littleEndian ? index : size - 1 - index)] = UInt8(truncatingIfNeeded: rest)
                rest >>= 8
            }
        case .lowSixBits: bytes[offset] = bytes[offset] & 0xc0 | UInt8(truncatingIfNeeded: value & 0x3f)
        case .uleb128:
            // Padded to as many bytes as the field has: nothing after it may move.
            for index in 0..<size {
                bytes[offset + index] = UInt8(truncatingIfNeeded: rest & 0x7f) | (index + 1 < size ? 0x80 : 0)
                rest >>= 7
            }
        }
    }
}
