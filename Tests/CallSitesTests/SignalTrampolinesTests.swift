import BinaryPrimitives
import CallSites
import ObjectFiles
import TestSupport
import Testing

/// The code that a signal handler returns to.
struct SignalTrampolinesTests {
    private struct Code: Sendable, CustomTestStringConvertible {
        var target: String
        var sequence: String
        var body = "nop; nop; nop; nop"

        var testDescription: String { target + ": " + sequence }
    }

    /// As glibc and the kernel write them: see `TrampolineInstructions`.
    private static let machines: [Code] = [
        Code(target: "x86_64-linux-gnu", sequence: "movq $15,%rax; syscall"),
        Code(target: "i386-linux-gnu", sequence: "popl %eax; movl $119,%eax; int $0x80"),
        Code(target: "i386-linux-gnu", sequence: "movl $173,%eax; int $0x80"),
        Code(target: "aarch64-linux-gnu", sequence: "mov x8,139; svc 0"),
        Code(target: "armv7-linux-gnueabihf", sequence: "mov r7,119; svc 0"),
        Code(target: "armv7-linux-gnueabihf", sequence: "mov r7,173; svc 0x9000ad"),
        Code(target: "armv7-linux-gnueabihf", sequence: ".thumb; movs r7,173; svc 0"),
        Code(target: "armv7-linux-gnueabihf", sequence: ".thumb; mov.w r7,173; svc 0"),
        Code(target: "riscv64-linux-gnu", sequence: "li a7,139; ecall"),
        Code(target: "powerpc64le-linux-gnu", sequence: "li 0,172; sc"),
        Code(target: "powerpc64-linux-gnu", sequence: "addi 1,1,128; li 0,172; sc"),
        Code(target: "powerpc-linux-gnu", sequence: "li 0,119; sc"),
        Code(target: "s390x-linux-gnu", sequence: "svc 173", body: "nopr %r7; nopr %r7"),
        Code(target: "mips-linux-gnu", sequence: "li $2,4193; syscall"),
        Code(target: "mips64el-linux-gnuabi64", sequence: "li $2,5211; syscall"),
    ]

