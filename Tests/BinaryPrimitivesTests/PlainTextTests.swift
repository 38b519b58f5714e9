import BinaryPrimitives
import TestSupport
import Testing

/// Text made harmless, judged by tables of the standards, a JSON parser and a shell.
struct PlainTextTests {
    @Test(arguments: Hostile.texts) func `a line is one, and commands nobody`(text: String) {
        let line = PlainText.line(text)
        #expect(ShownText(Array(line.utf8)).commands == [])
        #expect(!line.utf8.contains(0x0A) && !line.utf8.contains(0x09))
        // Wherever it is placed, and wherever it is folded.
        for word in ["", "  ", "name ", "\t"] { #expect(ShownText(Array((word + line).utf8)).serviceCommands == []) }
        #expect(ShownText(Array(line.split(separator: " ").joined(separator: "\n").utf8)).serviceCommands == [])
        for limit in [8, 20, 60] {
            let cut = PlainText.line(text, limit: limit)
            #expect(cut.utf8.count <= limit && ShownText(Array(cut.utf8)).commands == [])
        }
        let lines = PlainText.lines(text)
        #expect(ShownText(Array(lines.utf8)).commands == [] && ShownText(Array(lines.utf8)).serviceCommands == [])
    }

    @Test(arguments: [
        "std::vector<int>::push_back(int&&)", "-[Foo bar:]", "größe 🪨 👩‍👩‍👧 می‌خواهم", "C:\\x\\y.cpp", "operator#", "a#b ##",
        "closure #1 in f()", "",
        "$s4main3fooyyF", "impl ::", "a :: b",
    ])
    func `names that are meant stay as they are`(text: String) { #expect(PlainText.line(text) == text) }

    @Test func `what is shown of it`() {
        #expect(PlainText.line("a\u{1b}[31m\r\nb\tc\u{9b}\u{202e}") == "a\\u{1b}[31m\\nb c\\u{9b}\\u{202e}")
        #expect(PlainText.line("##vso[x] ::error::y") == "#\\u{23}vso[x] \\u{3a}:error::y")
        #expect(PlainText.lines("a\r\nb\rc") == "a\nb\nc")
    }

    // MARK: JSON

    /// A parser reads the original text, and the document's own bytes are commands to no program.
    @Test func `JSON strings say what was meant`() throws {
        var document: [UInt8] = []
        for text in Hostile.texts {
            var string: [UInt8] = []
            JSONString.append(text, to: &string)
            #expect(ShownText(string).commands == [] && ShownText(string).serviceCommands == [], "\(text.debugDescription)")
            document += string + [0x0A]
        }
        let script = "import json, sys\nfor line in sys.stdin.buffer: print(json.loads(line).encode('utf-8', 'surrogatepass').hex())"
        let result = try run("python3", ["-c", script], input: document)
        #expect(
            result.lines == Hostile.texts.map { $0.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }, "\(result.errors)")
    }

    // MARK: Shells

    @Test func `a word of a shell is one word`() throws {
        let texts = Hostile.texts.filter { !$0.utf8.contains(0) }
        let script = texts.map { "printf '%s\\0' \(ShellWord.quoted($0, isPath: false))\n" }.joined()
        let result = try run("sh", [], input: Array(script.utf8))
        #expect(result.errors == "")
        #expect(
            result.standardOutput.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { Array($0) }
                == texts.map { Array($0.utf8) })
        #expect(ShellWord.quoted("-rf") == "./'-rf'" && ShellWord.quoted("/a/b-c_d.e") == "/a/b-c_d.e")
    }
}

/// Compares the functions with the standard library's, for text without marks that change the
/// character before them.
struct PlainStringsTests {
    private static let texts = ["", "a", "b", "ab", "ba", "aab", "abab", "größe", "ö", "/maps", "x/map", "🪨", "a🪨b", "\u{0}a"]

    @Test func `a text is in another where its bytes are`() {
        for text in Self.texts {
            for wanted in Self.texts {
                let (bytes, other) = (Array(text.utf8), Array(wanted.utf8))
                let starts = bytes.count >= other.count ? Array(0...bytes.count - other.count) : []
                let isThere = starts.contains { Array(bytes[$0..<$0 + other.count]) == other }
                #expect(text.contains(wanted) == isThere, "\(wanted) in \(text)")
            }
        }
    }

    /// From 256 bytes on another search is used.
    @Test func `so it is in a long text`() {
        for length in [254, 255, 256, 257, 1000] {
            let text = String(repeating: "ab", count: length / 2)
            #expect((text + "c").contains("abc") && ("c" + text).contains("cab") && !text.contains("aa"))
        }
    }

    @Test func `texts are joined in their order, with what is between two of them`() {
        #expect([String]().joined(separator: ", ") == "")
        #expect(["a"].joined(separator: ", ") == "a")
        #expect(["a", "", "c"].joined(separator: ", ") == "a, , c")
        #expect(["a", "b"].joined() == "ab")
    }
}
