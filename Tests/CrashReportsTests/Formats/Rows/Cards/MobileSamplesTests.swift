import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct MobileSamplesTests {
    @Test(arguments: MobileSamples.all.indices) func `an answered log has the same frames, and its answers`(index: Int) throws {
        let sample = MobileSamples.all[index]
        let plain = try sample.log.report()
        #expect(plain.format == sample.name)
        func result(_ frame: Frame) -> FrameResult? {
            FrameResult.function("function\(frame.index)", offset: 40, "/src/file.c", 12, image: frame.imageName ?? "App")
        }
        let symbolicated = sample.log.symbolicated(result)
        let report = try symbolicated.report()
        #expect(report.format == sample.name && report.cause == plain.cause)
        #expect(report.allFrames.map(\.address) == plain.allFrames.map(\.address))
        #expect(report.allFrames.map(\.index) == plain.allFrames.map(\.index))
        #expect(
            report.allFrames.map { $0.address == nil ? $0.imageLocation : nil }
                == plain.allFrames.map { $0.address == nil ? $0.imageLocation : nil })
        for frame in report.allFrames {
            #expect(frame.printed?.name == "function\(frame.index)" && frame.printed?.location?.line == 12)
        }
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }
}

/// Made logs of the families that phones, debuggers and boards write, for the tests of all families. They show the
/// program of the tests in this folder, loaded at 0x104a38000.
enum MobileSamples {
    static let all: [(name: String, log: SampleLog)] = [
        (
            "darwin-backtrace",
            """
            Main Thread Checker: UI API called on a background thread: -[UIApplication applicationState]
            PID: 77, TID: 4567, Thread name: (none), Queue name: com.apple.root.default-qos, QoS: 21
            Backtrace:
            0   Demo                                0x0000000104a383f8 Demo + 1016
            1   Demo                                0x0000000104a38408 main + 16
            2   dyld                                0x00000001c1dd8dec start + 2220

            """
        ),
        (
            "lldb-bt",
            """
            * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BREAKPOINT (code=1, subcode=0x104a383d4)
              * frame #0: 0x0000000104a383d4 Demo`boom + 12
                frame #1: 0x0000000104a383f8 Demo`___lldb_unnamed_symbol4 + 32
                frame #2: 0x0000000104a38408 Demo`main + 16
                frame #3: 0x00000001c1dd8dec dyld`start + 2220

            """
        ),
        (
            "xcode-navigator",
            """
            Thread 1 Queue : com.apple.main-thread (serial)
            #0  0x0000000104a383d4 in boom ()
            #1  0x0000000104a383f8 in outer ()
            #2  0x0000000104a38408 in main ()

            """
        ),
        (
            "kotlin-native",
            """
            Uncaught Kotlin exception: kotlin.IllegalStateException: boom
                at 0   Demo                                0x104a383f8        kfun:harbour#outer(kotlin.Array<kotlin.String>){} + 32
                at 1   Demo                                0x104a38408        main + 16
                at 2   dyld                                0x1c1dd8dec        start + 2220

            """
        ),
        (
            "dart",
            """
            *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
            pid: 77, tid: 4567, name io.flutter.1.ui
            os: ios arch: arm64 comp: no sim: no
            build_id: '4c4c44f655553144a1c78f23af66dda8'
            isolate_dso_base: 104a38000, vm_dso_base: 104a38000
            isolate_instructions: 104a38388, vm_instructions: 104a38380
                #00 abs 0000000104a383f8 virt 00000000000003f8 _kDartIsolateSnapshotInstructions+0x70
                #01 abs 0000000104a38408 virt 0000000000000408 _kDartIsolateSnapshotInstructions+0x80

            """
        ),
        (
            "dart-vm",
            """
            ===== CRASH =====
            si_signo=Segmentation fault(11), si_code=1, si_addr=0x8
            version=2.10.4 (stable) on "android_ia32"
              pc 0xd0416679 fp 0xf95fd558 /data/app/x/lib/x86/libflutter.so+0x1216679
              pc 0xd0416700 fp 0xf95fd588 /data/app/x/lib/x86/libflutter.so+0x1216700
            -- End of DumpStackTrace

            """
        ),
        (
            "godot",
            """
            handle_crash: Program crashed with signal 5
            Engine version: Godot Engine v4.4.stable.official (0a0a0a0a0a)
            Load address: 104a38000

            [ 1] 18ec897a4 - 1   libsystem_platform.dylib            0x000000018ec897a4 _sigtramp + 56
            [ 2] 104a383f8 - outer (in Demo) + 32
            [ 3] 104a38408 - 3   Demo                                0x0000000104a38408 main + 16
            -- END OF BACKTRACE --

            """
        ),
        (
            "zephyr",
            """
            ***** BUS FAULT *****
            r3/a4:  0x20000334 r12/ip:  0x00000000 r14/lr:  0x08001705
            Faulting instruction address (r15/pc): 0x0800c104
            >>> ZEPHYR FATAL ERROR 0: CPU exception on CPU 0

            """
        ),
        (
            "esp-idf",
            """
            Guru Meditation Error: Core  0 panic'ed (LoadProhibited). Exception was unhandled.
            Core  0 register dump:
            PC      : 0x4008b565  PS      : 0x00060f30  A0      : 0x800dc822  A1      : 0x3ffc3440
            Backtrace:0x4008b562:0x3ffc3440 0x400dc81f:0x3ffc3450 0x400d3962:0x3ffc3600

            """
        ),
        (
            "esp8266",
            """
            Exception (28):
            epc1=0x4020a5d4 epc2=0x00000000 epc3=0x00000000 excvaddr=0x000001bb depc=0x00000000
            >>>stack>>>
            3ffefe70:  e51988ff 3ffeff14 3ffefee0 4020190c
            <<<stack<<<

            """
        ),
    ].map { ($0.0, SampleLog($0.1)) }
}
