import BinaryPrimitives
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel

/// Messages of programs about the signal that ended them. The lines are those of the programs'
/// sources, with values put in.
struct PrintedCauseTests {
    struct Line: Sendable, CustomTestStringConvertible {
        var text: String
        var signal: String?
        var address: UInt64?
        var codes: String?
        var testDescription: String { text }

        init(_ text: String, _ signal: String?, at address: UInt64? = nil, codes: String? = nil) {
            self.text = text
            self.signal = signal
            self.address = address
            self.codes = codes
        }
    }

    static let lines = [
        Line("11:40:21 UTC - mysqld got signal 11 ;", "SIGSEGV"),
        Line("250101 12:00:00 [ERROR] /usr/sbin/mariadbd got signal 6 ;", "SIGABRT"),
        Line("4242:M 01 Jan 2024 12:00:00.000 # Redis 7.0.0 crashed by signal: 11, si_code: 1", "SIGSEGV"),
        Line("4242:M 01 Jan 2024 12:00:00.000 # Accessing address: 0x18", nil, at: 0x18),
        Line("/srv/harbour.rb:12: [BUG] Segmentation fault at 0x0000000000000018", "SIGSEGV", at: 0x18),
        Line("*** Caught signal (Segmentation fault) **", "SIGSEGV"), Line("*** Caught signal (Aborted) **", "SIGABRT"),
        Line("[node7:4242] Signal: Segmentation fault (11)", "SIGSEGV"), Line("Signal: Segmentation fault: 11 (11)", "SIGSEGV"),
        Line("[node7:4242] Signal code: Address not mapped (1)", nil, codes: "SEGV_MAPERR"),
        Line("[node7:4242] Failing at address: 0x18", nil, at: 0x18), Line("Failing at address: (nil)", nil, at: 0),
        Line("handle_crash: Program crashed with signal 11", "SIGSEGV"),
        Line("Got a SIGSEGV while executing native code. This usually indicates", "SIGSEGV"),
        Line(
            "Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x18 in tid 4242 (worker), pid 4200 (harbour)", "SIGSEGV",
            at: 0x18, codes: "SEGV_MAPERR"),
        Line("Fatal signal 6 (SIGABRT), code -6 in tid 6998 (generic)", "SIGABRT"),
        Line("(version 21.1.2.15, build id: CA73) (from thread 55832) (query_id: x) Received signal Segmentation fault (11)", "SIGSEGV"),
        Line("[2017-06-08 16:27:02.711][6][critical][backtrace] Caught Segmentation fault, suspect faulting address 0x0", "SIGSEGV", at: 0),
        // With abort() the address is the process's number.
        Line("Caught Aborted, suspect faulting address 0x3e8001f5025", "SIGABRT"),
        Line(
            "*** Signal 11 (SIGSEGV) (0x30) received by PID 4242 (pthread TID 0x7f5e2cf06640) (linux TID 4243) (code: address not mapped to object), stack trace: ***",
            "SIGSEGV", at: 0x30, codes: "SEGV_MAPERR"),
        Line("*** SIGSEGV received at time=1716799045 on cpu 3 ***", "SIGSEGV"),
        Line("*** SIGSEGV (@0x18) received by PID 4242 (TID 0x7f5e2cf06640) from PID 24; stack trace: ***", "SIGSEGV", at: 0x18),
        Line("Program received signal SIGSEGV: Segmentation fault - invalid memory reference.", "SIGSEGV"),
        Line("forrtl: severe (174): SIGSEGV, segmentation fault occurred", "SIGSEGV"),
        Line("[4242] signal (11.1): Segmentation fault", "SIGSEGV"), Line("Segmentation fault on shard 5.", "SIGSEGV"),
        Line("Segmentation fault (Address not mapped to object [0x8])", "SIGSEGV", at: 8, codes: "SEGV_MAPERR"),
        Line(
            "[node7:4242 :0:4242] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x8)", "SIGSEGV", at: 8,
            codes: "SEGV_MAPERR"),
        Line("Caught signal 11, backtrace:", "SIGSEGV"), Line("*** Segmentation fault", "SIGSEGV"),
        Line("server process (PID 4242) was terminated by signal 11: Segmentation fault", "SIGSEGV"),
    ]

