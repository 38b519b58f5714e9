import TestSupport
import Testing

/// Comments are written for people who know the field and not this project: in its words, in lines
/// that fit.
@Suite struct CommentWordingTests {
    /// Verbs for what people do, which software does not, and places for what comes later.
    private static let words: Set<Substring> = [
        "tell", "tells", "told", "telling", "stand", "stands", "stood", "asks", "asked", "asking", "behind", "lies", "answered",
        "unanswered",
    ]
    /// Comments that tests of programs read line by line.
    private static let leftOut = ["Tests/Crashes/", "Tests/SourceTreeTests/CommentWordingTests.swift"]

    @Test func `comments use the field's words`() {
        var count = 0
        forEachComment { path, line, text in
            count += 1
            for word in Self.words(in: text) where Self.words.contains(word) { Issue.record("\(path):\(line): “\(word)”: \(text)") }
        }
        #expect(count > 10_000)
    }

    /// Examples, tables and layouts of bytes keep their own lines.
    @Test func `comments have at most 100 columns`() {
        forEachComment { path, line, text in
            let isProse =
                !["///    ", "//    ", "/// |", "/// `{"].contains(where: text.hasPrefix) && !text.contains("://") && !text.contains("::= ")
            if isProse, text.count + text.indent > 100 { Issue.record("\(path):\(line): \(text.count + text.indent) columns") }
        }
    }

    @Test(arguments: [
        ("/// The log tells it.", ["tells"]), ("// What `told` is.", []), ("/// “it stands behind”, as it prints", []),
        ("/// Understanding, beyond, foretold", []), ("/// \"told\"", []),
    ])
    func `words are found outside of code and quotations`(text: String, found: [String]) {
        let comment = Comment(text: text[...], indent: 0)
        #expect(Self.words(in: comment).filter(Self.words.contains).map { String($0) } == found)
    }

    /// The words of a comment's prose, in lower case.
    private static func words(in comment: Comment) -> [Substring] {
        var prose = ""
        var closing: Character?
        for character in comment.text {
            if let end = closing {
                if character == end { closing = nil }
                continue
            }
            switch character {
            case "`", "\"": closing = character
            case "“": closing = "”"
            default: prose.append(character)
            }
        }
        return prose.lowercased().split { !$0.isLetter && $0 != "-" && $0 != "_" }
    }

    private struct Comment: CustomStringConvertible {
        var text: Substring
        /// Columns before it.
        var indent: Int
        var count: Int { text.count }
        var description: String { String(text) }

        func hasPrefix(_ prefix: String) -> Bool { text.hasPrefix(prefix) }
        func contains(_ part: String) -> Bool { text.contains(part) }
    }

    /// Lines that are comments and nothing else.
    private func forEachComment(_ body: (_ path: Substring, _ line: Int, _ text: Comment) -> Void) {
        for folder in ["Sources", "Tests"] {
            for file in TestPaths.files(under: TestPaths.root + "/" + folder) {
                let path = file.dropFirst(TestPaths.root.count + 1)
                guard [".swift", ".c", ".h"].contains(where: file.hasSuffix), !Self.leftOut.contains(where: path.hasPrefix) else {
                    continue
                }
                let lines = String(decoding: TestPaths.bytes(of: file), as: UTF8.self).split(
                    separator: "\n", omittingEmptySubsequences: false)
                for (index, line) in lines.enumerated() {
                    let text = line.drop { $0 == " " }
                    if text.hasPrefix("//") { body(path, index + 1, Comment(text: text, indent: line.count - text.count)) }
                }
            }
        }
    }
}
