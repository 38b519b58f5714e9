import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing
import Unwinding

@testable import MemoryImages

/// Images of cores, by the program headers, whichever linker made the files.
struct LinkedProgramsTests {
    static let linkers = ["lld", "mold", "gold", "bfd"].filter { TestPaths.isReadable("/usr/bin/ld." + $0) }
    static let canMake =
        MadeCores.kernelWrites && MadeCores.euStack != nil && MadeCores.compilers.contains("clang-19") && linkers.contains("lld")

    static let builds: [(linker: String, options: [String])] = linkers.flatMap { linker in
        [[], ["-no-pie", "-fno-pie"], ["-Wl,-z,max-page-size=65536"], ["-Wl,-z,noseparate-code"], ["-Wl,-z,separate-code"], ["-static"]]
            .filter { linker != "gold" || !$0.contains { $0.hasSuffix("separate-code") } }.map { (linker, $0) }
    }

    @Test(.enabled(if: canMake, "clang-19, lld or eu-stack is not installed, or cores go elsewhere"), arguments: builds)
    func `a program is one image, with every frame that eu-stack prints`(linker: String, options: [String]) throws {
        try MadeCores.withCore("clang-19", ["-O2", "-fuse-ld=" + linker, "-Wl,--build-id"] + options) { program, core in
            let image = try CoreReader.read(try MappedFile(path: core))
            let object = try ObjectFiles.open(path: program)
            let own = image.files.filter { $0.path == program }
            #expect(own.count == 1)
            // AT_ENTRY is the entry point's address in memory.
            let entry = try #require(image.process.auxiliaryVector[9])
            #expect(own.first?.bias == entry &- (try #require(object.description.entryPoint)))
            #expect(own.first.map { image.identity(of: $0) } == object.identity)
            #expect(image.notes.isEmpty, "\(image.notes)")
            let expected = try MadeCores.euStack(program, core)
            for (thread, stack) in zip(image.threads, image.stacks(image.modules(opening: MadeCores.files))) {
                #expect(stack.frames.map(\.programCounter) == expected[thread.id], "\(stack.text)")
            }
        }
    }

    /// A small file of lld has all its segments on its first page, which is mapped for each of them (`readelf -l`).
    @Test(.enabled(if: canMake, "clang-19, lld or eu-stack is not installed, or cores go elsewhere"), arguments: ["0x33", "0x23"])
    func `mappings of a file's first page are one image, with and without its headers`(filter: String) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array("volatile int *null; int main(void) { return *null; }".utf8))
            try run("clang-19", ["-O1", "-fuse-ld=lld", "a.c", "-o", "prog"], directory: folder).requireSuccess()
            // core(5): bit 4 saves ELF headers.
            _ = try run(
                "sh", ["-c", "ulimit -c unlimited; echo \(filter) > /proc/self/coredump_filter; exec ./prog"], directory: folder)
            let core = try #require(TestPaths.files(under: folder).first { $0.hasPrefix(folder + "/core") })
            let image = try CoreReader.read(try MappedFile(path: core))
            let own = image.files.filter { $0.path == folder + "/prog" }
            #expect(own.count == 1 && own[0].parts.count == 4 && own[0].parts.allSatisfy { $0.fileOffset == 0 })
            let object = try ObjectFiles.open(path: folder + "/prog")
            let entry = try #require(image.process.auxiliaryVector[9])
            #expect(own.first?.bias(of: object) == entry &- (try #require(object.description.entryPoint)))
        }
    }

    /// `l_addr` of the C library (glibc, `link.h`) is changed wherever it is in the core.
    @Test(.enabled(if: canMake, "clang-19, lld or eu-stack is not installed, or cores go elsewhere"))
    func `where the dynamic linker's list differs, the headers count, and a note says so`() throws {
        try MadeCores.withCore("clang-19", ["-O2", "-fuse-ld=lld"]) { program, core in
            let before = try CoreReader.read(try MappedFile(path: core))
            let library = try #require(before.files.first { $0.path.hasSuffix("/libc.so.6") })
            let bias = try #require(library.bias)
            func littleEndian(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
            var bytes = try readFile(core)
            let (old, new) = (littleEndian(bias), littleEndian(bias + 0x1000))
            for position in stride(from: 0, to: bytes.count - 8, by: 8) where bytes[position] == old[0] && bytes[position + 2] == old[2] {
                if Array(bytes[position..<position + 8]) == old { bytes.replaceSubrange(position..<position + 8, with: new) }
            }
            let after = try CoreReader.read(try MappedFile(bytes: bytes.span.rawBytes, name: "core"))
            #expect(after.notes.count == 1 && after.notes.first?.hasPrefix("libc.so.6: the dynamic linker's list has ") == true)
            #expect(after.files.first { $0.path == library.path }?.bias == bias)
        }
    }

    /// The library is mapped twice, four times its first page each.
    @Test(.enabled(if: canMake, "clang-19, lld or eu-stack is not installed, or cores go elsewhere"))
    func `a library that is loaded twice is two images`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array("__attribute__((noinline)) int load(volatile int *p) { return *p; }".utf8))
            let program = """
                #define _GNU_SOURCE
                #include <dlfcn.h>
                int main(void) {
                    void *a = dlmopen(LM_ID_NEWLM, "./a.so", RTLD_NOW), *b = dlmopen(LM_ID_NEWLM, "./a.so", RTLD_NOW);
                    if (!a) return 1;
                    return ((int (*)(int *))dlsym(b, "load"))(0);
                }
                """
            try writeFile(folder + "/b.c", Array(program.utf8))
            try run("clang-19", ["-O1", "-fuse-ld=lld", "-shared", "-fPIC", "a.c", "-o", "a.so"], directory: folder).requireSuccess()
            try run("clang-19", ["-O1", "-fuse-ld=lld", "b.c", "-o", "prog"], directory: folder).requireSuccess()
            _ = try run("sh", ["-c", "ulimit -c unlimited; exec ./prog"], directory: folder)
            let core = try #require(TestPaths.files(under: folder).first { $0.hasPrefix(folder + "/core") })
            let image = try CoreReader.read(try MappedFile(path: core))
            let own = image.files.filter { $0.path == folder + "/a.so" }
            #expect(own.count == 2 && own.allSatisfy { $0.parts.count == 4 } && Set(own.map(\.bias)).count == 2)
            // `load` is at its symbol's value in one of them.
            let symbols = try run("nm", ["a.so"], directory: folder).lines
            let value = try #require(symbols.first { $0.hasSuffix(" T load") }.flatMap { UInt64($0.prefix(16), radix: 16) })
            let counter = try #require(image.threads.first).registers.programCounter
            #expect(own.compactMap(\.bias).contains { $0 &+ value == counter })
        }
    }
}
