import BinaryPrimitives
import TestSupport
import Testing

@testable import Unwinding

/// Unwind information of Windows that compilers write rarely: bytes as Microsoft's "x64 exception handling" and "ARM64 exception
/// handling" define them.
struct WindowsFrameTests {
    /// Words from 0x7000 on: 0x1000, 0x1001, ….
    private static let memory: Memory = {
        var writer = ByteWriter()
        for index in 0..<64 { writer.put(0x1000 + UInt64(index)) }
        return Memory([.init(address: 0x7000, .bytes(writer.bytes))], .littleEndian)
    }()

    private static func information(_ bytes: [UInt8]) throws -> UnwindInformationX64 {
        let information = UnwindInformationX64(bytes.span.rawBytes)
        return try #require(information)
    }

    /// `push rdi; sub rsp, 32; lea rbp, [rsp+16]` of 1, 4 and 5 bytes; a register of the frame, 48 bytes above its base.
    @Test func `a prolog is undone as far as it was executed`() throws {
        let prolog: [UInt8] = [1, 10, 5, 0x15, 10, 0x34, 6, 0, 10, 0x03, 5, 0x32, 1, 0x70]
        let whole = try Self.information(prolog)
        #expect(whole.prologSize == 10 && whole.chained == nil)
        let undone: [WindowsFrame.Operation] = [.loadFromBase(3, at: 48), .setStackPointer(6, minus: 16), .add(32), .pop(5)]
        #expect(whole.operations(at: 10) == undone && whole.operations(at: .max) == undone)
        #expect(whole.operations(at: 9) == [.add(32), .pop(5)])
        #expect(whole.operations(at: 4) == [.pop(5)] && whole.operations(at: 0) == [])
        #expect(whole.base(at: 10) == WindowsFrame.Base(register: 6, below: 16) && whole.base(at: 9) == nil)
    }

    /// ALLOC_LARGE of both sizes, SAVE_NONVOL_FAR, registers of vectors.
    @Test func `large numbers are in further slots`() throws {
        let wide = try Self.information([
            1, 20, 13, 0, 20, 0x11, 0x40, 0x0d, 3, 0, 14, 0x01, 0, 1, 9, 0xc5, 0x78, 0x56, 4, 0, 5, 0x68, 2, 0, 3, 0x69, 0, 0, 1, 0,
        ])
        #expect(wide.operations(at: .max) == [.add(0x3_0d40), .add(0x100 * 8), .loadFromBase(12, at: 0x4_5678)])
    }

    /// The number of slots is rounded up to an even one before the entry of the function that it is a part of.
    @Test func `a part of a function leads to the function's information`() throws {
        let part = try Self.information([0x21, 0, 1, 0, 0, 0x52, 0, 0, 0, 0x10, 0, 0, 0, 0x20, 0, 0, 0x34, 0x12, 0, 0])
        #expect(part.chained == 0x1234)
    }

    /// Version 2 has slots for the epilogs, before those of the prolog, and one more if their number is odd.
    @Test func `slots of epilogs are skipped`() throws {
        let epilogs = try Self.information([2, 5, 4, 0, 6, 0x16, 0, 0x06, 5, 0x32, 1, 0x30])
        #expect(epilogs.operations(at: .max) == [.add(32), .pop(3)])
        #expect(try Self.information([2, 5, 4, 0, 6, 0x06, 0, 0, 5, 0x32, 1, 0x30]).operations(at: .max) == [.add(32), .pop(3)])
    }

    @Test(
        arguments: [
            [3, 0, 0, 0], [1, 0, 2, 0, 1, 0x30], [1, 0, 1, 0, 1, 0x01], [1, 0, 1, 0, 1, 0x0b], [1, 0, 1, 0, 1, 0x03], [0x21, 0, 0, 0],
        ] as [[UInt8]])
    func `information of a newer version, cut short or with unknown operations is not used`(bytes: [UInt8]) {
        let isUsed = UnwindInformationX64(bytes.span.rawBytes) != nil
        #expect(!isUsed)
    }

    /// The processor pushes ss, rsp, the flags, cs, rip and perhaps an error code.
    @Test(arguments: [(0x0a, 0), (0x1a, 1)] as [(UInt8, UInt64)])
    func `an interrupted function is exact, with the stack pointer that was pushed`(code: UInt8, index: UInt64) throws {
        let frame = WindowsFrame(try Self.information([1, 5, 2, 0, 5, 0x12, 1, code]).operations(at: .max))
        var step = WindowsStep(Registers(.x86_64, programCounter: 1, stackPointer: 0x7000), Self.memory)
        guard case .caller(let caller, isExact: true) = step.caller(by: frame) else { throw RunError(description: "no caller") }
        // `sub rsp, 16` is undone before.
        #expect(caller.programCounter == 0x1002 + index && caller.stackPointer == 0x1002 + index + 3)
    }

    @Test func `a return address that was not saved is named`() {
        var step = WindowsStep(Registers(.x86_64, programCounter: 1, stackPointer: 0x7000), Self.memory)
        guard case .missingMemory(0x7200) = step.caller(by: WindowsFrame([.add(0x200)])) else {
            Issue.record("not missing")
            return
        }
    }

