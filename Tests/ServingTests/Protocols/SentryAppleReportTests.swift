import BinaryPrimitives
import CrashLogModel
import Serving
import TestSupport
import Testing

/// Symbolicator's `/applecrashreport`, against its own recorded response.
struct SentryAppleReportTests {
    private static let report = TestPaths.corpus.map { $0 + "/logs/apple-crash/sentry-handcrafted.txt" }
    private static let recorded = TestPaths.corpus.map { $0 + "/memory/minidump/expected/symbolicator/applecrashreport_basic.snap" }

    private static func post(_ path: String, _ fields: [(name: String, content: [UInt8])] = [], symbols: [String] = []) -> Response {
        Service.over(symbols).post("/applecrashreport", form: [("apple_crash_report", TestPaths.bytes(of: path))] + fields)
    }

    @Test(.enabled(if: report != nil, "the corpus is absent"))
    func `the recorded response is the same but for what is said here`() throws {
        let expected = RecordedValue(snapshot: String(decoding: TestPaths.bytes(of: try #require(Self.recorded)), as: UTF8.self))
        let response = Self.post(try #require(Self.report), [("sources", Array("[]".utf8)), ("unknown", Array("value".utf8))])
        #expect(response.status == 200)
        #expect(
            expected.differences(from: response.json) == [
                // Lines are read without the blanks around them.
                "crash_details: objc_msgSend() selector name: respondsToSelector:\nmore information here, not objc_msgSend() selector name: "
                    + "respondsToSelector:\n  more information here",
                // The names that the report prints, which Symbolicator drops.
                "stacktraces[0].frames[11].function: further", "stacktraces[0].frames[12].function: further",
                "stacktraces[0].frames[13].function: further",
                // The last address of an image belongs to it: Apple's ranges are inclusive.
                "modules[0].image_size: 108797952, not 108797951", "modules[1].image_size: 2170880, not 2170879",
                "modules[2].image_size: 221184, not 221183", "modules[3].image_size: 1474560, not 1474559",
                "modules[4].image_size: 28672, not 28671",
            ])
        let frames = response.json?["stacktraces"]?.elements.first?["frames"]?.elements ?? []
        #expect(frames.dropFirst(11).map { $0["function"]?.string } == ["a_function_here", "start", "main"])
    }

    /// A report as `.ips`, its program's dSYM, and what atos says of the crashed thread's frames.
    @Test(.enabled(if: report != nil, "the corpus is absent"))
    func `a report in JSON is symbolicated`() throws {
        let corpus = try #require(TestPaths.corpus)
        let response = Self.post(
            corpus + "/logs/apple-ips/macsymbolicator-2022-single-target-crash.ips",
            symbols: [corpus + "/objects/macsymbolicator-2022-single"])
        let crashed = response.json?["stacktraces"]?.elements.first { $0["is_requesting"]?.isTrue == true }
        let found = (crashed?["frames"]?.elements ?? []).filter { $0["status"]?.string == "symbolicated" }
        let table = String(
            decoding: TestPaths.bytes(of: corpus + "/expected/macsymbolicator-2022-single-target-crash-ips.tsv"), as: UTF8.self)
        #expect(!found.isEmpty)
        for frame in found {
            #expect(frame["function"]?.string.map(table.contains) == true && frame["filename"]?.string.map(table.contains) == true)
        }
        #expect(response.json?["system_info"]?["os_name"]?.string == "macOS")
        #expect(response.json?["modules"]?.elements.first?["debug_status"]?.string == "found")
    }

    /// Symbolicator's own words for it begin so; HTTP has no part in it.
    @Test(arguments: ["", "no report at all", "MDMP", "panic: main\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\n"])
    func `a file that is no report of Apple's has failed`(text: String) {
        let response = Service.over([]).post("/applecrashreport", form: [("apple_crash_report", Array(text.utf8))])
        #expect(response.status == 200 && response.json?["status"]?.string == "failed")
        #expect(response.json?["message"]?.string?.hasPrefix("failed to parse apple crash report: ") == true)
    }

    @Test(arguments: [
        ("other", "", "options", "{}", 400, "missing apple crash report"),
        ("apple_crash_report", "", "options", "{", 400, "options: expected JSON"),
        ("apple_crash_report", "", "platform", "native", 400, "platform: expected JSON"),
        ("apple_crash_report", "", "scraping", "{,}", 400, "scraping: expected JSON"),
        ("apple_crash_report", "", "sources", #"[{"type":"http"}]"#, 400, "sources: expected an id"),
        ("apple_crash_report", "", "sources", "{}", 400, "sources: expected a list"),
        ("apple_crash_report", "", "options", #"{"dif_candidates":1}"#, 400, "dif_candidates: expected true or false"),
        ("apple_crash_report", "", "platform", #""native""#, 200, ""), ("apple_crash_report", "", "other", "{", 200, ""),
    ])
    func `fields have Symbolicator's errors`(file: String, content: String, name: String, text: String, status: Int, message: String) {
        let response = Service.over([]).post("/applecrashreport", form: [(file, Array(content.utf8)), (name, Array(text.utf8))])
        #expect(response.status == status)
        if status != 200 { #expect(response.json?["detail"]?.string?.hasPrefix(message) == true && response.json?["causes"] != nil) }
    }

    /// A mebibyte each, as Symbolicator reads them.
    @Test func `a field in JSON is capped by formField`() {
        func status(_ count: Int) -> Int {
            let text = "\"" + String(repeating: "a", count: count - 2) + "\""
            return Service.over([]).post("/applecrashreport", form: [("apple_crash_report", []), ("platform", Array(text.utf8))]).status
        }
        #expect(Limits.standard.formField == 1_048_576)
        #expect(status(1_048_576) == 200)
        #expect(status(1_048_577) == 413)
    }

    @Test func `a body that is no form is refused, and a larger one is let in`() {
        let service = Service.over([]) { $0.maxBodyBytes = 10 }
        let response = service.post("/applecrashreport", "{}", headers: [("Content-Type", "application/json")])
        #expect(response.status == 400 && response.json?["detail"]?.string == "expected Content-Type: multipart/form-data")
        // 250 MiB (`symbolicator`'s `crashreport_body_max_bytes`).
        for path in ["/applecrashreport", "/minidump"] {
            #expect(service.plan(for: Request("POST", path)).maxBodyBytes == 262_144_000)
            #expect(service.post(path, form: [("other", Array("0123456789".utf8))]).status == 400)
        }
    }

    /// A client's log says what is absent here.
    @Test(arguments: [("/symbolicate-any", "storage_url"), ("/symbolicate-js", "JavaScript"), ("/symbolicate-jvm", "Java")])
    func `what is not here says so`(path: String, word: String) {
        let response = Service.over([]).post(path, "{}", headers: [("Content-Type", "application/json")])
        #expect(response.status == 422 && response.json?["detail"]?.string?.contains(word) == true)
        #expect(response.json?["causes"]?.elements.isEmpty == true)
    }
}
