import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Java's exceptions: recognised, named, and left as they are.
struct JavaTraceTests {
    private static let log = SampleLog(fixture: "java-trace/Leak/trace.txt")

    @Test func `an exception, its cause and what was suppressed`() throws {
        let report = try Self.log.report()
        #expect(report.cause?.kind == .languageException && report.cause?.type == "java.lang.IllegalStateException")
        #expect(report.cause?.message == "the tank is empty" && report.threads[0].name == "main")
        #expect(report.threads[0].frames.map { $0.printed?.name } == ["Leak.fill", "Leak.main"])
        #expect(report.threads[0].frames[0].printed?.location == SourceLocation(file: "Leak.java", line: 13))
        #expect(report.additionalBacktraces.map { $0.frames.count } == [3, 3])
        #expect(report.additionalBacktraces[0].name?.hasPrefix("Caused by: java.lang.ArrayIndexOutOfBounds") == true)
        #expect(report.additionalBacktraces[1].name?.hasPrefix("Suppressed: ") == true)
        #expect(report.additionalBacktraces[0].frames[2].kind == .omitted(count: 1))
        #expect(report.allFrames.allSatisfy { $0.address == nil && $0.image == nil })
    }

    @Test func `it passes through byte for byte`() {
        #expect(Self.log.symbolicated { _ in .function("f", offset: 1, "a.c", 2) }.bytes == Self.log.bytes)
    }

    @Test func `rows of other languages, of modules and with their archives`() throws {
        let text =
            "a.b.CException\n\tat java.base/java.lang.Thread.run(Thread.java:840)\n\tat a.B.c(Native Method)\n\tat a.K.f(K.kt:3) ~[a.jar:1.0]\ny\n"
        let report = try SampleLog(text).report()
        #expect(report.allFrames.map { $0.printed?.name } == ["java.base/java.lang.Thread.run", "a.B.c", "a.K.f"])
        #expect(report.allFrames.map { $0.printed?.location?.line } == [840, nil, 3] && report.cause?.message == nil)
    }

    @Test func `plain words are none`() {
        for text in [
            "An Exception in the rule.\n at home.\n", "a.b.CException: x\nnothing\n",
            "  at x.y (z\n",
        ] { #expect(SampleLog(text).parsed().reports.isEmpty) }
    }
}