    /// What leads out of a function: returns, jumps to other functions, to its own first byte, and through memory.
    @Test(
        arguments: [
            ([0x48, 0x83, 0xc4, 0x28, 0x5b, 0x41, 0x5e, 0xc3], [.add(40), .pop(3), .pop(14)], nil),
            ([0x48, 0x81, 0xc4, 0, 1, 0, 0, 0x5d, 0xc3], [.add(256), .pop(6)], nil),
            ([0x49, 0x8d, 0x63, 0x10, 0xf3, 0xc3], [.setStackPointer(11, minus: 0 &- 16)], nil),
            ([0x48, 0x8d, 0xa5, 0x80, 0, 0, 0, 0xc2, 8, 0], [.setStackPointer(6, minus: 0 &- 128)], nil),
            ([0x5f, 0xe9, 0, 1, 0, 0], [.pop(5)], 0x1106), ([0x5f, 0xeb, 0xfd], [.pop(5)], 0x1000),
            ([0x5e, 0xff, 0x25, 0, 0, 0, 0], [.pop(4)], nil), ([0x48, 0xff, 0xe0], [], nil),
            // A jump inside of the function, past a byte.
            ([0x5e, 0xeb, 1, 0x90, 0x5f, 0xc3], [.pop(4), .pop(5)], nil),
        ] as [([UInt8], [WindowsFrame.Operation], UInt64?)])
    func `the last instructions of a function are undone as they are executed`(
        code: [UInt8], operations: [WindowsFrame.Operation], target: UInt64?
    )
        throws
    {
        let found = EpilogX64.operations(in: code.span.rawBytes, at: 0, address: 0x1000)
        #expect(found?.0 == operations && found?.target == target)
    }

    /// `mov eax, ebx`; `push`; a table's jump; `pop rsp`; a loop; nothing.
    @Test(arguments: [[0x89, 0xd8, 0xc3], [0x53, 0xc3], [0xff, 0xe0], [0x5c, 0xc3], [0x5f, 0xeb, 0xfe], [], [0x48]] as [[UInt8]])
    func `other instructions are no epilog`(code: [UInt8]) {
        let isEpilog = EpilogX64.operations(in: code.span.rawBytes, at: 0, address: 0x1000) != nil
        #expect(!isEpilog)
    }

    /// Codes that compilers write for few functions; the table of "Unwind codes".
    @Test(
        arguments: [
            // save_lrpair x21; save_reg x20 at 24; save_reg_x x19, 16; alloc_l 1 MB; add_fp 32
            ([0xd6, 0x42], [.load(21, at: 16), .load(30, at: 24)]), ([0xd0, 0x43], [.load(20, at: 24)]),
            ([0xd4, 0x01], [.load(19, at: 0), .add(16)]),
            ([0xe0, 1, 0, 0], [.add(1 << 20)]), ([0xe2, 4], [.setStackPointer(29, minus: 32)]),
            // save_next, twice, before save_regp x19 at 16
            ([0xe6, 0xe6, 0xc8, 0x02], (0..<6).map { .load(19 + $0, at: 16 + 8 * UInt64($0)) }),
            // save_any_reg: x9 at 24; x10 and x11 at 32; x0 and x1, 48 bytes; q6 and q7, 176 bytes
            ([0xe7, 0x09, 0x03], [.load(9, at: 24)]), ([0xe7, 0x4a, 0x02], [.load(10, at: 32), .load(11, at: 40)]),
            ([0xe7, 0x60, 0x02], [.load(0, at: 0), .load(1, at: 8), .add(48)]), ([0xe7, 0x66, 0x8a], [.add(176)]),
            // save_fregp_x, save_freg_x; pac_sign_lr; a machine frame, which has no instruction
            ([0xda, 0x03], [.add(32)]), ([0xde, 0x01], [.add(16)]), ([0xfc], []), ([0xe9], [.machineFrame(hasErrorCode: false)]),
        ] as [([UInt8], [WindowsFrame.Operation])])
    func `unwind codes of arm64 have their meaning`(bytes: [UInt8], operations: [WindowsFrame.Operation]) {
        #expect(UnwindCodesARM64(bytes + [0xe4]).operations(from: 0, skipping: 0) == operations)
    }

    @Test(arguments: [[0xe8], [0xdf, 1], [0xf0], [0xc8], [0xe7, 0x80, 0]] as [[UInt8]])
    func `codes of arm64 that are reserved, cut short or the kernel's are not used`(bytes: [UInt8]) {
        #expect(UnwindCodesARM64(bytes).operations(from: 0, skipping: 0) == nil)
    }

    /// `ARM64_NT_CONTEXT`: x0 is its second word, the stack pointer the 33rd, the counter the 34th.
    @Test func `all registers are those of a context`() throws {
        var step = WindowsStep(Registers(.arm64, programCounter: 4, stackPointer: 0x7010), Self.memory)
        guard case .caller(let caller, isExact: true) = step.caller(by: WindowsFrame([.context])) else {
            throw RunError(description: "no caller")
        }
        #expect(
            caller[0] == 0x1003 && caller[29] == 0x1003 + 29 && caller.stackPointer == 0x1003 + 31 && caller.programCounter == 0x1003 + 32)
    }
}
