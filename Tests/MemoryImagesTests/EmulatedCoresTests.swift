import BinaryPrimitives
import MemoryImages
import ObjectFiles
import TestSupport
import Testing
import Unwinding

/// Cores that qemu writes of programs for other processors.
struct EmulatedCoresTests {
    static let machines: [(compiler: String, emulator: String, options: [String])] = [
        ("aarch64-linux-gnu-gcc", "qemu-aarch64", ["-O2"]),
        ("aarch64-linux-gnu-gcc", "qemu-aarch64", ["-O1", "-mbranch-protection=standard"]),
        ("arm-linux-gnueabihf-gcc", "qemu-arm", ["-O2"]), ("arm-linux-gnueabihf-gcc", "qemu-arm", ["-O2", "-marm"]),
        ("arm-linux-gnueabihf-gcc", "qemu-arm", ["-O1"]),
    ].filter { TestPaths.isReadable("/usr/bin/" + $0.0) && TestPaths.isReadable("/usr/bin/" + $0.1) }

    static let canEmulate = !machines.isEmpty && MadeCores.kernelWrites

    @Test(.enabled(if: canEmulate, "no compiler and emulator of another processor are installed"), arguments: machines)
    func `the frames are the program's functions`(compiler: String, emulator: String, options: [String]) throws {
        try MadeCores.withEmulatedCore(compiler, emulator, options) { program, core in
            let object = try ObjectFiles.open(path: program)
            var image = try CoreReader.read(try MappedFile(path: core))
            image.addFiles(program: object, path: program) { _ in nil }
            let stacks = image.stacks(image.modules { _ in ImageFiles([object]) })
            #expect(stacks.count == 3)
            var functions: [(range: Range<UInt64>, name: String)] = []
            try object.forEachSymbol { symbol in
                let start = symbol.address.value & ~1
                if symbol.size > 0 { functions.append((start..<start + symbol.size, symbol.name.text(in: object))) }
                return true
            }
            for (index, stack) in stacks.enumerated() {
                let names = stack.frames.map { frame in
                    let address = (frame.programCounter & ~1) - (frame.isExact ? 0 : 1)
                    return functions.first { $0.range.contains(address) }.map { String($0.name.prefix { $0 != "." }) } ?? "?"
                }
                let text = "\(names) \(stack.text)"
                // The program's calls, by its source; between them are those of the C library.
                let recursion = options.contains("-O1") ? 6 : 1
                let expected =
                    index == 0
                    ? ["handler"] + [String](repeating: "deep", count: recursion) + ["compare", "__qsort_r", "main"]
                    : ["wait", "start_thread"]
                #expect(names.filter(expected.contains) == expected, "\(text)")
                // ARM's index marks start_thread as the outermost function; its instructions lead to the one that calls it.
                let described = index > 0 && emulator == "qemu-arm" ? stack.frames.dropFirst().dropLast() : stack.frames.dropFirst()
                #expect(described.allSatisfy { $0.trust == .cfi }, "\(text)")
                #expect(stack.end == .outermost, "\(text)")
                #expect(stack.frames.map(\.isExact).prefix(3) == (index == 0 ? [true, true, true] : [true, false, false]), "\(text)")
            }
        }
    }

    /// The program and its C library without any rules: on arm64 by the frame records that
    /// compilers keep, on 32-bit ARM by scanning.
    @Test(.enabled(if: canEmulate, "no compiler and emulator of another processor are installed"), arguments: machines)
    func `without rules every frame is among those that are found`(compiler: String, emulator: String, options: [String]) throws {
        try MadeCores.withEmulatedCore(compiler, emulator, options) { program, core in
            let sections = [".eh_frame", ".eh_frame_hdr", ".debug_frame", ".ARM.exidx", ".ARM.extab"].flatMap { ["--remove-section", $0] }
            let objcopy = compiler.replacing("gcc", with: "objcopy")
            #expect(try run(objcopy, sections + [program, program + ".bare"]).status == 0)
            let stacks = try [program, program + ".bare"].map { path in
                let object = try ObjectFiles.open(path: path)
                var image = try CoreReader.read(try MappedFile(path: core))
                image.addFiles(program: object, path: path) { _ in nil }
                return image.stacks(image.modules { _ in ImageFiles([object]) })
            }
            for (whole, bare) in zip(stacks[0], stacks[1]) {
                var rest = bare.frames[...]
                let missing = whole.frames.filter { frame in
                    guard let index = rest.firstIndex(where: { $0.programCounter == frame.programCounter }) else { return true }
                    rest = rest[(index + 1)...]
                    return false
                }
                let text = "\(whole.text) \(bare.text)"
                if emulator == "qemu-aarch64" {
                    #expect(bare.frames.map(\.programCounter) == whole.frames.map(\.programCounter), "\(text)")
                    #expect(bare.frames.allSatisfy { $0.trust != .scan }, "\(text)")
                } else {
                    // The outermost, of the C library before `main`, may be too far away.
                    #expect(missing == whole.frames.suffix(missing.count) && missing.count <= 4, "\(text)")
                }
            }
        }
    }

