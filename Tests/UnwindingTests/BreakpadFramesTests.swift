import BinaryPrimitives
import TestSupport
import Testing

@testable import Unwinding

/// Stacks by the `STACK` lines of Breakpad's symbol files; comments beside them explain the lines.
struct BreakpadFramesTests {
    /// A module at 0x40_0000 with such a file, and a stack from 0x7000 on.
    static func stack(
        _ lines: String, _ processor: Processor, _ words: [UInt64], _ counter: UInt64, _ registers: [String: UInt64] = [:]
    ) throws -> UnwoundStack {
        let text = Array(("MODULE Linux x86_64 0 a\nFILE 0 STACK CFI INIT\nPUBLIC 10 0 f\n" + lines).utf8)
        let file = try MappedFile(bytes: text.span.rawBytes, name: "a.sym")
        let tables = UnwindTables([], breakpad: BreakpadFrames(file))
        let module = UnwindModule(0x40_0000..<0x41_0000) { UnwindModule.Image(tables, bias: 0x40_0000) }
        var writer = ByteWriter()
        for word in words { writer.put(word, size: processor.registerSize) }
        let memory = Memory([.init(address: 0x7000, .bytes(writer.bytes))], .littleEndian)
        var start = Registers(processor, programCounter: counter, stackPointer: 0x7000)
        for (name, value) in registers { start[name: name] = value }
        return Unwinder(ModuleMap([module]), memory, processor).stack(from: start)
    }

    static let rules = """
        STACK CFI INIT 100 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^
        STACK CFI 101 .cfa: $rsp 16 + $rbp: .cfa -16 + ^
        STACK CFI 104 .cfa: $rbp 16 +
        STACK CFI INIT 200 10 .cfa: $rsp 24 + .ra: .cfa 8 - ^
        STACK CFI INIT 300 10 .cfa: $rsp 8 + .ra: .undef
        FUNC 100 40 0 f
        """

    @Test func `lines change what they name`() throws {
        // At 0x100: nothing is pushed. At 0x200: 16 bytes of locals.
        let entered = try Self.stack(Self.rules, .x86_64, [0x40_0205, 1, 2, 0x40_0301], 0x40_0100)
        #expect(entered.frames.map(\.programCounter) == [0x40_0100, 0x40_0205, 0x40_0301])
        #expect(entered.frames.map(\.stackPointer) == [0x7000, 0x7008, 0x7020])
        #expect(entered.frames.map(\.trust) == [.context, .cfi, .cfi])
        #expect(entered.end == .outermost)
        // At 0x101 rbp is pushed; at 0x104 it is the frame.
        #expect(try Self.stack(Self.rules, .x86_64, [7, 0x40_0301], 0x40_0103).frames.map(\.stackPointer) == [0x7000, 0x7010])
        let framed = try Self.stack(Self.rules, .x86_64, [0, 0, 7, 0x40_0301], 0x40_0104, ["rbp": 0x7010])
        #expect(framed.frames.map(\.stackPointer) == [0x7000, 0x7020])
        // The last byte, and the first that is not covered.
        #expect(try Self.stack(Self.rules, .x86_64, [0, 0, 7, 0x40_0301], 0x40_013f, ["rbp": 0x7010]).frames.count == 2)
        #expect(try Self.stack(Self.rules, .x86_64, [0, 0], 0x40_0140, ["rbp": 0x7010]).frames.count == 1)
    }

    @Test(arguments: ["\n", "\r\n"]) func `line ends may be those of Windows, and dollars may be left out`(end: String) throws {
        let lines = ["STACK CFI INIT 100 40 .cfa: sp 32 + .ra: x30 x19: .cfa -8 + ^", "STACK CFI INIT 200 4 .cfa: sp .ra: .undef", ""]
        let stack = try Self.stack(lines.joined(separator: end), .arm64, [0, 0, 0, 0], 0x40_0110, ["lr": 0x40_0204])
        #expect(stack.frames.map(\.programCounter) == [0x40_0110, 0x40_0204])
        #expect(stack.frames.map(\.stackPointer) == [0x7000, 0x7020])
    }

