import TestSupport
import Testing

@testable import BatchProcessing

/// A chain of errors is known by the first: its type, its message and its stack.
struct ChainedErrorsTests {
    /// As `Throwable.printStackTrace` prints it: `... 2 more` are the last two rows above.
    private static func java(_ causes: String) -> String {
        """
        Exception in thread "pool-1-thread-3" java.lang.RuntimeException: task failed
        \tat com.acme.jobs.Runner.run(Runner.java:31)
        \tat java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)
        \tat java.base/java.lang.Thread.run(Thread.java:840)
        \(causes)

        """
    }

    private static let nullPointer = """
        Caused by: java.lang.NullPointerException: Cannot invoke "com.acme.users.User.name()" because "u" is null
        \tat com.acme.users.Mailer.greet(Mailer.java:12)
        \tat com.acme.jobs.Runner.run(Runner.java:28)
        \t... 2 more
        """
    private static let closed = """
        Caused by: java.sql.SQLException: connection is closed
        \tat com.acme.store.Ledger.post(Ledger.java:77)
        \tat com.acme.jobs.Runner.run(Runner.java:28)
        \t... 2 more
        """

    @Test func `Java's cause decides, with its type, message and stack`() throws {
        let made = try LoggedCrash(Self.java(Self.nullPointer))
        #expect(made.title == "java.lang.NullPointerException in com.acme.users.Mailer.greet | com.acme.jobs.Runner.run")
        #expect(made.causeType == "java.lang.NullPointerException")
        #expect(made.message == #"Cannot invoke "com.acme.users.User.name()" because "u" is null"#)
        #expect(made.ownFrame == "com.acme.users.Mailer.greet Mailer.java:12")
        #expect(try LoggedCrash(Self.java(Self.closed)).group != made.group)
    }

