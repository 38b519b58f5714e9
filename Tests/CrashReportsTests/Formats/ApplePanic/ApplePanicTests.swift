import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct ApplePanicTests {
    private func fixture(_ name: String) -> SampleLog { SampleLog(fixture: "apple-panic/" + name) }

    @Test func `a panic of macOS tells reason, system, kernel and the extension`() throws {
        let report = try fixture("CrashExample-kext/kernel.panic").report()
        #expect(report.process.name == "kernel" && report.architecture == .x86_64 && report.platform == "19H2026")
        #expect(report.cause?.type == "panic" && report.cause?.message?.hasPrefix("Kernel trap at 0xffffff7f9838c") == true)
        // CR2 is the address that was not there.
        #expect(report.cause?.address == RuntimeAddress(0x18))
        #expect(report.threads.map(\.name) == ["kernel_task"] && report.threads[0].crashed)
        #expect(report.threads[0].registers?.values.first { $0.name == "RAX" }?.value == 0)
        #expect(report.images.map(\.name) == ["mach_kernel", "org.example.CrashExample"])
        // The text base is slid already: 0xffffff8006a00000 = 0xffffff8000200000 + the slide
        // 0x6800000.
        #expect(report.images[0].base == RuntimeAddress(0xffff_ff80_06a0_0000))
        #expect(report.images[1].base == RuntimeAddress(0xffff_ff7f_9838_c000))
        let frames = report.threads[0].frames
        #expect(frames.map(\.image) == [0, 0, 0, 0, 1, 1, 1, 0, 0])
        // The trapping frame is not a return address; all others are.
        #expect(frames.map { $0.kind == .programCounter } == [false, false, false, false, true, false, false, false, false])
        #expect(frames[0].printed == PrintedSymbol(name: "_handle_debugger_trap", offset: 0x47d))
    }

    @Test func `a panic of iOS has rows of lr and fp`() throws {
        let report = try fixture("CrashExample-ios/panic-full.txt").report()
        #expect(report.architecture == .arm64 && report.platform == "18F72")
        #expect(report.threads.map(\.name) == ["CrashExample [890]"])
        #expect(report.images.map(\.base) == [RuntimeAddress(0xffff_fff0_0dd4_c000)])
        // The last row is far from the kernel, and so in no image.
        #expect(report.threads[0].frames.map(\.image) == [0, 0, 0, nil])
        #expect(report.threads[0].frames.allSatisfy { $0.kind == .returnAddress })
    }

    @Test func `where the code lies apart from the header, nothing is given a base`() throws {
        let report = try fixture("bridgeos/panic.txt").report()
        #expect(report.images.map(\.name) == ["mach_kernel", "com.apple.driver.AppleSMC"])
        #expect(report.images.map(\.base) == [nil, nil] && report.images.allSatisfy { $0.id != nil })
        // The extension is known all the same: 0xfffffff0209d0a40 ≤ 0xfffffff0209d3a4c ≤
        // 0xfffffff0209e1f2b.
        #expect(report.threads[0].frames.map(\.image) == [0, 1])
        #expect(report.notes.first?.contains("Kernel text exec base") == true)
    }

    @Test func `the kernel is always an image, so that nothing else answers for it`() throws {
        // Mac OS X 10.5 on i386 and PowerPC: kernels lie where programs do.
        let intel = try SampleLog(
            """
            panic(cpu 0 caller 0x001A8CEC): Kernel trap at 0x0012B4C6, type 14=page fault, registers:
            CR0: 0x8001003b, CR2: 0x00000010, CR3: 0x00d7e000, CR4: 0x00000660
            Backtrace (CPU 0), Frame : Return Address (4 potential args on stack)
            0x2e5d3bc8 : 0x12b4c6 (0x45f91c 0x2e5d3bfc 0x133243 0x0)
            0x2e5d3c18 : 0x1a8cec (0x4627a0 0xe 0x461f2c 0x469fe8)
                  Kernel loadable modules in backtrace (with dependencies):
                     com.apple.driver.AppleHDA(1.7.4a1)@0x2d1e1000->0x2d23dfff
            """
        ).report()
        #expect(intel.images.map(\.name) == ["mach_kernel", "com.apple.driver.AppleHDA"] && intel.images[0].base == nil)
        #expect(intel.threads[0].frames.map(\.hex) == ["0x12b4c6", "0x1a8cec"])
        #expect(intel.threads[0].frames.map(\.image) == [nil, nil])
        #expect(intel.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress])

        let powerPC = SampleLog(
            "Unresolved kernel trap(cpu 0): 0x300 - Data access DAR=0x0000000000000010 PC=0x00000000000954f8\n      Backtrace:\n"
                + "         0x000954F8 0x00095A10 0x00026898\nKernel version:\nDarwin Kernel Version 8.11.0: Wed Oct 10 18:26:00 PDT 2007; root:xnu-792.24.17~1/RELEASE_PPC\n"
        )
        let frames = try powerPC.report().threads[0].frames
        #expect(frames.map { powerPC.text(of: $0) } == ["0x000954F8", "0x00095A10", "0x00026898"])
        #expect(try powerPC.report().architecture == .ppc && powerPC.report().images.count == 1)
    }

    @Test func `what comes between and behind is no frame, and a second panic is a second report`() throws {
        let panic =
            "panic(cpu 1 caller 0xffffff801d080ed5): x\nBacktrace (CPU 1), Frame : Return Address\n0xffffffb06376f0a0 : 0xffffff801c4a0d75\n"
        #expect(SampleLog(panic + panic).parsed().reports.count == 2)
        let debugger = try SampleLog("Debugger: Unexpected kernel trap number: 0xe, RIP: 0xffffff80021020ba, CR2: 0x0\n" + panic).report()
        #expect(debugger.cause?.message == "x" && debugger.cause?.codes?.hasPrefix("Unexpected kernel trap number: 0xe") == true)
        let log = SampleLog(panic + String(repeating: "boot: starting\n", count: 200))
        #expect(log.parsed().reports.count == 1 && log.parsed().pieces.count == 2)
        #expect(SampleLog("He said panic(cpu 0) and left\n").parsed().reports.isEmpty)
    }

    // MARK: Results

    @Test func `a row gets what the kernel prints with its symbols, inlined calls stand above`() throws {
        let log = SampleLog(
            "panic(cpu 1 caller 0xffffff801d080ed5): x\nBacktrace (CPU 1), Frame : Return Address\n0xffffffb06376f0a0 : 0xffffff801c4a0d75 \n"
                + "0x2e5d3bc8 : 0x12b4c6 (0x45f91c 0x2e5d3bfc)\n\t\t  lr: 0xfffffff00e7ca1cc  fp: 0xffffffe80438ac80\n")
        func result(_ frame: Frame) -> FrameResult? {
            .function("f()", offset: 0x1d, "/s/debug.c", 94, image: "kernel").inlining("g()", "/s/b.h", 7)
        }
        let rows = (inner: " kernel : g() [inlined] (b.h:7)\n", outer: " kernel : f() + 0x1d (debug.c:94)\n")
        let heads = [
            "0xffffffb06376f0a0 : 0xffffff801c4a0d75", "0x2e5d3bc8 : 0x12b4c6 (0x45f91c 0x2e5d3bfc)",
            "\t\t  lr: 0xfffffff00e7ca1cc  fp: 0xffffffe80438ac80",
        ]
        let symbolicated = log.symbolicated(result)
        let start = "panic(cpu 1 caller 0xffffff801d080ed5): x\nBacktrace (CPU 1), Frame : Return Address\n"
        #expect(symbolicated.text == start + heads.map { $0 + rows.inner + $0 + rows.outer }.joined())
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
        #expect(try symbolicated.report().threads[0].frames.map(\.isInlined) == [true, false, true, false, true, false])
    }

    /// syzkaller's own reading of its samples: the title begins with the panic's reason.
    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus")) func `syzkaller's titles are the reasons`() throws {
        let table = String(decoding: TestPaths.bytes(of: (TestPaths.corpus ?? "") + "/expected/upstream/syzkaller-meta.tsv"), as: UTF8.self)
        var compared = 0
        for line in table.split(separator: "\n") where line.contains("syzkaller-darwin") {
            let cells = line.split(separator: "\t")
            let path = try #require(cells.first.map { (TestPaths.corpus ?? "") + "/" + $0 })
            let title = try #require(cells.dropFirst().first { $0.hasPrefix("TITLE: ") }).split(separator: "|")[0]
            let cause = try #require(try SampleLog(bytes: TestPaths.bytes(of: path)).report().cause)
            let text = title.dropFirst("TITLE: ".count).drop { $0 != ":" }.dropFirst(2).split(separator: " ").joined(separator: " ")
            #expect("\(cause.message ?? "") \(cause.codes ?? "")".contains(text.prefix(24)), "\(text)")
            compared += 1
        }
        #expect(compared == 4)
    }
}
