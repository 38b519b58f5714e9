import Console
import Testing

/// The numbers are part of the command line's contract: `Documentation/exit-status.md`.
@Suite struct ExitStatusTests {
    @Test func `the numbers are those of the documentation`() {
        #expect(Console.ExitStatus.done.rawValue == 0 && Console.ExitStatus.failed.rawValue == 1)
        #expect(Console.ExitStatus.symbolsMissing.rawValue == 3 && Console.ExitStatus.usage.rawValue == 64)
    }

    @Test func `of two results the worse one counts`() {
        let order: [Console.ExitStatus] = [.done, .symbolsMissing, .failed, .usage]
        for (index, status) in order.enumerated() {
            for better in order[..<index] { #expect(max(status, better) == status && better < status) }
        }
    }
}
