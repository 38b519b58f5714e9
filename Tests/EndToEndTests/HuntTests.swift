import TestSupport
import Testing

/// `hunt/apple` beside the corpus.
private let huntFolder: String? = TestPaths.corpus.map { $0 + "/../hunt/apple" }.flatMap {
    TestPaths.isReadable($0 + "/README.md") ? $0 : nil
}

/// Logs of Apple's platforms that were not read once, with the dSYM of the program in them: each
/// frame of the program is resolved to the line that the disassembly and the source give.
///
/// `hunt/apple` beside the corpus has the inputs, their README the lines: 0x3d4 is `boom` (line 5),
/// 0x3f8 returns into `outer` (6), 0x408 into `main` (7), 0x3a8 is `inl` (3) inlined in `middle`
/// (4).
@Suite(.enabled(if: huntFolder != nil, "the hunt's inputs are absent"))
struct HuntTests {
    struct Input: Sendable, CustomTestStringConvertible {
        var file: String
        /// The lines of `demo.c` in the order of the frames, innermost first in each stack; of a
        /// call tree in the log's order.
        var lines: [Int]
        /// How many reports are in it.
        var reports = 1
        /// How many frames, where the log names them all and says nothing of an image.
        var frames: Int?
        var testDescription: String { file }
    }

    /// The whole report: the crashed thread and another.
    private static let whole = [5, 6, 7, 3, 4]

    static let inputs: [Input] = [
        Input(file: "00-undamaged.crash", lines: whole), Input(file: "01-indented-4.txt", lines: whole),
        Input(file: "02-indented-tab.txt", lines: whole),
        Input(file: "02b-indented-1.txt", lines: whole), Input(file: "03-callstacksymbols.txt", lines: [6, 7]),
        Input(file: "03b-rows-with-base.txt", lines: [6, 7]), Input(file: "04-thread-performance-checker.txt", lines: [6, 7]),
        Input(file: "05-main-thread-checker.txt", lines: [6, 7]), Input(file: "06-appkit-general.txt", lines: [6, 7]),
        Input(file: "07-xctest-signal.txt", lines: [6, 7]), Input(file: "08-llvm-stack-dump.txt", lines: [5, 6, 7]),
        Input(file: "09-lldb-bt.txt", lines: [5, 6, 7]),
        Input(file: "10-xcode-navigator.txt", lines: [5, 6, 7], frames: 5),
        Input(file: "11-crashlytics.txt", lines: [6, 7]), Input(file: "11b-crashlytics-crashed.txt", lines: [5, 6, 7, 3, 4]),
        Input(file: "12-truncated.ips", lines: [5, 6, 7]), Input(file: "12b-truncated-in-images.ips", lines: [5, 6, 7]),
        Input(file: "13-quoted-ips.txt", lines: [5, 6, 7]), Input(file: "14-html-paragraphs.html", lines: whole),
        Input(file: "15-pre-glued.html", lines: whole),
        Input(file: "15b-pre-glued-no-images.html", lines: [5, 6, 7]), Input(file: "15c-bbcode-glued.txt", lines: whole),
        Input(file: "16-uuid-rows.txt", lines: [6, 7]), Input(file: "17-pac-signed.crash", lines: whole),
        Input(file: "18-mono-native.txt", lines: [5, 6, 7]),
        Input(file: "19-kotlin-native.txt", lines: [6, 7]),
        Input(file: "20-dart.txt", lines: [6, 7]),
        Input(file: "21-godot.txt", lines: [6, 7]),
        Input(file: "22-empty-image-name.crash", lines: whole),
        // The heaviest stack, then the thread's tree.
        Input(file: "23-spindump-truncated-backtrace.txt", lines: [7, 6, 7, 6]),
        Input(file: "24-images-en-dash.crash", lines: whole),
        Input(file: "25-images-blank-lines.crash", lines: whole), Input(file: "26-images-wrapped.crash", lines: whole),
        Input(file: "27-json-string.json", lines: whole), Input(file: "28-head-cut.crash", lines: [7, 3, 4]),
        Input(file: "29-minidump-stackwalk.txt", lines: [5, 6, 7]), Input(file: "30-collapsed.txt", lines: [5, 6, 7]),
        Input(file: "31-rows-without-address.txt", lines: [6, 7]),
        Input(file: "32-two-headless-stacks.txt", lines: [5, 5, 6], reports: 2),
        Input(file: "33-umeng.txt", lines: [6, 7]),
        Input(file: "35-unity.txt", lines: [5, 6, 7], frames: 4),
        Input(file: "36-spindump-fragment.txt", lines: [7, 6]),
        Input(file: "37-swift-prefix-info.txt", lines: [5, 6], frames: 2), Input(file: "38-html-div.html", lines: whole),
        Input(file: "39-quoted-printable.txt", lines: whole),
        Input(file: "41a-nsexception-elided.txt", lines: [6, 7], frames: 3),
        Input(file: "41b-nsexception-elided.txt", lines: [6, 7], frames: 3),
        Input(file: "41c-nsexception-interleaved.txt", lines: [6, 7], frames: 3),
    ]

