import BinaryPrimitives
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
                String(decoding: (random.next() % 4 == 0 ? [0x0A] : []) + word(Int(2 + random.next() % 5)).filter { $0 != 0x0A } + [0x61, 0x62], as: UTF8.self)
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
}