    @Test("a line with a cause", arguments: lines)
    func cause(_ line: Line) throws {
        let bytes = Array(line.text.utf8)
        let found = PrintedCause.cause(in: bytes.span)
        let cause = try #require(found)
        #expect(cause.signal == line.signal)
        #expect(cause.address == line.address.map { RuntimeAddress($0) })
        #expect(cause.codes == line.codes)
    }

    @Test(
        "a line without one",
        arguments: [
            "", "The signal: strong.", "we got signal 11 times", "# Aborting",
            "*** Aborted at 1617389896 (unix time) try \"date -d @1617389896\" if you are using GNU date ***",
            "Signal: green", "Caught signal ninety", "[BUG] the harbour is closed", "crashed by signal: many",
            "Segmentation fault handling in C", "signal (SIGSEGV, handler);",
            "*** Segmentation faults are bad", "Fatal signal processing error", "Failing at address: High Street 5",
        ])
    func noCause(_ text: String) {
        let bytes = Array(text.utf8)
        let found = PrintedCause.cause(in: bytes.span)
        #expect(found == nil)
    }

    // MARK: Above a stack

    /// In parts: as one string it would be a stack in the source code.
    static let rows = ["(moor+0x2c)[0x55f48c960d9c]", "(handle+0x479)[0x55f48c268309]"].map { "/usr/sbin/mysqld" + $0 + "\n" }.joined()

    @Test("a stack takes the cause that its writer said some lines above it")
    func above() throws {
        let report = try SampleLog(
            "11:40:21 UTC - mysqld got signal 11 ;\nAttempting backtrace.\nstack_bottom = 0 thread_stack 0x80000\n" + Self.rows
        ).report()
        #expect(report.cause?.signal == "SIGSEGV")
        #expect(report.cause?.kind == .signal)
    }

    @Test("a stack below the heading of another format takes it, too")
    func otherHeading() throws {
        let report = try SampleLog("mysqld got signal 11 ;\nThread 1 (Thread 0x7f):\n" + Self.rows).report()
        #expect(report.cause?.signal == "SIGSEGV")
        #expect(report.threads[0].frames.count == 2)
    }

    @Test("the lines of Open MPI are one cause")
    func several() throws {
        let report = try SampleLog(
            """
            [node7:4242] *** Process received signal ***
            [node7:4242] Signal: Segmentation fault (11)
            [node7:4242] Signal code: Address not mapped (1)
            [node7:4242] Failing at address: 0x18
            [node7:4242] [ 0] /lib/libpthread.so.0(+0x110e0)[0x7fe1f80f50e0]
            [node7:4242] [ 1] ./harbour(moor+0x17e)[0x55f48c7e8f5e]

            """
        ).report()
        #expect(report.cause?.signal == "SIGSEGV")
        #expect(report.cause?.codes == "SEGV_MAPERR")
        #expect(report.cause?.address == RuntimeAddress(0x18))
    }

    @Test("Android's libc says the cause, and another process the stack")
    func android() throws {
        let report = try SampleLog(
            """
            01-02 03:04:05.678  4200  4242 F libc    : Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 4242 (worker), pid 4200 (harbour)
            01-02 03:04:05.900  4300  4300 F DEBUG   :       #00 pc 0000000000077148  /data/app/x-1/lib/arm64/libharbour.so (moor+28)
            01-02 03:04:05.900  4300  4300 F DEBUG   :       #01 pc 0000000000076c68  /data/app/x-1/lib/arm64/libharbour.so (main+28)

            """
        ).report()
        #expect(report.cause?.signal == "SIGSEGV")
        #expect(report.cause?.address == RuntimeAddress(0))
        #expect(report.meaning == "The program accessed address 0: a null pointer.")
    }

    @Test("a cause far away is another's")
    func far() throws {
        let filler = String(repeating: "all is well in the harbour\n", count: 400)
        let report = try SampleLog("mysqld got signal 11 ;\n" + filler + Self.rows).report()
        #expect(report.cause == nil)
    }

    @Test("a cause of its own stays")
    func own() throws {
        let report = try SampleLog(
            "mysqld got signal 11 ;\n*** Error in `./harbour': free(): invalid pointer: 0x00007ffd5e0 ***\n======= Backtrace: =========\n"
                + Self.rows
        ).report()
        #expect(report.cause?.type == "free(): invalid pointer")
    }
}
