import ArgumentParser
import Reporting
import Testing

@testable import CommandSupport

/// `--color`, seen in how a heading is written: bold is `ESC [ 1 m` (ECMA-48, SGR).
struct ColorChoiceTests {
    private static let bold = "\u{1b}[1mThread 0\u{1b}[0m"

    @Test(arguments: [
        ("always", true, bold), ("always", false, bold), ("never", true, "Thread 0"), ("never", false, "Thread 0"),
        // A file is no terminal, whatever standard output is.
        ("auto", false, "Thread 0"),
    ])
    func `colours go where they are wanted`(word: String, isStandardOutput: Bool, heading: String) throws {
        let choice = try #require(ColorChoice(argument: word))
        #expect(choice.theme(isStandardOutput: isStandardOutput).heading("Thread 0") == heading)
    }

    @Test(arguments: ["", "Always", "yes", "colour"])
    func `other words are no choice`(word: String) { #expect(ColorChoice(argument: word) == nil) }
}
