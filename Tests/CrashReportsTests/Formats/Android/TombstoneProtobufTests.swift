import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Android's tombstones as protobuf: what each field of the schema (`tombstone.proto`) becomes, and
/// that the text of the same crash becomes the same.
struct TombstoneProtobufTests {
    static func fixture(_ path: String) -> SampleLog { SampleLog(fixture: path) }

    /// A tombstone with the fields that every one begins with.
    static func document(architecture: UInt64 = 1, _ fill: (inout ProtobufMessage) -> Void) -> SampleLog {
        var message = ProtobufMessage()
        if architecture != 0 { message.put(1, architecture) }
        message.put(2, "google/example/example:14/X/1:user/release-keys")
        message.put(3, "0")
        message.put(4, "2024-05-06 07:08:09.123456789+0000")
        fill(&message)
        return SampleLog(bytes: message.bytes)
    }

    static func frame(_ pc: UInt64, _ file: String, offset: UInt64 = 0, id: String = "") -> (inout ProtobufMessage) -> Void {
        { message in
            message.put(1, pc)
            message.put(2, 0x7000_0000 + pc)
            message.put(3, 0x7FFF_0000)
            message.put(6, file)
            if offset != 0 { message.put(7, offset) }
            if !id.isEmpty { message.put(8, id) }
        }
    }

    /// An entry of the map of threads.
    static func thread(_ number: UInt64, _ name: String = "", _ fill: @escaping (inout ProtobufMessage) -> Void)
        -> (inout ProtobufMessage) -> Void
    {
        { entry in
            entry.put(1, number)
            entry.put(2) {
                $0.put(1, number)
                if !name.isEmpty { $0.put(2, name) }
                fill(&$0)
            }
        }
    }

