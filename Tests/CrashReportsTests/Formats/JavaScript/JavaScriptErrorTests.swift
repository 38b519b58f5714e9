import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Errors of JavaScript: what Node 20 and 24 printed for two programs (`Fixtures/logs/javascript-error`).
struct JavaScriptErrorTests {
    /// `load` fails, `greet` and `run` wrap its error.
    @Test(arguments: ["node-20.txt", "node-24.txt"]) func `an error and its causes`(file: String) throws {
        let report = try SampleLog(fixture: "javascript-error/jobs/" + file).report()
        #expect(report.format == "javascript-error" && report.process.name == "node")
        #expect(report.cause?.type == "RangeError" && report.cause?.message == "job failed")
        #expect(report.threads[0].frames.prefix(2).map { $0.printed?.name } == ["run", "Object.<anonymous>"])
        #expect(report.threads[0].frames[0].printed?.location == SourceLocation(file: "/srv/jobs/jobs.js", line: 3, column: 62))
        #expect(report.additionalBacktraces.map { $0.frames.first?.printed?.name } == ["greet", "load"])
        #expect(report.rootCause?.cause.type == "TypeError")
        #expect(report.rootCause?.cause.message == "Cannot read properties of null (reading 'name')")
        #expect(report.rootCause?.stacks == [1, 0])
    }

    /// `Promise.any` of two: their errors are beside each other, and the cause of one is not the list's.
    @Test func `the errors of an AggregateError are not its causes`() throws {
        let log = SampleLog(fixture: "javascript-error/jobs/any-20.txt")
        let report = try log.report()
        #expect(log.parsed().reports.count == 1)
        #expect(report.cause?.type == "AggregateError" && report.cause?.message == "All promises were rejected")
        #expect(report.rootCause == nil && report.threads[0].frames.isEmpty)
        #expect(
            report.additionalBacktraces.map(\.name) == ["TypeError: a broke", "Error: b broke", "[cause]: SyntaxError: b cause"])
        #expect(report.additionalBacktraces.map { $0.frames.first?.printed?.name } == ["a", "b", "b"])
    }

    @Test func `a message of several lines, and a cause that the program set itself`() throws {
        let report = try SampleLog(
            """
            Error: outer
            second line
                at g (/app/a.js:2:51) {
              code: 'E_OUT',
              cause: HttpFailure: no route
                at the end
                  at async f (file:///app/b.mjs:1:22)
                  at JSON.parse (<anonymous>)
            }

            """
        ).report()
        #expect(report.cause?.message == "outer\nsecond line" && report.process.name == nil)
        #expect(report.rootCause?.cause.type == "HttpFailure" && report.rootCause?.cause.message == "no route\n  at the end")
        #expect(report.additionalBacktraces[0].frames.map { $0.printed?.name } == ["async f", "JSON.parse"])
        #expect(report.additionalBacktraces[0].frames[0].printed?.location?.file == "/app/b.mjs")
    }

    /// The cause may be any value; only an error is one.
    @Test(arguments: ["'disk full'", "{ code: 7 }", "[Circular *1]", "undefined"]) func `a cause that is no error`(value: String) throws {
        let report = try SampleLog("Error: x\n    at f (/app/a.js:2:51) {\n  [cause]: \(value)\n}\n").report()
        #expect(report.rootCause == nil && report.cause?.message == "x")
    }

    @Test func `an error in a property of an error is not its cause`() throws {
        let report = try SampleLog(
            """
            Error: x
                at f (/app/a.js:2:51) {
              inner: TypeError: y
                  at g (/app/a.js:3:5) {
                [cause]: RangeError: z
                    at h (/app/a.js:4:5)
              }
            }

            """
        ).report()
        #expect(report.rootCause == nil)
        #expect(report.additionalBacktraces.map { $0.frames.first?.printed?.name } == ["g", "h"])
    }

    @Test func `it passes through byte for byte`() {
        let log = SampleLog(fixture: "javascript-error/jobs/node-20.txt")
        #expect(log.symbolicated { _ in .function("f", offset: 1, "a.c", 2) }.bytes == log.bytes)
    }

    @Test(arguments: [
        "Error: no stack follows\n", "Error: x\n    at home\n", "TypeError: x\n\tat a.B.c(B.java:3)\n", "/app/a.js:3\nlet x = 1\n\nfine\n",
    ])
    func `an error without a stack is no report`(text: String) {
        #expect(SampleLog(text).parsed().reports.isEmpty)
    }

    @Test func `a level before the rows of another stack is no error`() throws {
        let report = try SampleLog("Error: #1  0x220f90 berth() + 0x5c\nError: #2  0x76bc46c0 main + 0x10\n").report()
        #expect(report.format == "stack-rows" && report.allFrames.count == 2)
    }

    /// What many programs print is not sure to be JavaScript's.
    @Test func `an error's line does not hide the trace of another language`() throws {
        let report = try SampleLog("Error: the job failed\njava.lang.IllegalStateException: x\n\tat a.B.c(B.java:3)\n").report()
        #expect(report.format == "java-trace" && report.cause?.message == "x")
    }
}
