import BinaryPrimitives
import CrashLogModel
import CrashReports
import Testing

/// The text after a document in its line is looked at in pieces, so that many documents in one line
/// cost no more than their bytes. The results do not depend on the parts in which the log comes.
struct DocumentsInLinesTests {
    private static let event =
        #"{"debug_meta":{"images":[]},"exception":{"values":[{"stacktrace":{"frames":[{"instruction_addr":"0x1000"}]}}]}}"#

    /// Positions at which the log's reports begin, and the problems: of the log as a whole, or in
    /// parts of so many bytes.
    private func found(_ log: String, feeding size: Int? = nil) -> (starts: [Int], problems: [Int?]) {
        let bytes = Array(log.utf8)
        var stream = LogStream()
        var pieces: [LogStream.Piece] = []
        let size = size ?? bytes.count
        for start in stride(from: 0, to: bytes.count, by: size) {
            pieces += stream.feed(bytes.span.clamped(to: start..<min(bytes.count, start + size)))
        }
        pieces += stream.finish()
        #expect(pieces.map(\.range.lowerBound) == [0] + pieces.dropLast().map(\.range.upperBound))
        #expect(pieces.last?.range.upperBound == bytes.count)
        return (pieces.filter { !$0.reports.isEmpty }.map(\.range.lowerBound), stream.problems.map(\.position))
    }

    @Test(arguments: [nil, 1, 7, 64, 1000, 4096] as [Int?])
    func `each of many in a line is found`(size: Int?) {
        let count = Self.event.utf8.count
        let log = String(repeating: Self.event + " ", count: 40) + "\n" + Self.event + "\n"
        #expect(found(log, feeding: size).starts == (0...39).map { $0 * (count + 1) } + [40 * (count + 1) + 1])
    }

    /// Between two documents are 1 to 9 KB of text, with and without positions to cut at.
    @Test(arguments: [1000, 2030, 2040, 2047, 2048, 2049, 2100, 3000, 4096, 9000], ["word, ", "x"])
    func `a document is found far behind another`(distance: Int, filling: String) {
        let between = String(repeating: filling, count: distance / filling.utf8.count)
        let log = Self.event + between + Self.event + "\n"
        let second = Self.event.utf8.count + between.utf8.count
        for size in [nil, 1, 333, 5000] as [Int?] {
            let found = found(log, feeding: size)
            #expect(found.starts == [0, second] && found.problems.isEmpty, "\(String(describing: size))")
        }
    }

    /// The key that identifies it comes after 5 KB of others.
    @Test(arguments: [nil, 1, 333, 5000] as [Int?])
    func `a document whose key comes late is found behind another`(size: Int?) {
        let late = "{" + (1000..<1500).map { "\"k\($0)\":1," }.joined() + Self.event.dropFirst()
        #expect(found(Self.event + late + "\n", feeding: size).starts == [0, Self.event.utf8.count])
    }

    @Test(arguments: [nil, 1, 333, 5000] as [Int?])
    func `a trace is found in the lines behind, and in the rest of the line`(size: Int?) {
        let row = "./a(f+0x1)[0x1010]"
        let count = Self.event.utf8.count
        #expect(found(Self.event + "\n" + row + "\n", feeding: size).starts == [0, count + 1])
        #expect(found(Self.event + row + "\n" + row + "\n", feeding: size).starts == [0, count])
        let filler = String(repeating: "word, ", count: 1000)
        #expect(found(Self.event + filler + "\n" + row + "\n", feeding: size).starts == [0, count + 6001])
    }

    @Test(arguments: [nil, 1, 100] as [Int?])
    func `those that cannot be read are told one by one, with their places`(size: Int?) {
        let found = found(#"{"debug_meta":{}} x {"debug_meta":[]}{"debug_meta":1}"# + "\n", feeding: size)
        #expect(found.starts == [] && found.problems == [0, 20, 37])
    }

    /// `platform` beside `event_id` would make an event of it, but is in the next line, which is
    /// not a part of the document.
    @Test func `what stands below its line says nothing of a document that has ended`() {
        let log = #"{"event_id":1}"# + "./a(f+0x1)[0x1010]\n" + #""platform""# + "\n"
        let whole = found(log)
        for size in [1, 7, 33] { #expect(found(log, feeding: size) == whole, "\(size)") }
    }

    /// 6,000 lines of a document have a key of Sentry's events and none that decides; a trace of
    /// 1,000 frames follows. With 90 KB before it, and shown 16 times as a whole at most, it is
    /// looked at every 90 KB / (16 · 15 bytes), 375 lines.
    @Test func `a document is looked at while it grows`() throws {
        let head = "{\n" + (0..<6000).map { #""event_id": \#($0 % 10),"# + "\n" }.joined()
        let frames = (0..<1000).map { #""instruction_addr":"0x\#($0)""# }.joined(separator: "},{\n")
        let log = head + #""exception":{"values":[{"stacktrace":{"frames":[{"# + "\n" + frames + "\n}]}}]}}\n"
        #expect(found(log).starts == [0])
        #expect(found(log, feeding: 65_536).starts == [0])
    }
}
