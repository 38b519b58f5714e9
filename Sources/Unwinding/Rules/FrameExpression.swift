internal import BinaryPrimitives

/// Computes the DWARF expressions of frame rules (DWARF 5, section 2.5): of registers and memory to
/// one number.
///
/// For example, the kernel's `__restore_rt` has `DW_OP_breg7 (rsp) 160; DW_OP_deref`: the
/// interrupted stack pointer is 160 bytes above this one, in the saved context.
struct FrameExpression {
    let registers: Registers
    let memory: Memory
    let order: ByteOrder
    /// Size of an address in bytes, in the section's file.
    let addressSize: Int

    private static let maxValues = 64
    private static let maxOperations = 1_000

    /// - Parameters:
    ///   - bytes: the expression.
    ///   - frame: the canonical frame address, which is on the stack at the beginning of a
    ///     register's expression; `nil` for the expression of the address itself.
    /// - Returns: `nil` if an operation is not known or not allowed here, there are too many of them, or a
    ///   register or memory is not known.
    func value(of bytes: [UInt8], frame: UInt64?) -> UInt64? {
        var stack = Stack()
        if let frame { stack.push(frame) }
        let code = bytes.span.rawBytes
        var rest = code
        var count = 0
        while rest.byteCount > 0 {
            count += 1
            guard count <= Self.maxOperations else { return nil }
            do throws(ReadError) {
                let operation = try rest.read(UInt8.self)
                switch operation {
                case 0x28, 0x2f:  // bra, skip
                    let distance = Int(try rest.read(Int16.self, order))
                    if operation == 0x28, try stack.pop() == 0 { continue }
                    let target = code.byteCount - rest.byteCount + distance
                    guard target >= 0 else { return nil }
                    rest = try code.from(UInt64(target))
                default:
                    guard try execute(operation, &rest, &stack) else { return nil }
                }
            } catch { return nil }
            guard stack.count <= Self.maxValues else { return nil }
        }
        return stack.last.map(registers.processor.cut)
    }

    private struct Stack {
        private var values = InlineArray<66, UInt64>(repeating: 0)
        private(set) var count = 0

        mutating func push(_ value: UInt64) {
            guard count < 66 else { return }
            values[count] = value
            count += 1
        }

        mutating func pop() throws(ReadError) -> UInt64 {
            guard count > 0 else { throw ReadError(.noRoom, bytesLeft: 0) }
            count -= 1
            return values[count]
        }

        var last: UInt64? { count > 0 ? values[count - 1] : nil }

        /// The value `depth` elements below the top.
        func value(below depth: Int) throws(ReadError) -> UInt64 {
            guard depth >= 0, depth < count else { throw ReadError(.noRoom, bytesLeft: 0) }
            return values[count - 1 - depth]
        }
    }

    /// - Returns: `false` if the operation cannot be executed.
    private func execute(_ operation: UInt8, _ rest: inout RawSpan, _ stack: inout Stack) throws(ReadError) -> Bool {
        switch operation {
        case 0x03: stack.push(try rest.readUnsigned(size: addressSize, order))
        case 0x08: stack.push(UInt64(try rest.read(UInt8.self)))
        case 0x09: stack.push(Self.extended(Int64(try rest.read(Int8.self))))
        case 0x0a: stack.push(UInt64(try rest.read(UInt16.self, order)))
        case 0x0b: stack.push(Self.extended(Int64(try rest.read(Int16.self, order))))
        case 0x0c: stack.push(UInt64(try rest.read(UInt32.self, order)))
        case 0x0d: stack.push(Self.extended(Int64(try rest.read(Int32.self, order))))
        case 0x0e, 0x0f: stack.push(try rest.read(UInt64.self, order))
        case 0x10: stack.push(try rest.readULEB128())
        case 0x11: stack.push(Self.extended(try rest.readSLEB128()))
        case 0x30...0x4f: stack.push(UInt64(operation - 0x30))
        case 0x70...0x8f: return push(UInt64(operation - 0x70), try rest.readSLEB128(), &stack)
        case 0x92: return push(try rest.readULEB128(), try rest.readSLEB128(), &stack)
        case 0x06: return read(try stack.pop(), size: addressSize, &stack)
        case 0x94: return read(try stack.pop(), size: Int(try rest.read(UInt8.self)), &stack)
        case 0x12: stack.push(try stack.value(below: 0))
        case 0x13: _ = try stack.pop()
        case 0x14: stack.push(try stack.value(below: 1))
        case 0x15: stack.push(try stack.value(below: Int(try rest.read(UInt8.self))))
        case 0x16:
            let (first, second) = (try stack.pop(), try stack.pop())
            stack.push(first)
            stack.push(second)
        case 0x17:
            let (first, second, third) = (try stack.pop(), try stack.pop(), try stack.pop())
            stack.push(first)
            stack.push(third)
            stack.push(second)
        case 0x19:
            let value = signed(try stack.pop())
            stack.push(Self.extended(value < 0 ? 0 &- value : value))
        case 0x1f: stack.push(0 &- (try stack.pop()))
        case 0x20: stack.push(~(try stack.pop()))
        case 0x23: stack.push(try stack.pop() &+ (try rest.readULEB128()))
        case 0x96: break
        default: return try combine(operation, &stack)
        }
        return true
    }

    /// Operations of two values.
    private func combine(_ operation: UInt8, _ stack: inout Stack) throws(ReadError) -> Bool {
        let (right, left) = (registers.processor.cut(try stack.pop()), registers.processor.cut(try stack.pop()))
        let value: UInt64
        switch operation {
        case 0x1a: value = left & right
        case 0x1b:
            guard signed(right) != 0 else { return false }
            value = Self.extended(signed(left).dividedReportingOverflow(by: signed(right)).partialValue)
        case 0x1c: value = left &- right
        case 0x1d:
            guard right != 0 else { return false }
            value = left % right
        case 0x1e: value = left &* right
        case 0x21: value = left | right
        case 0x22: value = left &+ right
        case 0x24: value = left << right
        case 0x25: value = left >> right
        case 0x26: value = Self.extended(signed(left) >> Int64(clamping: right))
        case 0x27: value = left ^ right
        case 0x29: value = left == right ? 1 : 0
        case 0x2a: value = signed(left) >= signed(right) ? 1 : 0
        case 0x2b: value = signed(left) > signed(right) ? 1 : 0
        case 0x2c: value = signed(left) <= signed(right) ? 1 : 0
        case 0x2d: value = signed(left) < signed(right) ? 1 : 0
        case 0x2e: value = left != right ? 1 : 0
        default: return false
        }
        stack.push(value)
        return true
    }

    private func push(_ register: UInt64, _ offset: Int64, _ stack: inout Stack) -> Bool {
        guard let value = registers[Int(clamping: register)] else { return false }
        stack.push(value &+ UInt64(bitPattern: offset))
        return true
    }

    private func read(_ address: UInt64, size: Int, _ stack: inout Stack) -> Bool {
        guard let value = memory.read(registers.processor.cut(address), size: size) else { return false }
        stack.push(value)
        return true
    }

    private static func extended(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) }

    private func signed(_ value: UInt64) -> Int64 {
        registers.processor.registerSize == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }
}
