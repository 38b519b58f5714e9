import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import SymbolSources

/// Which of several functions at one address a result names. The programs are made here; what is
/// right is in their sources.
struct SharedCodeTests {
    private static let hasLinker = (try? run("ld.lld-19", ["--version"]).status) == 0

    /// Compiles C for this machine and links it as a shared library.
    private func library(
        _ source: String, suffix: String = "c", compiler: [String] = ["-O2", "-g"], linker: [String] = [], strips: Bool = false,
        in folder: String
    ) throws -> ObjectFile {
        try write(source, to: folder + "/source." + suffix)
        try run(
            "gcc", compiler + ["-fPIC", "-ffunction-sections", "-c", "source." + suffix, "-o", "object.o"], directory: folder
        ).requireSuccess()
        try run("ld.lld-19", linker + ["-shared", "--eh-frame-hdr", "object.o", "-o", "library.so"], directory: folder).requireSuccess()
        if strips { _ = try run("strip", ["library.so"], directory: folder) }
        return try ObjectFiles.open(path: folder + "/library.so")
    }

    private func write(_ text: String, to path: String) throws {
        try run("sh", ["-c", "cat > \"$1\"", "sh", path], input: Array(text.utf8)).requireSuccess()
    }

    private func addresses(_ object: ObjectFile) throws -> [String: UInt64] {
        try symbolAddresses(object).mapValues(\.value)
    }

    private func address(of name: String, in object: ObjectFile) throws -> UInt64 { try #require(try addresses(object)[name], "\(name)") }

    private func symbolResult(_ object: ObjectFile, at address: UInt64) -> SourceFrame? {
        guard case .found(let frames)? = ObjectSource([object]).frames(at: [LinkAddress(address)]).first else { return nil }
        return frames.last
    }

    private static let aliases = """
        int boat(int x) { return x * 3; }
        int berth(int) __attribute__((alias("boat")));
        int anchor(int) __attribute__((weak, alias("boat")));
        static int buoy(int) __attribute__((alias("boat"), used));
        int __libc_moor(int x) { return x * 5; }
        int __moor(int) __attribute__((alias("__libc_moor")));
        int moor(int) __attribute__((weak, alias("__libc_moor")));
        """

    @Test(.enabled(if: hasLinker, "ld.lld-19 is absent")) func `the debug information's name is preferred to its aliases`() throws {
        try withTemporaryFolder { folder in
            let object = try library(Self.aliases, in: folder)
            let frame = try #require(try symbolResult(object, at: address(of: "boat", in: object)))
            #expect(frame.name == "boat")
            #expect(frame.location?.line == 1)
            // A weak symbol is an alias; another global one may be a function of its own.
            #expect(frame.alsoAt == ["berth", "buoy"])
        }
    }

    @Test(.enabled(if: hasLinker, "ld.lld-19 is absent")) func `a library's own name gives way to what it exports`() throws {
        try withTemporaryFolder { folder in
            for options in [["-O2", "-g"], ["-O2"]] {
                let object = try library(Self.aliases, compiler: options, in: folder)
                let frame = try #require(try symbolResult(object, at: address(of: "moor", in: object)))
                #expect(frame.name == "moor")
                #expect(frame.alsoAt == [])
            }
        }
    }

    @Test(.enabled(if: hasLinker, "ld.lld-19 is absent"))
    func `without debug information a global name is preferred to a weak one and to a local one`() throws {
        try withTemporaryFolder { folder in
            let object = try library(Self.aliases, compiler: ["-O2"], in: folder)
            let frame = try #require(try symbolResult(object, at: address(of: "boat", in: object)))
            #expect(["boat", "berth"].contains(frame.name))
        }
    }

    /// The functions are the same to the byte, and lines 1, 2 and 3.
    @Test(.enabled(if: hasLinker, "ld.lld-19 is absent"))
    func `folded functions have one function's name and line, and the others beside it`() throws {
        let source = """
            int alpha(int *p) { return *p * 7 + 1; }
            int gamma_(int *p) { return *p * 7 + 1; }
            int beta(int *p) { return *p * 7 + 1; }
            """
        let lines = ["alpha": 1, "gamma_": 2, "beta": 3]
        try withTemporaryFolder { folder in
            let object = try library(source, linker: ["--icf=all"], in: folder)
            let known = try addresses(object)
            try #require(Set(["alpha", "gamma_", "beta"].map { known[$0] }).count == 1, "the linker folded nothing")
            let frame = try #require(try symbolResult(object, at: address(of: "alpha", in: object)))
            #expect(frame.location?.line == lines[frame.name])
            #expect(Set(frame.alsoAt + [frame.name]) == Set(lines.keys))
        }
    }

    /// NASM's functions, and many of glibc's and OpenGL's, have no size and no unwind table.
    @Test(.enabled(if: hasLinker, "ld.lld-19 is absent"))
    func `an exported function without a size reaches to the next function of the unwind tables`() throws {
        let source = """
            .text
            .globl unsized
            unsized: nop
            nop
            nop
            .type hidden,@function
            hidden:
            .cfi_startproc
            nop
            nop
            .cfi_endproc
            .size hidden, .-hidden
            nop
            .globl last
            last: ret
            """
        try withTemporaryFolder { folder in
            let whole = try addresses(try library(source, suffix: "s", compiler: [], in: folder))
            let object = try library(source, suffix: "s", compiler: [], strips: true, in: folder)
            let start = try #require(whole["unsized"])
            #expect((0..<7).map { symbolResult(object, at: start + $0)?.name } == ["unsized", "unsized", "unsized", nil, nil, nil, "last"])
        }
    }

    /// `objcopy --strip-all --keep-symbol` leaves a table of few symbols beside the one of the
    /// dynamic linker.
    @Test(.enabled(if: hasLinker, "ld.lld-19 is absent")) func `a table of few symbols does not hide what is exported`() throws {
        let source =
            "int api_one(int x) { return x + 1; }\nint api_two(int x) { return x * 9; }\nstatic __attribute__((used)) int kept(int x) { return x - 4; }\n"
        try withTemporaryFolder { folder in
            let whole = try addresses(try library(source, compiler: ["-O2"], in: folder))
            try run("objcopy", ["--strip-all", "--keep-symbol=kept", "library.so", "few.so"], directory: folder).requireSuccess()
            let object = try ObjectFiles.open(path: folder + "/few.so")
            for name in ["api_one", "api_two", "kept"] {
                let address = try #require(whole[name])
                #expect(symbolResult(object, at: address)?.name == name)
            }
        }
    }

    /// GNU's linkers put a symbol's version after its name in `.symtab`.
    @Test(arguments: [
        ("memcpy@@GLIBC_2.14", "memcpy", "GLIBC_2.14" as String?), ("draw@V1", "draw", "V1"), ("puts@plt", "puts@plt", nil),
        ("main", "main", nil),
        ("@odd", "@odd", nil),
    ]) func `a version is no part of a name`(symbol: (text: String, name: String, version: String?)) {
        #expect(symbol.text.withoutSymbolVersion == symbol.name)
        #expect(symbol.text.symbolVersion == symbol.version)
    }
}
