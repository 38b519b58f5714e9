import ArgumentParser
import CommandSupport
import Foundation
import TestSupport
import Testing

@testable import BatchCommand
@testable import CICommand
@testable import CairnCommands

/// Plain command lines are read by a scan, all others by ArgumentParser: both take a line for the
/// same. The parser's declarations say which options there are.
struct ArgumentScanTests {
    @Test(arguments: CommandFront.each)
    func `each option is read by the scan, and as the parser reads it`(front: CommandFront) throws {
        let options = try front.options()
        #expect(options.count > 10)
        for option in options {
            for name in option.names {
                for line in option.lines(name) {
                    // An operand on both sides, where the command has any.
                    try expectSame(front, front.line(line), isPlain: true)
                    guard front.takesOperands else { continue }
                    try expectSame(front, front.line(["a.log"] + line + ["b.log", "-"]), isPlain: true)
                }
            }
        }
    }

    @Test(arguments: CommandFront.each)
    func `a line of many options is read by the scan`(front: CommandFront) throws {
        // These two exclude each other.
        let options = try front.options().filter { $0.names != ["--no-debuginfod"] }
        let lines = options.compactMap { option in option.names.first.flatMap { option.lines($0).first } }
        try expectSame(front, front.line(lines.flatMap { $0 }), isPlain: true)
        try expectSame(front, front.line(lines.reversed().flatMap { $0 }), isPlain: true)
        try expectSame(front, front.line(lines.filter { $0.count == 2 }.flatMap { [$0[0] + "=" + $0[1]] }), isPlain: true)
    }

    /// A line that is not plain is never read as a plain one with another meaning.
    @Test(arguments: CommandFront.all)
    func `what the scan takes, the parser takes in the same way`(front: CommandFront) throws {
        let options = try front.options()
        let choices =
            options.flatMap { option in option.names.flatMap { name in option.lines(name) + [[name], [name + "="], [name + "x"]] } }
            + [
                "--", "-", "", "-qv", "-s=x", "-sx", "--symbols==", "--symbols=a=b", "--symbols=\u{301}x", "-\u{301}", "--\u{301}",
                "--help", "-h", "help", "filter", "explain", "top", "run", "log.txt", "--nonsense", "—", "http://a.example",
                "---completion",
                "--generate-completion-script", "--strict=lines", "--debuginfod=http://a.example", "--version", "-s\u{301}", "\r\n",
            ].map { [$0] }
        var random = SplitMix64(seed: 17)
        var plain = 0
        for _ in 0..<25 {
            let line = (0..<Int.random(in: 0..<5, using: &random)).flatMap { _ in choices.randomElement(using: &random) ?? [] }
            // With and without what makes a line of it: operands, a command after dashes.
            for whole in [front.commandPath + line, front.line(line)] where try expectSame(front, whole, isPlain: nil, front.parse) {
                plain += 1
            }
        }
        #expect(plain > 0)
    }

    /// - Parameter isPlain: `nil` where that is not known.
    /// - Returns: whether it is.
    @discardableResult
    private func expectSame(
        _ front: CommandFront, _ arguments: [String], isPlain: Bool?, _ parse: (([String]) throws -> any ParsableCommand)? = nil
    ) throws -> Bool {
        let arguments = DebuginfodOptions.separated(arguments)
        guard let scanned = front.plain(arguments) else {
            #expect(isPlain != true, "\(arguments)")
            return false
        }
        let parsed = try? (parse ?? front.parseAlone)(arguments)
        #expect(type(of: scanned) == parsed.map { type(of: $0) }, "\(arguments)")
        #expect(Self.values(of: scanned) == parsed.map { Self.values(of: $0) }, "\(arguments)")
        return true
    }

    /// The value of each option, by the wrappers' stored values: what has none is its definition.
    private static func values(of value: Any) -> [String] {
        Mirror(reflecting: value).children.flatMap { child -> [String] in
            let label = child.label ?? ""
            guard let parsed = Mirror(reflecting: child.value).children.first(where: { $0.label == "_parsedValue" })?.value,
                let child = Mirror(reflecting: parsed).children.first, child.label == "value"
            else { return ["\(label) has no value"] }
            let inner = child.value is any ParsableArguments ? values(of: child.value) : [String(reflecting: child.value)]
            return inner.map { "\(label): \($0)" }
        }
    }

    @Test func `names of commands are the configurations'`() {
        #expect(CommandTree.names == CommandTree.configuration.subcommands.map { $0._commandName })
        #expect(CairnBatch.commandNames == CairnBatch.configuration.subcommands.map { $0._commandName })
        // `run` is a command of cairn itself, too.
        #expect(UsageHint.storeCommands == Set(CairnBatch.commandNames).subtracting(["run"]))
    }
}