    @Test func `every field of the schema is read`() throws {
        let id = "0102030405060708090a0b0c0d0e0f10"
        let log = Self.document { tombstone in
            tombstone.put(5, 7)
            tombstone.put(6, 9)
            tombstone.put(7, 10123)
            tombstone.put(9, "/system/bin/shop")
            tombstone.put(9, "--open")
            tombstone.put(10) {
                $0.put(1, 6)
                $0.put(2, "SIGABRT")
                // -1: a negative number has ten bytes.
                $0.put(3, UInt64(bitPattern: -1))
                $0.put(4, "SI_QUEUE")
                $0.put(5, 1)
                $0.put(6, 1000)
                $0.put(7, 7)
                $0.put(8, 1)
                $0.put(9, 0xB400_0000_0000_0010)
            }
            tombstone.put(14, "it is broken")
            tombstone.put(15) {
                $0.put(1, "[MTE]: Use After Free, 0 bytes into a 16-byte allocation at 0x10")
                $0.put(2) {
                    $0.put(1, 1)
                    $0.put(2, 1)
                    $0.put(3) {
                        $0.put(1, 0x10)
                        $0.put(2, 16)
                        $0.put(3, 11)
                        $0.put(4, Self.frame(0x111, "/lib/a.so"))
                        $0.put(5, 12)
                        $0.put(6, Self.frame(0x222, "/lib/a.so"))
                        $0.put(6, Self.frame(0x333, "/lib/a.so"))
                    }
                }
            }
            tombstone.put(16, Self.thread(8, "other") { $0.put(4, Self.frame(0x20, "/lib/b.so")) })
            tombstone.put(
                16,
                Self.thread(9, "worker") { thread in
                    thread.put(3) {
                        $0.put(1, "x0")
                        $0.put(2, 0x1234)
                    }
                    // A register that is 0.
                    thread.put(3) { $0.put(1, "x1") }
                    thread.put(4) {
                        $0.put(1, 0x1010)
                        $0.put(2, 0x7000_1010)
                        $0.put(4, "shop::sell(int)")
                        $0.put(5, 16)
                        $0.put(6, "/lib/a.so")
                        $0.put(8, id)
                    }
                    thread.put(4, Self.frame(0x2020, "/data/app/x/base.apk!libc.so", offset: 0x5000))
                    thread.put(4, Self.frame(0x3030, "<anonymous:7b000>"))
                    thread.put(7, "Function names are missing")
                })
            tombstone.put(17) {
                $0.put(1, 0x7000_0000)
                $0.put(2, 0x7000_1000)
                $0.put(4, 1)
                $0.put(7, "/lib/a.so")
                $0.put(8, id)
                $0.put(9, 0x1000)
            }
            tombstone.put(17) {
                $0.put(1, 0x7000_1000)
                $0.put(2, 0x7000_3000)
                $0.put(3, 0x1000)
                $0.put(6, 1)
                $0.put(7, "/lib/a.so")
            }
            tombstone.put(20, 5)
            // A field that a maker of devices may add.
            tombstone.put(1000, "unknown")
        }
        let report = try log.report()
        #expect(report.format == "android-tombstone-pb")
        #expect(report.platform == "Android, google/example/example:14/X/1:user/release-keys" && report.device == "google/example")
        #expect(report.architecture == .arm64 && report.timestamp?.text == "2024-05-06 07:08:09.123456789+0000")
        #expect(report.process.pid == 7 && report.process.name == "shop" && report.process.path == "/system/bin/shop")
        let cause = try #require(report.cause)
        #expect(cause.kind == .signal && cause.signal == "SIGABRT" && cause.codes == "code -1 (SI_QUEUE from pid 7, uid 1000)")
        #expect(cause.address == RuntimeAddress(0xB400_0000_0000_0010))
        #expect(cause.message == "[MTE]: Use After Free, 0 bytes into a 16-byte allocation at 0x10; it is broken")
        #expect(report.threads.map(\.index) == [9, 8] && report.threads.map(\.name) == ["worker", "other"])
        #expect(report.threads.map(\.crashed) == [true, false])
        #expect(report.threads[0].registers == RegisterState(values: [("x0", 0x1234), ("x1", 0)]))
        let frames = report.threads[0].frames
        #expect(frames.allSatisfy { $0.kind == .exact && $0.address == nil })
        #expect(frames.map(\.index) == [0, 1, 2])
        #expect(frames.prefix(2).map(\.imageLocation) == [.linkAddress(LinkAddress(0x1010)), .linkAddress(LinkAddress(0x2020))])
        #expect(frames[0].printed == PrintedSymbol(name: "shop::sell(int)", offset: 16))
        #expect(frames[1].printed == nil)
        #expect(report.additionalBacktraces.map(\.name) == ["deallocated by thread 12", "allocated by thread 11"])
        #expect(report.additionalBacktraces.map(\.frames.count) == [2, 1])
        let image = try #require(frames[0].image.map { report.images[$0] })
        #expect(image.path == "/lib/a.so" && image.id?.hexadecimal == id && image.architecture == .arm64)
        #expect(image.base == RuntimeAddress(0x7000_0000) && image.size == 0x3000)
        #expect(frames[1].image.map { report.images[$0].name } == "libc.so")
        #expect(report.notes == ["1 frame is in memory that belongs to no file"])
    }

    // MARK: The text of the same crash

    /// A report without the parts that its encoding decides: the format's name and the ranges in
    /// the log. The text prints some registers last.
    static func content(_ report: CrashReport) -> [String] {
        var report = report
        report.format = ""
        report.changeStacks { stack in
            for index in stack.frames.indices { stack.frames[index].range = 0..<0 }
            stack.registers = stack.registers.map { RegisterState(values: $0.values.sorted { $0.name < $1.name }) }
        }
        let stacks = (report.threads + report.additionalBacktraces).flatMap { stack -> [String] in
            var head = stack
            head.frames = []
            return ["\(head)"] + stack.frames.map { "\($0)" }
        }
        let images = report.images.map { "\($0)" }
        report.changeStacks { $0.frames = [] }
        report.images = []
        return ["\(report)"] + images + stacks
    }

