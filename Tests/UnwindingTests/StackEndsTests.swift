import BinaryPrimitives
import TestSupport
import Testing
import Unwinding

/// Why stacks end, by rules that lead astray.
struct StackEndsTests {
    private static func end(_ rules: String, _ words: [UInt64], _ registers: [String: UInt64] = [:]) throws -> (frames: Int, end: StackEnd)
    {
        let stack = try BreakpadFramesTests.stack("STACK CFI INIT 100 40 " + rules, .x86_64, words, 0x40_0110, registers)
        return (stack.frames.count, stack.end)
    }

    @Test func `a rule may lead nowhere`() throws {
        #expect(try Self.end(".cfa: $rsp 8 + .ra: .cfa -8 + ^", [0x41_4141_4141]) == (1, .leadsNowhere(0x41_4141_4141)))
    }

    @Test func `memory may be missing`() throws {
        #expect(try Self.end(".cfa: $rbp 16 + .ra: .cfa -8 + ^", [1], ["rbp": 0x9000]) == (1, .missingMemory(0x9008)))
        #expect(try Self.end(".cfa: $rsp 8 + .ra: .cfa -8 + ^", []) == (1, .missingMemory(0x7000)))
    }

    @Test func `the stack must rise`() throws {
        #expect(try Self.end(".cfa: $rsp 8 - .ra: .cfa 8 + ^", [5]) == (1, .stackDoesNotRise))
        #expect(try Self.end(".cfa: $rsp .ra: .cfa ^", [5]) == (1, .stackDoesNotRise))
        // The scanned frame has the same rule, whose memory is missing.
        #expect(try Self.end(".cfa: $rsp .ra: .cfa ^", [0x40_0120]) == (2, .missingMemory(0x7008)))
    }

    @Test func `a return address of zero is the outermost's`() throws {
        #expect(try Self.end(".cfa: $rsp 8 + .ra: .cfa -8 + ^", [0, 0x40_0120]) == (1, .outermost))
    }

    @Test func `a frame that a signal interrupted is there once`() {
        // A frame pointer leads to the trampoline, and the context that is saved above it to the
        // first frame again.
        var writer = ByteWriter()
        for word: UInt64 in [0x7100, 0x9000] { writer.put(word) }
        // At 0x7010 `ucontext`: flags, link, stack; then r8 to rip: 15th rsp, 16th rip.
        for word in [UInt64](repeating: 0, count: 5 + 15) { writer.put(word) }
        for word: UInt64 in [0x7000, 0x40_0010, 0, 0x33] { writer.put(word) }
        let code: [UInt8] = [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05]
        let memory = Memory(
            [.init(address: 0x7000, .bytes(writer.bytes)), .init(address: 0x9000, .bytes(code), isExecutable: true)], .littleEndian)
        var registers = Registers(.x86_64, programCounter: 0x40_0010, stackPointer: 0x7000)
        registers[name: "rbp"] = 0x7000
        let stack = Unwinder(ModuleMap([UnwindModule(0x40_0000..<0x41_0000) { nil }]), memory, .x86_64).stack(from: registers)
        #expect(stack.frames.map(\.programCounter) == [0x40_0010, 0x9000])
        #expect(stack.frames.map(\.isExact) == [true, true])
        #expect(stack.end == .repeated)
    }

    @Test func `a signal's context is known without the code that returns from it`() throws {
        // Above the return address, which has no rule, `ucontext` as above; the interrupted frame
        // has its return address, zero, at 0x7100.
        let context = [UInt64](repeating: 0, count: 20) + [0x7100, 0x40_0120, 0, 0x33]
        let words = [0x40_0500] + context + [UInt64](repeating: 0, count: 40)
        let rules = "STACK CFI INIT 100 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^"
        let stack = try BreakpadFramesTests.stack(rules, .x86_64, words, 0x40_0110)
        #expect(stack.frames.map(\.programCounter) == [0x40_0110, 0x40_0500, 0x40_0120])
        #expect(stack.frames.map(\.trust) == [.context, .cfi, .scan])
        #expect(stack.frames.map(\.isExact) == [true, false, true])
        #expect(stack.frames.last?.stackPointer == 0x7100)
        #expect(stack.end == .outermost)
        // A code segment of no program: the scanned frame is not an interrupted one.
        let other = [0x40_0500] + context.dropLast() + [UInt64](repeating: 0, count: 40)
        let scanned = try BreakpadFramesTests.stack(rules, .x86_64, Array(other), 0x40_0110)
        #expect(scanned.frames.map(\.isExact) == [true, false, false])
    }

    // MARK: Caps

    private static func unwinder(_ words: [UInt64], _ limits: Limits, code: [UInt8] = []) -> Unwinder {
        var writer = ByteWriter()
        for word in words { writer.put(word) }
        let memory = Memory(
            [.init(address: 0x7000, .bytes(writer.bytes)), .init(address: 0x9000, .bytes(code), isExecutable: true)], .littleEndian)
        return Unwinder(ModuleMap([UnwindModule(0x40_0000..<0x41_0000) { nil }]), memory, .x86_64, limits: limits)
    }

    /// Every word leads into the module. The first scan takes 160 words of what a stack may take,
    /// each other one 40, wherever it finds something.
    @Test func `a stack is scanned up to a cap`() {
        func count(_ words: Int) -> Int {
            var limits = Limits()
            limits.scannedWordsPerStack = words
            let unwinder = Self.unwinder([UInt64](repeating: 0x40_0120, count: 400), limits)
            return unwinder.stack(from: Registers(.x86_64, programCounter: 0x40_0110, stackPointer: 0x7000), maxFrames: 20).frames.count
        }
        #expect([160, 161, 200, 201, 240].map(count) == [2, 3, 3, 4, 4])
        // Without the cap the stack has as many frames as are wanted.
        #expect(count(Limits.standard.scannedWordsPerStack) == 20)
    }

    /// Frame pointers lead to a trampoline, and the context above it to the next frame, 512 bytes
    /// higher, in which the same happened.
    @Test func `signals interrupt each other up to a cap`() {
        let signals = 4
        var words: [UInt64] = []
        for number in 0..<UInt64(signals) {
            let next = 0x7000 + 0x200 * (number + 1)
            // The frame pointer's pair; flags, link and stack; r8 to r15, rdi, rsi, rbp, rbx, rdx,
            // rax, rcx, rsp, rip, flags, segment.
            var area: [UInt64] = [0x7ff0, 0x9000] + [UInt64](repeating: 0, count: 5)
            area += [UInt64](repeating: 0, count: 10) + [next, 0, 0, 0, 0, next, 0x40_0010 + number, 0, 0x33]
            words += area + [UInt64](repeating: 0, count: 64 - area.count)
        }
        // The last one's stack: zeros.
        words += [UInt64](repeating: 0, count: 64)
        var registers = Registers(.x86_64, programCounter: 0x40_0010 - 1, stackPointer: 0x7000)
        registers[name: "rbp"] = 0x7000
        func stack(_ maxSignals: Int) -> UnwoundStack {
            var limits = Limits()
            limits.signalFrames = maxSignals
            return Self.unwinder(words, limits, code: [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05]).stack(from: registers)
        }
        // The first frame, and two for each signal, except that the last trampoline has no caller.
        let cut = stack(signals - 1)
        #expect(cut.frames.count == 1 + 2 * signals - 1 && cut.end == .tooManyFrames)
        let whole = stack(signals)
        #expect(whole.frames.count >= 1 + 2 * signals && whole.end != .tooManyFrames)
        #expect(Limits.standard.signalFrames > signals)
    }
}
