import BinaryPrimitives
import MemoryImages
import ObjectFiles
import TestSupport
import Testing
import Unwinding

/// Stacks of minidumps against minidump-stackwalk, which had the same symbol files.
struct MinidumpStacksTests {
    static let hasCorpus = MinidumpCorpus.folder != nil

    /// Known difference of a stack from the peer's. If none is stated, the frames are the same, including
    /// scanned ones: both readers have the same words, and the same knowledge of the code.
    enum Difference {
        /// The peer has further frames between these and above, all scanned, which are no calls.
        case fewerGuesses
        /// There are further frames, which the peer passes over.
        case further
        /// From some scanned frame on, one guess follows another.
        case otherGuesses
    }

    static func difference(_ name: String, thread: UInt64) -> Difference? {
        switch (name, thread) {
        // The stack is executed (DEP): what called it is at the stack pointer, as after every call.
        // The peer goes by `ebp`, which the called code has not pushed yet.
        case ("breakpad-exec_av_on_stack", _): .further
        // `main` keeps a frame pointer, and the frame above is in libc, where the chain ends with
        // zero. The peer does not accept a record whose `rbp` is zero, and scans.
        case ("breakpad-linux_executable_heap", _), ("breakpad-linux_inside_module_exe_region1", _), ("breakpad-linux_jmp_to_0", _),
            ("breakpad-linux_outside_module", _), ("breakpad-linux_stack_pointer_in_module", _),
            ("breakpad-linux_write_to_nonwritable_module", _):
            .fewerGuesses
        // The chain of frame pointers ends with zero; the peer scans what is above.
        case ("breakpad-minidump_crashpad_annotation", _), ("lldb-linux-x86_64", _), ("symbolicator-macos-no-fp", 6_130_751): .fewerGuesses
        // The dump says which memory may be executed: numbers that lead to data are no calls.
        case ("breakpad-tiny-exe-with-cet-xsave", _): .fewerGuesses
        // `memset` of a library without files: the link register leads to the program that called
        // it, and the program's rules to `main`, which the peer finds by scanning.
        case ("symbolicator-macos-no-fp", _): .further
        // After 44 scanned frames a frame pointer is taken from the stack, which the peer does not.
        case ("electron-linux", 30658): .otherGuesses
        default: nil
        }
    }

    @Test(.enabled(if: hasCorpus, "there is no corpus"), arguments: MinidumpCorpus.names)
    func `the frames are the peer's`(name: String) throws {
        let (image, expectedDump) = (try MinidumpCorpus.image(name), try MinidumpCorpus.expectedDump(name))
        var counts = (same: 0, theirs: 0, ours: 0)
        for (thread, stack) in zip(image.threads, MinidumpCorpus.stacks(image)) {
            let listed = try #require(expectedDump.threads.first { $0.thread_id == thread.id })
            let (found, expected) = (stack.frames.map(\.programCounter), expectedDump.addresses(listed))
            let same = zip(found, expected).prefix { $0 == $1 }.count
            counts = (counts.same + same, counts.theirs + expected.count, counts.ours + found.count)
            let text = "thread \(thread.id), \(same) are the same: \(stack.text)"
            #expect(same > 0)
            switch Self.difference(name, thread: thread.id) {
            case nil:
                #expect(found == expected, "\(text)")
                // A rule that both have, a register that both have.
                let trusts: [String: FrameTrust] = ["context": .context, "cfi": .cfi, "frame_pointer": .framePointer, "scan": .scan]
                #expect(stack.frames.map(\.trust) == listed.frames.map { trusts[$0.trust] }, "\(text)")
            case .fewerGuesses:
                // Those that the peer has and this has not are scanned.
                let known = zip(expected, listed.frames).filter { $0.1.trust != "scan" }.map(\.0)
                #expect(Self.isPart(known, of: found), "\(text)")
                #expect(found.count <= expected.count, "\(text)")
            case .further:
                let known = expected.prefix { $0 != expected.last }
                #expect(Self.isPart(Array(known.prefix(3)), of: found), "\(text)")
                #expect(stack.frames.count > same, "\(text)")
            case .otherGuesses:
                #expect(listed.frames[same].trust == "scan" && stack.frames[same - 1].trust == .scan, "\(text)")
            }
        }
        print(
            "\(name): of the peer's \(counts.theirs) frames, \(counts.same) are the same before the first difference; here \(counts.ours)")
    }

