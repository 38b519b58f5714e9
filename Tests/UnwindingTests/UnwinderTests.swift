import BinaryPrimitives
import TestSupport
import Testing
import Unwinding

/// Stacks that are made by hand, of modules whose files are not known: by frame pointers, by
/// scanning, and their ends.
struct UnwinderTests {
    /// A stack from 0x7000 on, and a module at 0x40_0000.
    struct Made {
        var processor = Processor.x86_64
        var words: [UInt64] = []
        var base: UInt64 = 0x7000
        var limits = Limits.standard
        var codeMask: UInt64?
        var order = ByteOrder.littleEndian

        func stack(_ counter: UInt64, _ registers: [String: UInt64] = [:]) -> UnwoundStack {
            var writer = ByteWriter(order)
            for word in words { writer.put(word, size: processor.registerSize) }
            let memory = Memory([.init(address: base, .bytes(writer.bytes))], order)
            let module = UnwindModule(0x40_0000..<0x41_0000) { nil }
            var start = Registers(processor, programCounter: counter, stackPointer: base)
            for (name, value) in registers { start[name: name] = value }
            return Unwinder(ModuleMap([module]), memory, processor, codeMask: codeMask, limits: limits).stack(from: start)
        }
    }

    private static func counters(_ stack: UnwoundStack) -> [UInt64] { stack.frames.map(\.programCounter) }

    @Test func `a chain of frame pointers is followed to its end`() {
        // 0x7010: caller's frame pointer and return address; 0x7030: the same; the last is zero.
        let made = Made(words: [0, 0, 0x7030, 0x40_0111, 0, 0, 0, 0x40_0222])
        let stack = made.stack(0x40_0010, ["rbp": 0x7010])
        #expect(Self.counters(stack) == [0x40_0010, 0x40_0111, 0x40_0222])
        #expect(stack.frames.map(\.stackPointer) == [0x7000, 0x7020, 0x7040])
        #expect(stack.frames.map(\.trust) == [.context, .framePointer, .framePointer])
        #expect(stack.frames.map(\.isExact) == [true, false, false])
        #expect(stack.end == .outermost)
    }

    @Test func `a frame pointer that leads down or to itself is not followed`() {
        // The second record is the first again.
        let made = Made(words: [0, 0, 0x7010, 0x40_0111, 5, 6])
        let stack = made.stack(0x40_0010, ["rbp": 0x7010])
        #expect(Self.counters(stack) == [0x40_0010, 0x40_0111])
        #expect(stack.end == .nothingFound)
        #expect(Self.counters(made.stack(0x40_0010, ["rbp": 0x6000])) == [0x40_0010, 0x40_0111])
    }

    @Test func `what is scanned must be in a module`() {
        let made = Made(words: [1, 0x50_0000, 0x40_0000, 0x40_0333, 2, 0x41_0000, 3])
        let stack = made.stack(0x40_0010)
        // The module's first byte follows no call of it; what follows its last byte may.
        #expect(Self.counters(stack) == [0x40_0010, 0x40_0333, 0x41_0000])
        #expect(stack.frames.map(\.stackPointer) == [0x7000, 0x7020, 0x7030])
        #expect(stack.frames.map(\.trust) == [.context, .scan, .scan])
    }

    @Test func `where calls use a register, the return address that led here is not scanned again`() {
        let made = Made(processor: .arm64, words: [0x40_0110, 0x40_0330, 0x40_0332, 0x40_0440])
        #expect(Self.counters(made.stack(0x40_0110)) == [0x40_0110, 0x40_0330, 0x40_0440])
    }

    @Test func `scanning ends after so many words`() {
        var limits = Limits.standard
        (limits.scannedWords, limits.scannedWordsAgain) = (4, 2)
        // The fourth word after the innermost frame; then the second; the third is too far.
        let words: [UInt64] = [0, 0, 0, 0x40_0111, 0, 0x40_0222, 0, 0, 0x40_0333]
        #expect(Self.counters(Made(words: words, limits: limits).stack(0x40_0010)) == [0x40_0010, 0x40_0111, 0x40_0222])
        #expect(Self.counters(Made(words: [0] + words, limits: limits).stack(0x40_0010)) == [0x40_0010])
    }

