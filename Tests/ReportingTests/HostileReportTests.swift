import BinaryPrimitives
import CrashLogModel
import Reporting
import SymbolFiles
import SymbolSources
import Symbolication
import TestSupport
import Testing

/// A text from a stranger at each place of a report, in each output of it: terminals and consoles
/// see text, parsers read it back.
struct HostileReportTests {
    /// A report in which everything that a log or a symbol file may word is `text`.
    private func symbolicated(_ text: String) -> SymbolicatedReport {
        var report = CrashReport(format: "test")
        report.process.name = text
        report.process.path = text
        report.process.identifier = text
        report.process.version = text
        var cause = CrashCause(kind: .languageException)
        (cause.type, cause.signal, cause.codes, cause.message) = (text, text, text, text)
        report.cause = cause
        (report.platform, report.device, report.architecture) = (text, text, Architecture(text))
        report.timestamp = Timestamp(secondsSince1970: 0, text: text)
        var image = BinaryImage(name: text, path: text)
        image.architecture = Architecture(text)
        image.base = RuntimeAddress(0x1000)
        report.images = [image, image]
        var frames = (0..<5).map { Frame(index: $0, kind: .returnAddress, address: RuntimeAddress(0x1010), range: 0..<0) }
        frames[2].printed = PrintedSymbol(name: text, offset: 1, location: SourceLocation(file: text, line: 3))
        frames[3].imageName = text
        frames[4].imageLocation = .symbol(SymbolLocation(name: text, offset: 0))
        let function = FrameResult.Function(
            name: text, mangledName: text + "_", offset: 4, isInlined: false, location: SourceLocation(file: text, line: 1, column: 2))
        var inlined = function
        inlined.isInlined = true
        inlined.offset = nil
        var answered = FrameOutcome(.resolved(FrameResult(functions: [inlined, function], imageName: text), .debugInformation))
        (answered.image, answered.note, answered.remedy) = (0, text, text)
        var unresolved = FrameOutcome(.unresolved(text))
        unresolved.image = 0
        unresolved.remedy = text
        let outcomes = [answered, unresolved, unresolved, FrameOutcome(.unresolved(text)), unresolved]
        var tree = ThreadTrace(index: 2, name: text, frames: frames)
        tree.isCallTree = true
        report.threads = [ThreadTrace(index: 0, name: text, crashed: true, frames: frames), tree]
        report.exceptionBacktrace = ThreadTrace(index: 0, name: text, frames: frames)
        report.additionalBacktraces = [ThreadTrace(index: 0, name: text, frames: frames)]
        report.notes = [text]
        var result = SymbolicatedReport(report: report)
        result.threads = [outcomes, outcomes]
        result.exceptionBacktrace = outcomes
        result.additionalBacktraces = [outcomes]
        let file = ImageSymbols.File(candidate: SymbolFileCandidate(path: text, origin: .given), proof: .identity)
        result.images = [
            ImageOutcome(image: image, status: .found, files: [file]),
            ImageOutcome(image: image, status: .missing, refusals: [SymbolFileRefusal(path: text, reason: .unreadable(text))]),
        ]
        result.notes = [text]
        return result
    }

    private struct Places: SymbolProvider {
        var text: String

        func symbols(for request: ImageRequest) -> ImageSymbols { ImageSymbols(source: nil) }
        func unslidImages(processName: String?) -> [UnslidImage] { [] }
        func trail(for request: ImageRequest) -> SearchTrail {
            let files: [SearchTrail.File] = [
                SearchTrail.File(path: text, verdict: .refused(.unreadable(text))),
                SearchTrail.File(path: text, verdict: .fits(.name, hasDebugInformation: false)),
                SearchTrail.File(path: text, verdict: .refused(.severalOfThatName([text]))),
            ]
            return SearchTrail(locations: [SearchTrail.Location(name: text, expected: [text], files: files, remarks: [text])])
        }
    }

    private func explanation(_ text: String) -> Explanation { Explanation(symbolicated(text), provider: Places(text: text)) }

    private func render(_ renderer: some Renderer, _ text: String) -> [UInt8] {
        let none: [UInt8] = []
        return renderer.render(SymbolicatedLog(path: text, reports: [symbolicated(text)]), source: none.span)
    }