    /// Without an operating system's library, which n32 has none of here.
    private static let bare = ["-mabi=n32", "-mno-abicalls", "-fno-pic", "-nostdlib", "-DBARE"]
    static let others: [(compiler: String, emulator: String, options: [String])] = [
        ("powerpc64le-linux-gnu-gcc", "qemu-ppc64le", []), ("s390x-linux-gnu-gcc", "qemu-s390x", []),
        ("m68k-linux-gnu-gcc", "qemu-m68k", []), ("mips64el-linux-gnuabi64-gcc", "qemu-mipsn32el", bare),
    ].filter { TestPaths.isReadable("/usr/bin/" + $0.0) && TestPaths.isReadable("/usr/bin/" + $0.1) }

    /// The functions of the crashed thread that the source has.
    private func functions(_ source: String, _ compiler: String, _ emulator: String, _ options: [String], _ known: Set<String>) throws
        -> [String]
    {
        try MadeCores.withEmulatedCore(compiler, emulator, options + ["-O1"], source: source) { program, core in
            let object = try ObjectFiles.open(path: program)
            var image = try CoreReader.read(try MappedFile(path: core))
            image.addFiles(program: object, path: program) { _ in nil }
            let frames = try #require(image.stacks(image.modules { _ in ImageFiles([object]) }).first).frames
            var functions: [(range: Range<UInt64>, name: String)] = []
            try object.forEachSymbol { symbol in
                let start = symbol.address.value
                if symbol.size > 0 { functions.append((start..<start + symbol.size, symbol.name.text(in: object))) }
                return true
            }
            return frames.compactMap { frame in
                if frame.programCounter == 0 { return "null" }
                let address = frame.programCounter - (frame.isExact ? 0 : 1)
                return functions.first { $0.range.contains(address) }?.name
            }.filter(known.contains)
        }
    }

    @Test(.enabled(if: !others.isEmpty && MadeCores.kernelWrites, "no such compiler and emulator are installed"), arguments: others)
    func `calls are found on further processors`(compiler: String, emulator: String, options: [String]) throws {
        let source = """
            volatile int *null;
            __attribute__((noinline)) int leaf(int n) { return *null + n; }
            __attribute__((noinline)) int mid(int n) { return leaf(n + 1) * 3; }
            __attribute__((noinline)) int main(int c, char **v) { return mid(c) + 1; }
            #ifdef BARE
            void __start(void) { volatile int r = main(1, 0); for (;;) ; }
            #endif
            """
        #expect(try functions(source, compiler, emulator, options, ["leaf", "mid", "main"]) == ["leaf", "mid", "main"])
    }

    /// The frame that the signal interrupted has the address 0, and its return address in the link register.
    @Test(
        .enabled(if: !others.isEmpty && MadeCores.kernelWrites, "no such compiler and emulator are installed"),
        arguments: others.filter { ["qemu-ppc64le", "qemu-s390x"].contains($0.emulator) })
    func `below a handler a call of a null pointer leads on`(compiler: String, emulator: String, options: [String]) throws {
        let source = """
            #include <signal.h>
            #include <stdlib.h>
            __attribute__((noinline)) static void report(int s) { abort(); }
            static void on(int s) { report(s); }
            __attribute__((noinline)) static int go(int (*f)(int), int x) { return f(x) + 1; }
            __attribute__((noinline)) static int mid(int (*f)(int), int x) { return go(f, x + 1) * 2; }
            int main(int c, char **v) { int (*volatile f)(int) = 0; signal(SIGSEGV, on); return mid(f, c); }
            """
        let known: Set = ["report", "on", "null", "go", "mid", "main"]
        #expect(try functions(source, compiler, emulator, options, known) == ["report", "on", "null", "go", "mid", "main"])
    }
}
