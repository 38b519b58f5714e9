import BinaryPrimitives
import CrashReports
import TestSupport
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel

/// Bases that a log gives indirectly. Every expected base is a difference of two numbers of the
/// log, shown beside it.
struct RecoveredBasesTests {
    private func base(_ name: String, in report: CrashReport) -> UInt64? { report.images.first { $0.name == name }?.base?.value }

    private func frame(_ address: UInt64, in report: CrashReport) -> Frame? { report.allFrames.first { $0.address?.value == address } }

    // MARK: Mach headers

    /// 0x10a99bb43 − 47939 = 0x10a99bb43 − 0xbb43 = 0x10a990000; 0x10a9a0010 − 65552 = 0x10a9a0010
    /// − 0x10010 = 0x10a990000. The third row names the image and a function.
    @Test(arguments: ["_mh_execute_header", "__mh_execute_header", "<_mh_execute_header>"])
    func `rows that count from a Mach header tell the base`(symbol: String) throws {
        let report = try SampleLog(
            """
            *** First throw call stack:
            (
            	0   CoreFoundation                      0x00007fff2040b6af __exceptionPreprocess + 242
            	1   App                                 0x000000010a99bb43 \(symbol) + 47939
            	2   App                                 0x000000010a9a0010 \(symbol) + 65552
            	3   App                                 0x000000010a9a2000 main + 16
            )
            """
        ).report()
        #expect(base("App", in: report) == 0x10a99_0000)
        let app = report.images.firstIndex { $0.name == "App" }
        #expect(report.allFrames.map(\.image) == [nil, app, app, app])
        #expect(report.allFrames.map(\.imageOffset?.value) == [nil, 47939, 65552, nil])
        // Apple's own rows with a header's bare name are the format's to read.
        if symbol.hasPrefix("<") { #expect(report.notes == ["App was loaded at 0x10a990000: the log counts from its Mach header."]) }
    }

    /// No image begins in the middle of a page: 0x10a99b743 − 47938 = 0x10a990001.
    @Test func `an offset from a header that ends in no page's boundary is none`() throws {
        let report = try SampleLog(
            "*** First throw call stack:\n(\n\t0   App   0x000000010a99bb43 _mh_execute_header + 47938\n\t1   App   0x0000000000000010 _mh_execute_header + 65552\n)\n"
        ).report()
        #expect(report.images.isEmpty && report.notes.isEmpty)
    }

    // MARK: Rows

    /// 0x555555555390 − 0x1390 = 0x555555554000; 0x7ffff7fbc12b − 0x112b = 0x7ffff7fbb000. `f-0x8`
    /// gives no offset of its own: 0x7ffff7fbc171 − 0x7ffff7fbb000 = 0x1171.
    @Test func `rows with an offset tell the base for those without`() throws {
        let report = try SampleLog(
            "./ferry(+0x1390)[0x555555555390]\n/srv/libharbour.so.1(+0x112b)[0x7ffff7fbc12b]\n/srv/libharbour.so.1(f-0x8)[0x7ffff7fbc171]\n"
        ).report()
        #expect(base("ferry", in: report) == 0x5555_5555_4000)
        #expect(base("libharbour.so.1", in: report) == 0x7fff_f7fb_b000)
        #expect(report.allFrames.map(\.imageLocation) == [0x1390, 0x112b, 0x1171].map { .linkAddress(LinkAddress($0)) })
        #expect(report.notes.count == 1 && report.notes[0].contains("ferry at 0x555555554000, libharbour.so.1 at 0x7ffff7fbb000"))
    }

    @Test func `rows that contradict each other tell no base`() throws {
        let report = try SampleLog("./a(+0x10)[0x1010]\n./a(+0x10)[0x2010]\n./a(f-0x1)[0x2020]\n").report()
        #expect(base("a", in: report) == nil)
        #expect(report.allFrames.map(\.imageLocation) == [.linkAddress(LinkAddress(0x10)), .linkAddress(LinkAddress(0x10)), nil])
        #expect(report.notes == ["The rows of a contradict each other about where it was loaded: 0x1000, 0x2000."])
    }

    /// A program that was linked at its address: its bias is 0, and its base is not known.
    @Test func `no base follows from a bias of nothing, from half a page, or from an offset beyond the address`() throws {
        for row in ["./a(+0x4013b1)[0x4013b1]", "./a(+0x11)[0x1010]", "./a(+0xffffffffffffffff)[0x10]", "./a(+0x1011)[0x1010]"] {
            #expect(try SampleLog("\(row)\n\(row)\n").report().images.allSatisfy { $0.base == nil }, "\(row)")
        }
    }

    /// Chromium looks up the byte before: 0x59903e819bb2 − (0xa6a3bb1 + 1) = 0x599034176000.
    @Test func `the place of the byte before tells the same base`() throws {
        let report = try SampleLog(
            "Received signal 11 SEGV_MAPERR 000000000010\n#0 0x59903e819bb2 (/opt/example/example+0xa6a3bb1)\n#1 0x59903852280c <unknown>\n[end of stack trace]\n"
        ).report()
        #expect(base("example", in: report) == 0x5990_3417_6000)
        // Nothing shows which file the other row is in.
        #expect(frame(0x5990_3852_280c, in: report)?.image == nil)
    }

    /// On Apple's systems a sanitizer's offset of a program is the address as linked, from 4 GiB
    /// on: 0x10bd2af4f − 0x100000f4f = 0xbd2a000 is the slide and not the base.
    @Test func `a slide is no base`() throws {
        let report = try SampleLog(
            "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x6020000000f0 at pc 0x00010bd2af50 bp 0x7fff sp 0x7fff\n    #0 0x10bd2af4f in main (a.out:x86_64+0x100000f4f)\n\nSUMMARY: AddressSanitizer: heap-use-after-free (a.out:x86_64+0x100000f4f) in main\n"
        ).report()
        #expect(report.images.count == 1 && report.images[0].base == nil)
    }

    /// Swift's runtime: 0x5650a1b01233 − 4659 = 0x5650a1b00000. The named row's address is the
    /// function's start, so its frame is at 0x5650a1b01300 + 16.
    @Test func `a named row of the runtime lies in the image of the rows without names`() throws {
        let rows = "0    tank      0x00005650a1b01300 fill + 16\n1    tank      0x00005650a1b01233 <unavailable> + 4659\n"
        let report = try SampleLog("Fatal error\nCurrent stack trace:\n" + rows).report()
        #expect(base("tank", in: report) == 0x5650_a1b0_0000)
        #expect(report.allFrames.map(\.image) == [0, 0])
        // A second image of that name, elsewhere: then the named row's is not known.
        let two = try SampleLog("Fatal error\nCurrent stack trace:\n" + rows + "2    tank      0x00005650a1c01233 <unavailable> + 4659\n")
            .report()
        #expect(two.allFrames.map(\.image) == [nil, 0, 1])
    }

    // MARK: Memory maps

    private static let map = """
        555555554000-555555555000 r--p 00000000 fe:00 12 /srv/tide
        555555555000-555555556000 r-xp 00001000 fe:00 12 /srv/tide
        555555556000-555555557000 rw-p 00002000 fe:00 12 /srv/tide
        7ffff7dd4000-7ffff7dfa000 r--p 00000000 fe:00 13 /lib/libc.so.6
        7ffff7dfa000-7ffff7f50000 r-xp 00026000 fe:00 13 /lib/libc.so.6

        """
    private static let stack = "0x5555555555a6\n0x7ffff7dfb24a\n"

    private func check(_ text: String, format: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws {
        let report = try SampleLog(text).report()
        #expect(report.format == format, sourceLocation: sourceLocation)
        #expect(base("tide", in: report) == 0x5555_5555_4000, sourceLocation: sourceLocation)
        #expect(base("libc.so.6", in: report) == 0x7fff_f7dd_4000, sourceLocation: sourceLocation)
        #expect(report.allFrames.map { $0.image.map { report.images[$0].name } } == ["tide", "libc.so.6"], sourceLocation: sourceLocation)
        #expect(
            report.notes == [
                "Load addresses are from the memory map in the log: tide at 0x555555554000, libc.so.6 at 0x7ffff7dd4000."
            ],
            sourceLocation: sourceLocation)
    }

    @Test func `a map before, in and behind a trace`() throws {
        try check(Self.map + Self.stack, format: "address-list")
        try check(Self.stack + Self.map, format: "address-list")
        try check(Self.stack + "\n/proc/self/maps:\n\n" + Self.map, format: "address-list")
        let rows = "[0x5555555555a6]\n[0x7ffff7dfb24a]\n"
        try check("some words\n" + Self.map + "other words\n" + rows, format: "glibc-backtrace")
        try check(rows + "* Process memory map:\n\n" + Self.map + "[NOTE]\n", format: "glibc-backtrace")
        try check("#0  0x00005555555555a6 in ?? ()\n#1  0x00007ffff7dfb24a in ?? ()\n" + Self.map, format: "gdb-bt")
    }

    @Test func `a prefix on every line is no hindrance`() throws {
        let lines = (Self.map + "[0x5555555555a6]\n[0x7ffff7dfb24a]\n").split(separator: "\n")
        try check(lines.map { "web_1  | \($0)\n" }.joined(), format: "glibc-backtrace")
        // Another container's map.
        let others = lines.map { ($0.contains("[") ? "db_1   | " : "web_1  | ") + $0 + "\n" }.joined()
        #expect(try SampleLog(others).report().images.isEmpty)
    }

    /// The trace ends with its map, and the lines after it are read as usual.
    @Test func `behind a map another trace may begin`() throws {
        let log = SampleLog("[0x5555555555a6]\n[0x7ffff7dfb24a]\nMemory map:\n" + Self.map + "[0x5555555555b6]\n[0x7ffff7dfb25a]\n")
            .parsed()
        #expect(log.reports.count == 2)
        // The same process wrote both.
        #expect(log.reports.map(\.images.count) == [2, 0])
        let heading = SampleLog("[0x5555555555a6]\n[0x7ffff7dfb24a]\nMemory map:\nnot there\n[0x5555555555b6]\n[0x7ffff7dfb25a]\n").parsed()
        #expect(heading.reports.map(\.allFrames.count) == [2, 2])
    }

    @Test func `a map that a stack contradicts is another process's`() throws {
        // A return address in data.
        let data = try SampleLog("[0x5555555565a6]\n[0x7ffff7dfb24a]\n" + Self.map).report()
        #expect(data.images.isEmpty && data.allFrames.allSatisfy { $0.image == nil })
        #expect(
            data.notes == ["A memory map in the log is not used, because it is another process's: 0x5555555565a6 is not in code there."])
        // By its row tide is at 0x5555555555a6 − 0x5a6 = 0x555555555000, by the map at
        // 0x555555554000.
        let row = try SampleLog("./tide(+0x5a6)[0x5555555555a6]\n[0x7ffff7dfb24a]\n" + Self.map).report()
        #expect(row.notes.last?.contains("by its rows tide has another address") == true)
        #expect(row.allFrames[1].image == nil)
        // None of its addresses is in it.
        #expect(try SampleLog("[0x10000]\n[0x20000]\n" + Self.map).report().notes.isEmpty)
    }

