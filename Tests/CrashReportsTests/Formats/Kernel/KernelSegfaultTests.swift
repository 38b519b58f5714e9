import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// The kernel's lines about programs. Each line is built by the `printk` of the architecture that
/// is named beside it.
struct KernelSegfaultTests {
    private static let segfault =
        "harbour[4242]: segfault at 10 ip 000055d0c0a1b2c3 sp 00007ffd1234abcd error 4 in harbour[55d0c0a1a000+2000] likely on CPU 4 (core 4, socket 0)"

    /// 0x55d0c0a1b2c3 - 0x55d0c0a1a000 = 0x12c3 in a mapping of 0x2000 bytes.
    @Test(arguments: [
        "[12345.678901] ", "Nov 29 01:01:48 localhost kernel: ", "Nov 29 01:01:48 localhost kernel: [12345.678901] ",
        "kern  :info  : [12345.678901] ",
        "[Fri Nov 29 01:01:48 2026] ",
        "[六 11月 29 01:01:48 2026] ", "[sam. févr. 29 01:01:48 2026] ", "[Sa Nov 29 01:01:48 2026] ", "<6>[12345.678901] ",
        "2026-11-29T01:01:48+0000 localhost kernel: ",
        "",
    ]) func `a page fault of x86, behind what dmesg and syslog put before it`(prefix: String) throws {
        let log = SampleLog(
            prefix + Self.segfault + "\n" + prefix + "Code: 48 89 39 ce 0f 84 <49> 89 74 24 10\n" + prefix + "usb 1-1: new device\n")
        let report = try log.report()
        #expect(report.format == "kernel-segfault" && report.process.name == "harbour" && report.process.pid == 4242)
        let cause = try #require(report.cause)
        #expect(cause.kind == .signal && cause.type == "SIGSEGV" && cause.signal == "SIGSEGV" && cause.codes == "error 4")
        #expect(cause.address == RuntimeAddress(0x10) && cause.message == "a read from an address that is not mapped")
        #expect(report.architecture == .x86_64)
        let frame = try #require(report.threads.first?.frames.first)
        #expect(report.threads.count == 1 && report.threads[0].crashed && report.threads[0].frames.count == 1)
        #expect(frame.address == RuntimeAddress(0x55d0_c0a1_b2c3) && frame.kind == .programCounter)
        #expect(frame.imageLocation == .mapping(MappingLocation(offset: 0x12c3, size: 0x2000)))
        #expect(report.images.map(\.name) == ["harbour"] && frame.image == 0 && report.images[0].base == nil)
        #expect(log.text(of: frame) == "harbour[55d0c0a1a000+2000]")
    }

    /// `print_vma_addr` of newer kernels: the offset in the file comes first. 0x7f623575ade4 -
    /// 0x7f62356e8000 = 0x72de4, so that the mapping begins with the file.
    @Test func `the offset in the file`() throws {
        let report = try SampleLog(
            "[1.5] tide[4243]: segfault at 7f61 ip 00007f623575ade4 sp 00007f6234c3b6d0 error 6 in libtide.so.1[72de4,7f62356e8000+16f000]\n"
        ).report()
        let frame = report.threads[0].frames[0]
        #expect(frame.imageLocation == .fileOffset(0x72de4) && frame.address == RuntimeAddress(0x7f62_3575_ade4))
        #expect(report.images.map(\.name) == ["libtide.so.1"])
        #expect(report.cause?.message == "a write to an address that is not mapped")
    }

    /// The bits of `enum x86_pf_error_code`: 1 protection, 2 write, 4 user, 16 instruction fetch.
    @Test(arguments: [
        ("4", "a read from an address that is not mapped"), ("5", "a read from a page that does not allow it"),
        ("6", "a write to an address that is not mapped"), ("7", "a write to a page that does not allow it"),
        ("14", "an instruction fetch from an address that is not mapped"),
        ("15", "an instruction fetch from a page that does not allow it"),
        ("0", "a read from an address that is not mapped, in the kernel"),
    ]) func `the error code's bits`(code: String, message: String) throws {
        let report = try SampleLog("a[1]: segfault at 0 ip 0000000000401271 sp 00007fff2ce4d210 error \(code) in a[400000+98000]\n")
            .report()
        #expect(report.cause?.message == message && report.cause?.codes == "error \(code)")
        #expect(report.cause?.address == RuntimeAddress(0))
    }

