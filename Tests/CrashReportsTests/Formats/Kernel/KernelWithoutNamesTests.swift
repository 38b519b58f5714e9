import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Kernels without names (`CONFIG_KALLSYMS` is off), as on small boards, and parts of reports.
struct KernelWithoutNamesTests {
    private func symbolOrAddress(_ frame: Frame) -> String {
        if case .symbol(let symbol)? = frame.imageLocation { return "\(symbol.name)+\(symbol.offset)" }
        return frame.address?.description ?? "-"
    }

    @Test func `riscv without names, on 32 bits`() throws {
        let report = try SampleLog(
            """
            [   11.662352] Oops - load access fault [#1]
            [   11.662595] CPU: 0 PID: 29 Comm: harbour Not tainted 5.18.0 #7
            [   11.663180] epc : 0x800d9088
            [   11.663341]  ra : 0x80081f20
            [   11.663496] epc : 800d9088 ra : 80081f20 sp : 807a1e90
            [   11.666825] status: 00001880 badaddr: 00000001 cause: 00000005

            """
        ).report()
        #expect(report.architecture == .riscv32 && report.process.name == "harbour")
        #expect(report.threads.count == 1)
        #expect(report.threads[0].frames.map(symbolOrAddress) == ["0x800d9088", "0x80081f20"])
        #expect(report.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress])
    }

    /// If a stack follows, it contains the caller itself.
    @Test func `riscv's register is no frame beside a stack`() throws {
        let report = try SampleLog(
            """
            Oops - load page fault [#1]
            CPU: 0 PID: 29 Comm: harbour Not tainted 6.1.0 #7
            epc : moor+0x4/0xc
             ra : berth+0x14/0xbc
            epc : ffffffff80001234 ra : ffffffff80001300 sp : ff20000000013c60
            [<ffffffff80001234>] moor+0x4/0xc
            [<ffffffff80001300>] berth+0x14/0xbc
            [<ffffffff80001400>] dock+0x20/0x30

            """
        ).report()
        #expect(report.architecture == .riscv64)
        #expect(report.threads[0].frames.map(symbolOrAddress) == ["moor+4", "berth+20", "dock+32"])
        #expect(report.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
    }

    /// The second address of each row is where the function returns to (`dump_backtrace_entry` of
    /// `arch/arm/kernel/traps.c`).
    @Test func `arm without names`() throws {
        let head = "Internal error: Oops: 17 [#2] ARM\nCPU: 0 PID: 7690 Comm: harbour Not tainted 5.4.79 #1373\n"
        let rows = "Function entered at [<c01f3200>] from [<c01f32a0>]\nFunction entered at [<c01f3264>] from [<c0248048>]\n"
        let report = try SampleLog(head + "PC is at 0xc01f3218\nBacktrace: \n" + rows).report()
        #expect(report.threads[0].frames.map(symbolOrAddress) == ["0xc01f3218", "0xc01f32a0", "0xc0248048"])
        #expect(report.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        // Without the pc, of the innermost function the beginning is known.
        let bare = try SampleLog(rows).report()
        #expect(bare.format == "kernel-oops" && bare.architecture == .arm && report.architecture == .arm)
        #expect(bare.threads[0].frames.map(symbolOrAddress) == ["0xc01f3200", "0xc01f32a0", "0xc0248048"])
        #expect(bare.threads[0].frames.map(\.kind) == [.exact, .returnAddress, .returnAddress])
        #expect(SampleLog("Function entered at [<c01f3200>] frob\n").parsed().reports.isEmpty)
    }

