import BinaryPrimitives
import CallSites
import ObjectFiles
import TestSupport
import Testing

/// A machine that clang compiles for.
struct CompiledMachine: Sendable, CustomTestStringConvertible {
    var family: Disassembly.Family
    var target: String
    var options: [String] = []

    var testDescription: String { ([target] + options).joined(separator: " ") }

    static let all: [CompiledMachine] = [
        .init(family: .x86, target: "x86_64-linux-gnu"),
        .init(family: .arm64, target: "aarch64-linux-gnu"),
        .init(family: .arm64, target: "aarch64-linux-gnu", options: ["-mbranch-protection=standard"]),
        .init(family: .arm, target: "armv7-linux-gnueabihf", options: ["-mthumb"]),
        .init(family: .arm, target: "armv7-linux-gnueabihf", options: ["-marm"]),
        .init(family: .arm, target: "armv5te-linux-gnueabi", options: ["-marm"]),
        .init(family: .riscv, target: "riscv64-linux-gnu", options: ["-march=rv64gc"]),
        .init(family: .riscv, target: "riscv64-linux-gnu", options: ["-march=rv64g"]),
        .init(family: .riscv, target: "riscv32-linux-gnu", options: ["-march=rv32gc"]),
        .init(family: .powerPC, target: "powerpc64le-linux-gnu"),
        .init(family: .powerPC, target: "powerpc64-linux-gnu"),
        .init(family: .powerPC, target: "powerpc-linux-gnu"),
        .init(family: .s390, target: "s390x-linux-gnu"),
        .init(family: .mips, target: "mips-linux-gnu"),
        .init(family: .mips, target: "mipsel-linux-gnu"),
        .init(family: .mips, target: "mips64el-linux-gnuabi64"),
        .init(family: .mips, target: "mipsel-linux-gnu", options: ["-march=mips32r6"]),
    ]

    /// Compiles a source; links it if the output is a shared library.
    func compile(_ source: String, _ level: String, to path: String, _ more: [String] = []) throws {
        let link = path.hasSuffix(".so") ? ["-fPIC", "-shared", "-nostdlib", "-fuse-ld=lld"] : ["-c"]
        try Tools.succeed(Tools.clang, ["--target=" + target, level] + options + link + more + [source, "-o", path])
    }
}

