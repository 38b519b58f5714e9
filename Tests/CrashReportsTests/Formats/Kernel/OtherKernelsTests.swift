import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct BSDPanicTests {
    private func corpus(_ name: String) -> SampleLog { SampleLog(corpus: "bsd-panic/" + name) }

    private func symbolOrAddress(_ frame: Frame) -> String {
        guard case .symbol(let symbol)? = frame.imageLocation else { return "-" }
        return "\(frame.imageName ?? "") \(symbol.name)+\(symbol.offset)"
    }

    @Test(arguments: [
        ("#3 0xffffffff80edf832 at trap_fatal+0x322", "kernel trap_fatal+802"),
        ("vpanic() at vpanic+0x1e0/frame 0xfffffe004b9db6b0", "kernel vpanic+480"),
        ("pmap_destroy() at netbsd:pmap_destroy+0x265", "netbsd pmap_destroy+613"), ("snprintf() at netbsd:snprintf", "netbsd snprintf+0"),
        ("pool_put(ffffff0016933440,ffff80000e3793e8) at pool_put+0x37", "kernel pool_put+55"), ("f() at zfs:g+0x1", "zfs.kmod g+1"),
    ])
    func `a row tells its place`(row: String, expected: String) throws {
        let report = try SampleLog("Fatal trap 12: page fault while in kernel mode\n\(row)\n").report()
        #expect(report.threads.flatMap(\.frames).map(symbolOrAddress) == [expected])
    }

    @Test func `a trap tells its address, process and exact place`() throws {
        let log = SampleLog(fixture: "bsd-panic/Kernel/freebsd.log")
        let report = try log.report()
        #expect(report.cause?.type == "panic" && report.cause?.message == "Fatal trap 12: page fault while in kernel mode")
        #expect(
            report.cause?.address == RuntimeAddress(8) && report.process.pid == 3094 && report.process.name == "a.out"
                && report.platform == "FreeBSD")
        let frames = report.threads[0].frames
        #expect(frames.prefix(3).map(\.kind) == [.returnAddress, .programCounter, .returnAddress])
        #expect(report.images.map(\.name) == ["kernel"])
    }

    @Test func `a panic of another program is none`() {
        #expect(
            SampleLog("panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:3 +0x1d\n").parsed().reports
                .map(\.format) == ["go-panic"])
    }

    /// syzkaller's titles begin with the reason in its own wording; its report of OpenBSD is the
    /// whole log.
    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus")) func `syzkaller's titles and report are of the same panics`() throws
    {
        for (name, type, message) in [
            ("syzkaller-freebsd-0.txt", "panic", "page fault while in kernel mode"),
            ("syzkaller-freebsd-2.txt", "panic", "general protection fault"),
            ("syzkaller-freebsd-4.txt", "panic", "mtx_lock() of destroyed mutex"),
            ("syzkaller-netbsd-1.txt", "panic", "pmap->pm_obj[i].uo_npages"),
            ("syzkaller-netbsd-5.txt", "panic", "lock error"), ("syzkaller-netbsd-10.txt", "UBSan", "Undefined Behavior"),
            ("syzkaller-openbsd-0.txt", "trap", "uvm_fault"), ("syzkaller-openbsd-2.txt", "panic", "mbufpl: double pool_put"),
            ("syzkaller-openbsd-6.txt", "panic", "lockfpl: double pool_put"),
        ] {
            let report = try corpus(name).report()
            #expect(report.cause?.type == type && report.cause?.message?.contains(message) == true, "\(name)")
        }
        let log = corpus("syzkaller-openbsd-6.txt")
        let theirs = SampleLog(bytes: TestPaths.bytes(of: (TestPaths.corpus ?? "") + "/expected/upstream/syzkaller-openbsd-6.report.txt"))
        let report = try log.report()
        #expect(report.threads.map(\.frames.count) == [12, 12] && report.platform == "OpenBSD" && report.architecture == .x86_64)
        #expect(try theirs.report().allFrames.map(symbolOrAddress) == report.allFrames.map(symbolOrAddress))
    }
}

struct FuchsiaCrashTests {
    private func corpus(_ name: String) -> SampleLog { SampleLog(corpus: "fuchsia-crash/" + name) }

