import BinaryPrimitives
import CrashLogModel
import SymbolSources
import Symbolication
import Testing

@testable import Reporting

/// Call trees in the readable report, and the branch of them that the summary looks into.
struct CallTreeTests {
    private func row(_ depth: Int, _ samples: Int?, isInlined: Bool = false) -> Frame {
        var frame = Frame(index: 0, kind: .returnAddress, address: RuntimeAddress(0x1000 + UInt64(depth)), range: 0..<1)
        frame.depth = depth
        frame.samples = samples
        frame.isInlined = isInlined
        frame.printed = PrintedSymbol(name: "f\(depth)")
        frame.imageName = "App"
        return frame
    }

    @Test(
        arguments: [
            ([(0, 9), (1, 9), (2, 4), (2, 5), (3, 5)], [0, 1, 3, 4]),
            // The first of several equal branches; a second root counts as a callee of none.
            ([(0, 3), (1, 3), (0, 3), (1, 2)], [0, 1]),
            ([(0, 3), (0, 7), (1, 7)], [1, 2]),
            ([], []),
        ] as [([(Int, Int)], [Int])])
    func `the heaviest branch follows the greatest count at each fork`(tree: [(Int, Int)], rows: [Int]) {
        #expect(HeaviestBranch(tree.map { row($0.0, $0.1) }).rows == rows)
    }

    @Test func `further addresses and inlined calls are no callees`() {
        #expect(HeaviestBranch([row(0, 9), row(0, nil), row(0, 9, isInlined: true), row(1, 9)]).rows == [0, 3])
    }

    @Test func `rows are indented by depth, inlined calls stand below their holder without a count`() {
        var report = CrashReport(format: "test")
        var thread = ThreadTrace(index: 7, name: "main", frames: [row(0, 120), row(1, 90), row(1, 90, isInlined: true), row(2, 9)])
        thread.isCallTree = true
        report.threads = [thread]
        var result = SymbolicatedReport(report: report)
        let inner = FrameResult.Function(
            name: "inner()", mangledName: "i", offset: nil, isInlined: true, location: SourceLocation(file: "b.h", line: 7))
        let outer = FrameResult.Function(
            name: "outer()", mangledName: "o", offset: 16, isInlined: false, location: SourceLocation(file: "a.c", line: 9))
        let answered = FrameOutcome(.resolved(FrameResult(functions: [inner, outer], imageName: "App"), .debugInformation))
        result.threads = [[FrameOutcome(.unresolved("x")), answered, FrameOutcome(.partOfNextFrame), FrameOutcome(.unresolved("x"))]]
        let none: [UInt8] = []
        let text = String(
            decoding: TextRenderer().render(SymbolicatedLog(path: "x.log", reports: [result]), source: none.span), as: UTF8.self)
        let expected = """
            Log:           x.log (test)

            Thread 7 (main):
              120  App  0x00001000  f0
               90  App  0x00001001    outer() + 16 (a.c:9)
                   App  0x00001001    inner() [inlined] (b.h:7)
                9  App  0x00001002      f2

            """
        #expect(text == expected)
    }
}