    @Test(arguments: inputs) func `each frame of the program has its line`(input: Input) throws {
        let folder = try #require(huntFolder)
        let result = try run(
            TestPaths.cairn, ["--format", "json", "-q", "--no-local", "--symbols", folder + "/fixture", folder + "/" + input.file],
            environment: ["CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": "/nonexistent"])
        let logs = try jsonLogs(result)
        #expect(logs.count == input.reports)
        let frames = logs.flatMap { log in
            (log.exceptionBacktrace?.frames ?? []) + (log.additionalBacktraces ?? []).flatMap(\.frames) + log.threads.flatMap(\.frames)
        }
        let lines = frames.flatMap { $0.functions ?? [] }.compactMap(\.line)
        #expect(lines == input.lines)
        if let count = input.frames { #expect(frames.count == count) }
    }

    /// The report has no stack; it is recognised all the same.
    @Test func `a report without a stack in a published page is named`() throws {
        let folder = try #require(huntFolder)
        let result = try run(TestPaths.cairn, ["formats", folder + "/34-dyld-html.html"])
        #expect(result.output.contains("apple-crash"))
    }
}

/// Logs that give an image's UUID apart from the rows: a file of another build is refused by it.
///
/// `hunt/turn3/apple` beside the corpus has the inputs and the program with its dSYM.
@Suite(.enabled(if: folder != nil, "the hunt's inputs are absent"))
struct ListedIdentitiesTests {
    private func symbolicate(_ file: String, _ more: String...) throws -> RunResult {
        let folder = try #require(folder)
        return try run(
            TestPaths.cairn, ["-s", folder + "/fixture", "--no-local"] + more + [folder + "/" + file],
            environment: ["CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": "/nonexistent"])
    }

    @Test(arguments: ["11-datadog-other-build.json", "14-lldb-crashlog-other-build.txt"])
    func `another build is not used`(file: String) throws {
        let result = try symbolicate(file)
        #expect(result.output == (try String(decoding: readFile(#require(folder) + "/" + file), as: UTF8.self)))
        #expect(!result.errors.contains("matched by name"))
        let reason = "UUID differs: the log has 00000000-5555-3144-A1F6-E835C4EE10B4"
        #expect(try symbolicate(file, "--format", "json").output.contains(reason))
    }

    @Test(arguments: ["06-oslog-prefix.txt", "06b-box-prefix.txt", "06d-star-prefix.txt"])
    func `the same build is proven behind any prefix`(file: String) throws {
        let result = try symbolicate(file)
        #expect(result.output.contains("long.c:4"))
        #expect(!result.errors.contains("matched by name"))
    }
}

private let folder: String? = TestPaths.corpus.map { $0 + "/../hunt/turn3/apple" }.flatMap {
    TestPaths.isReadable($0 + "/README.md") ? $0 : nil
}
