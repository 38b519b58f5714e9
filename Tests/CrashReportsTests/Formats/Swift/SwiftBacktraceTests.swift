import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// Swift's own crash reports as text: presets, colour, rows without symbols, and results in their
/// own shape.
struct SwiftBacktraceTests {
    private static let full = SampleLog(
        """
        Swift/Array.swift:692: Fatal error: Index out of range

        *** Signal 4: Backtracing from 0x7f295476df7f... done ***

        *** Program crashed: Illegal instruction at 0x00007f295476df7f ***

        Platform: x86_64 Linux (Debian GNU/Linux 12 (bookworm))

        Thread 0 "crashD":

          0      0x00007f2954701000 sigsuspend + 65 in libc.so.6
        ...

        Thread 1 "oot.default-qos" crashed:

          0 [inlined]          0x00007f295476df7f a(_:) in crash D at /src/in at/inl.swift:1:70
          1                    0x00007f295476df7f closure #1 in c(_:) + 5 in crash D at /src/in at/inl.swift:3:35
          2 [ra]               0x000055b57b5a6233 <unknown> in crash D
          3 [ra] [system]      0x000055b57b5a6240 main + 8 in crash D at //<compiler-generated>
          4 [async]            0x000055b57b5a6251 Office.main() in crash D at /src/o.swift:44
           ...
         90 [ra]               0x000055b57b5a6159 start in crash D
        ...


        Registers:

        rax 0x0000000000000000  0
         r8 0x0000000000000007  7
        rip 0x00007f295476df7f  0f 0b 48 83  ··H·

        rflags 0x0000000000010202

        cs 0x0033  fs 0x0000  gs 0x0000


        Images (12 omitted):

        0x000055b57b5a5000–0x000055b57b5a65f0 875d20a8c9d782a7cca2269b172e5f266e582685 crash D        /src/crash D
        0x00007f2954600000–0x00007f2954bd2d40 <no build ID>                            libswiftCore.so /usr/lib/swift/linux/libswiftCore.so

        Backtrace took 0.01s

        after

        """)

    private static let off = SampleLog(
        """
        *** Program crashed: Illegal instruction at 0x00007f6f7d96df7f ***

        Platform: x86_64 Linux (Debian GNU/Linux 12 (bookworm))

        Thread 0 "crashD" crashed:

        0      0x00007f6f7d96df7f
        1 [ra] 0x000055fbf93bd233
        2      ...


        Images:

        0x000055fbf93bc000–0x000055fbf93bd5f0 875d20a8c9d782a7cca2269b172e5f266e582685 crashD /src/crashD

        Backtrace took 0.01s

        """)