    /// Whether all are there in the same order, others perhaps between them.
    static func isPart(_ some: [UInt64], of all: [UInt64]) -> Bool {
        var rest = all[...]
        return some.allSatisfy { value in
            guard let index = rest.firstIndex(of: value) else { return false }
            rest = rest[(index + 1)...]
            return true
        }
    }

    /// Symbolicator's answer for the symbol file that ends before the program's rules: after `main`
    /// it scans. Numbers that lead to the image's header, where no function is, count there.
    @Test(.enabled(if: hasCorpus, "there is no corpus")) func `rules that end early lead to the frames that Symbolicator has`() throws {
        let image = try MinidumpCorpus.image("symbolicator-macos-no-fp")
        let stack = try #require(MinidumpCorpus.stacks(image, symbolFile: ".sym").first)
        let folder = try #require(MinidumpCorpus.folder)
        let lines = String(decoding: try readFile(folder + "/expected/symbolicator/macos_broken_cfi.snap"), as: UTF8.self).split(
            separator: "\n")
        var expected: [UInt64] = []
        for line in lines {
            if line.contains("instruction_addr: "), let text = line.split(separator: "\"").last {
                expected.append(MinidumpCorpus.number(String(text)))
            }
            if line.hasSuffix("function: _mh_execute_header") { expected.removeLast() }
        }
        #expect(expected.count == 8)
        // Those with a function are printed as the call, an instruction before.
        let found = stack.frames.map(\.programCounter)
        let printed = expected.map { found.contains($0) ? $0 : $0 + 4 }
        #expect(Self.isPart(printed, of: found), "\(stack.text)")
    }

    static let crashOfSymbolic = TestPaths.corpus.map { $0 + "/logs/minidump/symbolic-crash_macos.dmp" }
    static let hasCrashOfSymbolic = crashOfSymbolic.map(TestPaths.isReadable) ?? false

    /// Expectations of symbolic's own tests for this dump (`py/tests/test_minidump.py`,
    /// `test_macos_without_cfi` and `test_macos_with_cfi`).
    @Test(.enabled(if: hasCrashOfSymbolic, "there is no corpus"), arguments: [false, true])
    func `the frames are those that symbolic expects`(hasRules: Bool) throws {
        let image = try MinidumpReader.read(try MappedFile(path: try #require(Self.crashOfSymbolic)))
        #expect(image.time == 1_505_305_307 && image.crashAddress == 69 && image.crashedThread == 0)
        #expect(image.operatingSystem.version == "10.12.6" && image.operatingSystem.build == "16G29")
        #expect(image.operatingSystem.processorCount == 8 && image.threads.map(\.id) == [775])
        let program = try #require(image.files.first)
        #expect(program.path == "/Users/jauer/Coding/breakpad/examples/target/crash_macos" && program.module?.debugFile == "crash_macos")
        #expect(program.base == 4_329_947_136 && program.module?.range.count == 172_032)
        #expect(program.module?.debugIdentifier == "3F58BC3DEABE3361B5FB52A6762985980")
        let rules = try MappedFile(path: (TestPaths.corpus ?? "") + "/objects/symbolic-minidump-macos/crash_macos.sym")
        let modules = image.modules { hasRules && $0.base == 4_329_947_136 ? ImageFiles(breakpad: BreakpadFrames(rules)) : ImageFiles() }
        let stack = try #require(image.stacks(modules).first)
        #expect(stack.frames.count == (hasRules ? 5 : 9), "\(stack.text)")
        let caller = try #require(stack.frames.dropFirst().first)
        #expect(caller.programCounter == 4_329_952_134 && caller.stackPointer == 0x7fff_5daa_3600)
        #expect(caller.trust == (hasRules ? .cfi : .scan))
    }

    /// The program is `_start`, which calls `crash`, both with frame pointers. `_start`'s rules do
    /// not say that it has no caller; above is the number of arguments, 1.
    @Test(.enabled(if: hasCorpus, "there is no corpus")) func `a program's own rules lead to its first function`() throws {
        let image = try MinidumpCorpus.image("lldb-linux-x86_64")
        let object = try #require(try ObjectFiles.openAll(try MinidumpCorpus.file("lldb-linux-x86_64.exe")).first)
        let stack = try #require(
            image.stacks(image.modules { ImageFiles(image.identity(of: $0) == object.identity ? [object] : []) }).first)
        let functions = try elements { try object.forEachSymbol($0) }.map { (start: $0.address.value, name: $0.name.text(in: object)) }
        let names = stack.frames.map { frame in
            let address = frame.programCounter - (frame.isExact ? 0 : 1)
            return functions.filter { $0.start <= address }.max { $0.start < $1.start }?.name
        }
        #expect(names == ["_Z5crashv", "_start"], "\(stack.text)")
        #expect(stack.frames.map(\.trust) == [.context, .cfi] && stack.end == .leadsNowhere(1))
    }
}

/// Dumps that LLDB writes of cores.
struct WrittenMinidumpTests {
    static let canWrite = MadeCores.kernelWrites && MadeCores.compilers.contains("gcc") && TestPaths.isReadable("/usr/bin/lldb-19")

