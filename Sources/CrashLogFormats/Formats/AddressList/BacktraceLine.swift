internal import BinaryPrimitives
package import CrashLogModel

/// A stack in one line, as programs without symbols print it:
///
///     Backtrace: 0x55d31c926b7b 0x55d31c926c01 0x7f41c8e2724a
///
/// What the addresses are, the line does not say: some writers move return addresses back, others
/// do not. So they are looked up as they are where the code of the images does not decide it.
package struct BacktraceLine: LineFormat {
    package static let name = AddressList.name
    package static let summary = AddressList.summary
    package static let triggers = ["acktrace: 0x"]

    private var frames: [Frame] = []

    /// Two numbers may be anything.
    private static let fewest = 3
    /// The first page is never mapped.
    private static let lowest: UInt64 = 4096

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence { entries(line) == nil ? .none : .possible }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        guard frames.isEmpty, let entries = BacktraceLine.entries(line) else { return .rejected }
        for (index, entry) in entries.enumerated() {
            let range = place.lowerBound + entry.range.lowerBound..<place.lowerBound + entry.range.upperBound
            frames.append(Frame(index: index, kind: .exact, address: RuntimeAddress(entry.address), place: range))
        }
        return .done
    }

    package mutating func finish() -> [CrashReport] {
        guard !frames.isEmpty else { return [] }
        var report = CrashReport(format: BacktraceLine.name)
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        return [report]
    }

    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        AddressList.edit(of: frame, with: answer, in: log)
    }

    /// The addresses, if nothing else follows the heading.
    private static func entries(_ line: Span<UInt8>) -> [(address: UInt64, range: Range<Int>)]? {
        guard let heading = line.firstRange(of: "acktrace: 0x"), heading.lowerBound > 0,
            line[heading.lowerBound - 1] | 0x20 == UInt8(ascii: "b")
        else { return nil }
        var rest = line.from(heading.lowerBound + "acktrace: ".utf8.count)
        var found: [(address: UInt64, range: Range<Int>)] = []
        while true {
            rest.skipBlanks()
            guard rest.count > 0 else { break }
            let start = line.count - rest.count
            guard let address = rest.takeAddress(), address >= lowest, found.count < Limits.standard.framesPerThread,
                rest.at(0).map({ isBlank($0) || $0 == UInt8(ascii: "\r") }) ?? true
            else { return nil }
            found.append((address, start..<line.count - rest.count))
            _ = rest.take("\r")
        }
        return found.count >= fewest ? found : nil
    }
}
