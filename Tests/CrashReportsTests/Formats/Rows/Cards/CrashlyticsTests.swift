import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct CrashlyticsTests {
    @Test func `the second column is an offset into the image`() throws {
        let report = try SampleLog(
            """
            # Crashlytics - Stack trace
            # Application: com.example.demo
            # Platform: apple
            # Version: 1.0 (1)
            # Issue: 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a
            # Date: Wed Feb 01 2023 10:11:12 GMT+0100 (Central European Standard Time)

            Fatal Exception: NSRangeException
            0  CoreFoundation                 0x83f20 __exceptionPreprocess
            1  libobjc.A.dylib                0x16018 objc_exception_throw
            2  Demo                           0x3f8 (Missing UUID 4c4c44f655553144a1c78f23af66dda8)
            3  Demo                           0x408 main + 7 (demo.c:7)
            4  ???                            0x1985a3f28 (Missing)

            """
        ).report()
        #expect(report.format == "crashlytics" && report.cause?.type == "NSRangeException")
        let frames = report.allFrames
        #expect(
            frames.map(\.imageLocation) == [0x83f20, 0x16018, 0x3f8, 0x408].map { .offset(ImageOffset($0)) } + [nil])
        #expect(frames.allSatisfy { $0.kind == .returnAddress })
        #expect(frames.map(\.printed?.name) == ["__exceptionPreprocess", "objc_exception_throw", nil, "main", nil])
        #expect(frames[3].printed?.location == SourceLocation(file: "demo.c", line: 7))
        #expect(frames[4].hex == "0x1985a3f28")
        let demo = try #require(report.images.first { $0.name == "Demo" })
        #expect(demo.id?.description == "4C4C44F6-5555-3144-A1C7-8F23AF66DDA8")
    }

    @Test func `the older text has addresses, and threads`() throws {
        let report = try SampleLog(
            """
            #0. Crashed: com.apple.main-thread
            0  Demo                           0x104a383d4 boom + 12
            1  Demo                           0x104a383f8 (Missing)
            2  Demo                           0x104a38408 main + 16

            #1. com.google.firebase.crashlytics.MachExceptionServer
            0  Demo                           0x104a383a8 middle + 12

            """
        ).report()
        #expect(report.threads.map(\.name) == ["com.apple.main-thread", "com.google.firebase.crashlytics.MachExceptionServer"])
        #expect(report.threads.map(\.crashed) == [true, false])
        let frames = report.threads[0].frames
        #expect(frames.map(\.hex) == ["0x104a383d4", "0x104a383f8", "0x104a38408"])
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        #expect(frames[1].printed == nil && frames[1].imageLocation == nil)
    }
}