    @Test func `the innermost of several causes decides, and its omitted rows are those of the one above`() throws {
        let made = try LoggedCrash(
            Self.java(
                """
                Caused by: com.acme.JobFailure: mail
                \tat com.acme.jobs.MailJob.call(MailJob.java:9)
                \t... 3 more
                Caused by: java.io.IOException: refused
                \tat com.acme.net.Socket.open(Socket.java:4)
                \t... 4 more
                """))
        #expect(
            made.title
                == "java.io.IOException in com.acme.net.Socket.open | com.acme.jobs.MailJob.call | com.acme.jobs.Runner.run")
    }

    /// What was thrown while the first was on its way, and its causes, are beside the chain.
    @Test func `what was suppressed does not decide`() throws {
        let suppressed = """
            \tSuppressed: java.lang.IllegalArgumentException: the drain is open
            \t\tat com.acme.Drain.close(Drain.java:4)
            \t\t... 3 more
            \tCaused by: java.lang.ArithmeticException: / by zero
            \t\tat com.acme.Drain.rate(Drain.java:9)
            \t\t... 4 more
            """
        let made = try LoggedCrash(Self.java(Self.nullPointer + "\n" + suppressed))
        #expect(made.causeType == "java.lang.NullPointerException")
        #expect(try made.group == LoggedCrash(Self.java(Self.nullPointer)).group)
        #expect(try LoggedCrash(Self.java(suppressed)).causeType == "java.lang.RuntimeException")
    }

    /// The two texts are those of `Lib/traceback.py`.
    private static func python(_ first: String, _ link: String, _ second: String) -> String {
        """
        Traceback (most recent call last):
          File "/app/run.py", line 18, in run
            job()
        \(first)

        \(link)

        Traceback (most recent call last):
          File "/app/main.py", line 9, in main
            run()
          File "/app/run.py", line 20, in run
        \(second)

        """
    }

    private static let direct = "The above exception was the direct cause of the following exception:"
    private static let handling = "During handling of the above exception, another exception occurred:"
    private static let attribute = """
          File "/app/mail.py", line 3, in greet
            return u.name
        AttributeError: 'NoneType' object has no attribute 'name'
        """
    private static let index = """
          File "/app/ledger.py", line 70, in post
            return rows[7]
        IndexError: list index out of range
        """

    @Test func `Python's direct cause decides`() throws {
        let raised = "    raise RuntimeError(\"job failed\") from error\nRuntimeError: job failed"
        let made = try LoggedCrash(Self.python(Self.attribute, Self.direct, raised))
        #expect(made.title == "AttributeError in mail.py:greet | run.py:run | main.py:main")
        #expect(made.causeType == "AttributeError" && made.message == "'NoneType' object has no attribute 'name'")
        #expect(made.ownFrame == "greet /app/mail.py:3")
        #expect(try LoggedCrash(Self.python(Self.index, Self.direct, raised)).group != made.group)
    }

    /// `except AttributeError: raise RuntimeError(…)` gives the error another type; a handler that fails is another bug.
    @Test func `Python's error during handling decides unless it is raised there`() throws {
        let raised = "    raise RuntimeError(\"job failed\")\nRuntimeError: job failed"
        #expect(
            try LoggedCrash(Self.python(Self.attribute, Self.handling, raised)).title
                == "AttributeError in mail.py:greet | run.py:run | main.py:main")
        let failed = "    log.error(job.nam)\n              ^^^^^^^\nNameError: name 'log' is not defined"
        let made = try LoggedCrash(Self.python(Self.attribute, Self.handling, failed))
        #expect(made.title == "NameError in run.py:run | main.py:main")
        #expect(try LoggedCrash(Self.python(Self.index, Self.handling, failed)).group == made.group)
    }

    /// https://develop.sentry.dev/sdk/data-model/event-payloads/exception: the oldest exception comes first.
    @Test(arguments: [("__cause__", "java.io.IOException"), ("__context__", "RuntimeError")])
    func `the first exception of a Sentry event decides, unless a handler failed`(source: String, type: String) throws {
        let made = try LoggedCrash(
            #"{"event_id":"9e2c5d1f0b3a4c6e8f7a1b2c3d4e5f60","platform":"native","exception":{"values":[{"type":"java.io.IOException","value":"refused","mechanism":{"type":"chained","source":"\#(source)"},"stacktrace":{"frames":[{"function":"run","instruction_addr":"0x1010"},{"function":"open","instruction_addr":"0x1020"}]}},{"type":"RuntimeError","value":"job failed","stacktrace":{"frames":[{"function":"main","instruction_addr":"0x1000"},{"function":"run","instruction_addr":"0x1014"}]}}]}}"#
        )
        #expect(made.causeType == type)
    }

    // MARK: Node

    /// As Node prints them (`Fixtures/logs/javascript-error`): a cause's stack has all of its callers.
    private static func node(_ wrapper: String, _ cause: String) -> String {
        """
        \(wrapper)
            at run (/srv/jobs/jobs.js:3:62)
            ... 2 lines matching cause stack trace ...
            at node:internal/main/run_main_module:28:49 {
          [cause]: \(cause)
              at run (/srv/jobs/jobs.js:3:27)
              at Object.<anonymous> (/srv/jobs/jobs.js:4:1)
              at Module._compile (node:internal/modules/cjs/loader:1521:14)
              at node:internal/main/run_main_module:28:49
        }

        """
    }
    private static let load = "TypeError: u is null\n      at load (/srv/jobs/jobs.js:1:46)"
    private static let parse = "TypeError: u is null\n      at JSON.parse (<anonymous>)\n      at config (/srv/jobs/jobs.js:9:46)"

    @Test func `Node's cause decides, whatever wraps it`() throws {
        let made = try LoggedCrash(Self.node("Error: job failed", Self.load))
        #expect(made.title == "TypeError in load | run | jobs.js:<anonymous>")
        #expect(made.causeType == "TypeError" && made.message == "u is null" && made.ownFrame == "load /srv/jobs/jobs.js:1")
        #expect(try LoggedCrash(Self.node("RangeError: again", Self.load)).group == made.group)
        let other = try LoggedCrash(Self.node("Error: job failed", Self.parse))
        #expect(other.group != made.group && other.ownFrame == "config /srv/jobs/jobs.js:9")
    }

    @Test(arguments: ["node-20.txt", "node-24.txt"]) func `Node's innermost cause decides in every version`(file: String) throws {
        let log = String(decoding: TestPaths.bytes(of: TestPaths.fixture("logs/javascript-error/jobs/" + file)), as: UTF8.self)
        #expect(try LoggedCrash(log).title == "TypeError in load | greet | run")
    }

    // MARK: .NET

    private static func dotNet(_ wrapper: String, _ inner: String) -> String {
        """
        Unhandled exception. \(wrapper)
         ---> \(inner)
           at Acme.Runner.Run() in /src/Runner.cs:line 28
           --- End of inner exception stack trace ---
           at Acme.Runner.Run() in /src/Runner.cs:line 31
           at Acme.Program.Main(String[] args)

        """
    }
    private static let greet = "System.NullReferenceException: no object\n   at Acme.Mailer.Greet(User u) in /src/Mailer.cs:line 12"
    private static let post = "System.NullReferenceException: no object\n   at Acme.Ledger.Post(Int32 n) in /src/Ledger.cs:line 7"

    @Test func `.NET's inner exception decides, whatever wraps it`() throws {
        let made = try LoggedCrash(Self.dotNet("System.InvalidOperationException: job failed", Self.greet))
        #expect(made.title == "System.NullReferenceException in Acme.Mailer.Greet | Acme.Runner.Run | Acme.Program.Main")
        #expect(made.causeType == "System.NullReferenceException" && made.message == "no object")
        #expect(made.ownFrame == "Acme.Mailer.Greet /src/Mailer.cs:12")
        #expect(try LoggedCrash(Self.dotNet("Acme.JobFailure: mail", Self.greet)).group == made.group)
        #expect(try LoggedCrash(Self.dotNet("System.InvalidOperationException: job failed", Self.post)).group != made.group)
    }

    @Test func `Mono's exceptions are those of .NET, and a task's is the one in it`() throws {
        func made(_ name: String) throws -> LoggedCrash {
            try LoggedCrash(
                String(decoding: TestPaths.bytes(of: TestPaths.fixture("logs/dotnet-exception/jobs/mono-\(name).txt")), as: UTF8.self))
        }
        #expect(try made("mail").title == "System.NullReferenceException in Acme.Mailer.Greet | Acme.Runner.Mail | Acme.Runner.Run")
        #expect(try made("aggregate").title == "System.NullReferenceException in Acme.Mailer.Greet | Acme.Program.Main")
    }

    // MARK: Rust

    private static func rust(_ name: String) throws -> LoggedCrash {
        try LoggedCrash(String(decoding: TestPaths.bytes(of: TestPaths.fixture("logs/rust-panic/anyhow/\(name).txt")), as: UTF8.self))
    }

    /// The causes have numbers, as rows have. `post` makes the error, and its stack comes before that of the panic.
    @Test func `causes of Rust's errors are no rows, and the innermost has the message`() throws {
        let panic = try Self.rust("panic")
        #expect(panic.title == "panic: unwrap of Err in jobs_an::post | jobs_an::run | jobs_an::main")
        #expect(panic.message == "connection is closed\nafter 7 tries")
        let returned = try Self.rust("main")
        #expect(returned.title == "Error in jobs_an::post | jobs_an::run | jobs_an::main")
        #expect(returned.message == "connection is closed\nafter 7 tries")
    }

    // MARK: Kotlin

    /// kotlinx.coroutines 1.7 (`StackTraceRecovery.kt`): a copy with the stack of the one that waits, and the original below.
    private static func recovered(_ head: String, _ boundary: String) -> String {
        """
        \(head)com.acme.StoreClosed: connection is closed
        \tat com.acme.JobsKt.post(Jobs.kt:10)
        \tat com.acme.JobsKt.fetch(Jobs.kt:15)
        \tat com.acme.JobsKt.job(Jobs.kt:16)
        \t\(boundary)
        \tat com.acme.JobsKt$main$1.invokeSuspend(Jobs.kt:20)
        Caused by: com.acme.StoreClosed: connection is closed
        \tat com.acme.JobsKt.post(Jobs.kt:10)
        \tat com.acme.JobsKt.fetch(Jobs.kt:15)
        \tat com.acme.JobsKt.job(Jobs.kt:16)
        \tat kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:33)
        \tat kotlinx.coroutines.DispatchedTask.run(DispatchedTask.kt:104)

        """
    }
    private static let main = "Exception in thread \"main\" "

    @Test(arguments: [
        "at _COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)", "at \u{8}\u{8}\u{8}(Coroutine boundary.\u{8}(\u{8})", "(Coroutine boundary)",
    ])
    func `a coroutine's recovered exception is one error, in one group with the original`(boundary: String) throws {
        let made = try LoggedCrash(Self.recovered(Self.main, boundary))
        #expect(made.title == "com.acme.StoreClosed in com.acme.JobsKt.post | com.acme.JobsKt.fetch | com.acme.JobsKt.job")
        // Without the debug mode there is the original alone.
        let original = Self.recovered("", "").split(separator: "Caused by: ").last.map(String.init) ?? ""
        #expect(try LoggedCrash(Self.main + original).group == made.group)
    }

    @Test func `a wrapped exception of a coroutine decides`() throws {
        let made = try LoggedCrash(
            String(decoding: TestPaths.bytes(of: TestPaths.fixture("logs/java-trace/coroutines/trace.txt")), as: UTF8.self))
        #expect(made.causeType == "com.acme.jobs.StoreClosed" && made.ownFrame == "com.acme.jobs.JobsKt.post Jobs.kt:10")
        let wrapped = try LoggedCrash(
            "Exception in thread \"main\" com.acme.JobFailure: job failed\n\tat com.acme.JobsKt.main(Jobs.kt:2)\n"
                + Self.recovered("Caused by: ", "at _COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)"))
        #expect(try wrapped.group == LoggedCrash(Self.recovered(Self.main, "at _COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)")).group)
    }

    // MARK: Go

    /// `fmt.Errorf("job failed: %w", err)`: the text does not say where one error ends and the next begins, and a
    /// message may hold data. The stack is the panic's, and decides.
    @Test func `Go's wrapped errors are one text, and the stack decides`() throws {
        func made(_ message: String) throws -> LoggedCrash {
            try LoggedCrash(
                "panic: \(message)\n\ngoroutine 1 [running]:\nmain.run(...)\n\t/src/main.go:9\nmain.main()\n\t/src/main.go:15 +0x1d\n")
        }
        let wrapped = try made("job failed: mail: connection is closed")
        #expect(try made("connection is closed").group == wrapped.group)
        #expect(wrapped.message == "job failed: mail: connection is closed")
    }
}