    @Test(arguments: [" = $", " =$"]) func `a program of Windows has its variables, with a blank after each value or without`(
        assignment: String
    ) throws {
        // From Breakpad's tests (`stackwalker_x86_unittest.cc`): 4 bytes of locals, 16 of saved
        // registers; the caller's ebp is the last of them.
        let program =
            "$T2 $esp .cbLocals + .cbSavedRegs + = $T0 .raSearchStart = $eip $T0 ^ = $esp $T0 4 + = $ebp $T2 4 - ^ ="
        let line = """
            STACK WIN 4 1000 100 0 0 4 10 4 0 1 \(program.replacing(" = $", with: assignment))
            STACK WIN 0 2000 100 0 0 8 0 8 0 0 0
            """
        // 0x7000: local; 0x7004: saved registers, at 0x7010 ebp; 0x7014: the return address. Then
        // the caller's frame: 4 bytes of parameters were pushed, below 8 of locals.
        let stack = try Self.stack(line, .i386, [1, 2, 3, 4, 0x7100, 0x40_2010, 5, 6, 7, 0x40_2020], 0x40_1010)
        #expect(stack.frames.map(\.programCounter) == [0x40_1010, 0x40_2010, 0x40_2020])
        #expect(stack.frames.map(\.stackPointer) == [0x7000, 0x7018, 0x7028])
        #expect(stack.frames.map(\.trust) == [.context, .cfi, .cfi])
    }

    @Test func `expressions are computed as they are written`() {
        var registers = Registers(.x86_64, programCounter: 0x10, stackPointer: 0x7000)
        registers[name: "rax"] = 0x2b
        let memory = Memory([.init(address: 0x7000, .bytes([8, 7, 6, 5, 4, 3, 2, 1]))], .littleEndian)
        func value(_ text: String) -> UInt64? {
            var program = PostfixProgram(registers, memory)
            return program.value(of: text.split(separator: " ").map(String.init))
        }
        #expect(value("$rsp ^") == 0x0102_0304_0506_0708)
        #expect(value("$rax 16 @") == 0x20)
        #expect(value("$rax 3 -") == 0x28 && value("7 2 /") == 3 && value("7 2 %") == 1 && value("-3 5 +") == 2 && value("3 5 *") == 15)
        for damaged in ["", "+", "1 +", "1 2", "$rbx", "1 0 /", "1 0 %", "1 0 @", "8 ^", "nothing", "$rsp 1 + ^"] {
            #expect(value(damaged) == nil)
        }
    }

    @Test func `damaged lines are left out`() throws {
        let lines = """
            STACK
            STACK CFI
            STACK CFI INIT 100
            STACK CFI INIT ffffffffffffffff 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^
            STACK CFI INIT 100 0 .cfa: $rsp 8 + .ra: .cfa -8 + ^
            STACK WIN 9 100 10 0
            STACK CFI INIT 100 40 .cfa: $rsp 8 +
            """
        // The last has no rule for the return address; what is scanned is in a function.
        let stack = try Self.stack(lines, .x86_64, [0x40_0205, 0x40_0125], 0x40_0100)
        #expect(stack.frames.map(\.programCounter) == [0x40_0100, 0x40_0125] && stack.frames.last?.trust == .scan)
    }

    @Test func `what is scanned is in a function, where the file has functions`() throws {
        func scanned(_ lines: String) throws -> [UInt64] {
            // After calls that end at 0x500, in a function and in the next one's first byte.
            try Self.stack(lines, .x86_64, [0x40_0501, 0x40_0500, 0x40_0700], 0x40_0100).frames.dropFirst().map(\.programCounter)
        }
        #expect(try scanned("FUNC 4f0 10 0 f\nFUNC m 6f0 20 0 g\n") == [0x40_0500, 0x40_0700])
        // Names alone have no sizes.
        #expect(try scanned("PUBLIC 6f0 0 g\n") == [0x40_0501, 0x40_0500, 0x40_0700])
        #expect(try scanned("FUNC 4f0\nFUNC 4f0 0 0 f\nFUNC ffffffffffffffff 2 0 f\nFUNC 6f0 20 0 g\n") == [0x40_0700])
    }

    @Test func `a function that was just called has its caller in the link register`() throws {
        // In another function than the return address; in the same a call has returned.
        let lines = "FUNC 100 40 0 f\nFUNC 200 40 0 g\n"
        let called = try Self.stack(lines, .arm64, [], 0x40_0108, ["lr": 0x40_0220])
        #expect(called.frames.map(\.programCounter) == [0x40_0108, 0x40_0220] && called.frames.last?.trust == .framePointer)
        #expect(try Self.stack(lines, .arm64, [], 0x40_0108, ["lr": 0x40_0110]).frames.count == 1)
    }
}
