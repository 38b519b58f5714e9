import BinaryPrimitives
import CrashLogModel
import Serving
import TestSupport
import Testing

/// Symbolicator's `/minidump`, against its own recorded response and minidump-stackwalk's output
/// for the same dumps: both are rust-minidump.
struct SentryMinidumpTests {
    private static let folder = TestPaths.corpus.map { $0 + "/memory/minidump" }.flatMap { TestPaths.isReadable($0) ? $0 : nil }
    private static let hasCorpus = folder != nil
    /// Those whose output is recorded, and that are there as they are.
    private static let names = TestPaths.files(under: (folder ?? "/none") + "/expected/minidump-stackwalk")
        .compactMap { $0.split(separator: "/").last?.dropLast(5) }.map(String.init)
        .filter { TestPaths.isReadable((folder ?? "") + "/\($0).dmp") }

    private static func post(_ name: String, _ fields: [(name: String, content: [UInt8])] = [], symbols: [String] = []) -> JSONValue? {
        Service.over(symbols).post(
            "/minidump", form: fields + [("upload_file_minidump", TestPaths.bytes(of: (folder ?? "") + "/\(name).dmp"))]
        )
        .json
    }

    private static func expected(_ name: String) -> JSONValue? {
        let bytes = TestPaths.bytes(of: (folder ?? "") + "/expected/minidump-stackwalk/\(name).json")
        return try? JSONParser().parse(bytes.span)
    }

    private static func number(_ value: JSONValue?) -> UInt64? { value?.unsigned }

    /// The peer's crash reasons that are otherwise here.
    private static let otherReasons = [
        // `0x43506e78` is Crashpad's word for an NSException; a fast-fail's code has no name here.
        "breakpad-minidump_crashpad_annotation": "NSException / 0x0 / 0x1030e9c34",
        "breakpad-tiny-exe-fastfail": "STATUS_STACK_BUFFER_OVERRUN / 0x7ff75355af42",
    ]