    /// A log with the mappings of code alone: LLVM's linker may have mapped a file's first page
    /// twice, so not even the mapping of file offset 0 gives the base. 0x5555555555a6 −
    /// 0x555555555000 + 0 = 0x5a6; 0x7ffff7dfb24a − 0x7ffff7dfa000 + 0x26000 = 0x2724a.
    @Test func `mappings of code alone tell file offsets`() throws {
        let report = try SampleLog(
            Self.stack
                + "555555555000-555555556000 r-xp 00000000 fe:00 12 /srv/tide\n7ffff7dfa000-7ffff7f50000 r-xp 00026000 fe:00 13 /lib/libc.so.6\n"
        ).report()
        #expect(report.images.map(\.name) == ["tide", "libc.so.6"] && report.images.allSatisfy { $0.base == nil })
        #expect(report.allFrames.map(\.imageLocation) == [.fileOffset(0x5a6), .fileOffset(0x2724a)])
    }

    @Test func `hostile maps`() throws {
        let rows = "[0x5555555555a6]\n[0x7ffff7dfb24a]\n"
        let hostile = [
            // Overlapping, descending: another map begins.
            "555555554000-555555559000 r-xp 00000000 0:0 1 /a\n555555555000-555555556000 r-xp 00000000 0:0 1 /b\n",
            "555555555000-555555556000 r-xp 00000000 0:0 1 /a\n555555554000-555555556000 r-xp 00000000 0:0 1 /b\n",
            // A file offset beyond the address; the whole address space; no space at all.
            "555555555000-555555556000 r--p ffffffffffffffff 0:0 1 /a\n0-ffffffffffffffff r-xp ffffffffffffffff 0:0 1 /a\n",
            "0-ffffffffffffffff r--p 00000000 0:0 1 /a\n", "0-0 r--p 00000000 0:0 1 /a\n",
            "ffffffffffffffff-1 r-xp 0 0:0 0 /\n", "fffffffffffff000-ffffffffffffffff r-xp ffffffffffffffff 0:0 0 /x\n",
        ]
        for map in hostile {
            for text in [rows + map, map + rows, rows + "maps:\n" + map + map] {
                let report = try #require(SampleLog(text).parsed().reports.first, "\(text)")
                for frame in report.allFrames where frame.image != nil {
                    #expect(report.images.indices.contains(frame.image ?? -1), "\(text)")
                }
            }
        }
        // If two rows overlap, the later map counts.
        let report = try SampleLog(rows + hostile[0]).report()
        #expect(report.images.map(\.name) == ["b"])
    }

