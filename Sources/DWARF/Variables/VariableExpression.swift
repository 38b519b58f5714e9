internal import BinaryPrimitives

/// The expressions that give a variable's location without a running program (DWARF 5, section 2.5):
/// all that compilers write for variables in memory.
enum VariableExpression {
    /// The address of a variable with static storage: `DW_OP_addr` or `DW_OP_addrx`, perhaps with a
    /// constant added.
    static func address(_ expression: RawSpan, _ unit: Unit) -> UInt64? {
        var cursor = expression
        guard let operation = try? cursor.read(UInt8.self) else { return nil }
        var address: UInt64
        switch operation {
        case Operation.addr:
            guard let value = try? cursor.readUnsigned(size: unit.sizes.addressSize, unit.sizes.byteOrder) else { return nil }
            address = value
        case Operation.addrx:
            guard let index = try? cursor.readULEB128(), let value = try? unit.address(at: index) else { return nil }
            address = value
        default: return nil
        }
        if cursor.byteCount > 0 {
            // A thread's variable has another operation here: its address is another in each
            // thread.
            guard let next = try? cursor.read(UInt8.self), next == Operation.plusConstant, let added = try? cursor.readULEB128(),
                cursor.byteCount == 0
            else { return nil }
            address &+= added
        }
        return address
    }

    /// A variable's offset from its function's frame base: `DW_OP_fbreg`, or an offset from the register that is the frame base, perhaps
    /// with the value there as its address (Fortran's arrays).
    /// - Parameter register: the one that the function's `DW_AT_frame_base` names.
    static func frameOffset(_ expression: RawSpan, register: UInt8?) -> Int64? {
        var cursor = expression
        guard let operation = try? cursor.read(UInt8.self),
            operation == Operation.fbreg || register.map({ operation == Operation.breg0 + $0 }) ?? false,
            let offset = try? cursor.readSLEB128()
        else { return nil }
        guard cursor.byteCount > 0 else { return offset }
        return cursor.byteCount == 1 && cursor.byte(at: 0) == Operation.deref ? offset : nil
    }

    /// The register that is a function's frame base, by its number; `nil` where that takes an
    /// expression.
    static func frameRegister(_ expression: RawSpan) -> UInt8? {
        guard expression.byteCount > 0 else { return nil }
        let operation = expression.byte(at: 0)
        return (Operation.reg0...Operation.reg31).contains(operation) ? operation - Operation.reg0 : nil
    }
}
