import BinaryPrimitives
import MemoryImages
import ObjectFiles
import TestSupport
import Testing
import Unwinding

/// Cores of SPARC: windows of registers, the biased stack pointer, and calls that return to the address 8 bytes after their own.
@Suite(.enabled(if: StubCore.canRun, "\(StubCore.tools.joined(separator: ", ")) are not all installed"))
struct SPARCCoresTests {
    /// A function without a window, and its callers.
    static let calls = """
        volatile int *null;
        __attribute__((noinline)) int leaf(int n) { return *null + n; }
        __attribute__((noinline)) int mid(int n) { SAVE; return leaf(n + 1) * 3; }
        __attribute__((noinline)) int main(int c, char **v) { return mid(c) + 1; }
        #ifdef BARE
        void _start(void) { volatile int r = main(1, 0); for (;;) ; }
        #endif
        """

    /// Position-independent code would call a function for its own address, and so have a window.
    static let fixed = ["-fno-pic", "-no-pie"]
    /// Without an operating system's library, which 32 bits have none of here.
    static let machines: [(isWide: Bool, options: [String])] = [
        (true, fixed), (false, fixed + ["-m32", "-mcpu=v8", "-nostdlib", "-DBARE"]),
    ]

    private func stack(_ core: StubCore, program: String, _ folder: String, signal: UInt16 = 11) throws -> (UnwoundStack, [String]) {
        try writeFile(folder + "/core", core.file(signal: signal))
        let object = try ObjectFiles.open(path: program)
        var image = try CoreReader.read(try MappedFile(path: folder + "/core"))
        #expect(image.notes == [] && image.threads.map(\.id) == [77])
        image.addFiles(program: object, path: program) { _ in nil }
        let stack = try #require(image.stacks(image.modules { _ in ImageFiles([object]) }).first)
        var symbols: [(range: Range<UInt64>, name: String)] = []
        try object.forEachSymbol { symbol in
            let start = symbol.address.value
            if symbol.size > 0 { symbols.append((start..<start + symbol.size, symbol.name.text(in: object))) }
            return true
        }
        let names = stack.frames.map { frame in
            let address = frame.programCounter - (frame.isExact ? 0 : 1)
            return symbols.first { $0.range.contains(address) }?.name ?? "?"
        }
        return (stack, names)
    }

    /// gdb prints the functions up to `main`.
    @Test(arguments: machines)
    func `the frames are those that gdb prints`(isWide: Bool, options: [String]) throws {
        try withTemporaryFolder { folder in
            let core = try StubCore(options, isWide: isWide, source: Self.calls, stackBytes: isWide ? 1200 : 450, folder: folder)
            #expect(core.functions == ["leaf", "mid", "main"])
            let (stack, names) = try stack(core, program: core.program, folder)
            #expect(Array(names.prefix(3)) == core.functions, "\(names) \(stack.text)")
            #expect(stack.frames.dropFirst().allSatisfy { $0.trust == .cfi }, "\(stack.text)")
        }
    }

    @Test(arguments: machines)
    func `without rules the windows lead to the same frames`(isWide: Bool, options: [String]) throws {
        try withTemporaryFolder { folder in
            let core = try StubCore(options, isWide: isWide, source: Self.calls, stackBytes: isWide ? 1200 : 450, folder: folder)
            let bare = core.program + ".bare"
            let sections = [".eh_frame", ".debug_frame"].flatMap { ["--remove-section", $0] }
            try run("sparc64-linux-gnu-objcopy", sections + [core.program, bare]).requireSuccess()
            let (stack, names) = try stack(core, program: bare, folder)
            #expect(Array(names.prefix(3)) == ["leaf", "mid", "main"], "\(names) \(stack.text)")
            #expect(stack.frames.dropFirst().allSatisfy { $0.trust == .framePointer }, "\(stack.text)")
        }
    }

    /// `mid` has `save %sp, -176, %sp`. The last word of its caller's window, 16 words above that, is not saved.
    @Test func `a window that was not saved is the end of the stack`() throws {
        try withTemporaryFolder { folder in
            let core = try StubCore(Self.fixed, isWide: true, source: Self.calls, stackBytes: 176 + 15 * 8, folder: folder)
            let (stack, names) = try stack(core, program: core.program, folder)
            #expect(names == ["leaf", "mid", "main"])
            #expect(stack.end == .missingMemory(stack.frames[0].stackPointer + 176 + 15 * 8), "\(stack.text)")
        }
    }