    @Test func `a scanned frame has the frame pointer that is saved below its return address`() {
        // At 0x7010 the return address; below it the frame pointer of the caller, 0x7030.
        let made = Made(words: [0, 0x7030, 0x40_0111, 0, 0, 0, 0, 0x40_0222])
        let stack = made.stack(0x40_0010)
        #expect(stack.frames.map(\.trust) == [.context, .scan, .framePointer])
        #expect(Self.counters(stack).last == 0x40_0222)
    }

    @Test func `a call of a null pointer is followed by the address that it pushed`() {
        let stack = Made(words: [0x40_0111, 0, 0]).stack(0, ["rbp": 0])
        #expect(Self.counters(stack) == [0, 0x40_0111])
        #expect(stack.frames[1].stackPointer == 0x7008)
        let arm = Made(processor: .arm64, words: [0, 0]).stack(0, ["lr": 0x40_0444])
        #expect(Self.counters(arm) == [0, 0x40_0444])
        #expect(arm.frames[1].stackPointer == 0x7000)
    }

    @Test func `without files a link to another image is a caller, and one to the same image may be of a call that has returned`() {
        let modules = [UnwindModule(0x40_0000..<0x50_0000) { nil }, UnwindModule(0x60_0000..<0x70_0000) { nil }]
        func counters(_ link: UInt64) -> [UInt64] {
            var registers = Registers(.arm64, programCounter: 0x60_0100, stackPointer: 0x7000)
            registers[name: "lr"] = link
            return Self.counters(Unwinder(ModuleMap(modules), Memory([], .littleEndian), .arm64).stack(from: registers))
        }
        #expect(counters(0x40_0200) == [0x60_0100, 0x40_0200])
        #expect(counters(0x60_0200) == [0x60_0100])
        #expect(counters(0x50_0200) == [0x60_0100])
    }

    @Test func `a stack is scanned up to the highest address`() {
        func counters(_ processor: Processor, _ base: UInt64) -> [UInt64] {
            Self.counters(Made(processor: processor, words: [0, 0x40_0111, 0x40_0222, 0x40_0333], base: base).stack(0x40_0010))
        }
        // The second word is the last that has an address above it.
        #expect(counters(.i386, 0xffff_fff4) == [0x40_0010, 0x40_0111])
        #expect(counters(.i386, 0xffff_0000) == [0x40_0010, 0x40_0111, 0x40_0222, 0x40_0333])
        #expect(counters(.x86_64, 0xffff_fff0) == [0x40_0010, 0x40_0111, 0x40_0222, 0x40_0333])
    }

    /// A program at 0x400000 whose first page was saved, and not its file. The kernel's values for the program have AT_PHDR,
    /// 0x400040. E8 is a direct call of five bytes, FF D0 one through rax (Intel's manual, "CALL").
    @Test func `where code is in memory, a scanned address follows a call and is in no header`() {
        var writer = ByteWriter()
        for word: UInt64 in [0x40_0040, 0x40_0f00, 0x40_0f15, 0x40_0f22, 0] { writer.put(word) }
        var page = [UInt8](repeating: 0x90, count: 4096)
        page.replaceSubrange(0..<5, with: [0x7f, 0x45, 0x4c, 0x46, 2])
        // Two program headers of 56 bytes, from 64 on (gABI, e_phoff, e_phentsize, e_phnum).
        page.replaceSubrange(32..<40, with: [64, 0, 0, 0, 0, 0, 0, 0])
        page.replaceSubrange(54..<58, with: [56, 0, 2, 0])
        // Before 0x400040, too, are bytes of a call.
        for end in [0x40, 0xf15] { page.replaceSubrange(end - 5..<end, with: [0xe8, 0, 0, 0, 0]) }
        page.replaceSubrange(0xf20..<0xf22, with: [0xff, 0xd0])
        let memory = Memory([.init(address: 0x7000, .bytes(writer.bytes)), .init(address: 0x40_0000, .bytes(page))], .littleEndian)
        let registers = Registers(.x86_64, programCounter: 0x40_0a00, stackPointer: 0x7000)
        let modules = ModuleMap([UnwindModule(0x40_0000..<0x40_1000) { nil }])
        let stack = Unwinder(modules, memory, .x86_64).stack(from: registers)
        #expect(stack.frames.map(\.programCounter) == [0x40_0a00, 0x40_0f15, 0x40_0f22])
    }

