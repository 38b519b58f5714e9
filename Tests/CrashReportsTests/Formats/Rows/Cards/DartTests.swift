import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct DartTests {
    /// 0x104a383f8 - 0x104a38000 = 0x3f8: `virt` is the address as linked. Dart itself has moved it back.
    @Test func `a stack without names has the build ID and addresses as linked`() throws {
        let report = try SampleLog(
            """
            Unhandled Exception: Null check operator used on a null value
            *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
            pid: 77, tid: 4567, name io.flutter.1.ui
            os: ios arch: arm64 comp: no sim: no
            build_id: '4c4c44f655553144a1c78f23af66dda8'
            isolate_dso_base: 104a38000, vm_dso_base: 104a38000
            isolate_instructions: 104a38388, vm_instructions: 104a38380
                #00 abs 0000000104a383f8 virt 00000000000003f8 _kDartIsolateSnapshotInstructions+0x70
                #01 abs 0000000104a38408 virt 0000000000000408 _kDartIsolateSnapshotInstructions+0x80

            """
        ).report()
        #expect(report.format == "dart" && report.architecture == .arm64)
        #expect(report.images.map { $0.id?.description } == ["4C4C44F6-5555-3144-A1C7-8F23AF66DDA8"])
        #expect(report.images[0].base == RuntimeAddress(0x1_04a3_8000))
        #expect(report.allFrames.map(\.imageLocation) == [0x3f8, 0x408].map { .offset(ImageOffset($0)) })
        #expect(report.allFrames.allSatisfy { $0.printed == nil })
        #expect(report.allFrames.map(\.hex) == ["0x104a383f8", "0x104a38408"])
        #expect(report.allFrames.allSatisfy { $0.kind == .exact && $0.image == 0 })
    }

    /// 0xd0416679 - 0x1216679 = 0xcf200000.
    @Test func `the machine's own crash`() throws {
        let report = try SampleLog(
            """
            ===== CRASH =====
            si_signo=Segmentation fault(11), si_code=1, si_addr=0x8
            version=2.10.4 (stable) on "android_ia32"
            pid=8652, thread=8700, isolate_group=main(0xf95f0000), isolate=main(0xf95f1000)
              pc 0xd0416679 fp 0xf95fd558 /data/app/x/lib/x86/libflutter.so+0x1216679
              pc 0xd0416700 fp 0xf95fd588 /data/app/x/lib/x86/libflutter.so+0x1216700
            -- End of DumpStackTrace

            """
        ).report()
        #expect(report.format == "dart-vm" && report.cause?.signal == "SIGSEGV" && report.cause?.address == RuntimeAddress(8))
        #expect(report.allFrames.map(\.kind) == [.programCounter, .returnAddress])
        #expect(report.allFrames.map(\.imageLocation) == [0x1216679, 0x1216700].map { .offset(ImageOffset($0)) })
        #expect(report.images.map(\.base) == [RuntimeAddress(0xcf20_0000)])
    }
}
