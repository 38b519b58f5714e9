import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

struct GDBBacktraceTests {
    @Test(arguments: [
        ("#0  0x00007f0853178241 in nanosleep () from /lib/libc.so.6", "nanosleep", "libc.so.6", nil),
        ("#6  0x00007f0842c975cc in ?? () from /usr/lib/kde4/kopete_statistics.so", nil, "kopete_statistics.so", nil),
        ("#1  0x0000555555555159 in ?? ()", nil, nil, nil),
        (
            "#10 0x00007f08 in QApplicationPrivate::notify_helper (this=0x69a640, receiver=0xc220a0) at kernel/qapplication.cpp:3772",
            "QApplicationPrivate::notify_helper", nil, "kernel/qapplication.cpp:3772"
        ),
        ("#12 0xb443c32b in SqlWorkerThread::run() () from /usr/lib/a b.so", "SqlWorkerThread::run()", "a b.so", nil),
        (
            "#0  0x01 in (anonymous namespace)::f(std::function<void (int)> const&) ()",
            "(anonymous namespace)::f(std::function<void (int)> const&)", nil, nil
        ),
        (
            "#0  0x01 in std::function<void (int)>::operator()(int) const (this=0x1) at a.h:5",
            "std::function<void (int)>::operator()(int) const", nil, "a.h:5"
        ),
        (
            #"#7  0x4073bd in Test (data=<optimized out>, data@entry=0x6ec0a0 "PK(\003) at x.c:1", size@entry=1707) at /h/load.cc:13"#,
            "Test", nil, "/h/load.cc:13"
        ),
        (
            "#2  0x0000000000c400c8 in xmodem (flags={i = 1}, v=std::vector of length 1, capacity 1 = {...}) at usb/x.c:362", "xmodem", nil,
            "usb/x.c:362"
        ),
    ])
    func `rows`(row: String, name: String?, image: String?, location: String?) throws {
        let frame = try #require(
            try SampleLog("Program terminated with signal SIGSEGV, Segmentation fault.\n" + row + "\n").report().threads[0].frames.first)
        #expect(frame.printed?.name == name)
        #expect(frame.imageName == image)
        #expect(frame.printed?.location.map { "\($0.file):\($0.line)" } == location)
    }

    /// From KDE's tests for its crash handler, as gdb breaks lines at 80 columns.
    @Test func `broken rows are put together`() throws {
        let log = SampleLog(
            """
            #10 0x00007f08544cae5d in QApplicationPrivate::notify_helper (this=0x69a640, 
                receiver=0xc220a0, e=0x2ad1350) at kernel/qapplication.cpp:3772
            #18 0x00007f8c37e871bd in QApplicationPrivate::notify_helper(QObject*, QEvent*)
                () from /usr/lib64/libQtGui.so.4
            #27 0x00007f8c3a8de4ef in
                QEventDispatcherGlib::processEvents(QFlags<QEventLoop::ProcessEventsFlag>) ()
                from /usr/lib64/libQtCore.so.4
            #29 0x00007f8c3a8b49a2 in
                QEventLoop::processEvents(QFlags<QEventLoop::ProcessEventsFlag>) () from
                /usr/lib64/libQtCore.so.4
            #30 0x00007f08 in QEventLoop::exec (this=0x7fff5f54d060, flags=
                  {i = 1599393904}) at kernel/qeventloop.cpp:200

            """)
        let frames = try SampleLog("Thread 1 (Thread 0x7fddaac76740 (LWP 12545)):\n" + log.text).report().threads[0].frames
        #expect(
            frames.map(\.printed?.name) == [
                "QApplicationPrivate::notify_helper", "QApplicationPrivate::notify_helper(QObject*, QEvent*)",
                "QEventDispatcherGlib::processEvents(QFlags<QEventLoop::ProcessEventsFlag>)",
                "QEventLoop::processEvents(QFlags<QEventLoop::ProcessEventsFlag>)", "QEventLoop::exec",
            ])
        #expect(frames.map(\.imageName) == [nil, "libQtGui.so.4", "libQtCore.so.4", "libQtCore.so.4", nil])
        #expect(frames.map(\.printed?.location?.line) == [3772, nil, nil, nil, 200])
        #expect(frames.map(\.index) == [10, 18, 27, 29, 30])
    }

    /// `crash` of this program's fixtures: gdb prints the same with the debug files
    /// (expected-gdb.txt beside the log).
    @Test func `rows without an address are what the row above was inlined into`() throws {
        let text = String(decoding: TestPaths.bytes(of: TestPaths.fixture("logs/gdb-bt/ferry-catch/expected-gdb.txt")), as: UTF8.self)
        let report = try SampleLog(text).report()
        let frames = report.threads[0].frames
        #expect(frames.map(\.printed?.name).suffix(7) == ["fault", "count_crate", "weigh", "unload", "harbour_berth", "sail", "main"])
        #expect(frames.map(\.isInlined).suffix(7) == [true, false, true, false, false, false, false])
        // A frame that a signal interrupted has the exact address: `fault`, whose address gdb does
        // not show, because it is a line's first.
        #expect(
            frames.map(\.kind) == [
                .programCounter, .returnAddress, .returnAddress, .returnAddress, .exact, .programCounter, .programCounter,
            ] + [Frame.Kind](repeating: .returnAddress, count: 5))
        #expect(
            frames.map(\.hex).suffix(7) == [
                "none", "none", "0x7ffff7fbc12b", "0x7ffff7fbc12b", "0x7ffff7fbc171", "0x55555555546a", "0x5555555551d9",
            ])
        #expect(report.additionalBacktraces.map(\.name) == ["selected frame"])
    }

    @Test func `threads, the signal and the program`() throws {
        let text = String(decoding: TestPaths.bytes(of: TestPaths.fixture("logs/gdb-bt/ferry-crash/stripped.txt")), as: UTF8.self)
        let report = try SampleLog(text).report()
        #expect(report.threads.map(\.index) == [2, 1])
        #expect(report.threads.map(\.crashed) == [false, true])
        #expect(report.threads.map(\.frames.count) == [4, 8])
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.type == "Segmentation fault")
        #expect(report.process.name == "ferry-pie")
        // `info sharedlibrary` gives where .text was loaded.
        #expect(report.images.map(\.name) == ["libharbour.so.1", "libc.so.6", "ld-linux-x86-64.so.2", "ferry-pie"])
        #expect(report.images[0].textAddress == RuntimeAddress(0x7fff_f7fb_c040) && report.images[0].base == nil)
        #expect(report.threads[1].frames[1].image == 0)
        // gdb gives no address of the program itself there: its address is as linked, or it stays
        // unresolved.
        #expect(report.threads[1].frames[0].imageLocation == .linkAddress(LinkAddress(0x5555_5555_5540)))
    }

    @Test func `mappings give the bases`() throws {
        let text = String(decoding: TestPaths.bytes(of: TestPaths.fixture("logs/gdb-bt/ferry-catch/stripped.txt")), as: UTF8.self)
        let report = try SampleLog(text).report()
        #expect(report.images.map(\.name) == ["ferry-pie", "libc.so.6", "libharbour.so.1", "ld-linux-x86-64.so.2"])
        // glibc's load address differs between runs.
        #expect([0, 2].map { report.images[$0].base?.description } == ["0x555555554000", "0x7ffff7fbb000"])
        // 0x555555555540 is what `catch` was interrupted at.
        #expect(
            report.threads[0].frames.first { $0.hex == "0x555555555540" }.map { [$0.image == 0, $0.kind == .programCounter] } == [
                true, true,
            ])
    }

    /// `info proc mappings` of a live process has the permissions, too (gdb 12 and later).
    @Test func `mappings with permissions`() throws {
        let report = try SampleLog(
            "#0  0x0000000000401136 in ?? ()\n#1  0x0000000000401140 in ?? ()\nprocess 5\nMapped address spaces:\n\n          Start Addr           End Addr       Size     Offset  Perms  objfile\n            0x400000           0x401000     0x1000        0x0  r--p   /tmp/a b\n            0x401000           0x402000     0x1000     0x1000  r-xp   /tmp/a b\n      0x7ffff7ffd000     0x7ffff7fff000     0x2000        0x0  rw-p   \n"
        ).report()
        #expect(report.images.map(\.path) == ["/tmp/a b"])
        #expect(report.images.map { $0.base?.description } == ["0x400000"])
        #expect(report.threads[0].frames.map(\.image) == [0, 0])
    }

    @Test func `gdb's answer to bt takes the place of what cannot be known`() throws {
        let log = SampleLog(
            "#1  0x00007ffff7fbc12b in ?? () from /srv/lib.so\n#2  0x00007ffff7fbc171 in berth () from\n    /srv/lib.so\n#10 0x0000000000000010 in ?? ()\n"
        )
        let begun = SampleLog("Core was generated by `./a'.\n" + log.text)
        let symbolicated = begun.symbolicated { frame in
            switch frame.index {
            case 1: .function("unload", offset: 1, "harbour.c", 16).inlining("weigh", "harbour.c", 9)
            case 2: .function("berth", offset: 1, "harbour.c", 22)
            default: .function("_start", offset: 1)
            }
        }
        #expect(
            symbolicated.text
                == "Core was generated by `./a'.\n#1  0x00007ffff7fbc12b in weigh () at harbour.c:9\n#1  unload () at harbour.c:16\n#2  0x00007ffff7fbc171 in berth () at harbour.c:22\n#10 0x0000000000000010 in _start ()\n"
        )
    }

    @Test func `local variables called at and from are no places`() throws {
        let frames = try SampleLog("#0  0x10 in f (a=1)\n        from = 3\n        at = 4\n#1  0x20 in g ()\nNo locals.\n").report()
            .threads[0].frames
        #expect(frames.map(\.printed?.name) == ["f", "g"])
        #expect(frames.allSatisfy { $0.imageName == nil && $0.printed?.location == nil })
    }
}

