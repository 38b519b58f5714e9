import BinaryPrimitives
import MemoryImages
import ObjectFiles
import TestSupport
import Testing
import Unwinding

/// Cores of other projects' tests, against the expectations of these, or another tool's output.
struct CorpusCoresTests {
    static let folder = TestPaths.corpus.map { $0 + "/memory/core" }.flatMap { TestPaths.isReadable($0) ? $0 : nil }

    @Test(.enabled(if: folder == nil, "the corpus is there")) func `without a corpus no core is read`() {
        print("There is no corpus of cores (CAIRN_CORPUS, or shared/corpus beside the package): its tests have nothing to read.")
    }

    static func file(_ name: String) throws -> MappedFile { try corpusFile(name, in: folder) }

    /// The core, and the stacks of its threads with its program.
    static func stacks(_ core: String, _ program: String?) throws -> (MemoryImage, [UnwoundStack]) {
        var image = try CoreReader.read(try file(core))
        let object = try program.map { try ObjectFiles.openAll(try file($0)) }?.first
        if let object { image.addFiles(program: object, path: object.path) { _ in nil } }
        let first = image.files.first?.path
        return (
            image,
            image.stacks(image.modules { ImageFiles($0.path == object?.path || $0.path == first ? [object].compactMap(\.self) : []) })
        )
    }

    static let elfutils = [
        "elfutils-backtrace.aarch64", "elfutils-backtrace.ppc64le.fp", "elfutils-backtrace.s390x", "elfutils-backtrace.x32",
    ]

    /// eu-stack prints some frames twice: of a chain of frame pointers the first caller (ppc64le),
    /// and the outermost where it can go no further (aarch64). No function calls itself here.
    @Test(.enabled(if: folder != nil, "there is no corpus"), arguments: elfutils)
    func `every frame is the one that eu-stack prints`(name: String) throws {
        let (image, stacks) = try Self.stacks(name + ".core", name + ".exec")
        let folder = try #require(Self.folder)
        let lines = String(decoding: try readFile(folder + "/expected/" + name + ".eu-stack.txt"), as: UTF8.self).split(separator: "\n")
        let expected = MadeCores.stacks(lines.map(String.init))
        #expect(image.threads.count == 2)
        for (thread, stack) in zip(image.threads, stacks) {
            var listed: [UInt64] = []
            for counter in expected[thread.id] ?? [] where listed.last != counter { listed.append(counter) }
            #expect(stack.frames.map(\.programCounter) == listed, "\(stack.text)")
            #expect(stack.frames.allSatisfy { $0.trust != .scan })
        }
    }

    static let lldb = ["lldb-linux-i386", "lldb-linux-x86_64", "lldb-linux-mips64el-gnuabi64", "lldb-noreturn-module-end"]

    @Test(.enabled(if: folder != nil, "there is no corpus"), arguments: lldb)
    func `the functions are those that LLDB's tests expect`(name: String) throws {
        let (_, stacks) = try Self.stacks(name + ".core", name + ".out")
        let object = try #require(try ObjectFiles.openAll(try Self.file(name + ".out")).first)
        let folder = try #require(Self.folder)
        let expected = String(decoding: try readFile(folder + "/expected/" + name + ".txt"), as: UTF8.self).split(separator: "\n")
        let stack = try #require(stacks.first)
        let functions = try elements { try object.forEachSymbol($0) }.map { (start: $0.address.value, name: $0.name.text(in: object)) }
        #expect(stack.frames.count == expected.count, "\(stack.text)")
        // `func1+8`, or only the name; several names may be at one address.
        for (frame, line) in zip(stack.frames, expected) {
            let parts = line.split(separator: "+").map(String.init)
            // The list has the name that MIPS's C library gives it; the program's is `_start`.
            let name = parts[0] == "__start" ? "_start" : parts[0]
            let start = try #require(functions.first { $0.name == name }?.start)
            let address = frame.programCounter - (frame.isExact ? 0 : 1)
            #expect(functions.filter { $0.start <= address }.map(\.start).max() == start, "\(stack.text)")
            if parts.count == 2 { #expect(frame.programCounter - start == UInt64(parts[1])) }
        }
    }

    /// Notes as `eu-readelf --notes` prints them.
    @Test(.enabled(if: folder != nil, "there is no corpus")) func `notes are read`() throws {
        let image = try CoreReader.read(try Self.file("lldb-thread_crash-linux-x86_64.core"))
        #expect(image.threads.map(\.id) == [5250, 5222, 5249])
        #expect(image.threads.map(\.registers.programCounter) == [0x7fc2_9434_a53f, 0x40_0cf2, 0x40_0cec])
        #expect(image.threads.first?.registers[name: "rsp"] == 0x7fc2_9501_6de8)
        #expect(image.threads.first?.registers[name: "rbx"] == 35_130_736)
        #expect(image.threads.first?.signal?.number == 4)
        // Sent by a process: no address.
        #expect(image.threads.first?.signal?.code == -6 && image.threads.first?.signal?.address == nil)
        #expect(image.process.id == 5222 && image.process.name == "a.out" && image.process.arguments == "./a.out")
        #expect(image.process.auxiliaryVector[9] == 0x40_0910)
        // 26 ranges of 7 files.
        #expect(image.files.count == 7 && image.files.map(\.parts.count).reduce(0, +) == 26)
        let library = image.files.first { $0.path.hasSuffix("/libc-2.24.so") }
        #expect(library?.base == 0x7fc2_93f7_2000 && library?.parts.map(\.fileOffset) == [0, 0x1bd000, 0x1bd000, 0x1c1000])
    }

    @Test(.enabled(if: folder != nil, "there is no corpus")) func `frames of all threads are counted together`() throws {
        var image = try CoreReader.read(try Self.file("elfutils-backtrace.x32.core"))
        let object = try #require(try ObjectFiles.openAll(try Self.file("elfutils-backtrace.x32.exec")).first)
        image.addFiles(program: object, path: object.path) { _ in nil }
        var limits = Limits.standard
        limits.framesPerReport = 8
        // 7 and 4 frames without a limit.
        let stacks = image.stacks(image.modules { _ in ImageFiles([object]) }, limits: limits)
        #expect(stacks.map(\.frames.count) == [7, 1])
        #expect(stacks.map(\.end) == [.outermost, .tooManyFrames])
    }

    @Test(.enabled(if: folder != nil, "there is no corpus")) func `cores that are cut short give what is left`() throws {
        let file = try Self.file("lldb-thread_crash-linux-x86_64.core")
        for size in [0, 10, 63, 64, 1000, 0x938, 0x938 + 7824, 20_000, file.size - 1] {
            let cut = MappedFile(file, 0..<size, path: "cut")
            guard let image = try? CoreReader.read(cut) else {
                #expect(size <= 1000)
                continue
            }
            #expect(!image.notes.isEmpty, "\(size)")
            #expect(image.threads.count == (size >= 0x938 + 7824 ? 3 : 0))
        }
        #expect(throws: CoreError.notACore) { try CoreReader.read(try Self.file("lldb-linux-i386.out")) }
    }
}