    @Test func `frame pointers are not followed where compilers keep none`() {
        var registers = Registers(.x86_64, programCounter: 0x40_0010, stackPointer: 0x7000)
        registers[name: "rbp"] = 0x7008
        var writer = ByteWriter()
        for word: UInt64 in [0, 0, 0x40_0111, 0x40_0222] { writer.put(word) }
        let memory = Memory([.init(address: 0x7000, .bytes(writer.bytes))], .littleEndian)
        let modules = ModuleMap([UnwindModule(0x40_0000..<0x50_0000) { nil }])
        func trusts(_ uses: Bool) -> [FrameTrust] {
            Unwinder(modules, memory, .x86_64, usesFramePointers: uses).stack(from: registers).frames.map(\.trust)
        }
        // The record at 0x7008 has zero as its frame pointer, so the chain ends there.
        #expect(trusts(true) == [.context, .framePointer])
        #expect(trusts(false) == [.context, .scan, .scan])
    }

    @Test(arguments: [nil, 0x007f_8000_0000_0000] as [UInt64?]) func `signatures of return addresses are taken away`(mask: UInt64?) {
        // Bits 39 to 54: with the note's mask from bit 47 on.
        let signed: UInt64 = 0x0034_8000_0040_0110
        let made = Made(processor: .arm64, words: [0x7020, signed, 0, 0, 0, 0x0056_0000_0040_0220], codeMask: mask)
        let stack = made.stack(0x40_0010, ["x29": 0x7000, "lr": 0])
        #expect(Self.counters(stack) == [0x40_0010, 0x40_0110, 0x40_0220])
        #expect(stack.end == .outermost)
    }

    @Test func `the record of RISC-V is below its frame pointer`() {
        let made = Made(processor: .riscv64, words: [0x7040, 0x40_0110, 0, 0, 0, 0, 0, 0x40_0220])
        let stack = made.stack(0x40_0010, ["s0": 0x7010])
        #expect(Self.counters(stack) == [0x40_0010, 0x40_0110, 0x40_0220])
        #expect(stack.frames.map(\.stackPointer) == [0x7000, 0x7010, 0x7040])
    }

    @Test(arguments: [ByteOrder.littleEndian, .bigEndian]) func `the stack of Power is a chain`(order: ByteOrder) {
        // Each frame: the address of the next, the condition register, the return address.
        let made = Made(
            processor: .powerPC64, words: [0x7020, 0, 0, 0, 0x7040, 0, 0x40_0110, 0, 0, 0, 0x40_0220], order: order)
        let stack = made.stack(0x40_0010)
        #expect(Self.counters(stack) == [0x40_0010, 0x40_0110, 0x40_0220])
        #expect(stack.frames.map(\.stackPointer) == [0x7000, 0x7020, 0x7040])
    }

    @Test(arguments: [Processor.sparc64, .sparc]) func `the windows of SPARC are a chain`(processor: Processor) {
        // The last two words of each window are the next stack pointer and the address of the call, which returns to the address 8 bytes after it.
        let (bias, size) = processor == .sparc64 ? (2047, 0x80) : (0, 0x40) as (UInt64, UInt64)
        func window(_ pointer: UInt64, _ call: UInt64) -> [UInt64] { [UInt64](repeating: 0, count: 14) + [pointer, call] }
        let words = window(0x7000 + size - bias, 0x40_0100) + window(0x7000 + 2 * size - bias, 0x40_0200) + window(0, 0)
        let stack = Made(processor: processor, words: words, order: .bigEndian).stack(0x40_0010)
        #expect(Self.counters(stack) == [0x40_0010, 0x40_0108, 0x40_0208])
        #expect(stack.frames.map(\.stackPointer) == [0x7000, 0x7000 + size, 0x7000 + 2 * size])
        #expect(stack.frames.map(\.trust) == [.context, .framePointer, .framePointer])
        #expect(stack.end == .outermost)
    }

