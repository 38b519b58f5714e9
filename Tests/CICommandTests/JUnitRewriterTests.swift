import BinaryPrimitives
import Reporting
import SymbolFiles
import TestSupport
import Testing

@testable import CICommand
@testable import TestReports

/// Reports of real tools, with addresses in them, are symbolicated; xmllint says that nothing else
/// has changed.
struct JUnitRewriterTests {
    /// A document as Canonical XML, by xmllint.
    private func canonical(_ document: [UInt8]) throws -> String {
        let result = try run("xmllint", ["--c14n", "-"], input: document)
        try #require(result.status == 0, "xmllint: \(result.errors)")
        return result.output
    }

    /// The document is symbolicated, and its canonical form is that of the original with each
    /// address replaced.
    private func expectAnswered(_ report: [UInt8]) throws {
        let rewritten = try #require(try JUnitRewriter().rewritten(report, path: "report.xml", symbolicate: StubSymbolication.symbolicate))
        let before = try canonical(report)
        let after = try canonical(rewritten.bytes)
        #expect(before.contains("0x"))
        // Attributes and text are escaped differently in Canonical XML (sections 1.1 and 2.3).
        let text = StubSymbolication.allowed.xmlEscaped
        let attribute = text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "&quot;").split(
            separator: "&gt;", omittingEmptySubsequences: false
        )
        .joined(separator: ">")
        #expect(Self.replaced(before, text: text, attribute: attribute) == after)
    }

    /// `document` with the addresses replaced by our own means, which know of tags and quotes and
    /// nothing else.
    private static func replaced(_ document: String, text: String, attribute: String) -> String {
        var result = ""
        var rest = Substring(document)
        var isInTag = false
        var isInQuotes = false
        while let character = rest.first {
            if rest.hasPrefix("0x") {
                result += isInTag ? attribute : text
                rest = rest.dropFirst(2).drop { $0.isHexDigit }
                continue
            }
            // Canonical attributes are in double quotes, and hold `>` as it is.
            if character == "<" { isInTag = true }
            if character == "\"", isInTag { isInQuotes.toggle() }
            if character == ">", !isInQuotes { isInTag = false }
            result.append(character)
            rest.removeFirst()
        }
        return result
    }

    /// ctest 3.25 writes `<failure message=""/>` for each test that fails.
    @Test func `a failure without a text gets that of its test`() throws {
        let report = try readFile(TestPaths.fixture("testruns/runners/ctest-junit.xml"))
        var failure = Failure(kind: .crash, rule: "crash/SIGSEGV", title: "SIGSEGV in total", message: "SIGSEGV at 0x8")
        failure.tests = ["shop.reads_null"]
        failure.location = Failure.Location(path: "reads_null.c", line: 7)
        var other = Failure(kind: .crash, rule: "crash/SIGABRT", title: "a title with \"<&>\"", message: "")
        other.tests = ["shop.gives_up", "shop.passes"]
        let rewritten = try #require(
            try JUnitRewriter().rewritten(report, path: "report.xml", tests: .init(failures: [failure, other]), symbolicate: { $0 }))
        #expect(rewritten.changes == 2)
        func xpath(_ expression: String) throws -> String {
            let result = try run("xmllint", ["--xpath", expression, "-"], input: rewritten.bytes)
            try #require(result.status == 0, "xmllint: \(result.errors)")
            return result.lines.joined(separator: "\n")
        }
        let crashed = "//testcase[@name='shop.reads_null']/failure"
        #expect(try xpath("concat(\(crashed)/@message, ' | ', \(crashed))") == "SIGSEGV in total | reads_null.c:7\nSIGSEGV at 0x8")
        #expect(try xpath("string(//testcase[@name='shop.gives_up']/failure/@message)") == "a title with \"<&>\"")
        #expect(try xpath("count(//testcase[@name='shop.passes']/failure)") == "0")
        #expect(try xpath("count(//failure[@message=''])") == "5")
        // Without failures nothing is written.
        #expect(try JUnitRewriter().rewritten(report, path: "report.xml", symbolicate: { $0 }) == nil)
    }

    /// ctest 3.25's own results (`***Timeout`), and the lines in what the tests have printed (`fails: TEST` in their sources).
    @Test func `a failure without a crash has its runner's word and its line`() throws {
        let project = TestPaths.root + "/Tests/Runners/ctest-checks"
        var collector = FailureCollector(
            repository: RepositoryPaths(
                root: project, workingDirectory: nil, map: PathMap([.init(old: "/src/shop", new: project)])), ownCode: OwnCodeRule(),
            excerpts: SourceExcerpts(root: nil))
        let output = try readFile(TestPaths.fixture("testruns/runners/ctest-checks.txt"))
        var rest = output.span
        while let line = rest.readLine() { collector.add(line: line) }
        let failures = collector.finish()
        let tests = JUnitRewriter.Tests(
            failures: failures, results: collector.testResults, failuresInOutput: { collector.failures(inOutput: $0.span) })
        let report = try readFile(TestPaths.fixture("testruns/runners/ctest-checks-junit.xml"))
        let rewritten = try #require(try JUnitRewriter().rewritten(report, path: "report.xml", tests: tests, symbolicate: { $0 }))
        func text(_ test: String) throws -> String {
            let failure = "//testcase[@name='\(test)']/failure"
            return try run("xmllint", ["--xpath", "concat(\(failure)/@message, ' | ', \(failure))", "-"], input: rewritten.bytes).lines
                .joined(separator: "\n")
        }
        #expect(try text("shop.quiet") == "Failed | ")
        #expect(try text("shop.sleeps") == "Timeout | ")
        #expect(try text("shop.unit").hasPrefix("Failed: unit.cpp:9: Expected equality of these values: | unit.cpp:9\n"))
        #expect(try text("shop.says").hasPrefix("Failed: says.c:16: /src/shop/says.c:16: check failed: price == 5 | says.c:16\n"))
        #expect(rewritten.changes == 4)
    }

    /// Two tests crash on one line, which they reach in two ways.
    @Test func `a test never gets the stack of another test`() throws {
        let report = Array(#"<testsuite><testcase name="a"><failure/></testcase><testcase name="b"><failure/></testcase></testsuite>"#.utf8)
        func stack(_ function: String) -> Failure.Stack {
            let frame = Failure.Frame(
                function: function, isInlined: false, line: 0, column: 0, owner: .unknown, reason: "it has no line")
            return Failure.Stack(title: "Thread 0 crashed", frames: [frame])
        }
        for isKnown in [true, false] {
            var failure = Failure(kind: .crash, rule: "crash/SIGSEGV", title: "SIGSEGV in total", message: "SIGSEGV at 0x8")
            failure.tests = ["a", "b"]
            failure.stacks = [stack("called_by_a")]
            if isKnown { failure.stacksOfTests = ["b": stack("called_by_b")] }
            let rewritten = try #require(
                try JUnitRewriter().rewritten(report, path: "report.xml", tests: .init(failures: [failure]), symbolicate: { $0 }))
            func text(_ test: String) throws -> String {
                try run("xmllint", ["--xpath", "string(//testcase[@name='\(test)']/failure)", "-"], input: rewritten.bytes).output
            }
            #expect(try text("a").contains("called_by_a") && !text("a").contains("called_by_b"))
            #expect(try text("b").contains("called_by_b") == isKnown && !text("b").contains("called_by_a"))
            #expect(try text("b").contains("SIGSEGV at 0x8"))
        }
    }

    @Test func googleTestsReport() throws {
        try withTemporaryFolder { folder in
            let source = """
                #include <gtest/gtest.h>
                TEST(Queue, Passes) { EXPECT_EQ(1, 1); }
                TEST(Queue, Fails) {
                    RecordProperty("key", "va<l&ue\\"s");
                    EXPECT_EQ(1, 2) << "frames:\\n#0 0x1234 in f ]]> <b> &\\n#1 0x5678";
                    EXPECT_TRUE(false) << "again 0x9abc";
                }
                """
            try writeFile(folder + "/q.cc", Array(source.utf8))
            let built = try run("g++", ["q.cc", "-o", "q", "-lgtest", "-lgtest_main", "-lpthread"], directory: folder)
            try #require(built.status == 0, "g++ with libgtest-dev is expected: \(built.errors)")
            _ = try run("./q", ["--gtest_output=xml:q.xml"], directory: folder)
            try expectAnswered(try readFile(folder + "/q.xml"))
        }
    }

    @Test func pytestsReport() throws {
        let python = try #require(Python.interpreter(with: "pytest"), "pytest is expected: apt-get install python3-pytest")
        try withTemporaryFolder { folder in
            let source = """
                import sys
                def deep(n): return 1 // n
                def test_ok(): pass
                def test_fails():
                    print("printed 0x10 ]]> & <b>")
                    assert deep(0) == 1, 'says "x" & 0x20'
                def test_error():
                    sys.stderr.write("crashed at 0x30\\n")
                    raise RuntimeError("boom ]]> 0x40 \\x01 ü")
                """
            try writeFile(folder + "/test_x.py", Array(source.utf8))
            let options = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "junit_logging=all", "--junitxml=j.xml", "test_x.py"]
            _ = try run(python, options, directory: folder)
            try expectAnswered(try readFile(folder + "/j.xml"))
        }
    }

    /// Swift Package Manager's reports have a message alone, or nothing at all, and no addresses of
    /// their own: one is put where XCTest and Swift Testing put theirs.
    @Test(arguments: ["swift-testing-junit.xml", "xctest-junit.xml"])
    func swiftTestsReport(name: String) throws {
        let report = try readFile(TestPaths.fixture("testruns/" + name))
        #expect(try JUnitRewriter().rewritten(report, path: name, symbolicate: StubSymbolication.symbolicate) == nil)
        let text = String(decoding: report, as: UTF8.self)
        let marked = text.split(separator: "<failure message=\"", omittingEmptySubsequences: false).joined(
            separator: "<failure message=\"0x77 ")
        #expect(marked != text)
        try expectAnswered(Array(marked.utf8))
    }

    /// Parts of reports that must survive.
    @Test func everythingElseStays() throws {
        let report = """
            <?xml version="1.0" encoding="ISO-8859-1"?>
            <?xml-stylesheet href="x.xsl"?>
            <!-- 0x1 <failure> -->
            <t:testsuites xmlns:t="urn:x" xmlns='urn:y'><testsuite name='0x2' a="&#10;&#9;&lt;&quot;">
              <properties><property name="0x3" value="0x4"/></properties><testcase/>
              <testcase name="a"><failure t:message="0x5" message="at 0x6&#10;then 0x7">text 0x8 <![CDATA[0x9 <b>]]> more<x>0xa</x> tail 0xb</failure><system-out><![CDATA[ ]]></system-out></testcase>
              <t:error>0xc</t:error><system-err></system-err>  \u{20}
            </testsuite></t:testsuites>

            """
        let rewritten = try #require(
            try JUnitRewriter().rewritten(
                Array(report.utf8), path: "x", symbolicate: { Array("<\(String(decoding: $0, as: UTF8.self))>".utf8) }))
        let after = try canonical(rewritten.bytes)
        // Six runs of text (three in `failure`, those of `system-out` and `error`, none in the
        // empty one) and one attribute.
        #expect(rewritten.changes == 5)
        #expect(after.contains("message=\"&lt;at 0x6&#xA;then 0x7>\""))
        #expect(after.contains("&lt;text 0x8 0x9 &lt;b&gt; more&gt;<x>0xa</x>&lt; tail 0xb&gt;</failure>"))
        #expect(after.contains("<t:error>&lt;0xc&gt;</t:error>"))
        #expect(after.contains("<!-- 0x1 <failure> -->"))
        #expect(after.contains("<?xml-stylesheet href=\"x.xsl\"?>"))
        #expect(after.contains("name=\"0x2\"") && after.contains("t:message=\"0x5\"") && after.contains("value=\"0x4\""))
        #expect(String(decoding: rewritten.bytes.prefix(60), as: UTF8.self).contains("ISO-8859-1"))
    }

    @Test func aFileIsReplacedWhole() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/r.xml"
            try writeFile(path, Array("<testsuite><testcase><error message=\"0x1\"/></testcase></testsuite>".utf8))
            #expect(try JUnitRewriter().rewrite(path: path, symbolicate: StubSymbolication.symbolicate) == 1)
            #expect(String(decoding: try readFile(path), as: UTF8.self).contains("&amp; ]]&gt;"))
            #expect(try JUnitRewriter().rewrite(path: path, symbolicate: { $0 }) == 0)
            #expect(throws: TestReportError(path: folder + "/no.xml", problem: "no such file: expected a JUnit report")) {
                try JUnitRewriter().rewrite(path: folder + "/no.xml", symbolicate: { $0 })
            }
            #expect(try run("ls", ["-A", folder]).lines == ["r.xml"])
        }
    }

    /// Refused in a line, and soon.
    @Test func hostileDocuments() throws {
        let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><x><failure>&b;</failure></x>"
        let external = "<?xml version=\"1.0\"?>\n<!-- x -->\n<!DOCTYPE x SYSTEM \"file:///etc/passwd\"><x><failure>0x1</failure></x>"
        let deep = String(repeating: "<a>", count: 5000) + String(repeating: "</a>", count: 5000)
        let attributes = "<a " + (0..<5000).map { "a\($0)='' " }.joined() + "/>"
        let elements = "<x>" + String(repeating: "<a/>", count: 600_000) + "</x>"
        let comments = "<x>" + String(repeating: "<!---->", count: 200_000) + "</x>"
        let cases: [(document: String, message: String)] = [
            (bomb, "document type"), (external, "document type"), (deep, "nested too deeply"), (attributes, "5000 attributes"),
            (elements, "more than 500000 elements"), (comments, "comments"), ("", "does not begin with"), ("{}", "does not begin with"),
            ("<x><failure>", "expected a JUnit report"), ("<x>&undeclared;</x>", "expected a JUnit report"),
            ("<x>\u{1b}</x>", "expected a JUnit report"),
            ("<?xml version='1.0' encoding='UTF-7'?><x/>", "encoding is UTF-7"), ("<x>\u{0}</x>", "null bytes"),
            ("<x a='1' a='2'/>", "expected a JUnit report"),
        ]
        for (document, message) in cases {
            do throws(TestReportError) {
                _ = try JUnitRewriter().rewritten(Array(document.utf8), path: "r.xml", symbolicate: { $0 + [0x21] })
                Issue.record("accepted: \(document.prefix(60))")
            } catch {
                #expect(error.description.hasPrefix("r.xml: "))
                #expect(error.description.contains(message), "\(error.description)")
                #expect(!error.description.contains("\n"))
            }
        }
        // A text of 1 GB, by the size of the file alone.
        try withTemporaryFolder { folder in
            _ = try run("truncate", ["-s", "1G", folder + "/r.xml"])
            #expect(throws: TestReportError(path: folder + "/r.xml", problem: "1073741824 bytes: expected at most 134217728")) {
                try JUnitRewriter().rewrite(path: folder + "/r.xml", symbolicate: { $0 })
            }
        }
    }

    /// More than libxml2's own 10 MB of text are what a verbose test prints.
    @Test func longOutput() throws {
        let line = "line & line 0x1234\n"
        let report = "<testsuite><system-out><![CDATA[" + String(repeating: line, count: 1_000_000) + "]]></system-out></testsuite>"
        let rewritten = try #require(try JUnitRewriter().rewritten(Array(report.utf8), path: "x", symbolicate: { Array($0.reversed()) }))
        #expect(
            rewritten.bytes.count == "<testsuite><system-out><![CDATA[]]></system-out></testsuite>\n".utf8.count + 1_000_000
                * line.utf8.count)
    }
}

extension String {
    fileprivate var xmlEscaped: String {
        var result = ""
        for character in self {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
        return result
    }
}

/// Replaces cairn: every address becomes a function with everything in its name that is awkward in
/// XML.
private enum StubSymbolication {
    static let name = "f<T>(\"a\") & ]]> \u{1b}[31m ü"
    /// As XML may hold it.
    static let allowed = "f<T>(\"a\") & ]]> \u{FFFD}[31m ü"

    static func symbolicate(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text.span
        while rest.count > 0 {
            var number = rest
            if number.consume("0x"), number.readHexadecimal() != nil {
                result += name.utf8
                rest = number
            } else {
                result.append(rest[0])
                rest = rest.from(1)
            }
        }
        return result
    }
}