    @Test(arguments: ["libshop-arm/tombstone-12", "libshop-arm64/tombstone-13", "libshop-x86_64/apk-13", "libshop-x86_64/apk-unnamed-13"])
    func `protobuf and text of one crash give one report`(name: String) throws {
        let binary = try Self.fixture("android-tombstone-pb/\(name).pb").report()
        #expect(binary.format == "android-tombstone-pb")
        #expect(Self.content(binary) == Self.content(try Self.fixture("android-tombstone/\(name).txt").report()))
    }

    /// `print_guest_thread` of `tombstone_proto_to_text.cpp`: an app for ARM on an x86 machine.
    @Test func `translated code has stacks of its own, of its own architecture`() throws {
        let log = Self.document(architecture: 3) { tombstone in
            tombstone.put(5, 7)
            tombstone.put(6, 9)
            tombstone.put(9, "com.example.shop")
            tombstone.put(10) {
                $0.put(1, 11)
                $0.put(2, "SIGSEGV")
                $0.put(3, 1)
                $0.put(4, "SEGV_MAPERR")
                $0.put(8, 1)
            }
            tombstone.put(16, Self.thread(9, "main") { $0.put(4, Self.frame(0x10, "/lib/libndk_translation.so")) })
            tombstone.put(16, Self.thread(12, "last") { $0.put(4, Self.frame(0x30, "/lib/libc.so")) })
            tombstone.put(24, 1)
            tombstone.put(25, Self.thread(9) { $0.put(4, Self.frame(0x20, "/data/app/x/lib/arm64/libshop.so")) })
        }
        let banner = String(repeating: "--- ", count: 15) + "---\n"
        let text = SampleLog(
            String(repeating: "*** ", count: 15) + "***\nBuild fingerprint: 'google/example/example:14/X/1:user/release-keys'\n"
                + "Revision: '0'\nABI: 'x86_64'\nGuest architecture: 'arm64'\nTimestamp: 2024-05-06 07:08:09.123456789+0000\n"
                + "Cmdline: com.example.shop\npid: 7, tid: 9, name: main  >>> com.example.shop <<<\n"
                + "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0000000000000000\n\n1 total frames\nbacktrace:\n"
                + "      #00 pc 0000000000000010  /lib/libndk_translation.so\n\nNo memory maps found\n" + banner
                + "Guest thread information for tid: 9\n\n1 total frames\nbacktrace:\n"
                + "      #00 pc 0000000000000020  /data/app/x/lib/arm64/libshop.so\n" + banner
                + "Cmdline: com.example.shop\npid: 7, tid: 12, name: last  >>> com.example.shop <<<\n\n1 total frames\nbacktrace:\n"
                + "      #00 pc 0000000000000030  /lib/libc.so\n")
        let report = try log.report()
        #expect(report.threads.map(\.name) == ["main", "guest", "last"] && report.threads.map(\.index) == [9, 9, 12])
        #expect(report.threads.map(\.crashed) == [true, false, false])
        #expect(report.images.map(\.architecture) == [.x86_64, .arm64, .x86_64])
        #expect(Self.content(report) == Self.content(try text.report()))
    }

    /// The text has one cause in its head, and several below the backtrace.
    @Test func `several causes follow the abort message`() throws {
        let report = try Self.document { tombstone in
            tombstone.put(6, 9)
            tombstone.put(14, "abort")
            tombstone.put(15) { $0.put(1, "first") }
            tombstone.put(15) { $0.put(1, "second") }
            tombstone.put(16, Self.thread(9) { $0.put(4, Self.frame(0x10, "/lib/a.so")) })
        }.report()
        #expect(report.cause?.message == "abort; first; second")
    }

    @Test func `answers leave it as it is`() {
        let log = Self.fixture("android-tombstone-pb/libshop-arm64/tombstone-13.pb")
        #expect(log.symbolicated { _ in .function("f", offset: 1, "/a.c", 2) }.bytes == log.bytes)
        #expect(log.parsed().reports.allSatisfy { !FormatRegistry.standard.acceptsResults($0) })
    }
}

/// Real tombstones in protobuf of the corpus, against tables of every frame of every thread that
/// another reader made by the schema, and against the device's own text.
struct TombstoneProtobufCorpusTests {
    static let folder = TestPaths.corpus.map { $0 + "/memory/tombstone-pb/" }.flatMap { TestPaths.isReadable($0) ? $0 : nil }

