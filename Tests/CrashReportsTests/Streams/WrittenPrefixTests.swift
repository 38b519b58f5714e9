import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Well-known stacks behind the lines of loggers and CI systems that are not in any list: all
/// frames, of the same kinds, in one report.
///
/// The wrappers are made by a grammar of their own: dates, levels, names and separators in any order, half of them with words that are
/// chosen at random. The undamaged stack is the truth.
@Suite struct WrittenPrefixTests {
    struct Stack: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var testDescription: String { name }
    }

    static let stacks = [
        Stack(
            name: "gdb",
            text: """
                Program received signal SIGSEGV, Segmentation fault.
                0x0000555555555159 in moor (n=10) at berth.c:3
                #0  0x0000555555555159 in moor (n=10) at berth.c:3
                #1  0x0000555555555190 in quay_all () at berth.c:9
                #2  0x00007ffff7df824a in __libc_start_call_main () from /opt/x/lib/libc.so.6
                #3  0x00005555555550a5 in _start ()

                """),
        Stack(
            name: "AddressSanitizer",
            text: """
                ==4242==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55d0c0a0b1c4 bp 0x7ffd5b2f3c10 sp 0x7ffd5b2f3c08
                READ of size 1 at 0x602000000010 thread T0
                    #0 0x55d0c0a0b1c3  (/opt/x/berth+0x11c3)
                    #1 0x7f1f5a429d8f  (/opt/x/lib/libquay.so.6+0x29d8f)
                    #2 0x55d0c0a0b0a4  (/opt/x/berth+0x10a4)

                """),
        Stack(
            name: "glibc",
            text: """
                *** signal 11 ***
                /opt/x/berth(_ZN4Moor3runEv+0x1c2)[0x55d0c0a0b1c2]
                /opt/x/lib/libquay.so.6(+0x29d90)[0x7f1f5a429d90]
                /opt/x/lib/libquay.so.6(__quay_main+0x80)[0x7f1f5a429e40]
                /opt/x/berth(_start+0x25)[0x55d0c0a0b0a5]

                """),
        Stack(
            name: "Rust",
            text: """
                thread 'main' panicked at src/main.rs:2:5:
                moored
                stack backtrace:
                   0:     0x55d0c0a0b1c2 - <unknown>
                   1:     0x55d0c0a0c1c2 - core::fmt::write::h01edf6dd68a42c9c
                   2:     0x55d0c0a0d1c2 - main

                """),
        Stack(
            name: "Go",
            text: """
                panic: runtime error: invalid memory address or nil pointer dereference
                [signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x47b541]

                goroutine 1 [running]:
                main.moor(0x0)
                \t/src/berth/main.go:9 +0x1d
                main.main()
                \t/src/berth/main.go:14 +0x2a

                """),
        Stack(
            name: "kernel",
            text: """
                BUG: kernel NULL pointer dereference, address: 0000000000000008
                Oops: 0000 [#1] PREEMPT SMP NOPTI
                CPU: 1 PID: 4242 Comm: berth Not tainted 6.1.0 #1
                RIP: 0010:moor_run+0x1c/0x40 [moor]
                Call Trace:
                 <TASK>
                 quay_ioctl+0x33/0x60 [moor]
                 do_syscall_64+0x5b/0x80
                 </TASK>

                """),
        Stack(
            name: "Android",
            text: """
                pid: 4242, tid: 4243, name: berth  >>> org.example.berth <<<
                signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0000000000000010
                backtrace:
                      #00 pc 000000000001a2b4  /data/app/x/lib/arm64/libmoor.so (moor+20) (BuildId: 0123456789abcdef0123456789abcdef01234567)
                      #01 pc 000000000001b2b4  /data/app/x/lib/arm64/libmoor.so (BuildId: 0123456789abcdef0123456789abcdef01234567)

                """),
    ]

    /// Makes a prefix by the line's number.
    private static func wrapper(_ seed: Int) -> (Int) -> String {
        var numbers = SeededNumbers(seed: UInt64(seed) &* 977 &+ 5)
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        func word() -> String {
            String((0..<Int.random(in: 2...8, using: &numbers)).map { _ in letters.randomElement(using: &numbers) ?? "a" })
        }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let known = seed % 2 == 0
        let (name, level, host) =
            known
            ? (
                ["app", "worker", "svc", "main"].randomElement(using: &numbers) ?? "",
                ["ERROR", "error", "E", "WARN", "stderr"].randomElement(using: &numbers) ?? "", "node7"
            )
            : (word(), word().uppercased(), word())
        let pid = Int.random(in: 100...99_999, using: &numbers)
        let parts: [(Int) -> String] = [
            { "2024-03-05T10:11:12.\(100 + $0)Z" }, { "10:11:\(two($0 % 60))" }, { _ in "[\(name)]" }, { _ in "\(name):" },
            { _ in "(\(name) pid=\(pid))" },
            { _ in level }, { _ in "[\(level)]" }, { _ in "\(host)" }, { _ in "<\(name)>" }, { "[\(5000 + $0)]" },
            { _ in "\(name)[\(pid)]:" },
            { "\(900 + $0)" },
        ]
        let separators = [" ", " - ", " | ", "  ", " > ", " -> "]
        let chosen = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in
            (parts.randomElement(using: &numbers) ?? { _ in "" }, separators.randomElement(using: &numbers) ?? " ")
        }
        return { line in chosen.map { $0.0(line) + $0.1 }.joined() }
    }

    static let wrappers = 60

    @Test(arguments: stacks, 0..<3) func `a wrapped stack has all its frames`(stack: Stack, padding: Int) throws {
        let bare = try SampleLog(stack.text).report()
        var faults: [String] = []
        for seed in 0..<Self.wrappers {
            let wrap = Self.wrapper(seed)
            let blank = String(repeating: " ", count: padding)
            let lines = stack.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let text = lines.enumerated().map { wrap($0) + blank + $1 + "\n" }.joined()
            let reports = SampleLog(text).parsed().reports
            let same =
                reports.count == 1 && reports[0].format == bare.format && reports[0].allFrames.map(\.kind) == bare.allFrames.map(\.kind)
                && reports[0].allFrames.map(\.address) == bare.allFrames.map(\.address)
                && reports[0].allFrames.map(\.printed?.name) == bare.allFrames.map(\.printed?.name)
            if !same { faults.append("\(seed): \(reports.map { "\($0.format) \($0.allFrames.count)" }) \(wrap(0))") }
        }
        #expect(faults.isEmpty, "\(faults.count) of \(Self.wrappers): \(faults)")
    }
}
