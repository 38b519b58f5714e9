import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Reads generated stacks of functions, addresses and locations of this repository's fixtures. The result must equal
/// the input of the generator.
struct AnyShapeTests {
    /// Returns the differences between the generated stack and the one that was read; empty if there are none.
    static func differences(_ made: AnyShapes.GeneratedStack) -> (isRead: Bool, wrong: [String]) {
        let reports = SampleLog("work goes on\n\n" + made.text + "\nand goes on\n").parsed().reports
        let frames = reports.flatMap(\.stacks).flatMap(\.frames)
        var wrong: [String] = []
        let byAddress = Dictionary(made.rows.map { ($0.address, [$0]) }, uniquingKeysWith: +)
        for frame in frames {
            guard let address = frame.address, let rows = byAddress[address.value] else {
                wrong.append("an address that no row has: \(frame.address?.description ?? "none")")
                continue
            }
            if let name = frame.printed?.name, !rows.contains(where: { $0.symbol == name }) {
                wrong.append("the name \(name) of \(rows[0].symbol)")
            }
            if let image = frame.imageName, !rows.contains(where: { lastPart($0.module) == image }) {
                wrong.append("the image \(image) of \(rows[0].module)")
            }
            if let location = frame.printed?.location, !rows.contains(where: { $0.file == location.file && $0.line == location.line }) {
                wrong.append("the place \(location.file):\(location.line) of \(rows[0].file):\(rows[0].line)")
            }
            if case .linkAddress(let link)? = frame.imageLocation, made.hasOffset, link.value != rows[0].offset,
                link.value != rows[0].address
            {
                wrong.append("the offset \(link) of \(String(rows[0].offset, radix: 16))")
            }
            if case .symbol(let symbol)? = frame.imageLocation, !rows.contains(where: { $0.symbolOffset == symbol.offset }) {
                wrong.append("the offset \(symbol.offset) of \(rows[0].symbol)+\(rows[0].symbolOffset)")
            }
        }
        let isRead =
            frames.count == made.rows.count && reports.count == 1
            && zip(frames, made.rows).allSatisfy { frame, row in
                frame.address?.value == row.address && (!made.hasSymbol || frame.printed?.name == row.symbol)
                    && (!made.hasModule || frame.imageName == lastPart(row.module))
                    && (!made.hasLocation || frame.printed?.location?.line == row.line)
            }
        return (isRead, wrong)
    }

    private static func lastPart(_ path: String) -> String {
        path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? path
    }

    @Test func `1,000 stacks of random shapes`() {
        var unread = 0
        for seed in 0..<1000 {
            let made = AnyShapes.make(UInt64(seed))
            let (isRead, wrong) = Self.differences(made)
            #expect(wrong.isEmpty, "seed \(seed): \(wrong)\n\(made.text)")
            if !isRead {
                unread += 1
                if unread <= 30 { print("not read whole, seed \(seed):\n\(made.text)") }
            }
        }
        print("\(1000 - unread) of 1,000 read whole")
        #expect(unread <= 20)
    }
}