    @Test(.enabled(if: hasCorpus, "the corpus is absent"), arguments: names)
    func `facts and modules are those of the peer`(name: String) throws {
        let expected = try #require(Self.expected(name))
        let response = try #require(Self.post(name))
        #expect(response["status"]?.string == "completed")
        let system = try #require(response["system_info"])
        let names = ["Windows NT": "Windows", "Mac OS X": "macOS"]
        let os = try #require(expected["system_info"]?["os"]?.string)
        #expect(system["os_name"]?.string == names[os] ?? os)
        let version = [system["os_version"]?.string, system["os_build"]?.string].compactMap { $0 }.filter { !$0.isEmpty }
        #expect(version.joined(separator: " ") == expected["system_info"]?["os_ver"]?.string)
        let architectures = ["amd64": "x86_64"]
        let architecture = try #require(expected["system_info"]?["cpu_arch"]?.string)
        #expect(system["cpu_arch"]?.string == architectures[architecture] ?? architecture)

        let crash = expected["crash_info"]
        let address = Self.number(crash?["address"]).map { " / 0x" + String($0, radix: 16) } ?? ""
        #expect(response["crash_reason"]?.string == Self.otherReasons[name] ?? (crash?["type"]?.string ?? "") + address)
        #expect(response["crashed"]?.isTrue == (crash?["type"]?.string != nil))
        #expect(response["assertion"]?.string == crash?["assertion"]?.string ?? "")
        let threads = response["stacktraces"]?.elements ?? []
        // The thread that wrote the dump has no frames there, and is left out here.
        let others = expected["threads"]?.elements.filter { $0["frame_count"]?.int != 0 } ?? []
        #expect(threads.map { Self.number($0["thread_id"]) } == others.map { Self.number($0["thread_id"]) })
        #expect(threads.firstIndex { $0["is_requesting"]?.isTrue == true } == crash?["crashing_thread"]?.int)
        // Each begins where the thread was.
        for (thread, other) in zip(threads, others) {
            let first = try #require(other["frames"]?.elements.first)
            #expect(thread["frames"]?.elements.first?["instruction_addr"]?.unsigned == Self.number(first["offset"]))
            #expect(thread["frames"]?.elements.first?["trust"]?.string == "context")
        }
        let registers = expected["crashing_thread"]?["frames"]?.elements.first?["registers"]?.members ?? []
        let crashed = threads.first { $0["is_requesting"]?.isTrue == true }
        // Flags lead to no caller, and are not read.
        for register in registers where register.key != "eflags" {
            #expect(crashed?["registers"]?[register.key]?.unsigned == Self.number(register.value), "\(register.key)")
        }

        let peers = (expected["modules"]?.elements ?? []).map { ($0, Self.number($0["base_addr"]) ?? 0) }
        for module in response["modules"]?.elements ?? [] {
            let peer = try #require(peers.first { $0.1 == module["image_addr"]?.unsigned }?.0)
            #expect(module["code_file"]?.string?.hasSuffix(peer["filename"]?.string ?? "?") == true)
            #expect(module["debug_file"]?.string?.hasSuffix(peer["debug_file"]?.string ?? "?") == true)
            #expect(module["image_size"]?.unsigned == (Self.number(peer["end_addr"]) ?? 0) - (module["image_addr"]?.unsigned ?? 0))
            let digits = module["debug_id"]?.string?.filter { $0 != "-" } ?? ""
            // An age of 0 is left out of it; the peer's zeros mean none.
            let id = peer["debug_id"]?.string?.lowercased() ?? ""
            #expect((id.contains { $0 != "0" } ? id : "") == (digits.count == 32 ? digits + "0" : digits))
            // For older dumps of Linux the peer prints Windows' timestamp, which they do not have.
            if let id = module["code_id"]?.string { #expect(id == peer["code_id"]?.string) }
            #expect(module["unwind_status"]?.string == (module["debug_status"]?.string == "unused" ? "unused" : "missing"))
        }
    }

    /// The dump's stack by Symbolicator, whose symbol file ends before the program's rules. What is
    /// otherwise is said below.
    @Test(.enabled(if: hasCorpus, "the corpus is absent"))
    func `the recorded stack is the same but for what is said here`() throws {
        let folder = try #require(Self.folder)
        let snapshot = TestPaths.bytes(of: folder + "/expected/symbolicator/macos_broken_cfi.snap")
        let expected = RecordedValue(snapshot: String(decoding: snapshot, as: UTF8.self))
        let response = try #require(Self.post("symbolicator-macos-no-fp", symbols: [folder + "/symbols"]))
        let thread = try #require(response["stacktraces"]?.elements.first { $0["is_requesting"]?.isTrue == true })
        for (key, value) in [("thread_id", expected["thread_id"]), ("is_requesting", expected["is_requesting"])] {
            #expect(value?.differences(from: thread[key]) == [])
        }
        #expect(expected["registers"]?.differences(from: thread["registers"]) == [])
        // The frame pointer leads to one more frame, which the peer's walk misses; and numbers that
        // lead to the image's header, where no function is, are no frames here.
        let frames = (thread["frames"]?.elements ?? []).filter { $0["function"]?.string != "trigger_crash" }
        #expect(thread["frames"]?.elements.count == frames.count + 1)
        let others = expected["frames"]?.elements.filter { $0["function"]?.text != "_mh_execute_header" } ?? []
        #expect(frames.count == 8 && frames.count == others.count)
        for (frame, other) in zip(frames, others) {
            #expect(other.differences(from: frame).filter { !$0.hasPrefix("original_index") } == [])
        }
        let module = response["modules"]?.elements.first
        #expect(module?["debug_status"]?.string == "found" && module?["code_id"]?.string == "73781edebf5b34ec81b2749a0f1fa5fd")
    }

    /// `FileError.version mismatch` and the like are Symbolicator's: HTTP has no part in it.
    @Test(arguments: ["", "M", "MDMP", "MDMP....................................", "\u{7f}ELF"])
    func `a file that is no minidump has failed`(text: String) {
        let response = Service.over([]).post("/minidump", form: [("upload_file_minidump", Array(text.utf8))])
        #expect(response.status == 200 && response.json?["status"]?.string == "failed")
        #expect(response.json?["message"]?.string?.isEmpty == false)
        #expect(response.json?.members.count == 2)
    }

    @Test func `a form in the place of the file is refused`() {
        let response = Service.over([]).post(
            "/minidump", form: [("upload_file_minidump", form([("upload_file_minidump", Array("MDMP".utf8))], boundary: "inner"))])
        #expect(response.status == 400 && response.json?["detail"]?.string == "minidump contains multipart form data")
        let none = Service.over([]).post("/minidump", form: [("minidump", Array("MDMP".utf8))])
        #expect(none.status == 400 && none.json?["detail"]?.string?.hasPrefix("missing minidump") == true)
    }

    /// Sentry keeps no more (`process_minidump.rs`).
    @Test(arguments: [(255, 255), (256, 256), (300, 256)])
    func `a thread has at most 256 frames`(count: Int, shown: Int) throws {
        let response = Service.over([]).post("/minidump", form: [("upload_file_minidump", deepMinidump(frames: count))]).json
        let thread = try #require(response?["stacktraces"]?.elements.first)
        let frames = thread["frames"]?.elements ?? []
        #expect(thread["thread_id"]?.int == 77 && frames.count == shown)
        #expect(frames.first?["trust"]?.string == "context" && frames.last?["trust"]?.string == "fp")
        #expect(frames.last?["instruction_addr"]?.unsigned == UInt64(0x40_0100 + shown - 1))
        #expect(frames.allSatisfy { $0["package"]?.string == "/app" && $0["status"]?.string == "missing" })
        #expect(response?["timestamp"]?.int == 1_700_000_000 && response?["system_info"]?["os_name"]?.string == "Linux")
        #expect(response?["crashed"]?.isTrue == false && thread["is_requesting"] == nil)
        #expect(response?["modules"]?.elements.map { $0["debug_status"]?.string } == ["missing"])
    }

    /// The body of a large request is a file, and so is the field in it.
    @Test(.enabled(if: hasCorpus, "the corpus is absent"))
    func `a body that is a file has the same response`() throws {
        let name = "lldb-linux-x86_64"
        let dump = TestPaths.bytes(of: try #require(Self.folder) + "/\(name).dmp")
        try withTemporaryFolder { folder in
            try writeFile(folder + "/body", form([("upload_file_minidump", dump), ("options", Array(#"{"dif_candidates":true}"#.utf8))]))
            let request = Request(
                "POST", "/minidump", headers: [("Content-Type", "multipart/form-data; boundary=AaB03x")],
                body: .file(try MappedFile(path: folder + "/body")))
            let response = Service.over([]).respond(to: request)
            #expect(response.json?["stacktraces"]?.elements.count == 1)
            #expect(response.json?["modules"]?.elements.contains { $0["candidates"] != nil } == true)
            let plain = try #require(Self.post(name))
            #expect(
                plain["stacktraces"]?.elements.first?["frames"]?.elements.count
                    == response.json?["stacktraces"]?.elements.first?["frames"]?.elements.count)
            #expect(plain["modules"]?.elements.allSatisfy { $0["candidates"] == nil } == true)
        }
    }
}

/// A minidump of Linux on x86-64 (minidumpapiset.h; Breakpad's `minidump_format.h`): one program,
/// and one thread whose frame pointers lead through `frames` callers.
private func deepMinidump(frames: Int) -> [UInt8] {
    let (stack, code) = (0x7fff_0000, 0x40_0000)
    func numbers(_ values: [(value: Int, size: Int)]) -> [UInt8] {
        values.flatMap { value, size in (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    }
    // A saved frame pointer and a return address each; the last has no caller.
    let chain = (1...frames).flatMap { numbers([($0 < frames ? stack + 16 * $0 : 0, 8), ($0 < frames ? code + 0x100 + $0 : 0, 8)]) }
    var context = [UInt8](repeating: 0, count: 1232)
    // `ContextFlags`, `Rsp`, `Rbp`, `Rip`.
    for (offset, value, size) in [(48, 0x10_000b, 4), (152, stack, 8), (160, stack, 8), (248, code + 0x10, 8)] {
        context.replaceSubrange(offset..<offset + size, with: numbers([(value, size)]))
    }
    let path = Array("/app".utf16)
    let name = numbers([(path.count * 2, 4)] + path.map { (Int($0), 2) } + [(0, 2)])

    var file = numbers([(0x504d_444d, 4), (0xa793, 4), (3, 4), (32, 4), (0, 4), (1_700_000_000, 4), (0, 8)])
    let data = file.count + 3 * 12
    let (chainOffset, contextOffset) = (data, data + chain.count)
    let nameOffset = contextOffset + context.count
    let streams: [(type: Int, bytes: [UInt8])] = [
        // The processor 9, Linux.
        (7, numbers([(9, 2), (0, 4), (1, 1), (0, 1), (0, 12), (0x8201, 4), (0, 4)]) + [UInt8](repeating: 0, count: 28)),
        (
            3,
            numbers([
                (1, 4), (77, 4), (0, 20), (stack, 8), (chain.count, 4), (chainOffset, 4), (context.count, 4), (contextOffset, 4),
            ])
        ),
        (4, numbers([(1, 4), (code, 8), (0x1_0000, 4), (0, 8), (nameOffset, 4)]) + [UInt8](repeating: 0, count: 84)),
    ]
    var offset = nameOffset + name.count
    for stream in streams {
        file += numbers([(stream.type, 4), (stream.bytes.count, 4), (offset, 4)])
        offset += stream.bytes.count
    }
    return file + chain + context + name + streams.flatMap(\.bytes)
}