    @Test func `a signal's frame has the registers of the function that it interrupted`() throws {
        let source = """
            #include <signal.h>
            __attribute__((noinline)) static void report(int s) { SAVE; *(volatile int *)8 = s; }
            static void on(int s) { report(s); __asm__ volatile(""); }
            __attribute__((noinline)) static int go(volatile int *f, int x) { SAVE; return *f + x; }
            __attribute__((noinline)) static int mid(volatile int *f, int x) { return go(f, x + 1) * 2; }
            int main(int c, char **v) {
                volatile int *volatile f = 0;
                struct sigaction action = {.sa_handler = on, .sa_flags = SA_NODEFER};
                sigaction(SIGSEGV, &action, 0);
                return mid(f, c);
            }
            """
        try withTemporaryFolder { folder in
            let core = try StubCore([], isWide: true, source: source, crashes: 2, stackBytes: 4096, folder: folder)
            #expect(core.functions == ["report", "on", "<signal handler", "go", "mid", "main"])
            let (stack, names) = try stack(core, program: core.program, folder)
            let expected = ["report", "on", "__rt_sigreturn_stub", "go", "mid", "main"]
            #expect(Array(names.prefix(6)) == expected, "\(names) \(stack.text)")
            #expect(stack.frames.prefix(6).map(\.isExact) == [true, false, true, true, false, false])
            #expect(names.last == "_start" && stack.end == .outermost, "\(names) \(stack.text)")
        }
    }

    /// `rt_sigreturn` (101) returns from frames with siginfo, `sigreturn` (216) from the others (Linux, `arch/sparc/kernel/signal_32.c`). A
    /// handler returns to the address 8 bytes after the one that the program gives.
    @Test(arguments: [("101", "0x220"), ("216", "0x20")])
    func `both frames of signals on 32 bits have the interrupted registers`(number: String, flags: String) throws {
        let source = """
            struct action { void (*handler)(int); unsigned long flags; void *restorer; unsigned long mask[2]; };
            __asm__(".type stub, #function; .global stub; stub: mov " NUMBER ", %g1; ta 0x10; .size stub, . - stub; nop");
            extern char stub[];
            static void handle(int signal, struct action *action) {
                register long number __asm__("g1") = 102;
                register long first __asm__("o0") = signal;
                register long second __asm__("o1") = (long)action;
                register long third __asm__("o2") = 0;
                register long fourth __asm__("o3") = (long)stub - 8;
                register long fifth __asm__("o4") = 8;
                __asm__ volatile("ta 0x10"
                                 : "+r"(first) : "r"(number), "r"(second), "r"(third), "r"(fourth), "r"(fifth) : "memory", "cc");
            }
            __attribute__((noinline)) static void report(int s) { SAVE; *(volatile int *)8 = s; }
            __attribute__((noinline)) static void on(int s) { report(s); __asm__ volatile(""); }
            __attribute__((noinline)) static int go(volatile int *f, int x) { SAVE; return *f + x; }
            __attribute__((noinline)) static int mid(volatile int *f, int x) { return go(f, x + 1) * 2; }
            __attribute__((noinline)) int main(int c, char **v) {
                volatile int *volatile f = 0;
                struct action action = {on, FLAGS};
                handle(11, &action);
                return mid(f, c);
            }
            void _start(void) { volatile int r = main(1, 0); for (;;) ; }
            """
        let options = Self.fixed + ["-m32", "-mcpu=v8", "-nostdlib", "-DNUMBER=\"\(number)\"", "-DFLAGS=" + flags]
        try withTemporaryFolder { folder in
            let core = try StubCore(options, isWide: false, source: source, crashes: 2, stackBytes: 1500, folder: folder)
            #expect(core.functions == ["report", "on", "<signal handler", "go", "mid", "main"])
            let (stack, names) = try stack(core, program: core.program, folder)
            #expect(names == ["report", "on", "stub", "go", "mid", "main", "_start"], "\(stack.text)")
            #expect(stack.frames.prefix(4).map(\.isExact) == [true, false, true, true])
            #expect(stack.end == .outermost)
        }
    }
}
