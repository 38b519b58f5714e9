import Bridge
import Foundation
import Testing

/// One test for each way to fail; `swift test --filter` chooses.
struct BridgeTests {
    private let bridge = Bridge(spans: [3, 4, 5])

    @Test func passes() { #expect(bridge.span(1) == 4) }

    @Test func unwraps() { #expect(bridge.title() == "x") }

    @Test func indexes() { #expect(bridge.span(7) == 0) }

    @Test func gives() { #expect(bridge.load(2000) == 0) }

    @Test func reads() { #expect(bridge.firstReading() == 0) }

    @Test func readsBehind() { #expect(bridge.reading(4) == 0) }

    @MainActor @Test func blocks() {
        waitForEver()
    }

    @MainActor @Test func locks() {
        let lock = DispatchSemaphore(value: 0)
        lock.wait()
    }

    @Test func neverResumes() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Parked.continuation = continuation
        }
    }

    @Test func disagrees() { #expect(bridge.span(0) == 4) }
}

/// Keeps a continuation that nobody resumes.
enum Parked {
    nonisolated(unsafe) static var continuation: CheckedContinuation<Void, Never>?
}

/// Waits for a line that nobody writes: both ends of the pipe stay open.
func waitForEver() {
    var ends: [Int32] = [0, 0]
    _ = pipe(&ends)
    var byte: UInt8 = 0
    while read(ends[0], &byte, 1) != 1 {}
}
