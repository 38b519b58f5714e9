import BinaryPrimitives
import MemoryImages
import ObjectFiles
import TestSupport
import Testing
import Unwinding

/// Stacks of cores against other unwinders.
struct CoreStacksTests {
    static let canMake = MadeCores.kernelWrites && MadeCores.euStack != nil

    static let builds: [(String, [String])] = {
        var options = [["-O2"], ["-O0"], ["-O2", "-fno-omit-frame-pointer", "-fno-asynchronous-unwind-tables"], ["-O1", "-static"]]
        // Package libc6-dev-i386.
        if TestPaths.isReadable("/usr/include/x86_64-linux-gnu/gnu/stubs-32.h") {
            options += [["-O2", "-m32"], ["-O1", "-m32", "-static"]]
        }
        return MadeCores.compilers.flatMap { compiler in options.map { (compiler, $0) } }
    }()

    @Test(.enabled(if: canMake, "eu-stack (elfutils) is not installed, or cores go elsewhere"), arguments: builds)
    func `every frame is the one that eu-stack prints`(compiler: String, options: [String]) throws {
        try MadeCores.withCore(compiler, options) { program, core in
            let image = try CoreReader.read(try MappedFile(path: core))
            let expected = try MadeCores.euStack(program, core)
            #expect(image.threads.count == 3)
            #expect(image.notes.isEmpty, "\(image.notes)")
            // `*null = …`: SIGSEGV, no mapping, at the address 0; the thread that crashed is the
            // first.
            let signal = try #require(image.threads.first?.signal)
            #expect(signal.number == 11 && signal.code == 1 && signal.address == 0)
            #expect(image.process.name == "prog" && image.process.arguments == "./prog")
            // Every file's build ID is in memory; the files are still where they were.
            #expect(image.files.contains { $0.path == program })
            for file in image.files {
                let object = try ObjectFiles.open(path: file.path)
                #expect(object.identity != nil && image.identity(of: file) == object.identity, "\(file.path)")
            }
            let stacks = image.stacks(image.modules(opening: MadeCores.files))
            for (thread, stack) in zip(image.threads, stacks) {
                #expect(stack.frames.map(\.programCounter) == expected[thread.id], "\(stack.text)")
                #expect(stack.frames.dropFirst().allSatisfy { $0.trust == .cfi }, "\(stack.text)")
                #expect(stack.end == .outermost)
            }
            // Above the handler are the trampoline and the interrupted frame, both exact.
            #expect(stacks.first?.frames.map(\.isExact).prefix(4) == [true, true, true, false])
        }
    }

    static let withoutRules = MadeCores.compilers.flatMap { compiler in
        [["-O1", "-fno-omit-frame-pointer"], ["-O0"], ["-O2", "-fomit-frame-pointer"]].map { (compiler, $0) }
    }

    /// The same program as a file without any rules; the C library has its own.
    @Test(.enabled(if: canMake, "eu-stack (elfutils) is not installed, or cores go elsewhere"), arguments: withoutRules)
    func `without rules the frames are found by frame pointers, or by functions' code`(compiler: String, options: [String]) throws {
        try MadeCores.withCore(compiler, options) { program, core in
            let image = try CoreReader.read(try MappedFile(path: core))
            let expected = try MadeCores.euStack(program, core)
            let sections = [".eh_frame", ".eh_frame_hdr", ".debug_frame"].flatMap { ["--remove-section", $0] }
            #expect(try run("objcopy", sections + [program, program + ".bare"]).status == 0)
            let bare = try ObjectFiles.open(path: program + ".bare")
            let modules = image.modules { $0.path == program ? ImageFiles([bare]) : MadeCores.files($0) }
            for (thread, stack) in zip(image.threads, image.stacks(modules)) {
                let listed = try #require(expected[thread.id])
                let found = stack.frames.map(\.programCounter)
                #expect(found == listed, "\(stack.text)")
                let expectedTrust = options.contains("-fomit-frame-pointer") ? FrameTrust.prologue : .framePointer
                #expect(stack.frames.contains { $0.trust == expectedTrust }, "\(stack.text)")
            }
        }
    }
}