    @Test(.enabled(if: canWrite, "lldb-19 is not installed, or cores go elsewhere"), arguments: [["-O2"], ["-O0"], ["-O1", "-static"]])
    func `the stacks are those of the core`(options: [String]) throws {
        try MadeCores.withCore("gcc", options) { program, core in
            let dump = program + ".dmp"
            let saved = try run("lldb-19", ["-b", "-c", core, program, "-o", "process save-core --plugin-name=minidump -s stack " + dump])
            let image = try MinidumpReader.read(try MappedFile(path: dump))
            let whole = try CoreReader.read(try MappedFile(path: core))
            let expected = whole.stacks(whole.modules(opening: MadeCores.files))
            #expect(image.threads.count == 3, "\(saved.errors)")
            #expect(image.crashedThread.map { image.threads[$0].id } == whole.threads.first?.id)
            let modules = image.modules { file in file.path.hasPrefix("/") ? MadeCores.files(file) : ImageFiles() }
            for (thread, stack) in zip(image.threads, image.stacks(modules)) {
                let index = try #require(whole.threads.firstIndex { $0.id == thread.id })
                let frames = expected[index].frames.prefix(stack.frames.count)
                #expect(stack.frames == Array(frames), "\(stack.text)")
                if index == 0 {
                    // The signal's handler has a stack of its own, and LLDB saves no other.
                    guard case .missingMemory = stack.end else { Issue.record("\(stack.end)"); continue }
                    #expect(stack.frames.map(\.isExact) == [true, true, true])
                } else {
                    #expect(stack == expected[index], "\(stack.text)")
                }
            }
            for file in image.files where file.path.hasPrefix("/") {
                #expect(image.identity(of: file) == (try ObjectFiles.open(path: file.path)).identity)
            }
        }
    }

    /// Code that the program writes itself: `push %rbp; mov %rsp,%rbp; mov $load,%rax; xor %edi,%edi; call *%rax`, of 18 bytes; the
    /// call returns to 0x123456789012. LLDB's dumps have no map of memory.
    @Test(.enabled(if: canWrite, "lldb-19 is not installed, or cores go elsewhere"))
    func `code in memory without a module keeps its frame, and frame pointers lead on`() throws {
        let source = """
            #include <sys/mman.h>
            #include <string.h>
            __attribute__((noinline)) static int load(volatile int *p) { return *p; }
            int main(void) {
                unsigned char code[] = {0x55,0x48,0x89,0xe5,0x48,0xb8,0,0,0,0,0,0,0,0,0x31,0xff,0xff,0xd0,0x83,0xc0,1,0x5d,0xc3};
                void *function = load;
                memcpy(code + 6, &function, 8);
                void *memory = mmap((void *)0x123456789000, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                memcpy(memory, code, sizeof code);
                return ((int (*)(void))memory)() + 1;
            }
            """
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array(source.utf8))
            try run("gcc", ["-g", "-O1", "a.c", "-o", "prog"], directory: folder).requireSuccess()
            _ = try run("sh", ["-c", "ulimit -c unlimited; exec ./prog"], directory: folder)
            let core = try #require(TestPaths.files(under: folder).first { $0.hasPrefix(folder + "/core") })
            let dump = folder + "/prog.dmp"
            _ = try run(
                "lldb-19", ["-b", "-c", core, folder + "/prog", "-o", "process save-core --plugin-name=minidump -s stack " + dump])
            let image = try MinidumpReader.read(try MappedFile(path: dump))
            let whole = try CoreReader.read(try MappedFile(path: core))
            let expected = try #require(whole.stacks(whole.modules(opening: MadeCores.files)).first)
            #expect(expected.frames[1].programCounter == 0x1234_5678_9012)
            let stack = image.stacks(image.modules { $0.path.hasPrefix("/") ? MadeCores.files($0) : ImageFiles() }).first
            #expect(stack?.frames.map(\.programCounter) == expected.frames.map(\.programCounter), "\(stack?.text ?? "")")
            #expect(stack?.frames.map(\.trust) == expected.frames.map(\.trust))
        }
    }
}