/// gdb's stacks beside what other parsers make of them.
@Suite(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
struct GDBUpstreamTests {
    private static let folder = TestPaths.corpus ?? ""

    private func report(_ name: String) throws -> CrashReport {
        try SampleLog(bytes: TestPaths.bytes(of: Self.folder + "/logs/gdb-bt/" + name)).report()
    }

    /// casr's crash line is the first source location that is not a library's.
    @Test(arguments: ["1ed8c245b8567", "501ab73a4d212", "5a765268270cb", "aae17a1ced499", "ee1e6157fd97d"])
    func `the first place is casr's crash line`(name: String) throws {
        let bytes = TestPaths.bytes(of: Self.folder + "/expected/upstream/casr-gdb-\(name).casrep")
        let text = String(decoding: bytes, as: UTF8.self)
        let mark = try #require(text.firstRange(of: "\"CrashLine\": \""))
        let line = String(text[mark.upperBound...].prefix { $0 != "\"" })
        let frames = try report("casr-\(name).txt").threads[0].frames
        #expect(text.occurrences(of: "\"#") == frames.count)
        let locations = frames.compactMap(\.printed?.location).map { "\($0.file):\($0.line)" }
        #expect(locations.contains { line.hasPrefix($0) }, "\(line): \(locations)")
    }

    /// clusterfuzz's state: the first three significant functions; it skips memcpy.
    @Test func `functions are clusterfuzz's`() throws {
        let rows = String(decoding: TestPaths.bytes(of: Self.folder + "/expected/upstream/clusterfuzz-expected.tsv"), as: UTF8.self).split(
            separator: "\n")
        let row = try #require(rows.first { $0.hasPrefix("logs/gdb-bt/clusterfuzz-gdb_sigtrap.txt\t") }).split(
            separator: "\t", omittingEmptySubsequences: false)
        let report = try report("clusterfuzz-gdb_sigtrap.txt")
        let names = report.threads[0].frames.compactMap(\.printed?.name)
        let state = row[3].split(separator: "\\n").flatMap { $0.split(separator: "\n") }.map(String.init)
        #expect(Array(names.drop { $0.hasSuffix("memcpy") }.prefix(3)) == state)
        #expect(report.cause?.signal == String(row[1]))
        #expect(UInt64(row[2].dropFirst(2), radix: 16) == report.threads[0].frames[0].address?.value)
    }
}