    @Test func `answers stand behind arm's rows, and are read again`() throws {
        let log = SampleLog(
            "PC is at 0xc01f3218\nBacktrace: \nFunction entered at [<c01f3200>] from [<c01f32a0>]\r\nFunction entered at [<c01f3264>] from [<c0248048>]\r\n"
        )
        let text = "CPU: 0 PID: 7 Comm: a Not tainted 5.4.79 #1373\n" + log.text
        func result(_ frame: Frame) -> FrameResult? {
            frame.address == RuntimeAddress(0xc01f_32a0)
                ? .function("berth", offset: 0x3c, "drivers/a.c", 9).inlining("tie", "drivers/a.h", 3) : nil
        }
        let symbolicated = SampleLog(text).symbolicated(result)
        #expect(
            symbolicated.text.contains(
                "Function entered at [<c01f3200>] from [<     inline     >] tie drivers/a.h:3\r\nFunction entered at [<c01f3200>] from [<c01f32a0>] berth+0x3c drivers/a.c:9\r\n"
            ), "\(symbolicated.text)")
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [false, true, false, false])
        #expect(frames.map(\.printed?.name) == [nil, "tie", "berth", nil])
        #expect(frames[2].printed?.location == SourceLocation(file: "drivers/a.c", line: 9))
    }

    /// The first row of arm64's trace is the pc once more.
    @Test func `arm64 without names`() throws {
        let report = try SampleLog(
            """
            [   11.663180] Internal error: Oops: 96000005 [#1] PREEMPT SMP
            [   11.663180] pc : 0xffffffc010123456
            [   11.663180] lr : 0xffffffc010123400
            [   11.663180] sp : ffffffc0107cbd50
            [   11.663181] Call trace:
            [   11.663182]  0xffffffc010123456
            [   11.663182]  0xffffffc010123400

            """
        ).report()
        #expect(report.threads[0].frames.map(symbolOrAddress) == ["0xffffffc010123456", "0xffffffc010123400"])
        #expect(report.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress])
    }

    @Test func `mips`() throws {
        let report = try SampleLog(
            """
            CPU 0 Unable to handle kernel paging request at virtual address fffffff0, epc == 8003ab3c, ra == 80036f64
            Oops[#2]:
            CPU: 0 PID: 172 Comm: kworker/0:1 Not tainted 3.18.29 #6
            epc   : 8003ab3c moor+0x4/0xc
            ra    : 80036f64 berth+0x14/0xbc
            Status: 1100e402        KERNEL EXL 

            """
        ).report()
        let cause = try #require(report.cause)
        #expect(cause.type == "BUG" && cause.codes == "[#2]" && cause.address == RuntimeAddress(0xffff_fff0))
        #expect(cause.message == "Unable to handle kernel paging request at virtual address fffffff0, epc == 8003ab3c, ra == 80036f64")
        #expect(report.architecture == .mips && report.process.name == "kworker/0:1")
        #expect(report.threads[0].frames.map(symbolOrAddress) == ["moor+4", "berth+20"])
        #expect(report.threads[0].frames.map(\.address?.value) == [0x8003_ab3c, 0x8003_6f64])
        #expect(report.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress])
    }

    @Test(arguments: [
        ("Kernel bug detected[#1]:", "Kernel bug detected"),
        ("Unhandled kernel unaligned access[#1]:", "Unhandled kernel unaligned access"),
        ("Oops[#1]:", nil as String?),
    ]) func `what mips says of an exception`(line: String, message: String?) throws {
        let report = try SampleLog(
            line + "\nepc   : ffffffff8003ab3c 0xffffffff8003ab3c\nra    : ffffffff80036f64 0xffffffff80036f64\n"
        ).report()
        #expect(report.cause?.type == "Oops" && report.cause?.message == message && report.cause?.codes == "[#1]")
        #expect(report.architecture == .mips64)
        #expect(report.threads[0].frames.map(symbolOrAddress) == ["0xffffffff8003ab3c", "0xffffffff80036f64"])
    }

    // MARK: Parts

    @Test func `arm's rows without a head`() throws {
        let rows =
            "[<c0014990>] (unwind_backtrace) from [<c0011bb8>] (show_stack+0x10/0x14)\n[<c0011bb8>] (show_stack) from [<c05d5cb8>] (dump_stack+0x84/0x98)\n"
        let report = try SampleLog("here:\n" + rows + "\n").report()
        #expect(report.format == "kernel-oops" && report.cause?.type == "call trace")
        #expect(report.threads[0].frames.map(symbolOrAddress) == ["show_stack+16", "dump_stack+132"])
        #expect(report.threads[0].frames.allSatisfy { $0.kind == .returnAddress })
        #expect(SampleLog(String(rows.split(separator: "\n")[0]) + "\n").parsed().reports.isEmpty)
    }

    @Test func `mips' registers without a head`() throws {
        let rows =
            "$ 0   : 00000000 1100e400 00000001 00000001\nHi    : 00000000\nepc   : 8003ab3c moor+0x4/0xc\nra    : 80036f64 berth+0x14/0xbc\n"
        let report = try SampleLog(rows).report()
        #expect(report.threads[0].frames.map(symbolOrAddress) == ["moor+4", "berth+20"] && report.architecture == .mips)
        // A program's own registers are no kernel's.
        #expect(SampleLog("epc   : 0040ab3c 0x40ab3c\nra    : 00406f64 0x406f64\n").parsed().reports.isEmpty)
        #expect(SampleLog("epc   : 8003ab3c moor+0x4/0xc\n").parsed().reports.isEmpty)
    }

    @Test func `arm by its flags`() throws {
        let report = try SampleLog(
            "CPU: 0 PID: 7690 Comm: harbour Not tainted 5.4.79 #1373\nPC is at moor+0x4/0xc\nFlags: nzCv  IRQs on  FIQs on  Mode USER_32  ISA Thumb  Segment user\n"
        ).report()
        #expect(report.architecture == .arm)
    }
}
