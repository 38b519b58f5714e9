import TestSupport
import Testing

/// What people read uses the terms of the field: frames are resolved, and a log has an address.
@Suite struct WordingTests {
    @Test func `texts of the program use the field's words`() {
        var used: Set<String> = []
        var count = 0
        for file in TestPaths.files(under: TestPaths.root + "/Sources") where file.hasSuffix(".swift") {
            let path = String(file.dropFirst(TestPaths.root.count + "/Sources/".count))
            guard !Wording.leftOut.contains(where: path.hasPrefix) else { continue }
            for literal in StringLiterals(TestPaths.bytes(of: file)).all {
                count += 1
                for finding in Wording.findings(in: literal.text) {
                    if let exception = Wording.exceptions.first(where: { $0.covers(finding.phrase, in: path) }) {
                        used.insert(exception.place + exception.phrase)
                    } else {
                        Issue.record("Sources/\(path):\(literal.line): “\(finding.phrase)”: use \(finding.instead): \(literal.text)")
                    }
                }
            }
        }
        #expect(count > 5000)
        for exception in Wording.exceptions {
            #expect(used.contains(exception.place + exception.phrase), "“\(exception.phrase)” is not in \(exception.place) any more")
        }
    }

    @Test(arguments: [
        ("4 of 8 frames unanswered", ["unanswered"]),
        ("The log tells no address, and told none", ["tells", "told"]),
        ("asan.log: It lies behind the image", ["lies", "behind"]),
        ("takes … by your word", ["by your word"]),
        ("x is no image", ["is no"]),
        ("MAY BE REPEATED.", ["may be repeated"]),
        // Words that only begin like one, and single words, which are keys and names.
        ("untellable liest beyond; asking for standards", []), ("answered", []), ("", []),
    ])
    func `phrases are found as whole words, in prose`(text: String, phrases: [String]) {
        #expect(Wording.findings(in: text).map(\.phrase) == phrases)
    }

    @Test func `literals are found in code, without comments`() {
        let code = ##"""
            let a = "one \(b ? "two" : call("three", (4)))five"  // "no literal"
            /* "nor this" */ let c = """
                six \
                seven
                  eight "nine"
                """
            let d = #"ten \(no) \#(e) "eleven""# + "twelve \"thirteen\" \\" + ""
            """##
        let found = StringLiterals(Array(code.utf8)).all
        #expect(
            found.map { "\($0.line) \($0.text)" }.sorted()
                == [
                    "1 one …five", "1 three", "1 two", "2 six seven eight \"nine\"", "7 ", "7 ten \\(no) … \"eleven\"",
                    "7 twelve \"thirteen\"",
                ].sorted())
    }

    /// A planted text is found through all of it: the literal, its line, the phrase.
    @Test func `a planted phrase is found in a file`() {
        let code = "let fine = \"resolved frames\"\n/// It tells.\nlet bad = \"\\(path): the log tells\n  no address\"\n"
        let found = StringLiterals(Array(code.utf8)).all.flatMap { literal in
            Wording.findings(in: literal.text).map { "\(literal.line): \($0.phrase)" }
        }
        #expect(found == ["3: tells"])
    }
}

/// Words of the old idiom, and what takes their place.
private enum Wording {
    struct Finding {
        var phrase: String
        var instead: String
    }

    struct Exception {
        /// A file or a folder in `Sources`.
        var place: String
        var phrase: String
        var reason: String

        func covers(_ phrase: String, in path: String) -> Bool { self.phrase == phrase && path.hasPrefix(place) }
    }

    /// Their texts are not rewritten yet.
    static let leftOut = ["DWARFInspection/", "SecondOpinion/", "DwarfdumpCommand/"]

    static let phrases: [(phrase: String, instead: String)] = [
        ("tell", "“show”, “print” or “has”"), ("tells", "“shows”, “prints” or “has”"), ("told", "“printed”, or the fact itself"),
        ("untold", "“unknown”"), ("answer", "“result”, or “symbolicate”"), ("answers", "“results”, or “symbolicates”"),
        ("answered", "“symbolicated”, or “resolved”"), ("unanswered", "“unresolved”"), ("asks", "“queries”"), ("asked", "“queried”"),
        ("says", "“has” or “prints”"), ("said", "“printed”"), ("stands", "“is”"), ("stood", "“was”"), ("behind", "“after”"),
        ("lies", "“is”"), ("lie", "“are”"), ("by your word", "“matched by name”"), ("own code", "“your code”"),
        ("may be repeated", "“Repeatable.”"), ("is no", "“is not a” or “has no”"), ("there is no", "“no such”"),
        ("its identity", "“its build ID or UUID”"), ("looked for", "“searched for”"), ("to be known by", "“usable”"),
    ]

    static let exceptions = [
        Exception(
            place: "CrashLogFormats/Meaning/", phrase: "asked",
            reason: "the program, the system or the user asked for memory, a port, a report"),
        Exception(place: "CrashLogFormats/Meaning/SignalMeanings.swift", phrase: "asks", reason: "SIGQUIT asks the kernel for a core dump"),
        Exception(
            place: "CrashLogFormats/Meaning/KernelMeanings.swift", phrase: "own code", reason: "the kernel's own code, and not the user's"),
        Exception(place: "Personalities/GNU/EUAddr2Line.swift", phrase: "lies", reason: "elfutils' message, which callers may look for"),
        Exception(place: "BatchProcessing/Store/", phrase: "unanswered", reason: "a column of the store"),
        Exception(place: "BatchProcessing/Store/", phrase: "answered", reason: "a value in the store"),
        Exception(place: "BatchProcessing/Questions/Database/", phrase: "unanswered", reason: "a column of the store"),
    ]

    /// The phrases in a text, in their order; none in a single word, which is a key or a name.
    /// `own_code` and `own-code` are names, too.
    static func findings(in text: String) -> [Finding] {
        let words = text.lowercased().split { !$0.isLetter && !["’", "'", "_", "-"].contains($0) }
        guard words.count > 1 else { return [] }
        var found: [Finding] = []
        for start in words.indices {
            for rule in rules[words[start]] ?? [] where words[start...].starts(with: rule.words) { found.append(rule.finding) }
        }
        return found
    }

    /// By the first word of the phrase.
    private static let rules: [Substring: [(words: [Substring], finding: Finding)]] = Dictionary(
        grouping: phrases.map { ($0.phrase.split(separator: " "), Finding(phrase: $0.phrase, instead: $0.instead)) }, by: { $0.words[0] })
}