/// Code of every machine that clang compiles for, against llvm-objdump: every call, no other, with
/// its target.
@Suite(.enabled(if: Tools.hasLLVM, Comment(rawValue: Tools.missingLLVM)))
struct MachinesTests {
    @Test(arguments: CompiledMachine.all, ["-O0", "-O2"])
    func `every call of a linked library`(machine: CompiledMachine, level: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/calls.so"
            try machine.compile(TestPaths.fixture("calls/calls.c"), level, to: path)
            let object = try ObjectFiles.open(path: path)
            let sites = try #require(CallSites([object]))
            let expected = try Disassembly.llvm(path, machine.family).sites
            let comparison = Comparison(sites, expected)
            #expect(comparison.isEqual, "\(comparison.summary)")
            checkAddresses(sites, expected, everyAddress: true)
            // By its symbols, each call is in the function that holds it; its target begins one.
            for site in expected where object.section(containing: site.call)?.name == ".text" {
                #expect(sites.functionStart(containing: site.call) != nil)
            }
        }
    }

    /// Sections have no places yet, and targets are for the linker to fill in.
    @Test(arguments: CompiledMachine.all)
    func `every call of an object file, without targets`(machine: CompiledMachine) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/calls.o"
            try machine.compile(TestPaths.fixture("calls/calls.c"), "-O2", to: path)
            let sites = try #require(CallSites([ObjectFiles.open(path: path)]))
            let expected = try Disassembly.llvm(path, machine.family).sites
            let comparison = Comparison(sites, expected, withTargets: false)
            #expect(comparison.isEqual, "\(comparison.summary)")
            sites.forEachCall { site in
                #expect(site.target == nil)
                return true
            }
        }
    }

    /// Before ARMv5 there is no `blx`: `mov lr, pc`, then a write to the program counter.
    /// llvm-objdump lists both as what they are.
    @Test func `calls by a move of the program counter`() throws {
        try withTemporaryFolder { folder in
            let (machine, path) = (CompiledMachine(family: .arm, target: "armv4t-linux-gnueabi", options: ["-marm"]), folder + "/calls.so")
            try machine.compile(TestPaths.fixture("calls/calls.c"), "-O2", to: path)
            let lines = try run(Tools.llvmObjdump ?? "", ["-d", path]).lines
            let moves = lines.indices.filter { lines[$0].contains("mov\tlr, pc") }
            // Each move is followed by the jump; the call returns four bytes after it.
            let jumps = Set(moves.compactMap { UInt64(lines[$0 + 1].split(separator: ":")[0].drop { $0 == " " }, radix: 16) })
            #expect(jumps.count > 4)
            let comparison = Comparison(try #require(CallSites([ObjectFiles.open(path: path)])), try Disassembly.llvm(path, .arm).sites)
            #expect(comparison.missing.isEmpty && Set(comparison.extra.map(\.call.value)) == jumps, "\(comparison.summary)")
        }
    }

    /// Without its symbols nothing says what is Thumb, but the debug file beside it does.
    @Test(arguments: ["-mthumb", "-marm"])
    func `a stripped ARM library`(option: String) throws {
        try withTemporaryFolder { folder in
            let (machine, path) = (CompiledMachine(family: .arm, target: "armv7-linux-gnueabihf", options: [option]), folder + "/calls.so")
            try machine.compile(TestPaths.fixture("calls/calls.c"), "-O2", to: path, ["-g"])
            let expected = try Disassembly.llvm(path, .arm).sites
            try Tools.succeed(Tools.objcopyLLVM, ["--only-keep-debug", path, path + ".debug"])
            try Tools.succeed(Tools.objcopyLLVM, ["--strip-all", path, path + ".stripped"])
            let files = try [path + ".stripped", path + ".debug"].map { try ObjectFiles.open(path: $0) }
            let together = Comparison(try #require(CallSites(files)), expected)
            #expect(together.isEqual, "\(together.summary)")
            // Alone: functions that are exported say it of themselves, the others may be either.
            let alone = Comparison(try #require(CallSites([files[0]])), expected, withTargets: false)
            #expect(alone.missing.isEmpty, "\(alone.summary)")
        }
    }

    /// Words from the manuals, for want of a disassembler: SPARC V9, A.8 and A.24; LoongArch,
    /// volume 1, 2.2.7 and the encodings of appendix B.
    @Test func `SPARC and LoongArch`() throws {
        // call .+16; nop; jmpl %g1, %o7; nop; jmpl %g1, %g0 (a jump).
        let sparc = MadeELF(machine: 43, order: .bigEndian, words: [0x4000_0004, 0x0100_0000, 0x9fc0_4000, 0x0100_0000, 0x81c0_4000])
        #expect(try sparc.calls() == [.init(0x1000, 0x1008, 0x1010), .init(0x1008, 0x1010, nil)])
        // bl 8; jirl $ra,$a0,0; pcaddu18i $ra,1; jirl $ra,$ra,4; jirl $zero,$ra,0 (a return).
        let loongArch = MadeELF(machine: 258, words: [0x5400_0800, 0x4c00_0081, 0x1e00_0021, 0x4c00_0421, 0x4c00_0020])
        // 0x1008 + (1 << 18) + 4.
        #expect(try loongArch.calls() == [.init(0x1000, 0x1004, 0x1008), .init(0x1004, 0x1008, nil), .init(0x100c, 0x1010, 0x4100c)])
    }
}

extension CallSite {
    init(_ call: UInt64, _ returnAddress: UInt64, _ target: UInt64?) {
        self.init(call: LinkAddress(call), returnAddress: LinkAddress(returnAddress), target: target.map { LinkAddress($0) })
    }
}