    @Test func `on SPARC a scanned call has the stack pointer that is saved below it`() {
        // The stack pointer leads to no window.
        var words: [UInt64] = [0, 0] + [UInt64](repeating: 0, count: 16) + [0x7100 - 2047, 0x40_0100] + [UInt64](repeating: 0, count: 12)
        words += [UInt64](repeating: 0, count: 14) + [0, 0]
        let stack = Made(processor: .sparc64, words: words, order: .bigEndian).stack(0x40_0010, ["o7": 0])
        #expect(Self.counters(stack) == [0x40_0010, 0x40_0108])
        #expect(stack.frames.map(\.stackPointer) == [0x7000, 0x7100])
        #expect(stack.frames.map(\.trust) == [.context, .scan])
    }

    @Test func `32-bit ARM has records of two kinds`() {
        // clang: r11 points to the saved r11; Thumb's is r7, and its addresses are odd.
        let clang = Made(processor: .arm, words: [0, 0x7010, 0x40_0111, 0, 0, 0x40_0223])
        #expect(Self.counters(clang.stack(0x40_0010, ["r11": 0x7004])) == [0x40_0010, 0x40_0111, 0x40_0223])
        #expect(Self.counters(clang.stack(0x40_0011, ["r7": 0x7004])) == [0x40_0011, 0x40_0111, 0x40_0223])
        // gcc: r11 points to the return address, above the saved r11.
        let gcc = Made(processor: .arm, words: [0, 0x7014, 0x40_0110, 0, 0, 0x40_0220])
        #expect(Self.counters(gcc.stack(0x40_0010, ["r11": 0x7008])) == [0x40_0010, 0x40_0110, 0x40_0220])
    }

    @Test func `frames are counted`() {
        var limits = Limits.standard
        limits.framesPerThread = 5
        let words = (0..<100).flatMap { [0x7010 + UInt64($0) * 16, 0x40_0100 as UInt64] }
        let stack = Made(words: words, limits: limits).stack(0x40_0010, ["rbp": 0x7000])
        #expect(stack.frames.count == 5)
        #expect(stack.end == .tooManyFrames)
    }

    @Test func `the innermost and the outermost frames of a long stack are kept`() {
        var limits = Limits.standard
        limits.framesPerThread = 8
        // Frame n returns to 0x400100 + n; the last record's frame pointer is zero.
        let words = (0..<20 as Range<UInt64>).flatMap { number -> [UInt64] in
            [number == 19 ? 0 : 0x7010 + number * 16, 0x40_0100 + number]
        }
        let stack = Made(words: words, limits: limits).stack(0x40_0010, ["rbp": 0x7000])
        let whole = Made(words: words).stack(0x40_0010, ["rbp": 0x7000])
        #expect(whole.frames.count == 21 && whole.omittedCount == 0)
        #expect(stack.frames.count + stack.omittedCount == 21 && stack.frames.count <= 8 && stack.omittedIndex == 4)
        #expect(stack.frames.prefix(4) == whole.frames.prefix(4))
        let outer = stack.frames.count - 4
        #expect(outer >= 2 && stack.frames.suffix(outer) == whole.frames.suffix(outer))
        #expect(stack.end == whole.end)
    }

    @Test func `nothing at all is an end, too`() {
        let stack = Made().stack(0x40_0010)
        #expect(stack.frames.count == 1)
        #expect(stack.end == .nothingFound)
        let last = Made(words: [1, 2], base: .max - 15).stack(.max, ["rbp": .max - 15])
        #expect(last.frames.count == 1)
    }
}
