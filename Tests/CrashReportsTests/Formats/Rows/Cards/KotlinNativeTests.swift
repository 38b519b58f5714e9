import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct KotlinNativeTests {
    @Test func `an uncaught exception and what caused it`() throws {
        let report = try SampleLog(
            """
            Uncaught Kotlin exception: kotlin.IllegalStateException: boom
                at 0   Demo                                0x104a383f8        kfun:harbour#outer(kotlin.Array<kotlin.String>){} + 32 
                at 1   Demo                                0x104a38408        main + 16 [inlined] (/src/demo.kt:9:1)
                at 2   Demo                                0x104a38408        main + 16 (/src/demo.kt:7:30)
                at 3   dyld                                0x1c1dd8dec        start + 2220 
            Caused by: kotlin.NullPointerException
                at 0   Demo                                0x104a38408        main + 16 

            """
        ).report()
        #expect(report.format == "kotlin-native")
        #expect(report.cause?.type == "kotlin.IllegalStateException" && report.cause?.message == "boom")
        #expect(report.threads.count == 2 && report.threads[1].name == "Caused by: kotlin.NullPointerException")
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex) == ["0x104a383f8", "0x104a38408", "0x104a38408", "0x1c1dd8dec"])
        #expect(frames.allSatisfy { $0.kind == .returnAddress })
        #expect(frames.map(\.isInlined) == [false, true, false, false])
        #expect(frames[0].printed?.name == "kfun:harbour#outer(kotlin.Array<kotlin.String>){}" && frames[0].printed?.offset == 32)
        #expect(frames[2].printed?.location == SourceLocation(file: "/src/demo.kt", line: 7, column: 30))
    }

    /// Return addresses of arm64 are multiples of four: these are one less.
    @Test func `newer runtimes have moved the addresses back`() throws {
        let report = try SampleLog(
            """
            Uncaught Kotlin exception: kotlin.IllegalStateException: boom
                at 0   Demo                                0x104a383f7        kfun:harbour#outer(){} + 31 
                at 1   Demo                                0x104a38407        main + 15 (/src/demo.kt:7:30)
                at 2   dyld                                0x1c1dd8deb        start + 2219 

            """
        ).report()
        #expect(report.allFrames.map(\.kind) == [.exact, .exact, .exact])
    }
}
