import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Exceptions of .NET; those of `Fixtures/logs/dotnet-exception` were printed by Mono 6.8.
struct DotNetExceptionTests {
    @Test func `an exception and those inside of it`() throws {
        let log = SampleLog(fixture: "dotnet-exception/jobs/mono-mail.txt")
        let report = try log.report()
        // Mono prints it twice.
        #expect(log.parsed().reports.count == 1)
        #expect(report.cause?.type == "System.InvalidOperationException" && report.cause?.message == "job failed")
        #expect(report.threads[0].frames.map { $0.printed?.name } == ["Acme.Runner.Run", "Acme.Program.Main"])
        #expect(report.threads[0].frames[0].printed?.location == SourceLocation(file: "/srv/jobs/jobs.cs", line: 10))
        #expect(
            report.additionalBacktraces.map { $0.frames.map { $0.printed?.name } } == [
                ["Acme.Runner.Mail", "Acme.Runner.Run"], ["Acme.Mailer.Greet", "Acme.Runner.Mail"],
            ])
        #expect(report.rootCause?.cause.type == "System.NullReferenceException" && report.rootCause?.stacks == [1, 0])
    }

    /// Two tasks failed; the first is the inner exception.
    @Test func `an AggregateException's inner exception is its cause, its list is not`() throws {
        let report = try SampleLog(fixture: "dotnet-exception/jobs/mono-aggregate.txt").report()
        #expect(report.cause?.type == "System.AggregateException")
        #expect(report.rootCause?.cause.type == "System.NullReferenceException" && report.rootCause?.stacks == [0])
        #expect(
            report.additionalBacktraces.map(\.name) == [
                "System.NullReferenceException: Object reference not set to an instance of an object",
                "System.NullReferenceException: Object reference not set to an instance of an object",
                "System.InvalidOperationException: connection is closed",
            ])
        #expect(report.additionalBacktraces.map(\.frames.count) == [4, 4, 3])
    }

    /// As `Exception.ToString` of .NET 5 and later writes them: each in a line of its own (`Exception.cs`).
    @Test func `.NET's lines, a message of two lines, and rows after an await`() throws {
        let report = try SampleLog(
            """
            Unhandled exception. Acme.JobFailure: job failed
            for the second time
             ---> System.IO.IOException: closed
               at Acme.Store.<PostAsync>d__5.MoveNext() in /src/Store.cs:line 12
            --- End of stack trace from previous location ---
               at Acme.Runner.RunAsync[T](T job)
               --- End of inner exception stack trace ---
               at Acme.Runner.RunAsync[T](T job) in C:\\src\\Runner.cs:line 31

            """
        ).report()
        #expect(report.cause?.type == "Acme.JobFailure" && report.cause?.message == "job failed\nfor the second time")
        #expect(report.rootCause?.cause.message == "closed")
        #expect(
            report.additionalBacktraces[0].frames.map { $0.printed?.name } == [
                "Acme.Store.<PostAsync>d__5.MoveNext", "Acme.Runner.RunAsync[T]",
            ])
        #expect(report.threads[0].frames[0].printed?.location == SourceLocation(file: "C:\\src\\Runner.cs", line: 31))
    }

    @Test(arguments: [
        "System.Exception: no stack\n", "Unhandled exception: page fault on read access to 0x10 in 32-bit code (0x1001).\n",
        "Com.acme.AException: x\n\tat Com.acme.B.c(B.java:3)\n", "Unhandled Exception: SIGSEGV: x\n  at a.b()\n",
    ])
    func `other exceptions are none of .NET's`(text: String) {
        #expect(SampleLog(text).parsed().reports.allSatisfy { $0.format != "dotnet-exception" })
    }

    @Test func `it passes through byte for byte`() {
        let log = SampleLog(fixture: "dotnet-exception/jobs/mono-aggregate.txt")
        #expect(log.symbolicated { _ in .function("f", offset: 1, "a.c", 2) }.bytes == log.bytes)
    }
}
