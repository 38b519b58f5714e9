import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct AndroidTombstoneTests {
    private func fixture(_ name: String) -> SampleLog { SampleLog(fixture: "android-tombstone/" + name) }

    private func tombstone(_ rows: String, head: String = "Build fingerprint: 'a/b/c:13/X/1:user/release-keys'\nABI: 'arm64'\n") throws
        -> CrashReport
    {
        try SampleLog(
            "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***\n\(head)pid: 7, tid: 9, name: worker one  >>> com.example.shop <<<\n"
                + "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10\n\nbacktrace:\n\(rows)\n"
        ).report()
    }

    @Test func `a tombstone tells process, system, cause, threads and registers`() throws {
        let report = try fixture("libshop-arm64/tombstone-13.txt").report()
        #expect(report.format == "android-tombstone")
        #expect(report.process.pid == 9955 && report.process.name == "com.example.shop")
        #expect(report.platform == "Android, google/example/example:13/TE1A.220922.012/9302419:user/release-keys")
        #expect(report.architecture == .arm64)
        #expect(report.timestamp?.text == "2023-05-06 07:08:09.123456789+0200")
        #expect(report.cause?.kind == .signal && report.cause?.signal == "SIGSEGV" && report.cause?.codes == "code 1 (SEGV_MAPERR)")
        #expect(report.cause?.address == RuntimeAddress(0) && report.cause?.message == "null pointer dereference")
        #expect(report.threads.map(\.index) == [9981, 9955] && report.threads.map(\.name) == ["counter", "xample.shop"])
        #expect(report.threads.map(\.crashed) == [true, false] && report.threads.map(\.frames.count) == [7, 2])
        #expect(report.threads[0].registers?.values.map(\.name) == ["x0", "x1", "x2", "x3", "lr", "sp", "pc", "pst"])
        #expect(
            report.additionalBacktraces.map(\.name) == ["deallocated by thread 9970"] && report.additionalBacktraces[0].frames.count == 2)
        // Never an address in memory, and never to be adjusted again.
        #expect(report.threads.flatMap(\.frames).allSatisfy { $0.address == nil && $0.kind == .exact })
    }

    @Test func `images come from the rows, with build IDs; where they were mapped, from the memory map`() throws {
        let report = try fixture("libshop-arm64/tombstone-13.txt").report()
        #expect(report.images.map(\.name) == ["libshop.so", "libart.so", "base.odex", "<anonymous:7b0a5d2000>", "libc.so", "libutils.so"])
        #expect(report.images.map(\.isPlaceholder) == [false, false, true, true, false, false])
        #expect(report.images[4].id == ImageID(text: "01331f74b0bb2cb958bdc15282b8ec7b"))
        // The first mapping has offset 0; the second ends at 0x7b0a5e3fff.
        #expect(report.images[0].base == RuntimeAddress(0x7b_0a5d_2000) && report.images[0].size == 0x12000)
        #expect(
            report.notes == [
                "1 frame is in Java code, whose pc is not an address in a native library", "1 frame is in memory that belongs to no file",
            ])
    }

    /// The rules of `Elf::GetRelPc` and its predecessors; the same library's frame 1, at link
    /// address 0x1176c: its code is linked 0x10000 above its offset in the file, and mapped from
    /// the file's byte 0x1000 on.
    @Test(arguments: [
        ("libshop-arm64/tombstone-13.txt", ImageLocation.linkAddress(LinkAddress(0x1176c))),
        ("libshop-arm64/tombstone-10.txt", .relativePC(0x176c)),
        ("libshop-arm64/tombstone-8.txt", .fileOffset(0x176c)),
        ("libshop-arm64/logcat-13.txt", .linkAddress(LinkAddress(0x1176c))),
        ("libshop-arm64/studio-13.txt", .linkAddress(LinkAddress(0x1176c))),
        // `~~` in the path shows that it is Android 11.
        ("libshop-arm64/play-console.txt", .linkAddress(LinkAddress(0x1176c))),
    ]) func `what pc means is told by the release`(name: String, location: ImageLocation) throws {
        let report = try fixture(name).report()
        #expect(report.threads[0].frames[1].imageLocation == location)
        #expect(!report.notes.contains { $0.hasPrefix("pc is assumed") })
    }

    /// Android 8 counts from the mapping's start: in a file of its own the offset of the mapping
    /// leads to the file offset, in an APK it leads to an offset in the APK.
    @Test func `an offset in an APK is none in the library`() throws {
        let head = "Build fingerprint: 'google/x/x:8.1.0/OPM1.171019.011/4448085:user/release-keys'\nABI: 'arm64'\n"
        let report = try tombstone(
            """
                #00 pc 0000000000001000  /data/app/a/lib/arm64/libone.so (offset 0x2000)
                #01 pc 0000000000001000  /data/app/a/base.apk!libone.so (offset 0x5000)
            """, head: head)
        #expect(report.threads[0].frames.map(\.imageLocation) == [.fileOffset(0x3000), .linkAddress(LinkAddress(0x1000))])
        #expect(report.notes.contains { $0.hasPrefix("pc is assumed to be a link address") })
    }

    @Test func `where no release is told, the report says what the answers depend on`() throws {
        let row = "    #00 pc 00001234  /system/lib/libfoo.so (foo+4)"
        let report = try tombstone(row, head: "ABI: 'arm'\n")
        #expect(report.threads[0].frames[0].imageLocation == .linkAddress(LinkAddress(0x1234)))
        #expect(report.notes.count == 1 && report.notes[0].contains("before 11"))
        // Signs that only Android 11 and later have.
        for sign in ["/apex/com.android.art/lib/libart.so", "/data/app/~~x/libfoo.so"] {
            #expect(try tombstone("    #00 pc 00001234  \(sign)", head: "").notes.isEmpty)
        }
        #expect(try tombstone(row, head: "Timestamp: 2023-05-06 07:08:09+0200\n").notes.isEmpty)
        // xCrash counts as Android 9 does, wherever it runs.
        let xcrash = try tombstone(row, head: "Tombstone maker: 'xCrash 2.4.6'\nOS version: '13'\nABI: 'arm'\n")
        #expect(xcrash.threads[0].frames[0].imageLocation == .relativePC(0x1234))
    }

    @Test func `libraries inside an APK`() throws {
        let id = "BuildId: 00112233445566778899aabbccddeeff"
        let report = try tombstone(
            """
                  #00 pc 0000000000001000  /data/app/a/base.apk!libone.so (offset 0x5000) (one(int)+4) (\(id))
                  #01 pc 0000000000002000  /data/app/a/base.apk (offset 0x9000)
                  #02 pc 0000000000003000  /data/app/a/base.apk (offset 0x9000) (com.example.Shop.sell+12)
                  #03 pc 0000000000004000  /data/app/a/base.apk!classes2.dex (com.example.Shop.sell+12)
                  #04 pc 0000000000005000  /system/lib64/libtwo.so!libtwo.so (offset 0x1000)
            """)
        #expect(report.images.map(\.name) == ["libone.so", "base.apk (offset 0x9000)", "base.apk", "base.apk!classes2.dex", "libtwo.so"])
        #expect(report.images.map(\.isPlaceholder) == [false, false, true, true, false])
        #expect(report.images[4].path == "/system/lib64/libtwo.so")
        #expect(report.threads[0].frames[0].printed == PrintedSymbol(name: "one(int)", offset: 4))
        #expect(report.images.map(\.startInFile) == [nil, 0x9000, nil, nil, nil])
        #expect(
            report.notes.contains(
                "1 frame is in libraries inside an APK, for which the log has neither a name nor a build ID: pass the APK with --symbols"
            ))
        #expect(report.notes.contains("2 frames are in Java code, whose pc is not an address in a native library"))
    }

    @Test(arguments: [
        ("    #00 pc 00001000  /a/b.so (operator+(A, B)+16)", "operator+(A, B)", 16 as UInt64?),
        ("    #00 pc 00001000  /a/b.so (operator())", "operator()", nil),
        ("    #00 pc 00001000  /a/b.so (f(void (*)(int))+0) (BuildId: 00ab)", "f(void (*)(int))", 0),
        ("    #00 pc 00001000 (offset 0x2000)  /a/b.so (g+1)", "g", 1),
        ("    #00 pc 00001000  /a/b.so (deleted) (h+2)", "h", 2),
        (
            "    #00 pc 00001000  /a/b.so (std::__1::vector<int, std::__1::allocator<int> >::size() const+7)",
            "std::__1::vector<int, std::__1::allocator<int> >::size() const", 7
        ),
    ]) func `a name holds what names hold`(row: String, name: String, offset: UInt64?) throws {
        let frame = try tombstone(row).threads[0].frames[0]
        #expect(frame.printed == PrintedSymbol(name: name, offset: offset))
    }

    @Test func `mappings without a file`() throws {
        let report = try tombstone(
            """
                #00 pc 0000000000000000  <unknown>
                #01 pc 0000000000001000  [anon:dalvik-classes16.dex extracted in memory from /data/app/a b/base.apk!classes16.dex] (x.y+1)
                #02 pc 0000000000002000  /memfd:jit-cache (deleted) (java.lang.Object.wait+4)
                #03 pc 0000000000003000  [vdso] (__kernel_rt_sigreturn)
                #04 pc 0000000000004000  /dev/ashmem/dalvik-jit-code-cache (deleted)
                #05 pc 0000000000005000  [vectors]
            """)
        #expect(report.images.allSatisfy { $0.isPlaceholder })
        #expect(report.threads[0].frames[1].printed == PrintedSymbol(name: "x.y", offset: 1))
        #expect(report.threads[0].frames[3].printed == PrintedSymbol(name: "__kernel_rt_sigreturn"))
        #expect(
            report.notes == [
                "3 frames are in Java code, whose pc is not an address in a native library",
                "3 frames are in memory that belongs to no file",
            ])
    }

    @Test func `an HWASan report in the abort message is a stack of its own`() throws {
        let report = try SampleLog(
            """
            *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
            Build fingerprint: 'a/b/c:14/X/1:user/release-keys'
            ABI: 'arm64'
            pid: 7, tid: 9, name: x  >>> y <<<
            signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------
            Abort message: '==21586==ERROR: HWAddressSanitizer: tag-mismatch on address 0x0042a0826510 at pc 0x007b24d90a0c
            WRITE of size 1 at 0x0042a0826510 tags: 32/3d (ptr/mem) in thread T0
                #0 0x7b24d90a08  (/system/lib64/libclang_rt.hwasan-aarch64-android.so+0x2ca08)
                #1 0x5bc1e1e8d8  (/data/app/a/libshop.so+0x28d8) (BuildId: 00ab)
            '
                x0  0000000000000000  x1  0000000000000001
            backtrace:
                  #00 pc 0000000000089908  /apex/com.android.runtime/lib64/bionic/libc.so (abort+168) (BuildId: b91c775ccc9b0556e91bc575a2511cd0)
            """
        ).report()
        #expect(report.additionalBacktraces.map(\.name) == ["abort message"])
        // A sanitizer's offset is a link address, already of the call.
        #expect(
            report.additionalBacktraces[0].frames.map(\.imageLocation) == [
                .linkAddress(LinkAddress(0x2ca08)), .linkAddress(LinkAddress(0x28d8)),
            ])
        #expect(report.threads[0].frames.count == 1 && report.cause?.message?.hasPrefix("'==21586==ERROR: HWAddressSanitizer") == true)
    }

    @Test func `processes that write into one logcat are told apart`() throws {
        func lines(_ pid: Int, _ name: String) -> [String] {
            [
                "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***",
                "pid: \(pid), tid: \(pid), name: \(name)  >>> \(name) <<<", "backtrace:",
                "      #00 pc 000000000000100\(pid)  /a/lib\(name).so (BuildId: 00ab)",
                "      #01 pc 0000000000002000  /a/lib\(name).so (BuildId: 00ab)",
            ]
            .map { "05-06 07:08:09.1  900\(pid)  900\(pid) F DEBUG   : \($0)" }
        }
        let log = SampleLog(zip(lines(1, "one"), lines(2, "two")).flatMap { [$0, $1] }.joined(separator: "\n") + "\n")
        let reports = log.parsed().reports
        #expect(reports.map(\.process.name) == ["one", "two"])
        #expect(reports.map { $0.threads[0].frames.count } == [2, 2] && reports.map(\.images.count) == [1, 1])
    }

    @Test func `answers stand where AOSP's tools put them, and are read again`() throws {
        let log = SampleLog(
            "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***\r\nbacktrace:\r\n      #00 pc 0000000000001000  /a/libone.so (BuildId: 00ab)\r\n"
                + "      #01 pc 0000000000002000  /a/libone.so (serve(int)+4) (BuildId: 00ab)\r\nx\r\n")
        func result(_ frame: Frame) -> FrameResult? {
            frame.index == 0
                ? .function("sell(int)", offset: 8, "/src/shop.cpp", 12, column: 3).inlining("take()", "/src/shelf.h", 7, column: 9)
                : .function("serve(int)", offset: 4, "/src/shop.cpp", 20)
        }
        let symbolicated = log.symbolicated(result)
        #expect(
            symbolicated.text
                == "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***\r\nbacktrace:\r\n      #00 pc 0000000000001000  /a/libone.so (sell(int)+8) (BuildId: 00ab)\r\n"
                + "          /src/shelf.h:7:9 (take())\r\n          /src/shop.cpp:12:3 (sell(int))\r\n"
                + "      #01 pc 0000000000002000  /a/libone.so (serve(int)+4) (BuildId: 00ab)\r\n          /src/shop.cpp:20:0 (serve(int))\r\nx\r\n"
        )
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [true, false, false])
        #expect(frames.map(\.printed?.name) == ["take()", "sell(int)", "serve(int)"])
        #expect(frames.map(\.printed?.location?.line) == [7, 12, 20])
        #expect(frames[0].imageLocation == frames[1].imageLocation)
        #expect(symbolicated.symbolicated(result).bytes == symbolicated.bytes)
    }

    @Test func `a sanitizer's row is answered as a sanitizer would`() throws {
        let log = SampleLog(
            "*** *** *** *** *** ***\nABI: 'arm64'\nbacktrace:\n    #0 0x7b24d90a08  (/a/libone.so+0x28d8) (BuildId: 00ab)\n")
        let symbolicated = log.symbolicated { _ in
            .function("sell(int)", offset: 8, "/src/shop.cpp", 12, column: 3).inlining("take()", "/src/shelf.h", 7)
        }
        #expect(
            symbolicated.text.hasSuffix(
                "    #0 0x7b24d90a08 in take() /src/shelf.h:7 (/a/libone.so+0x28d8) (BuildId: 00ab)\n    #0 0x7b24d90a08 in sell(int) /src/shop.cpp:12:3 (/a/libone.so+0x28d8) (BuildId: 00ab)\n"
            ))
    }

    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
    func `xCrash's tombstones: threads, Java, build IDs from their own list`() throws {
        let path = (TestPaths.corpus ?? "") + "/logs/android-tombstone/xcrash-tombstone_native_armeabi-v7a.txt"
        let report = try SampleLog(bytes: TestPaths.bytes(of: path)).report()
        #expect(report.process.name == "xcrash.sample" && report.process.version == "1.2.3-beta456-patch789" && report.architecture == .arm)
        // The log itself has 30 threads besides the crashed one, and Java's stack.
        #expect(report.threads.count == 32 && report.threads[31].name == "java stacktrace")
        #expect(
            report.threads[31].frames.count == 17
                && report.threads[31].frames[1].printed?.location == SourceLocation(file: "NativeHandler.java", line: 156))
        #expect(report.images.first { $0.name == "libxcrash.so" }?.id == ImageID(text: "9f4b624c6f87673b05e707f5d7fb6f1617e5d95c"))
        #expect(report.images.first { $0.name == "libart.so" }?.id == ImageID(text: "71c71d3389a2e6b48c870366df51ee04"))
    }
}