    // MARK: Real logs

    /// The map that the program copied itself, beside the base that its rows give:
    /// `./tide(+0x1bb3)[0x55d11aaa8bb3]`.
    @Test(arguments: ["glibc-backtrace/tide/before.txt", "glibc-backtrace/tide/behind.txt"])
    func `rows and map of a real process agree`(log: String) throws {
        let sample = SampleLog(fixture: log)
        let report = try sample.report()
        let row = try #require(sample.text.split(separator: "\n").first { $0.contains(" r--p 00000000 ") && $0.hasSuffix("/tide") })
        let start = try #require(UInt64(row.prefix { $0 != "-" }, radix: 16))
        #expect(base("tide", in: report) == start)
        #expect(report.notes.allSatisfy { !$0.contains("not used") })
    }

    /// In the corpus: a log of glibc's where rows have `(+0xOFF)[0xADDR]`, and their differences
    /// are the starts of mappings.
    @Test(.enabled(if: TestPaths.corpus != nil, "the corpus is not there (CAIRN_CORPUS)"))
    func `bases in the corpus are what its rows say`() throws {
        let corpus = try #require(TestPaths.corpus)
        var compared = 0
        for name in try run("find", [corpus + "/logs/glibc-backtrace", "-type", "f"]).lines {
            let sample = SampleLog(bytes: try readFile(name))
            for report in sample.parsed().reports {
                for frame in report.allFrames {
                    guard let image = frame.image, let base = report.images[image].base, let address = frame.address else { continue }
                    let text = sample.text(of: frame)
                    guard let match = text.firstMatch(of: #/\(\+0x([0-9a-f]+)\)/#), let offset = UInt64(match.output.1, radix: 16) else {
                        continue
                    }
                    #expect(address.value - offset == base.value, "\(name): \(text)")
                    compared += 1
                }
            }
        }
        #expect(compared > 0)
    }
}
