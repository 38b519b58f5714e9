import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct MicrocontrollersTests {
    @Test func `Zephyr prints the link register first`() throws {
        let report = try SampleLog(
            """
            E: ***** BUS FAULT *****
            E: r3/a4:  0x20000334 r12/ip:  0x00000000 r14/lr:  0x08001705
            E: Faulting instruction address (r15/pc): 0x0800c104
            E: >>> ZEPHYR FATAL ERROR 0: CPU exception on CPU 0

            """
        ).report()
        #expect(report.format == "zephyr" && report.architecture == .arm)
        #expect(report.cause?.type == "BUS FAULT" && report.cause?.message == "0: CPU exception on CPU 0")
        let frames = report.threads[0].frames
        #expect(
            frames.map(\.imageLocation) == [0x800c104, 0x8001705].map { .linkAddress(LinkAddress($0)) } && frames.map(\.index) == [0, 1])
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress])
    }

    @Test func `PX4 and NuttX`() throws {
        let px4 = try SampleLog(" r8:0x00000000 r9:0x00000000 r12:0x00000000  sp:0x2007d820 lr:0x080148dd pc:0x08014900\n").report()
        #expect(px4.format == "cortex-m-registers" && px4.architecture == .arm)
        #expect(px4.threads[0].frames.map(\.imageLocation) == [0x8014900, 0x80148dd].map { .linkAddress(LinkAddress($0)) })
        #expect(px4.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress])
        let nuttx = try SampleLog(
            "up_registerdump: R0: 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000\nup_registerdump: R8: 00000000 00000000 00000000 00000000 38002068 380028f0 0802cdcf 08014c1c\n"
        ).report()
        #expect(nuttx.threads[0].frames.map(\.imageLocation) == [0x8014c1c, 0x802cdcf].map { .linkAddress(LinkAddress($0)) })
    }

    /// 0xf7f3b8ae - 0x4022e8ae = 0xf7f3b506 - 0x4022e506: the second line is the first minus the distance that U-Boot
    /// has moved.
    @Test func `U-Boot's addresses as linked`() throws {
        let report = try SampleLog(
            """
            Unhandled exception: Load access fault
            EPC: 00000000f7f3b8ae RA: 00000000f7f3b506 TVAL: ffffffb300687fb3
            EPC: 000000004022e8ae RA: 000000004022e506 reloc adjusted

            """
        ).report()
        #expect(report.format == "u-boot" && report.architecture == .riscv64 && report.cause?.type == "Load access fault")
        #expect(report.allFrames.map(\.imageLocation) == [0x4022e8ae, 0x4022e506].map { .linkAddress(LinkAddress($0)) })
        #expect(report.allFrames.map(\.kind) == [.programCounter, .returnAddress])
    }

    @Test func `an exception handler's return is no address`() throws {
        let report = try SampleLog(
            "E: r3/a4:  0x20000334 r12/ip:  0x00000000 r14/lr:  0xfffffff9\nE: Faulting instruction address (r15/pc): 0x0800c104\n"
        ).report()
        #expect(report.allFrames.map(\.imageLocation) == [.linkAddress(LinkAddress(0x800c104))])
    }
}
