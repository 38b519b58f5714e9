internal import BinaryPrimitives

/// Failures as SARIF 2.1.0 (OASIS): results with their stacks, and with code flows that lead from
/// the outermost call to the location.
///
/// Services refuse a whole file for a result without a location; failures without a location are
/// notifications of the run instead.
package struct SARIFReport: Sendable {
    private let version: String

    /// Frames of one stack that are written.
    private static let frameLimit = 100
    private static let base = "%SRCROOT%"

    /// - Parameter version: cairn's.
    package init(version: String) { self.version = version }

    /// - Parameter isComplete: every log was read; otherwise the run says that it did not succeed
    ///   (`executionSuccessful`, §3.20.14), and what it found counts all the same.
    package func render(_ failures: [Failure], isComplete: Bool = true) -> [UInt8] {
        var rules: [(id: String, kind: Failure.Kind)] = []
        var indices: [String: Int] = [:]
        for failure in failures where indices[failure.rule] == nil {
            indices[failure.rule] = rules.count
            rules.append((failure.rule, failure.kind))
        }
        let located = failures.filter { $0.location != nil }
        let others = failures.filter { $0.location == nil }
        let driver = WrittenJSON.object([
            ("name", .string("cairn")), ("version", .string(version)),
            ("rules", .array(rules.map { rule($0.id, $0.kind) })),
        ])
        let invocation = WrittenJSON.object([
            ("executionSuccessful", .boolean(isComplete)),
            ("toolExecutionNotifications", others.isEmpty ? nil : .array(others.map(notification))),
        ])
        let run = WrittenJSON.object([
            ("tool", .object([("driver", driver)])), ("invocations", .array([invocation])),
            ("originalUriBaseIds", .object([(Self.base, .object([("description", text("The root of the repository."))]))])),
            ("columnKind", .string("unicodeCodePoints")),
            ("results", .array(located.map { result($0, index: indices[$0.rule] ?? 0) })),
        ])
        let document = WrittenJSON.object([
            ("$schema", .string("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json")),
            ("version", .string("2.1.0")), ("runs", .array([run])),
        ])
        var output: [UInt8] = []
        document.write(to: &output)
        output.append(UInt8(ascii: "\n"))
        return output
    }

    private func rule(_ id: String, _ kind: Failure.Kind) -> WrittenJSON {
        .object([
            ("id", .string(id)), ("shortDescription", text(Self.description(kind))),
            ("defaultConfiguration", .object([("level", .string(Failure(kind: kind, rule: id, title: "", message: "").level.rawValue))])),
        ])
    }

    private static func description(_ kind: Failure.Kind) -> String {
        switch kind {
        case .crash: "A program, or a test of it, crashed."
        case .sanitizer: "A sanitizer found an error."
        case .hang: "A program, or a test of it, took too long, and its stacks were captured."
        case .resource: "A program exceeded a resource limit of the system."
        case .panic: "A panic ended a program, or a test of it."
        case .exception: "A program printed an exception with its stack."
        case .stack: "A program printed a stack without a reason."
        case .testFailure: "A test’s expectation was not met."
        case .noFailure: "A report that is not a failure."
        }
    }

    private func result(_ failure: Failure, index: Int) -> WrittenJSON {
        .object([
            ("ruleId", .string(failure.rule)), ("ruleIndex", .number(index)), ("level", .string(failure.level.rawValue)),
            ("message", text(message(failure))), ("analysisTarget", failure.log.flatMap(logFile)),
            ("locations", .array(failure.location.map { [location($0, excerpt: failure.excerpt, function: nil)] } ?? [])),
            ("stacks", failure.stacks.isEmpty ? nil : .array(failure.stacks.map(stack))),
            ("codeFlows", codeFlows(failure)),
            ("partialFingerprints", .object([("cairnFailure/v1", .string(Fingerprint.text(of: failure)))])),
            ("occurrenceCount", failure.count > 1 ? .number(failure.count) : nil),
            ("properties", failure.tests.isEmpty ? nil : .object([("tests", .array(failure.tests.map { .string(PlainText.line($0)) }))])),
        ])
    }

    /// A notification has no stacks: the rows of the first stack are in the message.
    private func notification(_ failure: Failure) -> WrittenJSON {
        .object([
            ("level", .string(failure.level.rawValue)), ("message", text(message(failure, rows: 20))),
            ("associatedRule", .object([("id", .string(failure.rule))])),
        ])
    }

    private func message(_ failure: Failure, rows: Int = 0) -> String {
        var parts = [failure.title + (failure.tests.first.map { " (\($0))" } ?? "")]
        // The title of a failed expectation is the first line of its message.
        if !failure.message.isEmpty, failure.message != failure.title { parts.append(failure.message) }
        parts += FailureText(failure).remarks
        if rows > 0, let stack = failure.stacks.first, !stack.frames.isEmpty { parts.append(FailureText.rows(stack.frames, limit: rows)) }
        return PlainText.lines(parts.joined(separator: "\n"), limit: 32 << 10, staysInLine: true)
    }

    /// The log, which is what was analysed (section 3.27.13): a relative path as it was given, from
    /// wherever the program ran.
    private func logFile(_ path: String) -> WrittenJSON? {
        // A colon in the first part of a relative reference would be a scheme's (RFC 3986, section
        // 4.2); `uri` leaves none.
        path == "-" ? nil : .object([("uri", .string(path.hasPrefix("/") ? "file://" + Self.uri(path) : Self.uri(path)))])
    }

    /// In SARIF's texts, `[x](y)` is a link (section 3.11.6), and braces mean arguments (3.11.5).
    private func text(_ content: String) -> WrittenJSON {
        var escaped = ""
        for scalar in content.unicodeScalars {
            switch scalar {
            case "[", "]": escaped += "\\" + String(scalar)
            case "\\": escaped += "\\\\"
            case "{": escaped += "{{"
            case "}": escaped += "}}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return .object([("text", .string(escaped))])
    }

    // MARK: Places

    private func location(_ location: Failure.Location, excerpt: SourceExcerpt?, function: String?) -> WrittenJSON {
        // Debug information counts bytes, SARIF characters; only the source shows which those are.
        let column = excerpt.flatMap { $0.marked == location.line ? $0.column : nil }
        let region = WrittenJSON.object([
            ("startLine", .number(location.line)), ("startColumn", column.map { .number($0) }),
            (
                "snippet",
                excerpt.flatMap { excerpt in excerpt.lines.first { $0.number == location.line } }.map { text in
                    .object([("text", .string(text.text))])
                }
            ),
        ])
        return .object([
            (
                "physicalLocation",
                .object([
                    ("artifactLocation", .object([("uri", .string(Self.uri(location.path))), ("uriBaseId", .string(Self.base))])),
                    ("region", region),
                ])
            ),
            ("logicalLocations", function.map { .array([.object([("fullyQualifiedName", .string($0)), ("kind", .string("function"))])]) }),
        ])
    }

    private func location(_ frame: Failure.Frame) -> WrittenJSON {
        let name = frame.function.map { PlainText.line($0, limit: 2000) } ?? frame.address ?? "?"
        if let repositoryLocation = frame.location { return location(repositoryLocation, excerpt: nil, function: name) }
        var physical: WrittenJSON?
        // Relative paths of other people's code would be taken for the repository's.
        if let file = frame.file, file.hasPrefix("/"), frame.line > 0 {
            physical = .object([
                ("artifactLocation", .object([("uri", .string("file://" + Self.uri(file)))])),
                ("region", .object([("startLine", .number(frame.line))])),
            ])
        }
        return .object([
            ("physicalLocation", physical),
            ("logicalLocations", .array([.object([("fullyQualifiedName", .string(name)), ("kind", .string("function"))])])),
        ])
    }

    private func stack(_ stack: Failure.Stack) -> WrittenJSON {
        .object([
            ("message", text(stack.title)),
            (
                "frames",
                .array(
                    stack.frames.prefix(Self.frameLimit).map { frame in
                        .object([
                            ("location", location(frame)), ("module", frame.image.map { .string(PlainText.line($0, limit: 500)) }),
                            (
                                "properties",
                                .object([
                                    ("owner", .string(frame.owner.rawValue)), ("reason", .string(PlainText.line(frame.reason, limit: 500))),
                                    ("address", frame.address.map { .string($0) }), ("inlined", frame.isInlined ? .boolean(true) : nil),
                                ])
                            ),
                        ])
                    })
            ),
        ])
    }

    /// From the outermost call that has a line to the innermost; own code is what matters.
    private func codeFlows(_ failure: Failure) -> WrittenJSON? {
        let flows = failure.stacks.compactMap { stack -> WrittenJSON? in
            let frames = stack.frames.prefix(Self.frameLimit).reversed().filter {
                $0.location != nil || ($0.line > 0 && $0.file?.hasPrefix("/") == true)
            }
            // One location alone is no flow.
            guard frames.count > 1 else { return nil }
            let locations = frames.enumerated().map { index, frame in
                WrittenJSON.object([
                    ("location", location(frame)), ("nestingLevel", .number(index)),
                    ("importance", .string(frame.isOwn ? "essential" : "unimportant")),
                ])
            }
            return .object([("threadFlows", .array([.object([("message", text(stack.title)), ("locations", .array(locations))])]))])
        }
        return flows.isEmpty ? nil : .array(flows)
    }

    /// A path as a URI reference (RFC 3986, section 2): all but unreserved characters and `/` in
    /// hexadecimal.
    static func uri(_ path: String) -> String {
        var result = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
            }
        }
        return result
    }
}