    @Test func `the crash service tells process, place, modules`() throws {
        let report = try SampleLog(fixture: "fuchsia-crash/Markup/crash.log").report()
        #expect(report.process.name == "markup" && report.process.path == "/pkg/bin/markup" && report.process.pid == 31717)
        #expect(report.cause?.message == "fatal page fault" && report.architecture == .x86_64 && report.platform == "Fuchsia")
        #expect(
            report.images.map(\.name) == ["markup", "libmarkup.so"]
                && report.images.map(\.base) == [RuntimeAddress(0x100_0000), RuntimeAddress(0x77ed_6160_0000)])
        let frames = report.threads[0].frames
        #expect(frames.map(\.image) == [0, 0, 1, 0, 0] && frames.map(\.index) == [1, 2, 3, 4, 5])
        // PC at 0x1000b95
        #expect(frames.map(\.kind) == [.programCounter] + [Frame.Kind](repeating: .returnAddress, count: 4))
        #expect(report.threads[0].registers?.values.first { $0.name == "CR2" }?.value == 8)
    }

    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus")) func `syzkaller's reports hold the same rows`() throws {
        for name in ["syzkaller-fuchsia-2", "syzkaller-starnix-0"] {
            let theirs = SampleLog(bytes: TestPaths.bytes(of: (TestPaths.corpus ?? "") + "/expected/upstream/\(name).report.txt")).parsed()
                .reports
            let ours = corpus(name + ".txt").parsed().reports
            func names(_ reports: [CrashReport]) -> [String] { reports.flatMap(\.allFrames).compactMap { $0.printed?.name } }
            let expected = names(theirs)
            #expect(expected.count > 10, "\(name)")
            #expect(Array(names(ours).prefix(expected.count)) == expected, "\(name)")
        }
        #expect(try corpus("syzkaller-fuchsia-4.txt").report().cause?.message == "recursion in interrupt handler")
    }
}

struct SymbolizerMarkupTests {
    /// The document's own example: "if your module's executable segment has p_vaddr=0x1000,
    /// p_memsz=0x1234, and was loaded at 0x7acba69d5000 then you need to subtract 0x7acba69d4000".
    private let context = "{{{reset}}}\n{{{module:1:libc.so:elf:83238ab56ba10497}}}\n{{{mmap:0x7acba69d5000:0x1234:load:0x1:rx:0x1000}}}\n"

    @Test func `addresses are the file's, kinds are as the suffix says`() throws {
        let report = try SampleLog(
            context + "{{{bt:0:0x7acba69d5000:pc}}}\n {{{bt:1:0x7acba69d6234:ra}}}\n{{{bt:2:0x7acba69d5010}}}\nat {{{pc:0x7acba69d5020}}}\n"
        ).report()
        let frames = report.threads[0].frames
        #expect(
            frames.map(\.imageLocation) == [
                .linkAddress(LinkAddress(0x1000)), .linkAddress(LinkAddress(0x2234)), .linkAddress(LinkAddress(0x1010)),
            ])
        #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        #expect(report.additionalBacktraces[0].frames.map(\.kind) == [.programCounter])
        #expect(
            report.images.map { $0.id?.hexadecimal } == ["83238ab56ba10497"] && report.images[0].base == RuntimeAddress(0x7acb_a69d_5000))
    }

    @Test func `numbers are hexadecimal, octal or decimal; a stack ends where numbers begin again, a process at a reset`() throws {
        let log =
            "{{{module:010:a:elf:ab}}}\n{{{mmap:0x1000:4096:load:8:rx:0}}}\n{{{bt:0:0x1010:ra}}}\n{{{bt:1:0x1020:ra}}}\n{{{bt:0:0x1030:ra}}}\n"
        let report = try SampleLog(log).report()
        #expect(report.threads.map(\.frames.count) == [2, 1] && report.threads[0].frames[0].image == 0)
        #expect(report.images[0].size == 4096)
        #expect(SampleLog(log + "{{{reset}}}\n" + log).parsed().reports.count == 2)
    }

    @Test func `elements that are no stack pass`() {
        for line in [
            "{{{symbol:_Z1fv}}}", "{{{data:0x1}}}", "{{{dumpfile:a:b}}}", "{{{bt:x:0x1}}}", "{{{{bt}}}", "a {{ b }} c", "{{{bt:0:0x1",
        ] {
            #expect(SampleLog(line + "\n").parsed().reports.isEmpty)
        }
    }

    @Test func `several elements of a line are several frames, and each is answered`() throws {
        let log = SampleLog(context + "x {{{pc:0x7acba69d5010:ra}}} and {{{pc:0x7acba69d5020:pc}}}.\n   {{{bt:3:0x7acba69d5010:ra}}}\n")
        func result(_ frame: Frame) -> FrameResult? { .function("f(int) const", offset: 1, "/a.c", 4, column: 2).inlining("g", "/b.h", 7) }
        let symbolicated = log.symbolicated(result)
        #expect(
            symbolicated.text == context + "x {{{pc:0x7acba69d5010:ra}}} g[/b.h:7] and {{{pc:0x7acba69d5020:pc}}} g[/b.h:7].\n"
                + "   #3.1 g /b.h:7\n   {{{bt:3:0x7acba69d5010:ra}}} f(int) const /a.c:4:2\n")
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
        #expect(try symbolicated.report().threads[0].frames.map { $0.printed?.name } == ["g", "f(int) const"])
    }
}
