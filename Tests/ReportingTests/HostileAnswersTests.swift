import BinaryPrimitives
import CrashReports
import Reporting
import SymbolFiles
import SymbolSources
import Symbolication
import TestSupport
import Testing

/// Names from a stranger's symbol file, written back into logs of every format that the fixtures
/// have: what cairn adds is text, and JSON stays JSON.
struct HostileAnswersTests {
    /// Resolves every address to two functions, each question with the next texts for names.
    private struct Everywhere: SymbolSource, SymbolProvider {
        /// Counted through, so that a log's frames have as many different names as there are.
        var texts: [String]

        func frames(at offsets: [ImageOffset]) -> [SymbolResult] {
            offsets.enumerated().map { number, _ in
                let text = texts[number % texts.count]
                let location = SourceLocation(file: text, line: 7, column: 3)
                let inner = SourceFrame(name: text, entry: nil, isInlined: true, location: location, origin: .debugInformation)
                let outer = SourceFrame(name: text, entry: ImageOffset(0), isInlined: false, location: location, origin: .debugInformation)
                return .found([inner, outer])
            }
        }

        func symbols(for request: ImageRequest) -> ImageSymbols { ImageSymbols(source: self) }
        func unslidImages(processName: String?) -> [UnslidImage] { [] }
    }

    private static let logs = TestPaths.files(under: TestPaths.fixture("logs")).filter { path in
        guard let bytes = try? readFile(path), bytes.count < 1 << 18, !path.contains("expected") else { return false }
        // Logs that hold commands themselves come out with them: that is the contract.
        return ShownText(bytes).commands.isEmpty && ShownText(bytes).serviceCommands.isEmpty && !CrashLog.parse(bytes.span).reports.isEmpty
    }

    private func answered(_ bytes: [UInt8], _ texts: [String]) -> [UInt8] {
        let symbolicator = Symbolicator(provider: Everywhere(texts: texts))
        let reports = CrashLog.parse(bytes.span).reports.map { symbolicator.symbolicate($0) }
        return SameRenderer().render(SymbolicatedLog(path: "a.log", reports: reports), source: bytes.span)
    }

    @Test func `there are logs of most formats`() {
        let formats = Set(Self.logs.compactMap { try? readFile($0) }.flatMap { CrashLog.parse($0.span).reports.map(\.format) })
        #expect(formats.count > 30, "\(formats.sorted())")
    }

    /// Texts that are used at once begin at another one for each log, and so that each log meets
    /// all.
    @Test(arguments: Array(logs.enumerated())) func `what is added is text`(number: Int, path: String) throws {
        let bytes = try readFile(path)
        let plain = answered(bytes, ["plain"])
        guard plain != bytes else { return }
        let isJSON = bytes.first { $0 > 0x20 } == UInt8(ascii: "{") && bytes.dropFirst().first != UInt8(ascii: "{")
        let outputs = stride(from: 0, to: Hostile.texts.count, by: 9).map { start in
            let first = (start + number) % Hostile.texts.count
            return answered(bytes, Array(Hostile.texts[first...] + Hostile.texts[..<first]))
        }
        for output in outputs {
            let shown = ShownText(output)
            #expect(shown.commands == [])
            #expect(shown.serviceCommands == [])
            #expect(output.count { $0 == 0x0A } == plain.count { $0 == 0x0A })
            if path.contains("markup") {
                #expect(output.split(separator: Array("{{{".utf8)).count == plain.split(separator: Array("{{{".utf8)).count)
            }
        }
        guard isJSON else { return }
        // A document, or a line of one and a document.
        let script = """
            import json, sys
            plain, *rest = sys.stdin.buffer.read().split(b"\\0\\0")
            def documents(data):
                text, found, at = data.decode("utf-8"), [], 0
                decoder = json.JSONDecoder(strict=False)
                while at < len(text):
                    value, at = decoder.raw_decode(text, at)
                    found.append(value)
                    while at < len(text) and text[at] in " \\r\\n\\t": at += 1
                return found
            def shape(value):
                if isinstance(value, dict): return {key: shape(inner) for key, inner in value.items()}
                if isinstance(value, list): return [shape(inner) for inner in value]
                return type(value).__name__
            try: wanted = shape(documents(plain))
            except ValueError: sys.exit(0)
            for data in rest: assert shape(documents(data)) == wanted, data
            """
        let result = try run("python3", ["-c", script], input: Array(([plain] + outputs).joined(separator: [0, 0])))
        #expect(result.status == 0, "\(result.errors.suffix(400))")
    }
}