    @Test func `the crash, the platform and the threads`() throws {
        let report = try Self.full.report()
        #expect(report.format == "swift-backtrace")
        let cause = try #require(report.cause)
        #expect(
            cause.kind == .signal && cause.type == "Illegal instruction" && cause.signal == "4" && cause.address?.value == 0x7f29_5476_df7f)
        // The line above the report has it.
        #expect(cause.message == "Fatal error: Index out of range")
        #expect(try Self.off.report().cause?.message == nil)
        #expect(report.architecture == .x86_64 && report.platform == "Linux (Debian GNU/Linux 12 (bookworm))")
        #expect(report.threads.map(\.index) == [0, 1] && report.threads.map(\.crashed) == [false, true])
        #expect(report.threads.map(\.name) == ["crashD", "oot.default-qos"])
        #expect(report.threads[0].registers == nil)
        #expect(report.threads[1].registers?.values.map(\.name) == ["rax", "r8", "rip", "rflags", "cs", "fs", "gs"])
    }

    @Test func `the trace begins with the signal and ends with the time it took`() {
        let pieces = Self.full.parsed().pieces
        #expect(pieces.count == 3)
        let trace = String(decoding: Self.full.bytes[pieces[1].range], as: UTF8.self)
        #expect(trace.hasPrefix("*** Signal 4") && trace.hasSuffix("Backtrace took 0.01s\n"))
    }

    @Test func `rows say what their addresses are`() throws {
        let frames = try Self.full.report().threads[1].frames
        #expect(
            frames.map(\.kind) == [
                .programCounter, .programCounter, .returnAddress, .returnAddress, .asyncResumePoint,
                // 90 − 4 − 1
                .omitted(count: 85), .returnAddress, .truncated,
            ])
        #expect(frames.map(\.isInlined) == [true, false, false, false, false, false, false, false])
        #expect(frames.compactMap(\.address).count == 6)
    }

    @Test func `names, offsets, images and places`() throws {
        let frames = try Self.full.report().threads[1].frames
        #expect(
            frames[0].printed == PrintedSymbol(name: "a(_:)", location: SourceLocation(file: "/src/in at/inl.swift", line: 1, column: 70)))
        #expect(
            frames[1].printed
                == PrintedSymbol(
                    name: "closure #1 in c(_:)", offset: 5, location: SourceLocation(file: "/src/in at/inl.swift", line: 3, column: 35)))
        #expect(frames[2].printed == nil)
        #expect(
            frames[3].printed == PrintedSymbol(name: "main", offset: 8, location: SourceLocation(file: "//<compiler-generated>", line: 0)))
        #expect(frames[4].printed == PrintedSymbol(name: "Office.main()", location: SourceLocation(file: "/src/o.swift", line: 44)))
        #expect(frames[2].imageName == "crash D")
    }

    @Test func `images have an end, an identity or none, and names with blanks`() throws {
        let report = try Self.full.report()
        #expect(report.images.map(\.name) == ["crash D", "libswiftCore.so"])
        #expect(report.images.map(\.path) == ["/src/crash D", "/usr/lib/swift/linux/libswiftCore.so"])
        #expect(report.images[0].size == 0x15f0 && report.images[0].id?.hexadecimal == "875d20a8c9d782a7cca2269b172e5f266e582685")
        #expect(report.images[1].id == nil)
        #expect(report.threads[1].frames.map(\.image) == [1, 1, 0, 0, 0, nil, 0, nil])
    }

    @Test func `friendly reports show no attributes, and no address where the source is known`() throws {
        let report = try SampleLog(
            """
            💣 \u{1B}[91mProgram crashed: Signal 4: Backtracing from 0x7f7fe416df7f...\u{1B}[0m\r\u{1B}[0K💣 \u{1B}[91mProgram crashed: Illegal instruction at 0x00007f7fe416df7f\u{1B}[39m

            Thread 0 "crashD" crashed:

              \u{1B}[90m0\u{1B}[39m \u{1B}[32m0x00007f7fe416df7f\u{1B}[39m \u{1B}[96mx()\u{1B}[39m\u{1B}[37m + 623\u{1B}[39m in \u{1B}[36mlib.so\u{1B}[39m
              1 0x00007f7fe416dfff <unknown> in lib.so
              2 Foo.bar(_:) + 178 in crashD at /src/crash.swift:2:69

                  1| struct Foo { var x: Int
              *   2|   0 0x1234 return a[i+x] } }
                   |   ^
              \u{1B}[48;5;234m\u{1B}[97m\u{1B}[90m   2\u{1B}[97m│ let a\u{1B}[39m\u{1B}[49m

              3 main + 8 in crashD at /src/crash.swift:5:1
            ...

            Backtrace took 0.01s

            """
        ).report()
        #expect(report.cause?.type == "Illegal instruction")
        let frames = report.threads[0].frames
        #expect(frames.map(\.address?.value) == [0x7f7f_e416_df7f, 0x7f7f_e416_dfff, nil, nil, nil])
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress, .returnAddress, .truncated])
        #expect(frames[0].printed == PrintedSymbol(name: "x()", offset: 623))
        #expect(frames[2].printed?.location?.line == 2)
    }

    @Test(arguments: [
        "*** Swift runtime failure: precondition failure ***",
        "\r\u{1B}[0K💣 \u{1B}[91mSwift runtime failure: precondition failure\u{1B}[39m",
    ])
    func `a check that failed is told in words of its own`(line: String) throws {
        let report = try SampleLog(
            Self.off.text.replacing("*** Program crashed: Illegal instruction at 0x00007f6f7d96df7f ***", with: line)
        ).report()
        #expect(report.cause?.kind == .runtimeError && report.cause?.type == "Swift runtime failure")
        #expect(report.cause?.message == "precondition failure" && report.architecture == .x86_64)
    }

    @Test func `with registers of all threads, each thread's stand above its frames`() throws {
        let log = Self.full.text
            .replacing(
                "Thread 0 \"crashD\":\n\n",
                with: "Thread 0 \"crashD\":\n\nrax 0x0000000000000001  1\n\nrflags 0x0000000000000246  ZF PF\n\n"
            )
            .replacing("crashed:\n\n", with: "crashed:\n\n  no context for thread 1\n\n")
        let report = try SampleLog(log).report()
        #expect(report.threads[0].registers?.values.map(\.value) == [1, 0x246])
        #expect(report.threads.map(\.frames.count) == [2, 8])
    }

    @Test func `images of a program's own backtrace, without a path or below the user's folder`() throws {
        let images = try SampleLog(
            Self.off.text.replacing("Images:", with: "Images (only mentioned):")
                .replacing(
                    "crashD /src/crashD",
                    with: "crashD ~/src/crash D\n0x00007ffc0fffe000–0x00007ffc10000000 <no build ID> [vdso]  <unknown>")
        ).report().images
        #expect(images.map(\.name) == ["crashD", "[vdso]"] && images.map(\.path) == ["~/src/crash D", nil])
    }

    /// On macOS, `start + 7184` at 0x19d1b9d54 counts to the raw address: 0x19d1b9d54 - 7184 is a
    /// multiple of 4, as arm64's functions begin.
    @Test func `Apple's systems count offsets to the raw address`() {
        let log = SampleLog(Self.off.text.replacing("x86_64 Linux (Debian GNU/Linux 12 (bookworm))", with: "arm64 macOS 26.1 (25B64)"))
        let symbolicated = log.symbolicated { $0.index == 1 ? .function("f()", offset: 179, "/a.swift", 1) : nil }
        #expect(symbolicated.text.contains("1 [ra] 0x000055fbf93bd233 f() + 179 in App at /a.swift:1"))
    }

    @Test(arguments: [
        ("$s4Quay4hook4load7contexts5Int32VAG_SvSgtFTo", "thunk"), ("$s3App3runyyYaFTATQ0_", "thunk"), ("$s3App3runyyYaFTY1_", nil),
        ("_$s3App1SVACycfC", "thunk"), ("$s3App1SV5$mainyyFZ", "system"), ("async_MainTQ0_", "system"), ("mainTo", nil),
    ])
    func `thunks and what starts main are told by their mangled names`(name: String, attribute: String?) {
        let symbolicated = Self.off.symbolicated { frame in
            guard frame.index == 1 else { return nil }
            let location = BinaryPrimitives.SourceLocation(file: "/a.swift", line: 1)
            let function = FrameResult.Function(name: "f()", mangledName: name, offset: 1, isInlined: false, location: location)
            return FrameResult(functions: [function], imageName: "App")
        }
        #expect(symbolicated.text.contains("1 [ra]\(attribute.map { " [\($0)]" } ?? "") 0x000055fbf93bd233 f() in App at /a.swift:1"))
    }

    @Test func `the next crash is another report`() {
        #expect(SampleLog(Self.off.text + Self.off.text).parsed().reports.count == 2)
    }

    // MARK: Results

    @Test func `a row without symbols gets name, offset, image and place`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            switch frame.index {
            case 0: .function("trap()", offset: 2, "/src/a.swift", 3, column: 5, image: "libswiftCore.so")
            // The backtracer counts to the address that it looks up: 0x1233 − 0x1180 − 1 = 178.
            case 1: .function("Foo.bar(_:)", offset: 179, "/src/crash.swift", 2, column: 69, image: "crashD")
            default: nil
            }
        }
        let symbolicated = Self.off.symbolicated(result)
        let expected = Self.off.text.replacing(
            "0x00007f6f7d96df7f\n1", with: "0x00007f6f7d96df7f trap() + 2 in libswiftCore.so at /src/a.swift:3:5\n1"
        )
        .replacing("0x000055fbf93bd233\n", with: "0x000055fbf93bd233 Foo.bar(_:) + 178 in crashD at /src/crash.swift:2:69\n")
        #expect(symbolicated.text == expected)
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
        #expect(try symbolicated.report().threads[0].frames.map(\.kind) == [.programCounter, .returnAddress, .truncated])
    }

    @Test func `inlined calls are rows with the attribute and without an offset`() throws {
        func result(_ frame: Frame) -> FrameResult? {
            frame.index == 1 ? .function("outer()", offset: 1, "/s/a.swift", 9).inlining("inner()", "/s/b.swift", 7, column: 2) : nil
        }
        let symbolicated = Self.off.symbolicated(result)
        let rows =
            "1 [ra] [inlined] 0x000055fbf93bd233 inner() in App at /s/b.swift:7:2\n1 [ra] 0x000055fbf93bd233 outer() in App at /s/a.swift:9\n"
        #expect(symbolicated.text == Self.off.text.replacing("1 [ra] 0x000055fbf93bd233\n", with: rows))
        #expect(try symbolicated.report().threads[0].frames.map(\.isInlined) == [false, true, false, false])
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
    }

    @Test func `code that the compiler generated is marked as the system's`() {
        let symbolicated = Self.off.symbolicated {
            $0.index == 1 ? .function("f()", offset: 1, "//<compiler-generated>").inlining("g()", "/a.swift", 0) : nil
        }
        let rows =
            "1 [ra] [inlined] [system] 0x000055fbf93bd233 g() in App at /a.swift\n1 [ra] [system] 0x000055fbf93bd233 f() in App at //<compiler-generated>\n"
        #expect(symbolicated.text == Self.off.text.replacing("1 [ra] 0x000055fbf93bd233\n", with: rows))
    }

    @Test func `an unknown symbol is replaced, a known place is not`() {
        let symbolicated = Self.full.symbolicated { frame in
            frame.address == nil ? nil : .function("new()", offset: 10, "/n.swift", 1, image: "other")
        }
        var expected = Self.full.text.replacing("<unknown> in crash D", with: "new() + 9 in crash D at /n.swift:1")
        expected = expected.replacing("start in crash D", with: "new() + 9 in crash D at /n.swift:1")
        expected = expected.replacing("sigsuspend + 65 in libc.so.6", with: "new() + 10 in libc.so.6 at /n.swift:1")
        #expect(symbolicated.text == expected)
    }

    @Test func `a coloured row is answered in colour`() {
        let row = "\u{1B}[90m1\u{1B}[39m \u{1B}[34m[ra]\u{1B}[39m \u{1B}[32m0x000055fbf93bd233\u{1B}[39m"
        let log = SampleLog(Self.off.text.replacing("1 [ra] 0x000055fbf93bd233", with: row))
        let symbolicated = log.symbolicated {
            $0.index == 1 ? .function("f()", offset: 5, "/a.swift", 1).inlining("g()", "/b.swift", 2) : nil
        }
        let address = "\u{1B}[32m0x000055fbf93bd233\u{1B}[39m"
        let inlined =
            "\u{1B}[90m1\u{1B}[39m \u{1B}[34m[ra]\u{1B}[39m \u{1B}[34m[inlined]\u{1B}[39m \(address) \u{1B}[96mg()\u{1B}[39m in \u{1B}[36mApp\u{1B}[39m at \u{1B}[33m/b.swift:2\u{1B}[39m"
        let outer =
            "\u{1B}[90m1\u{1B}[39m \u{1B}[34m[ra]\u{1B}[39m \(address) \u{1B}[96mf()\u{1B}[39m\u{1B}[37m + 4\u{1B}[39m in \u{1B}[36mApp\u{1B}[39m at \u{1B}[33m/a.swift:1\u{1B}[39m"
        #expect(symbolicated.text == log.text.replacing(row, with: inlined + "\n" + outer))
    }
}
