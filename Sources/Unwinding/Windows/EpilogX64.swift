internal import BinaryPrimitives

/// Reads the last instructions of a function of x86-64, which no unwind information describes (Microsoft, "x64 prolog and epilog"):
/// the stack pointer is set, registers are popped, and the function returns or jumps to another one.
///
/// Their effect leads to the caller whichever instruction is the next. For example, `add rsp, 40; pop rbx; ret`.
enum EpilogX64 {
    /// Maximum number of instructions; nine registers are preserved.
    private static let maxInstructions = 32

    /// - Parameters:
    ///   - code: the function's.
    ///   - start: offset of the next instruction.
    ///   - address: of the function's first byte.
    /// - Returns: what the instructions do before the return, and where they jump to if they jump; `nil` if they are no epilog.
    static func operations(in code: RawSpan, at start: Int, address: UInt64) -> ([WindowsFrame.Operation], target: UInt64?)? {
        var operations: [WindowsFrame.Operation] = []
        var position = start
        if let (operation, size) = stackPointerChange(code, at: position) {
            operations.append(operation)
            position += size
        }
        for _ in 0..<Self.maxInstructions {
            var size = 0
            let prefix = byte(code, position)
            // REX.
            if let prefix, prefix & 0xf0 == 0x40 { size = 1 }
            guard let operation = byte(code, position + size) else { return nil }
            let next = position + size
            switch operation {
            case 0x58...0x5f:
                let number = Int(operation & 7) + (size == 1 && (prefix ?? 0) & 1 == 1 ? 8 : 0)
                let register = Processor.x64Registers[number]
                guard register != 7 else { return nil }
                operations.append(.pop(register))
                position = next + 1
            case 0xc3, 0xc2: return (operations, nil)
            case 0xf3: return byte(code, next + 1) == 0xc3 ? (operations, nil) : nil
            case 0xe9, 0xeb:
                let isShort = operation == 0xeb
                guard let distance = signed(code, at: next + 1, size: isShort ? 1 : 4) else { return nil }
                let target = next + (isShort ? 2 : 5) + distance
                // A jump to the function's first byte calls it again.
                guard target > 0, target < code.byteCount else {
                    return (operations, address &+ UInt64(bitPattern: Int64(target)))
                }
                position = target
            // jmp [rip+n]; jmp through a register or memory with REX.W, which marks an epilog's.
            case 0xff:
                guard let mode = byte(code, next + 1), mode == 0x25 || size == 1 && (prefix ?? 0) & 8 != 0 && mode >> 3 & 7 == 4
                else { return nil }
                return (operations, nil)
            default: return nil
            }
        }
        return nil
    }

    /// `add rsp, n`, `lea rsp, [register+n]` or `mov rsp, register`.
    private static func stackPointerChange(_ code: RawSpan, at position: Int) -> (WindowsFrame.Operation, size: Int)? {
        guard let prefix = byte(code, position), let operation = byte(code, position + 1), let mode = byte(code, position + 2)
        else { return nil }
        // REX.W, and for the base of lea REX.B.
        guard prefix & 0xfe == 0x48 else { return nil }
        switch operation {
        case 0x83, 0x81:
            let isShort = operation == 0x83
            guard prefix == 0x48, mode == 0xc4, let count = signed(code, at: position + 3, size: isShort ? 1 : 4) else { return nil }
            return (.add(UInt64(bitPattern: Int64(count))), isShort ? 4 : 7)
        case 0x8d:
            // The target is rsp; rsp as the base would need a further byte.
            guard mode >> 3 & 7 == 4, mode & 7 != 4, mode >> 6 != 3, !(mode >> 6 == 0 && mode & 7 == 5) else { return nil }
            let size = [0, 1, 4][Int(mode >> 6)]
            guard let count = size == 0 ? 0 : signed(code, at: position + 3, size: size) else { return nil }
            let register = Processor.x64Registers[Int(mode & 7) + (prefix & 1 == 1 ? 8 : 0)]
            return (.setStackPointer(register, minus: 0 &- UInt64(bitPattern: Int64(count))), 3 + size)
        case 0x8b:
            guard mode >> 3 == 0b11_100, mode & 7 != 4 || prefix & 1 == 1 else { return nil }
            return (.setStackPointer(Processor.x64Registers[Int(mode & 7) + (prefix & 1 == 1 ? 8 : 0)], minus: 0), 3)
        case 0x89:
            guard prefix == 0x48, mode & 0b11_000_111 == 0b11_000_100, mode >> 3 & 7 != 4 else { return nil }
            return (.setStackPointer(Processor.x64Registers[Int(mode >> 3 & 7)], minus: 0), 3)
        default: return nil
        }
    }

    private static func byte(_ code: RawSpan, _ position: Int) -> UInt8? {
        position >= 0 && position < code.byteCount ? code.byte(at: position) : nil
    }

    private static func signed(_ code: RawSpan, at position: Int, size: Int) -> Int? {
        if size == 1 { return byte(code, position).map { Int(Int8(bitPattern: $0)) } }
        return (try? code.value(Int32.self, at: position, .littleEndian)).map { Int($0) }
    }
}