    private func sample(_ name: String) -> SampleLog { SampleLog(bytes: TestPaths.bytes(of: (Self.folder ?? "") + name)) }

    /// The identifiers are of the table's first line: `# arch ARM64 pid 5260 tid 5277 …`.
    @Test(
        .enabled(if: Self.folder != nil, "the corpus of protobuf tombstones is not here (CAIRN_CORPUS)"),
        arguments: [("bitdrift-tombstone", Architecture.arm64, 5260, 5277), ("mvt-tombstone_process", .arm, 25541, 21307)])
    func `every frame of every thread is the table's`(name: String, architecture: Architecture, pid: Int, thread: Int) throws {
        let log = sample(name + ".pb")
        let report = try log.report()
        #expect(report.format == "android-tombstone-pb" && report.architecture == architecture && report.process.pid == pid)
        #expect(report.threads.first.map { $0.index == thread && $0.crashed } == true)
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.codes == "code 1 (SEGV_MAPERR)")
        let rows = sample("expected/\(name).tsv").text.split(separator: "\n").filter { !$0.hasPrefix("#") }.dropFirst()
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        #expect(rows.count == report.threads.reduce(0) { $0 + $1.frames.count } && !rows.isEmpty)
        let threads = Dictionary(report.threads.map { ($0.index, $0) }) { first, _ in first }
        for row in rows {
            // tid, thread, frame, rel_pc, pc, function, its offset, file, map offset, build ID
            let stack = try #require(Int(row[0]).flatMap { threads[$0] })
            let index = try #require(Int(row[2]))
            let frame = try #require(stack.frames.indices.contains(index) ? stack.frames[index] : nil)
            let pc = try #require(UInt64(row[3].dropFirst(2), radix: 16))
            #expect(stack.name ?? "" == row[1])
            let image = frame.image.map { report.images[$0] }
            if let image, !image.isPlaceholder {
                #expect(frame.imageLocation == .linkAddress(LinkAddress(pc)) && frame.address == nil)
                #expect(image.id?.hexadecimal ?? "" == row[9], "\(row)")
                #expect(row[7].hasPrefix(image.path ?? "?"), "\(row)")
            } else {
                #expect(frame.imageLocation == .offset(ImageOffset(pc)) || frame.address == RuntimeAddress(pc), "\(row)")
            }
            #expect(frame.printed?.name ?? "" == row[5] && frame.kind == .exact)
            if frame.printed != nil { #expect(frame.printed?.offset.map { "\($0)" } == row[6]) }
        }
    }

    @Test(.enabled(if: Self.folder != nil, "the corpus of protobuf tombstones is not here (CAIRN_CORPUS)"))
    func `the device's own text gives the same report`() throws {
        let text = try sample("expected/mvt-tombstone_process.txt").report()
        #expect(TombstoneProtobufTests.content(try sample("mvt-tombstone_process.pb").report()) == TombstoneProtobufTests.content(text))
    }

    /// Replacements are as long as what they replace, so that no message's length changes.
    @Test(
        .enabled(if: Self.folder != nil, "the corpus of protobuf tombstones is not here (CAIRN_CORPUS)"),
        arguments: ["bitdrift-tombstone.pb", "mvt-tombstone_process.pb"])
    func `without names it is the same tombstone`(name: String) throws {
        let log = sample(name)
        let report = try SampleLog(bytes: Anonymizer().bytes(log.bytes.span)).report()
        let original = try log.report()
        #expect(report.notes == original.notes && report.allFrames.map(\.range) == original.allFrames.map(\.range))
        #expect(report.images.map(\.id) == original.images.map(\.id))
    }

    @Test(.enabled(if: Self.folder == nil, "the corpus of protobuf tombstones is there"))
    func `without a corpus no real tombstone in protobuf is read`() {
        print("There is no corpus of protobuf tombstones (CAIRN_CORPUS, or shared/corpus beside the package).")
    }
}
