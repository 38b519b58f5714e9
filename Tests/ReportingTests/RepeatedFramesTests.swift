import BinaryPrimitives
import CrashLogModel
import Testing

@testable import Reporting

/// Recursion in a stack.
struct RepeatedFramesTests {
    /// A letter is a function with its address.
    private func frames(_ letters: String) -> [Frame] {
        letters.utf8.enumerated().map { index, letter in
            Frame(index: index, kind: index == 0 ? .programCounter : .returnAddress, address: RuntimeAddress(UInt64(letter)), range: 0..<0)
        }
    }

    private func found(_ letters: String) -> [RepeatedFrames] { RepeatedFrames.find(frames(letters)) }

    /// The frame that crashed is at another address; the first repetition stays.
    @Test func `a function that calls itself`() {
        let stack = "x" + String(repeating: "d", count: 100) + "m"
        #expect(found(stack) == [RepeatedFrames(range: 2..<101, period: 1)] && found(stack)[0].times == 99)
    }

    @Test func `functions that call one another, up to eight`() {
        let three = "x" + String(repeating: "abc", count: 40) + "ab" + "m"
        #expect(found(three) == [RepeatedFrames(range: 4..<121, period: 3)] && found(three)[0].times == 39)
        let eight = "x" + String(repeating: "abcdefgh", count: 5) + "m"
        #expect(found(eight) == [RepeatedFrames(range: 9..<41, period: 8)])
        #expect(found("x" + String(repeating: "abcdefghi", count: 5) + "m").isEmpty)
    }

    @Test func `two recursions in one stack`() {
        let stack = String(repeating: "a", count: 20) + "m" + String(repeating: "bc", count: 20)
        // The program counter is none of the return addresses.
        #expect(found(stack) == [RepeatedFrames(range: 2..<20, period: 1), RepeatedFrames(range: 23..<61, period: 2)])
    }

    @Test func `few frames are no recursion to speak of`() {
        #expect(found("xdddddddm").isEmpty && found("xababababm").isEmpty && found("").isEmpty && found("abcdefghijkl").isEmpty)
        #expect(found("xdddddddddm") == [RepeatedFrames(range: 2..<10, period: 1)])
    }

    @Test func `frames without an address repeat by what the log prints`() {
        let named = (0..<30).map { index in
            var frame = Frame(index: index, kind: .exact, address: nil, range: 0..<0)
            frame.printed = PrintedSymbol(name: index < 2 ? "top\(index)" : "fib")
            return frame
        }
        #expect(RepeatedFrames.find(named) == [RepeatedFrames(range: 3..<30, period: 1)])
        #expect(RepeatedFrames.find((0..<30).map { Frame(index: $0, kind: .exact, address: nil, range: 0..<0) }).isEmpty)
    }
}