    @Test(arguments: Hostile.texts) func `text and explanations are lines that command nobody`(text: String) {
        for theme in [Theme.plain, .color] {
            // Own code whatever it is called: `<stdin>` is no file that somebody wrote.
            let (own, plain) = (OwnCodeRule(own: [text]), OwnCodeRule(own: ["plain"]))
            let outputs = [
                (
                    render(TextRenderer(theme: theme, ownCode: own), text),
                    render(TextRenderer(theme: theme, ownCode: plain), "plain")
                ),
                (
                    ExplanationText(theme: theme, isVerbose: true).render(explanation(text), path: text) { "cairn \($0) \(text)" },
                    ExplanationText(theme: theme, isVerbose: true).render(explanation("plain"), path: "plain") { "cairn \($0) plain" }
                ),
            ]
            for (output, plain) in outputs {
                let shown = ShownText(output, allowsColors: true)
                #expect(shown.commands == [])
                #expect(shown.serviceCommands == [])
                // The rows are those of a report with harmless names: none was added.
                #expect(output.count { $0 == 0x0A } == plain.count { $0 == 0x0A })
            }
        }
        // Output without colors has no escape sequence.
        #expect(!render(TextRenderer(), text).contains(0x1B))
    }

    /// Python's parser finds the same keys as in a report with harmless names, and the text itself,
    /// unchanged, as each value that was it.
    @Test func `JSON says what the log says, in bytes that command nobody`() throws {
        var lines: [UInt8] = []
        for text in Hostile.texts {
            let output = render(JSONRenderer(), text) + ExplanationJSON().render(explanation(text), path: text)
            #expect(ShownText(output).commands == [] && ShownText(output).serviceCommands == [])
            #expect(output.count { $0 == 0x0A } == 2)
            lines += output
        }
        let plain = render(JSONRenderer(), "plain") + ExplanationJSON().render(explanation("plain"), path: "plain")
        let script = """
            import json, sys
            def shape(value, text):
                if isinstance(value, dict): return {key: shape(inner, text) for key, inner in value.items()}
                if isinstance(value, list): return [shape(inner, text) for inner in value]
                if isinstance(value, str): return "TEXT" if value == text else "TEXT_" if value == text + "_" else "string"
                return value
            lines = [json.loads(line) for line in sys.stdin.buffer]
            wanted = [shape(line, "plain") for line in lines[:2]]
            assert "TEXT" in json.dumps(wanted[0]) and "TEXT" in json.dumps(wanted[1])
            for index, line in enumerate(lines):
                text = lines[index - index % 2]["log"]
                print(shape(line, text) == wanted[index % 2], text.encode("utf-8").hex())
            """
        let result = try run("python3", ["-c", script], input: plain + lines)
        let expected = (["plain"] + Hostile.texts).flatMap { text in
            [String](repeating: "True " + text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(), count: 2)
        }
        #expect(result.lines == expected, "\(result.errors)")
    }

    /// The commands that advice prints are for copying: for a shell, each name in them is one word.
    @Test(arguments: Hostile.texts.filter { !$0.utf8.contains(0) }) func `advice names files as words of a shell`(text: String) throws {
        var report = CrashReport(format: "test")
        report.images = [BinaryImage(name: text, path: "/usr/lib/" + text)]
        report.threads = [
            ThreadTrace(index: 0, frames: [Frame(index: 0, kind: .programCounter, address: RuntimeAddress(0x10), range: 0..<0)])
        ]
        var result = SymbolicatedReport(report: report)
        var outcome = FrameOutcome(.unresolved("no symbol file"))
        outcome.image = 0
        result.threads = [[outcome]]
        result.images = [ImageOutcome(image: report.images[0], status: .missing)]
        let remedies = Explanation(result, provider: Places(text: "x")).images.flatMap(\.remedies).map(\.sentence)
        let commands = remedies.flatMap { remedy -> [String] in
            var found: [String] = []
            if let start = remedy.firstRange(of: "find-dbgsym-packages "), let end = remedy.firstRange(of: ", then apt install") {
                found.append(String(remedy[start.upperBound..<end.lowerBound]))
            }
            if let start = remedy.firstRange(of: "dnf debuginfo-install "), remedy.hasSuffix(")") {
                found.append(String(remedy[start.upperBound...].dropLast()))
            }
            return found
        }
        #expect(commands.count == 2, "\(remedies)")
        for command in commands {
            let reported = try run("sh", [], input: Array("printf '%s\\0' \(command)\n".utf8))
            #expect(reported.standardOutput == Array(("/usr/lib/" + text).utf8) + [0], "\(command)")
        }
    }
}
