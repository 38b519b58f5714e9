import TestSupport
import Testing

@testable import BatchProcessing

/// Queries of pages, beside the rows of `MadeStore`.
struct ReportListsTests {
    private static let hour: Int64 = 3_600_000_000_000

    private func requested<Result>(_ body: (DatabaseQueries) throws -> Result) throws -> Result {
        try withMadeStore { path in try body(try DatabaseQueries(path: path)) }
    }

    @Test func `versions are those of their program`() throws {
        try requested { (store: DatabaseQueries) throws in
            let versions = try store.versions(ofGroup: nil, limit: 10)
            #expect(versions.map(\.count) == [6, 2, 2, 1])
            #expect(versions.map { $0.value.map(ProgramVersion.text) } == ["app 2.0", "app 1.0", nil, MadeStore.hostileProcess + " =cmd"])
            // Report 1 of day 20000 is the first with a version.
            #expect(try store.firstVersion(ofGroup: "aaaa000000000001") == "2.0")
        }
    }

    @Test func `groups by the values of their reports`() throws {
        try requested { (store: DatabaseQueries) throws in
            let found = try store.groups(by: .version, values: 2, groups: 1)
            #expect(found.map(\.value) == ["app\u{1}2.0", "app\u{1}1.0"])
            // Each group has three reports of 2.0; of equals the first by its identifier.
            #expect(
                found.map(\.shares) == [[.init(group: "aaaa000000000001", reports: 3)], [.init(group: "aaaa000000000001", reports: 2)]])
            #expect(try store.groups(by: .process, values: 9, groups: 9).map { $0.shares.map(\.reports) } == [[6, 3], [1]])
        }
    }

    @Test func `hours by version`() throws {
        try requested { (store: DatabaseQueries) throws in
            var rows: [String] = []
            try store.forEachHour(ofGroup: "aaaa000000000001", by: .version) { start, version, count in
                rows.append("\(start / Self.hour - 20000 * 24) \(version ?? "-") \(count)")
            }
            #expect(rows == ["0 2.0 1", "1 2.0 1", "24 2.0 1", "25 1.0 1", "29 1.0 1"])
        }
    }

    @Test func `images by the frames that their symbols would resolve`() throws {
        try requested { (store: DatabaseQueries) throws in
            // One frame each of stacks 100 and 103; that of stack 102 is in an image with symbols.
            let (images, count) = try store.unresolvedImages(inStacks: nil, limit: 10)
            #expect(images.map(\.image.name) == ["libmissing"] && images.map(\.frames) == [2] && count == 1)
            #expect(try store.unresolvedImages(inStacks: [100, 102], limit: 10).0.map(\.frames) == [1])
        }
    }

    @Test func `a report has all its stacks, the crashed one first`() throws {
        try requested { (store: DatabaseQueries) throws in
            let report = try #require(try store.report(1, QueryLimits()))
            #expect(report.reference.paths.count == 2 && report.stacks.map(\.thread) == [1, 0])
            #expect(report.stacks.map { $0.frames.map(\.function) } == [["inner", "outer", nil], ["main_loop"]])
            let text = ReportText.text(report).split(separator: "\n")
            #expect(text.contains("Thread 1 crashed:") && text.contains("0   inner at /src/app/a.c:7:3 in app+0x40 [inlined]"))
            #expect(text.contains("1   ? in libmissing+0x99"))
            #expect(try store.report(99, QueryLimits()) == nil)
        }
    }
}