    @Test(.enabled(if: Tools.hasLLVM, Comment(rawValue: Tools.missingLLVM)), arguments: machines)
    private func `assembled for each machine`(code: Code) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/trampolines.so"
            try Tools.succeed(
                Tools.clang,
                [
                    "--target=" + code.target, "-shared", "-nostdlib", "-fuse-ld=lld", "-DBODY=" + code.body, "-DSEQUENCE=" + code.sequence,
                    TestPaths.fixture("calls/trampolines.S"), "-o", path,
                ])
            let object = try ObjectFiles.open(path: path)
            let addresses = try symbolAddresses(object)
            let (before, marked, bare) = try (#require(addresses["before"]), #require(addresses["marked"]), #require(addresses["bare"]))
            let after = try #require(addresses["after"])
            let trampolines = SignalTrampolines([object])
            #expect(trampolines.proof(at: before) == nil && trampolines.isKnown(before))
            #expect(trampolines.proof(at: bare) == .instructions && trampolines.isKnown(bare))
            #expect(trampolines.proof(at: after) == nil)
            #expect(trampolines.proof(at: LinkAddress(0x7000_0000)) == nil && !trampolines.isKnown(LinkAddress(0x7000_0000)))
            // 32-bit ARM has its frame descriptions in `.debug_frame` or none.
            let isARM = object.architecture.hasThumbBit
            let hasFrames = !isARM || object.section(named: ".debug_frame") != nil || object.section(named: ".eh_frame") != nil
            #expect(trampolines.proof(at: marked) == (hasFrames ? .frameDescription : nil))
            #expect(trampolines.proof(at: LinkAddress(marked.value + 1)) == (hasFrames ? .frameDescription : nil))
        }
    }

    /// The marks that GNU's assembler writes into `.debug_frame` (LLVM's leaves the `S` out), in a debug
    /// file.
    @Test(.enabled(if: Tools.hasBinutils, Comment(rawValue: Tools.missingBinutils)))
    func `frames in debug_frame`() throws {
        try withTemporaryFolder { folder in
            let (source, path) = (folder + "/frames.S", folder + "/frames.so")
            try writeFile(source, Array(".cfi_sections .debug_frame\n#include \"\(TestPaths.fixture("calls/trampolines.S"))\"\n".utf8))
            try Tools.succeed(Tools.gcc, ["-shared", "-nostdlib", "-DBODY=nop; nop", "-DSEQUENCE=nop", source, "-o", path])
            try Tools.succeed(Tools.objcopy, ["--only-keep-debug", path, path + ".debug"])
            let object = try ObjectFiles.open(path: path + ".debug")
            let addresses = try symbolAddresses(object)
            let trampolines = SignalTrampolines([object])
            let (before, marked, bare) = try (#require(addresses["before"]), #require(addresses["marked"]), #require(addresses["bare"]))
            #expect(trampolines.proof(at: marked) == .frameDescription)
            #expect(trampolines.proof(at: before) == nil && trampolines.isKnown(before))
            #expect(!trampolines.isKnown(bare))
        }
    }

    /// `__restore_rt` of this machine's C library: the only place in it with these bytes. Its frame
    /// description begins a byte before.
    @Test(.enabled(if: TestPaths.isReadable("/lib/x86_64-linux-gnu/libc.so.6"), "this is no Debian for x86-64"))
    func `the C library's`() throws {
        let object = try ObjectFiles.open(path: "/lib/x86_64-linux-gnu/libc.so.6")
        let section = try #require(object.section(named: ".text"))
        let text = TestPaths.bytes(of: object.path)[section.fileRange]
        let bytes: [UInt8] = [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05]
        let positions = text.indices.filter { text[$0] == 0x48 && text[$0...].starts(with: bytes) }
        try #require(positions.count == 1)
        let address = section.address.value + UInt64(positions[0] - section.fileRange.lowerBound)
        let trampolines = SignalTrampolines([object])
        #expect(trampolines.proof(at: LinkAddress(address)) == .frameDescription)
        #expect(trampolines.proof(at: LinkAddress(address - 1)) == .frameDescription)
        #expect(trampolines.proof(at: LinkAddress(address + 64)) == nil && trampolines.isKnown(LinkAddress(address + 64)))
        // No call returns there.
        #expect(try #require(CallSites([object])).call(returningTo: LinkAddress(address)) == .noCall)
    }

    /// Without frame descriptions, the instructions identify the trampoline.
    @Test func `by its instructions alone`() throws {
        let trampolines = try SignalTrampolines([MadeELF(text: [0x90, 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05]).object()])
        #expect(trampolines.proof(at: LinkAddress(0x1001)) == .instructions)
        #expect(trampolines.proof(at: LinkAddress(0x1000)) == nil && trampolines.proof(at: LinkAddress(0x1002)) == nil)
    }

    /// As GNU's assembler writes them: nop; mov 101 or 216,%g1; ta 0x6d with 64 bits, ta 0x10 with 32.
    @Test(arguments: [(43, true, 0x8210_2065, 0x91d0_206d), (2, false, 0x8210_2065, 0x91d0_2010), (2, false, 0x8210_20d8, 0x91d0_2010)])
    func `trampolines of SPARC`(machine: UInt16, is64Bit: Bool, number: UInt32, trap: UInt32) throws {
        var made = MadeELF(machine: machine, order: .bigEndian, words: [0x0100_0000, number, trap])
        made.is64Bit = is64Bit
        let trampolines = try SignalTrampolines([made.object()])
        #expect(trampolines.proof(at: LinkAddress(0x1004)) == .instructions)
        #expect(trampolines.proof(at: LinkAddress(0x1000)) == nil && trampolines.proof(at: LinkAddress(0x1008)) == nil)
    }
}
