package import ArgumentParser

/// The names of an option, with their dashes, the longest first. ArgumentParser's declaration and
/// `ArgumentScan` both read them here.
package struct OptionName: Sendable, ExpressibleByArrayLiteral {
    package let spellings: [String]

    package init(arrayLiteral spellings: String...) { self.spellings = spellings }
}

extension OptionName {
    package static let adjust: Self = ["--adjust"]
    package static let annotations: Self = ["--annotations"]
    package static let anonymize: Self = ["--anonymize"]
    package static let arch: Self = ["--arch"]
    package static let codeQuality: Self = ["--code-quality"]
    package static let color: Self = ["--color"]
    package static let debuginfod: Self = ["--debuginfod"]
    package static let debuginfodServer: Self = ["--debuginfod-server"]
    package static let demangle: Self = ["--demangle"]
    package static let eventStream: Self = ["--event-stream"]
    package static let force: Self = ["--force"]
    package static let format: Self = ["--format", "-f"]
    package static let frameList: Self = ["--frame-list"]
    package static let image: Self = ["--image"]
    package static let indexCache: Self = ["--index-cache"]
    package static let jobs: Self = ["--jobs"]
    package static let junit: Self = ["--junit"]
    package static let logFormat: Self = ["--log-format"]
    package static let noDebugger: Self = ["--no-debugger"]
    package static let noDebuginfod: Self = ["--no-debuginfod"]
    package static let noDemangle: Self = ["--no-demangle"]
    package static let noEnvironment: Self = ["--no-environment"]
    package static let noIndex: Self = ["--no-index"]
    package static let noInlines: Self = ["--no-inlines"]
    package static let noLocal: Self = ["--no-local"]
    package static let notOwnCode: Self = ["--not-own-code"]
    package static let output: Self = ["--output", "-o"]
    package static let ownCode: Self = ["--own-code"]
    package static let pathMap: Self = ["--path-map"]
    package static let port: Self = ["--port"]
    package static let quiet: Self = ["--quiet", "-q"]
    package static let report: Self = ["--report"]
    package static let repository: Self = ["--repository"]
    package static let retryUnresolved: Self = ["--retry-unresolved"]
    package static let sarif: Self = ["--sarif"]
    package static let sourceRoot: Self = ["--source-root"]
    package static let store: Self = ["--store"]
    package static let strict: Self = ["--strict"]
    package static let strictLines: Self = ["--strict-lines"]
    package static let summary: Self = ["--summary"]
    package static let symbols: Self = ["--symbols", "-s", "-sym"]
    package static let sysroot: Self = ["--sysroot"]
    package static let threads: Self = ["--threads"]
    package static let timeBudget: Self = ["--time-budget"]
    package static let timeout: Self = ["--timeout"]
    package static let verbose: Self = ["--verbose", "-v"]
    package static let watch: Self = ["--watch"]
}

extension OptionName {
    /// Options of other tools, without their dashes, and cairn's option that does the same.
    private static let ofOtherTools = [
        "dsym": "--symbols", "dsyms": "--symbols", "symbol": "--symbols", "symbol-path": "--symbols", "debug-file-directory": "--symbols",
        "exe": "--symbols", "obj": "--symbols", "binary": "--symbols", "executable": "--symbols", "out": "--output",
        "output-file": "--output", "silent": "--quiet", "no-color": "--color never",
    ]

    /// The option to use instead of one that people know from another tool.
    /// - Parameters:
    ///   - option: `--dsym`; of `-dsym` the argument parser names the first letter, `-d`.
    ///   - own: the options that the command has.
    package static func usual(for option: String, _ arguments: [String], among own: [String]) -> String? {
        let typed = option.hasPrefix("--") ? option : arguments.first { $0.hasPrefix(option) } ?? option
        guard let usual = ofOtherTools[typed.drop { $0 == "-" }.lowercased()], let name = usual.split(separator: " ").first,
            own.contains(String(name))
        else { return nil }
        return usual
    }
}

extension NameSpecification {
    /// For the declaration of an option: `@Flag(name: .of(.quiet))`.
    package static func of(_ name: OptionName) -> Self {
        NameSpecification(
            name.spellings.map { spelling in
                let bare = spelling.drop { $0 == "-" }
                if spelling.hasPrefix("--") { return .customLong(String(bare)) }
                if let letter = bare.first, bare.count == 1 { return .customShort(letter) }
                return .customLong(String(bare), withSingleDash: true)
            })
    }
}