    @Test(arguments: [
        ("general protection fault", "SIGSEGV", Frame.Kind.programCounter), ("general protection", "SIGSEGV", .programCounter),
        ("trap invalid opcode", "SIGILL", .programCounter), ("trap divide error", "SIGFPE", .programCounter),
        ("trap stack segment", "SIGBUS", .programCounter),
        // The processor saves the address after the breakpoint.
        ("trap int3", "SIGTRAP", .returnAddress),
    ]) func `x86's other exceptions`(message: String, signal: String, kind: Frame.Kind) throws {
        let report = try SampleLog(
            "[1.5] traps: Web Content[4244] \(message) ip:7552a25149a2 sp:7551597fec50 error:0 in libc.so.6[289a2,7552a2514000+188000]\n"
        ).report()
        #expect(report.process.name == "Web Content" && report.process.pid == 4244)
        #expect(report.cause?.signal == signal && report.cause?.codes == "error 0" && report.cause?.address == nil)
        #expect(message.hasSuffix(report.cause?.message ?? "-") || report.cause?.message == "general protection fault")
        let frame = report.threads[0].frames[0]
        #expect(frame.kind == kind && frame.address == RuntimeAddress(0x7552_a251_49a2) && frame.imageLocation == .fileOffset(0x289a2))
    }

