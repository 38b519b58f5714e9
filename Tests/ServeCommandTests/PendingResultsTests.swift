import BinaryPrimitives
import Serving
import Testing

@testable import ServeCommand

/// Symbolicator's rules for results that are fetched later.
@Suite struct PendingResultsTests {
    private static let done = Serving.Response(200, body: .bytes([1]))

    @Test func `a result that is there in time comes at once, and may be read again`() async throws {
        let pending = PendingResults(atMost: 2)
        let id = try #require(pending.begin { Self.done })
        for _ in 0..<3 { #expect(await pending.result(of: id, within: .seconds(10)).status == 200) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a result that is not there in time is pending, and comes later`() async throws {
        let pending = PendingResults(atMost: 2)
        let (isOver, over) = AsyncStream<Void>.makeStream()
        let id = try #require(
            pending.begin {
                for await _ in isOver {}
                return Self.done
            })
        #expect(await pending.result(of: id, within: .zero).isPending)
        #expect(await pending.result(of: id, within: .milliseconds(50)).isPending)
        over.finish()
        #expect(await pending.result(of: id, within: nil).status == 200)
    }

    @Test func `an identifier that was never given is unknown`() async {
        let pending = PendingResults(atMost: 2)
        guard case .unknown = await pending.result(of: "no-uuid", within: nil) else { return #expect(Bool(false)) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `more work than may go on is refused, and finished results make room`() async throws {
        let pending = PendingResults(atMost: 2)
        let first = try #require(pending.begin { Self.done })
        #expect(await pending.result(of: first, within: nil).status == 200)
        let (isOver, over) = AsyncStream<Void>.makeStream()
        defer { over.finish() }
        let slow: @Sendable () async -> Serving.Response = {
            for await _ in isOver {}
            return Self.done
        }
        #expect(pending.begin(slow) != nil)
        #expect(pending.begin(slow) != nil, "the first one is done, and leaves")
        #expect(pending.begin(slow) == nil)
    }

    /// RFC 9562, section 5.4: version 4, variant 10.
    @Test func `identifiers are random UUIDs`() throws {
        let pending = PendingResults(atMost: 100)
        let ids = try (0..<100).map { _ in try #require(pending.begin { Self.done }) }
        #expect(Set(ids).count == 100)
        for id in ids {
            let parts = id.split(separator: "-")
            #expect(parts.map(\.utf8.count) == [8, 4, 4, 4, 12])
            #expect(parts[2].first == "4" && "89ab".contains(parts[3].first ?? "x"))
        }
    }
}

extension PendingResults.Result {
    fileprivate var status: Int? { if case .done(let response) = self { response.status } else { nil } }
    fileprivate var isPending: Bool { if case .pending = self { true } else { false } }
}
