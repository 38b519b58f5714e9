internal import ArgumentParser
internal import BinaryPrimitives
internal import DWARFInspection
internal import ObjectFiles

/// The options that choose sections: `--debug-info`.
struct SectionFlag: EnumerableFlag {
    var section: DumpOptions.Section

    static var allCases: [SectionFlag] { DumpOptions.Section.allCases.map { SectionFlag(section: $0) } }

    static func name(for flag: SectionFlag) -> NameSpecification {
        let name = NameSpecification.Element.customLong(flag.section.rawValue)
        return flag.section == .frame ? [name, .customLong("eh-frame")] : [name]
    }
}

/// `cairn dwarfdump FILE…`: debug information as llvm-dwarfdump prints it.
struct Dump: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Dump debug information in llvm-dwarfdump's format.", usage: "cairn dwarfdump [OPTION…] FILE…",
        discussion: """
            The default section is .debug_info. Options may begin with one dash, as Apple's do. --debug-info=OFFSET dumps only the entry at that offset; so do
            --debug-types, --debug-line, --debug-loc, --debug-loclists and --debug-frame.

            --format json writes one JSON document a line: {"schema": 1, "file": …, "format": …, "architecture": …, "identity": …} begins an object file; {"unit": {…}}
            a unit; {"entry": {"offset", "depth", "tag", "attributes": [{"name", "form", "value", "text"}]}} is an entry of it, with the depth below the unit's root.
            "value" is a text, a number or an address, depending on the form; "entry" is the offset of the entry that is referred to; "text" is what the text format prints. {"lineTable": {…}}
            and {"row": {…}} come from .debug_line, {"addressRanges": {…}} from .debug_aranges, {"line": {…}} from --lookup. Offsets and addresses are strings of
            hexadecimal digits; an absent key is unknown. Other sections have no JSON.

            Object files, universal files (every slice, or those named with --arch), dSYM bundles and static libraries are read.
            """)

    @Argument(help: "Object files, dSYM bundles and static libraries.")
    var files: [String] = []

    @Flag(name: .shortAndLong, help: "Dump all sections, and the UUID.")
    var all = false

    @Flag(help: ArgumentHelp("Dump this section."))
    var sections: [SectionFlag] = []

    /// Result of `SectionOffsets` for `--debug-info=OFFSET`.
    @Option(help: .hidden)
    var sectionOffset: [String] = []

    @Option(help: ArgumentHelp("Print the unit, the function and the block around an address, and its line.", valueName: "address"))
    var lookup: String?

    @Option(name: .shortAndLong, help: ArgumentHelp("Print the entries with this name. Repeatable.", valueName: "name"))
    var name: [String] = []

    @Flag(name: [.customShort("x"), .long], help: "Treat names as regular expressions.")
    var regex = false

    @Flag(name: .shortAndLong, help: "Ignore case in names.")
    var ignoreCase = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Print the entries that the accelerator tables list under this name. Repeatable.", valueName: "name"))
    var find: [String] = []

    @Flag(name: .shortAndLong, help: "Print the UUID of each architecture.")
    var uuid = false

    @Option(
        help: ArgumentHelp("Slice of a universal file, by name or number. Repeatable.", valueName: "architecture"))
    var arch: [String] = []

    @Flag(name: [.customShort("c"), .long], help: "Print the children of selected entries.")
    var showChildren = false

    @Flag(name: [.customShort("p"), .long], help: "Print the parents of selected entries.")
    var showParents = false

    @Option(name: [.customShort("r"), .long], help: ArgumentHelp("Number of levels of children (default: all).", valueName: "levels"))
    var recurseDepth: UInt64?

    @Option(help: ArgumentHelp("Number of levels of parents (default: all).", valueName: "levels"))
    var parentRecurseDepth: UInt64?

    @Flag(name: [.customShort("F"), .long], help: "Print the forms of attributes.")
    var showForm = false

    @Flag(help: "Leave out offsets and addresses, so that two dumps can be compared.")
    var diff = false

    @Flag(help: "Print one line for each type unit.")
    var summarizeTypes = false

    @Flag(
        help: """
            Check unit headers, abbreviations, attribute values, references, ranges, line tables, string offsets, name tables and package indexes for
            contradictions. The exit status is 1 if there are any.
            """)
    var verify = false

    @Option(
        help: ArgumentHelp(
            "Implies --verify. full: each finding, and the counts; details: the findings; summary: the findings in short; quiet: the counts. summary and quiet print the same as in llvm-dwarfdump 19.",
            valueName: "level"))
    var errorDisplay: ErrorDisplay?

    @Option(help: ArgumentHelp("Implies --verify. Write the counts to this file as JSON.", valueName: "path"))
    var verifyJson: String?

    @Flag(help: "Print counts of functions, variables, location coverage and line table rows as one JSON object.")
    var statistics = false

    @Flag(help: "Print the sizes of debug sections, and their share of the file.")
    var showSectionSizes = false

    @Flag(help: "Print the paths of all source files.")
    var showSources = false

    @Flag(help: "With --verify: print nothing, only set the exit status.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print encodings.")
    var verbose = false

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    enum ErrorDisplay: String, ExpressibleByArgument, CaseIterable { case quiet, summary, details, full }

    @Option(help: "Output: llvm-dwarfdump's text, or JSON, one document a line.")
    var format = Format.text

    @Option(name: .customShort("o"), help: ArgumentHelp("Write to a file.", valueName: "path"))
    var outputPath: String?

    @OptionGroup
    var allowance: Allowance

    func validate() throws {
        if diff && verbose { throw ValidationError("--diff and --verbose contradict each other") }
        _ = try options()
    }

    func run() throws {
        DumpRun(self, try options()).run()
    }
}

