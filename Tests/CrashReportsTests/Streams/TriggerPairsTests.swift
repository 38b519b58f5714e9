import BinaryPrimitives
import CrashReports
import Foundation
import TestSupport
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel

/// The search by pairs, held against the automaton and against a search for each text.
struct TriggerPairsTests {
    private func makePairs(_ texts: [String]) -> TriggerPairs? {
        TriggerPairs(TriggerTree(texts.map { (Array($0.utf8), 1) }))
    }

    /// The beginnings of the lines behind the first that are found one after another.
    private func lines(_ pairs: TriggerPairs, in bytes: [UInt8]) -> [Int] {
        var found: [Int] = []
        var start = (bytes.firstIndex(of: 0x0A) ?? bytes.count) + 1
        while start < bytes.count, let line = pairs.firstLine(in: bytes.span, from: start, to: bytes.count) {
            found.append(line)
            start = (bytes[line...].firstIndex(of: 0x0A) ?? bytes.count) + 1
        }
        return found
    }

    /// The beginnings of the lines behind the first that have a text, by looking at each line.
    private func naive(_ texts: [String], in bytes: [UInt8]) -> [Int] {
        var found: [Int] = []
        var start = 0
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            // The line with the line feed before it.
            let own = [0x0A] + line
            let hasText = texts.contains { text in
                let text = Array(text.utf8)
                return own.count >= text.count && (0...own.count - text.count).contains { Array(own[$0..<$0 + text.count]) == text }
            }
            if hasText, start > 0 { found.append(start) }
            start += line.count + 1
        }
        return found
    }

    @Test func `lines that have a text are found, whatever is beside it`() throws {
        let texts = ["0x", " (/", "\n{", "\n  {", "Exception", "Thread ", "💣", "\u{A0}"]
        let log = Array(
            """
            the first line is not counted
            no text
            at 0x1000
              {
             {
            {
            a { and an Excaption: xc, Exceptio
            n, ExceptionException, Exception
            💣 Program crashed
            0x

            a blank\u{A0}that does not break
            Thread (/a) Thread
            Thread 0 (/a
            0
            """.utf8)
        let pairs = try #require(makePairs(texts))
        #expect(lines(pairs, in: log) == naive(texts, in: log) && lines(pairs, in: log).count == 9)
    }

    @Test func `small texts over four letters, in lines of all lengths`() throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<300 {
            let letters = Array("abc\n".utf8)
            func word(_ length: Int) -> [UInt8] { (0..<length).map { _ in letters[Int(random.next() % 4)] } }
            let texts = (0..<Int(1 + random.next() % 6)).map { _ in
                let begin: [UInt8] = random.next() % 4 == 0 ? [0x0A] : []
                let text = begin + word(Int(2 + random.next() % 5)).filter { $0 != 0x0A } + Array("ab".utf8)
                return String(decoding: text, as: UTF8.self)
            }
            let log = word(Int(random.next() % 200))
            let pairs = try #require(makePairs(texts))
            #expect(lines(pairs, in: log) == naive(texts, in: log), "\(texts) \(log)")
        }
    }

    @Test func `texts without a pair, or across lines, are the automaton's`() {
        #expect(makePairs(["s", "she"]) == nil)
        #expect(makePairs(["she\nhis"]) == nil)
        #expect(makePairs(["\n"]) == nil)
    }

    @Test func `the formats' texts are found in the lines in which the automaton finds them`() throws {
        let registry = FormatRegistry.standard.search.triggers
        let pairs = try #require(registry.pairs)
        var log: [UInt8] = []
        for name in ["logs", "testruns"] {
            let folder = TestPaths.fixture(name)
            for file in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
                log += ((try? readFile(folder + "/" + file)) ?? []).prefix(100_000) + [0x0A]
            }
        }
        #expect(log.count > 1_000_000)
        var expected: [Int] = []
        var search = registry.start()
        let lineStart = search.afterNewline()
        var start = 0
        for line in log.split(separator: 0x0A, omittingEmptySubsequences: false) {
            if start > 0, search.marks(in: Array(line).span, from: lineStart) != 0 { expected.append(start) }
            start += line.count + 1
        }
        #expect(expected.count > 1_000 && lines(pairs, in: log) == expected)
    }

    /// In parts of 16 KB, the automaton searches all of a log.
    @Test func `a long log has the same traces whole and in parts`() throws {
        let noise = (0..<100).map { "[\($0)/1000] Compiling Harbour Berth\($0).swift\n  a line with Thread \($0) and 0x\($0)\n" }.joined()
        let folder = TestPaths.fixture("logs")
        var (log, count) = (Array(noise.utf8), 0)
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
            guard let own = try? readFile(folder + "/" + file), own.count < 50_000, !own.contains(0) else { continue }
            log += own + Array("\n".utf8) + Array(noise.utf8)
            count += 1
        }
        #expect(count > 100)
        func traces(parts: Int) -> [String] {
            var stream = LogStream(isLive: true)
            var pieces: [LogStream.Piece] = []
            for start in stride(from: 0, to: log.count, by: parts) { pieces += stream.feed(log.span.clamped(to: start..<start + parts)) }
            pieces += stream.finish()
            return pieces.filter { !$0.reports.isEmpty }.map { piece in
                "\(piece.range) \(piece.reports.map { "\($0.format) \($0.allFrames.map { $0.address?.value ?? 0 })" })"
            }
        }
        let whole = traces(parts: log.count)
        #expect(whole.count > 100 && traces(parts: 16 << 10) == whole)
    }
}
