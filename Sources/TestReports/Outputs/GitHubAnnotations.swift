internal import BinaryPrimitives

/// Failures as workflow commands of GitHub Actions, which become annotations on the change's lines.
///
///     ::error file=Sources/App/main.swift,line=3,col=5,endLine=3,title=SIGSEGV in main::Bad pointer dereference at 0x0
///
/// Nothing of a log can end a command, begin another, or add a property: line endings, `%` and, in
/// properties, `:` and `,` are escaped as the runner unescapes them (`ActionCommand.cs` of
/// actions/runner), and the older form that the runner looks for anywhere in a line (`##[…]`) is
/// broken.
package struct GitHubAnnotations: Sendable {
    /// Maximum number of annotations that the service shows of one step, for errors, warnings and
    /// notices each. Of all steps of a job it shows 50.
    package static let stepLimit = 10
    /// Bytes of a message: 64 KB.
    static let messageLimit = 64 << 10
    /// Characters of a title.
    static let titleLimit = 255

    private let limit: Int
    private let elsewhere: String

    /// - Parameters:
    ///   - limit: annotations of each level; what is left of the 50 of a job where earlier steps of
    ///     the job have made some.
    ///   - elsewhere: where all failures are to be read, in words.
    package init(limit: Int = stepLimit, elsewhere: String = "see the summary") {
        self.limit = max(0, min(limit, Self.stepLimit))
        self.elsewhere = elsewhere
    }

    /// The commands, a line each. What is beyond the limit is counted in a line of its own that is
    /// no command.
    package func render(_ failures: [Failure]) -> [UInt8] {
        var output = ""
        var counts: [Failure.Level: Int] = [:]
        var leftOut = 0
        // Annotations without a location are on the run and not on the change: those with one come
        // first.
        let ordered = failures.filter { $0.location != nil } + failures.filter { $0.location == nil }
        for failure in ordered {
            guard counts[failure.level, default: 0] < limit else {
                leftOut += 1
                continue
            }
            counts[failure.level, default: 0] += 1
            output += Self.command(failure) + "\n"
        }
        if leftOut > 0 {
            output +=
                "cairn: \(leftOut) more \(leftOut == 1 ? "failure is" : "failures are") not annotated: GitHub shows \(Self.stepLimit) a step; \(elsewhere)\n"
        }
        return Array(output.utf8)
    }

    static func command(_ failure: Failure) -> String {
        var properties: [(String, String)] = []
        if let location = failure.location {
            properties.append(("file", location.path))
            properties.append(("line", String(location.line)))
            properties.append(("endLine", String(location.line)))
            if location.column > 0 { properties.append(("col", String(location.column))) }
        }
        let title = failure.title + (failure.tests.first.map { " (\($0))" } ?? "")
        properties.append(("title", Self.cut(PlainText.line(title), characters: titleLimit)))
        let propertyText = properties.map { $0.0 + "=" + property($0.1) }.joined(separator: ",")
        return "::" + (failure.level == .note ? "notice" : failure.level.rawValue) + " " + propertyText + "::" + data(message(failure))
    }

    private static func message(_ failure: Failure) -> String {
        let text = FailureText(failure).message
        return text.isEmpty ? failure.rule : PlainText.lines(text, limit: messageLimit, staysInLine: true)
    }

    /// Text after the command.
    static func data(_ text: String) -> String { escaped(text, [:]) }

    /// A property's value.
    static func property(_ text: String) -> String { escaped(text, [":": "%3A", ",": "%2C"]) }

    private static func escaped(_ text: String, _ more: [Unicode.Scalar: String]) -> String {
        var result = ""
        for scalar in broken(text).unicodeScalars {
            switch scalar {
            case "%": result += "%25"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            default:
                if let escape = more[scalar] { result += escape } else { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }

    /// `##[` is a command anywhere in a line, as far as older runners and the viewer of logs go.
    static func broken(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "#")) else { return text }
        var result = ""
        var hashes = 0
        for scalar in text.unicodeScalars {
            if scalar == "[", hashes >= 2 { result += " " }
            hashes = scalar == "#" ? hashes + 1 : 0
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    private static func cut(_ text: String, characters: Int) -> String {
        text.unicodeScalars.count <= characters ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(characters - 1))) + "…"
    }
}