extension Dump {
    /// Options for the library that dumps.
    func options() throws -> DumpOptions {
        var options = DumpOptions()
        options.sections = Set(sections.map(\.section))
        for text in sectionOffset {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let section = DumpOptions.Section(rawValue: parts[0]), let offset = Self.number(parts[1]) else {
                throw ValidationError("--\(text): expected an offset as a number")
            }
            options.sections.insert(section)
            options.offsets[section] = offset
        }
        options.all = all || (verbose && sections.isEmpty && sectionOffset.isEmpty && !uuid)
        options.showsUUID = uuid
        if !options.all, options.sections.isEmpty, !uuid { options.sections = [.info] }
        if let lookup {
            guard let address = Self.number(lookup) else { throw ValidationError("--lookup \(lookup): expected an address as a number") }
            options.lookup = address
        }
        options.names = name
        options.usesPatterns = regex
        options.ignoresCase = ignoreCase
        options.found = find
        options.showsStatistics = statistics
        options.showsSectionSizes = showSectionSizes
        options.showsSources = showSources
        // Selected entries are dumped without their children; sections are dumped completely.
        options.showsChildren = showChildren || (options.offsets.isEmpty && name.isEmpty && find.isEmpty)
        options.showsParents = showParents
        options.childDepth = recurseDepth ?? UInt64.max
        options.parentDepth = parentRecurseDepth ?? 0
        options.showsForms = showForm
        options.isVerbose = verbose
        options.showsAddresses = !diff
        options.summarizesTypes = summarizeTypes
        options.isJSON = format == .json
        if options.isJSON, let section = options.sections.first(where: { !$0.hasJSON }) {
            throw ValidationError(
                "--\(section.rawValue) has no JSON: expected --debug-info, --debug-types, --debug-line or --debug-aranges")
        }
        return options
    }

    /// Parses a number in C's notation: decimal, hexadecimal with `0x`, octal with `0`.
    static func number(_ text: String) -> UInt64? {
        let lower = text.lowercased()
        if lower.hasPrefix("0x") { return UInt64(lower.dropFirst(2), radix: 16) }
        if lower.hasPrefix("0b") { return UInt64(lower.dropFirst(2), radix: 2) }
        if lower.hasPrefix("0"), lower.utf8.count > 1 { return UInt64(lower.dropFirst(), radix: 8) }
        return UInt64(lower)
    }
}
