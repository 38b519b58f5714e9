import BinaryPrimitives
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel

/// The search for many texts at once, held against a search for each.
struct TriggerSearchTests {
    private func search(_ texts: [String]) -> TriggerSearch {
        TriggerSearch(texts.enumerated().map { (Array($1.utf8), 1 << TriggerSearch.Marks($0)) })
    }

    /// Finds the end of each text by looking at every position.
    private func naive(_ texts: [String], in bytes: [UInt8]) -> [Int: TriggerSearch.Marks] {
        var found: [Int: TriggerSearch.Marks] = [:]
        for (index, text) in texts.enumerated() {
            let text = Array(text.utf8)
            for end in text.count...max(text.count, bytes.count) where end <= bytes.count && Array(bytes[end - text.count..<end]) == text {
                found[end, default: 0] |= 1 << TriggerSearch.Marks(index)
            }
        }
        return found
    }

    private func found(_ search: TriggerSearch, in bytes: [UInt8], parts: Int) -> [Int: TriggerSearch.Marks] {
        var found: [Int: TriggerSearch.Marks] = [:]
        var search = search
        var state = TriggerSearch.State()
        for start in stride(from: 0, to: bytes.count, by: parts) {
            let part = Array(bytes[start..<min(start + parts, bytes.count)])
            var position = 0
            while position < part.count {
                let marks = search.next(in: part.span, from: &position, state: &state)
                if marks != 0 { found[start + position] = marks }
            }
        }
        return found
    }

    @Test(arguments: [1, 2, 3, 100]) func `texts inside and across one another are all found`(parts: Int) {
        let texts = ["he", "she", "his", "hers", "\n{", "s", "ushers"]
        let bytes = Array("ushers said: his {\n{she}".utf8)
        #expect(found(search(texts), in: bytes, parts: parts) == naive(texts, in: bytes))
    }

    @Test func `what one search has found out does not change what the next one finds`() {
        let texts = ["he", "she", "his", "hers", "s", "ushers"]
        let shared = SharedTriggerSearch(TriggerTree(texts.enumerated().map { (Array($1.utf8), 1 << TriggerSearch.Marks($0)) }))
        for line in ["she", "ushers said: his", "hers and his", "she"] {
            let bytes = Array(line.utf8)
            var search = shared.start()
            let all = naive(texts, in: bytes).values.reduce(0, |)
            #expect(search.marks(in: bytes.span) == all)
            shared.keep(search)
            #expect(found(shared.start(), in: bytes, parts: 100) == naive(texts, in: bytes))
        }
    }

    @Test func `a thousand small texts over four letters`() {
        // A fixed generator: x → 5x + 3 mod 65,536 has the full period.
        var seed: UInt32 = 1
        func next(_ bound: UInt32) -> UInt32 {
            seed = (seed &* 5 &+ 3) & 0xFFFF
            return seed >> 4 % bound
        }
        func text(_ length: Int) -> String { String((0..<length).map { _ in Array("abcd")[Int(next(4)) % 4] }) }
        let texts = (0..<100).map { text(1 + $0 % 7) }
        let bytes = Array(text(2000).utf8)
        #expect(found(search(texts), in: bytes, parts: 17) == naive(texts, in: bytes))
    }

    @Test func `every format has triggers, its documents are binary, or it needs none`() {
        #expect(
            FormatRegistry.standard.formats.allSatisfy { format in
                let isBinary = (format as? any DocumentFormat.Type)?.isBinary ?? false
                let standsAlone = (format as? any LineFormat.Type)?.standsAlone ?? false
                return isBinary || standsAlone || !format.triggers.isEmpty
            })
    }

    /// Checks the promise of `CrashLogFormat.triggers`; without it the stream would never show the
    /// format such a line.
    @Test(arguments: CorpusTests.fixtures + CorpusTests.corpus) func `a line that may begin a trace holds one of its format's triggers`(
        sample: CorpusTests.Sample
    ) {
        for line in sample.log.bytes.split(separator: UInt8(ascii: "\n")) where line.count < 4096 {
            let line = Array(line)
            let text = Array(line[LinePrefix(of: line.span).length...])
            for format in FormatRegistry.standard.lineFormats where !format.standsAlone && format.begins(text.span) > .none {
                #expect(format.triggers.contains { line.span.contains($0) }, "\(format.name): \(String(decoding: line, as: UTF8.self))")
            }
        }
    }
}
