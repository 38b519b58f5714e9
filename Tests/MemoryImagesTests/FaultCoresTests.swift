import BinaryPrimitives
import MemoryImages
import ObjectFiles
import TestSupport
import Testing
import Unwinding

/// Cores of `Tests/Crashes/cores/faults.c`, whose comments say which functions are on the stack.
///
/// For example, `CHAIN null: write_null innermost inner outer main`. `scripts/checks/verify-cores`
/// has all cases, with other compilers and machines, and beside other unwinders.
struct FaultCoresTests {
    static let folder = TestPaths.root + "/Tests/Crashes/cores/"
    static let canMake = MadeCores.kernelWrites && MadeCores.compilers.contains("gcc") && isX86

    private static let isX86: Bool = {
        #if arch(x86_64)
            true
        #else
            false
        #endif
    }()

    /// Cases where frame pointers are kept, and where they are not.
    static let cases: [(option: String, cases: [String])] = [
        (
            "-O0",
            [
                "call-null", "handled-call-null", "coroutine", "nested", "bare-entry", "bare-frame", "bare-none", "bare-back", "made-frame",
                "made-none", "made-trap", "restorer", "overflow-handled",
            ]
        ),
        (
            "-O2",
            [
                "handled-call-null", "coroutine", "nested", "bare-entry", "bare-none", "bare-back", "made-none", "made-trap", "restorer",
                "entry", "pushed", "framed", "returning", "tail", "alloca", "array", "vdso-time", "copy", "fork",
            ]
        ),
    ]

    /// The program's functions of a stack, innermost first; one that calls itself is there once.
    private static func functions(_ stack: UnwoundStack, _ object: ObjectFile, _ known: Set<String>) throws -> [String] {
        var symbols: [(range: Range<UInt64>, name: String)] = []
        try object.forEachSymbol { symbol in
            // Without the Thumb bit.
            let start = object.architecture.family == "arm" ? symbol.address.value & ~1 : symbol.address.value
            if symbol.size > 0 { symbols.append((start..<start + symbol.size, symbol.name.text(in: object))) }
            return true
        }
        var names: [String] = []
        for frame in stack.frames {
            let counter = object.architecture.family == "arm" ? frame.programCounter & ~1 : frame.programCounter
            let address = counter &- (frame.isExact ? 0 : 1)
            guard var name = symbols.first(where: { $0.range.contains(address) })?.name else { continue }
            if name.hasPrefix("fault_") { name = "fault" }
            guard known.contains(name), names.last != name else {
                continue
            }
            names.append(name)
        }
        return names
    }

    private static func chains() throws -> [String: [String]] {
        let texts = try ["faults.c", "faults-x86-64.h"].map { String(decoding: try readFile(folder + $0), as: UTF8.self) }
        var chains: [String: [String]] = [:]
        for line in texts.flatMap({ $0.split(separator: "\n") }) where line.hasPrefix("// CHAIN ") {
            let parts = line.dropFirst(9).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            // `outer` calls `fault_…`, which the comments leave out.
            let chain = parts[1].split(separator: " ").flatMap { $0 == "outer" ? ["fault", "outer"] : [String($0)] }
            chains[String(parts[0])] = chain.enumerated().filter { $0.offset == 0 || chain[$0.offset - 1] != $0.element }.map(\.element)
        }
        return chains
    }

    @Test(.enabled(if: canMake, "gcc for x86-64 is not installed, or cores go elsewhere"), arguments: cases)
    func `the functions are those of the source`(option: String, cases: [String]) throws {
        let chains = try Self.chains()
        let known = Set(chains.values.joined())
        try withTemporaryFolder { folder in
            try run(
                "gcc", ["-w", "-g", "-pthread", option, "-fno-ipa-icf", "-no-pie", Self.folder + "faults.c", "-o", "prog"],
                directory: folder
            ).requireSuccess()
            let object = try ObjectFiles.open(path: folder + "/prog")
            for name in cases {
                _ = try run("sh", ["-c", "rm -f core*; ulimit -c unlimited; exec ./prog \(name)"], directory: folder)
                let core = try #require(TestPaths.files(under: folder).first { $0.hasPrefix(folder + "/core") }, "\(name) left no core")
                let image = try CoreReader.read(try MappedFile(path: core))
                let stack = try #require(image.stacks(image.modules(opening: MadeCores.files)).first)
                let expected = try #require(chains[name])
                let functions = try Self.functions(stack, object, known)
                #expect(functions.starts(with: expected), "\(name): \(functions) \(stack.text)")
                if expected.last != "recurse" { #expect(functions.count == expected.count, "\(name): \(functions)") }
                // `__start_context` is not called: its address is no return address.
                if name == "coroutine" { #expect(stack.frames.last?.isExact == true && stack.end == .outermost, "\(stack.text)") }
            }
        }
    }

    static let emulated = [("arm-linux-gnueabihf-gcc", "qemu-arm", "-marm"), ("arm-linux-gnueabihf-gcc", "qemu-arm", "-mthumb")].filter {
        TestPaths.isReadable("/usr/bin/" + $0.0) && TestPaths.isReadable("/usr/bin/" + $0.1)
    }

    /// No exception goes through `exit`: `.ARM.exidx` says of it what it says of `_start`.
    @Test(.enabled(if: MadeCores.kernelWrites && !emulated.isEmpty, "no compiler and emulator of 32-bit ARM"), arguments: emulated)
    func `functions that no exception goes through have callers`(compiler: String, emulator: String, option: String) throws {
        let chains = try Self.chains()
        let options = ["-w", "-g", "-static", "-pthread", "-O2", "-fno-ipa-icf", option]
        try withTemporaryFolder { folder in
            try run(compiler, options + [Self.folder + "faults.c", "-o", "prog"], directory: folder).requireSuccess()
            let object = try ObjectFiles.open(path: folder + "/prog")
            for name in ["exit", "abort"] {
                _ = try run("sh", ["-c", "rm -f *.core; ulimit -c unlimited; exec \(emulator) ./prog \(name)"], directory: folder)
                let core = try #require(TestPaths.files(under: folder).first { $0.hasSuffix(".core") }, "\(name) left no core")
                var image = try CoreReader.read(try MappedFile(path: core))
                image.addFiles(program: object, path: folder + "/prog") { _ in nil }
                let stack = try #require(image.stacks(image.modules { _ in ImageFiles([object]) }).first)
                let functions = try Self.functions(stack, object, Set(chains.values.joined()))
                #expect(functions == chains[name], "\(name): \(functions) \(stack.text)")
                #expect(stack.end == .outermost)
            }
        }
    }
}