    @Test func `older words`() throws {
        let reports = SampleLog(
            "a.out[25311]: segfault at 0000000000000008 rip 0000000000400546 rsp 00007fff2fb08610 error 4\nb[2]: segfault at 0 ip           (null) sp 00007fff2fb08610 error 14 in b[400000+1000]\nc[3]: segfault at 794ef0 ip 080513b0 sp bf794ef0 error 6 in c[8048000+24000]\n"
        ).parsed().reports
        #expect(reports.map { $0.threads[0].frames[0].address?.value } == [0x400546, 0, 0x80513b0])
        // The target of a jump to an unmapped address is in no mapping, even if the line ends with
        // one.
        #expect(
            reports.map { $0.threads[0].frames[0].imageLocation } == [nil, nil, .mapping(MappingLocation(offset: 0x93b0, size: 0x24000))])
        #expect(reports.map(\.architecture) == [.x86_64, .x86_64, nil])
    }

    // MARK: Other architectures

    @Test func `riscv, whose registers follow`() throws {
        let line = "[12348.678901] harbour[42]: unhandled signal 11 code 0x1 at 0x0000000000000010 in libtide.so.1[3f95791000+27000]\n"
        let report = try SampleLog(
            line
                + "[12348.678902] CPU: 0 PID: 42 Comm: harbour Not tainted 6.1.0 #1\n[12348.678903] Hardware name: board (DT)\n[12348.678904] epc : 0000003f957a1c64 ra : 0000003f957a1c00 sp : 0000003ffff1a2b0\n[12348.678905]  gp : 0000002aaaaab800 tp : 0000003f95600000 t0 : 0000000000000000\n[12348.678906] status: 8000000200006020 badaddr: 0000000000000010 cause: 000000000000000d\n"
        ).report()
        #expect(report.process.name == "harbour" && report.process.pid == 42 && report.architecture == .riscv64)
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.codes == "code 0x1" && report.cause?.address == RuntimeAddress(0x10))
        #expect(report.platform == "Linux 6.1.0")
        // 0x3f957a1c64 - 0x3f95791000 = 0x10c64.
        #expect(report.threads[0].frames.map(\.imageLocation) == [.mapping(MappingLocation(offset: 0x10c64, size: 0x27000))])
        #expect(report.threads[0].frames[0].address == RuntimeAddress(0x3f_957a_1c64))
        // The address in the line is the one that was accessed.
        let alone = try SampleLog(line).report()
        #expect(alone.threads[0].frames.isEmpty && alone.cause?.signal == "SIGSEGV" && alone.notes.count == 1)
    }

    @Test(arguments: [
        ("unhandled exception: DABT (lower EL), ESR 0x0000000092000006, level 2 translation fault", "SIGSEGV"),
        ("unhandled level 2 translation fault (11) at 0x00000010, esr 0x92000006,", "SIGSEGV"),
        ("unhandled exception: undefined instruction", "SIGILL"),
    ]) func `arm64, whose registers follow`(message: String, signal: String) throws {
        let report = try SampleLog(
            "[1.5] harbour[42]: \(message) in harbour[aaaac0a1a000+2000]\n[1.6] CPU: 3 PID: 42 Comm: harbour Not tainted 5.10.0 #1\n[1.6] pstate: 60000000 (nZCv daif -PAN -UAO)\n[1.6] pc : 0000aaaac0a1b2c4\n[1.6] lr : 0000aaaac0a1b200\n[1.6] x29: 0000ffffc1a2b000 x28: 0000000000000000\n"
        ).report()
        #expect(report.architecture == .arm64 && report.cause?.signal == signal && report.cause?.type == signal)
        #expect(report.threads[0].frames.map(\.address?.value) == [0xaaaa_c0a1_b2c4])
        #expect(report.threads[0].frames[0].imageLocation == .mapping(MappingLocation(offset: 0x12c4, size: 0x2000)))
    }

    @Test func `powerpc`() throws {
        let report = try SampleLog(
            "harbour[42]: segfault (11) at 10 nip 10000a1c lr 10000b00 code 1 in harbour[10000000+10000]\ncode: 4bfffee9 60000000\n"
        ).report()
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.codes == "code 1" && report.cause?.address == RuntimeAddress(0x10))
        #expect(report.threads[0].frames.map(\.address?.value) == [0x1000_0a1c])
        let old = try SampleLog("harbour[42]: unhandled signal 7 at 0000000000000010 nip 00007fff10000a1c lr 00007fff10000b00 code 30001\n")
            .report()
        #expect(old.cause?.signal == "SIGBUS" && old.architecture == .ppc64 && old.threads[0].frames[0].image == nil)
    }

    @Test func `mips, of which two registers follow`() throws {
        let report = try SampleLog(
            "[1.5] do_page_fault(): sending SIGSEGV to harbour for invalid read access from 00000010\n[1.5] epc = 77a1b2c4 in libc.so[77a00000+9c000]\n[1.5] ra  = 00406f64 in harbour[400000+9000]\n"
        ).report()
        #expect(report.process.name == "harbour" && report.cause?.signal == "SIGSEGV" && report.cause?.address == RuntimeAddress(0x10))
        #expect(report.cause?.message == "invalid read access from 00000010")
        let frames = report.threads[0].frames
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress] && frames.map(\.index) == [0, 1])
        // 0x77a1b2c4 - 0x77a00000 = 0x1b2c4, 0x406f64 - 0x400000 = 0x6f64.
        #expect(
            frames.map(\.imageLocation) == [
                .mapping(MappingLocation(offset: 0x1b2c4, size: 0x9c000)), .mapping(MappingLocation(offset: 0x6f64, size: 0x9000)),
            ])
        #expect(report.images.map(\.name) == ["libc.so", "harbour"])
    }

    // MARK: Results

    @Test func `an answer stands behind the mapping, and is read again`() throws {
        let log = SampleLog("[1.5] \(Self.segfault)\n[1.6] Code: 48 89\n")
        func result(_ frame: Frame) -> FrameResult? {
            .function("moor(int (*)(char))", offset: 0x1b, "/src/a.c", 12).inlining("tie()", "/src/a.h", 3)
        }
        let symbolicated = log.symbolicated(result)
        let expected =
            "in harbour[55d0c0a1a000+2000] (tie() at /src/a.h:3 inlined into moor(int (*)(char))+0x1b at /src/a.c:12) likely on CPU 4"
        #expect(symbolicated.text.contains(expected), "\(symbolicated.text)")
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [true, false] && frames.map(\.index) == [0, 0])
        #expect(
            frames.map(\.printed) == [
                PrintedSymbol(name: "tie()", location: SourceLocation(file: "/src/a.h", line: 3)),
                PrintedSymbol(name: "moor(int (*)(char))", offset: 0x1b, location: SourceLocation(file: "/src/a.c", line: 12)),
            ])
        #expect(frames.allSatisfy { $0.imageLocation == .mapping(MappingLocation(offset: 0x12c3, size: 0x2000)) })
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }

    @Test(arguments: [
        "harbour[4242]: segfault at the end of the pier", "a segfault at 10 in harbour[1+2]", "harbour[4242]: unhandled signal",
        "kernel: traps: something else", "harbour[4242] trap door ip:1 sp:2 error:0", "unhandled exception (see below) at line 3",
    ]) func `other lines are none`(line: String) { #expect(SampleLog(line + "\n").parsed().reports.isEmpty) }
}
