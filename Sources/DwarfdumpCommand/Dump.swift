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
        abstract: "Dump debug information, in llvm-dwarfdump's words.", usage: "cairn dwarfdump [OPTION…] FILE…",
        discussion: """
            Without options that choose, .debug_info is dumped. Options may begin with one dash, as Apple's do. --debug-info=OFFSET, and the same of --debug-types,
            --debug-line, --debug-loc, --debug-loclists and --debug-frame, dump what is at that offset alone.

            --format json writes one JSON document a line: {"schema": 1, "file": …, "format": …, "architecture": …, "identity": …} begins an object file; {"unit": {…}}
            a unit; {"entry": {"offset", "depth", "tag", "attributes": [{"name", "form", "value", "text"}]}} is an entry of it, with the depth below the unit's root.
            "value" is text, a number or an address as its form tells it, "entry" the offset of one that is referred to, "text" what the text has. {"lineTable": {…}}
            and {"row": {…}} come from .debug_line, {"addressRanges": {…}} from .debug_aranges, {"line": {…}} from --lookup. Offsets and addresses are strings of
            hexadecimal digits; what is absent is not known. Other sections have no JSON.

            Object files, universal files (every slice, or those named with --arch), dSYM bundles and static libraries are read.
            """)

    @Argument(help: "Object files, dSYM bundles and static libraries.")
    var files: [String] = []

    @Flag(name: .shortAndLong, help: "Dump all sections, and the UUID.")
    var all = false

    @Flag(help: ArgumentHelp("Dump the section of that name."))
    var sections: [SectionFlag] = []

    /// Result of `SectionOffsets` for `--debug-info=OFFSET`.
    @Option(help: .hidden)
    var sectionOffset: [String] = []

    @Option(help: ArgumentHelp("Print the unit, the function and the block around an address, and its line.", valueName: "address"))
    var lookup: String?

    @Option(name: .shortAndLong, help: ArgumentHelp("Print the entries of that name. May be given several times.", valueName: "name"))
    var name: [String] = []

    @Flag(name: [.customShort("x"), .long], help: "The names are regular expressions.")
    var regex = false

    @Flag(name: .shortAndLong, help: "Compare names without regard to case.")
    var ignoreCase = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Print the entries that the accelerator tables have under that name. May be given several times.", valueName: "name"))
    var find: [String] = []

    @Flag(name: .shortAndLong, help: "Print the UUID of each architecture.")
    var uuid = false

    @Option(
        help: ArgumentHelp("Which slices of a universal file, by name or number. May be given several times.", valueName: "architecture"))
    var arch: [String] = []

    @Flag(name: [.customShort("c"), .long], help: "Print the children of entries that were chosen.")
    var showChildren = false

    @Flag(name: [.customShort("p"), .long], help: "Print the parents of entries that were chosen.")
    var showParents = false

    @Option(name: [.customShort("r"), .long], help: ArgumentHelp("How many levels of children.", valueName: "levels"))
    var recurseDepth: UInt64?

    @Option(help: ArgumentHelp("How many levels of parents.", valueName: "levels"))
    var parentRecurseDepth: UInt64?

    @Flag(name: [.customShort("F"), .long], help: "Print the forms of attributes.")
    var showForm = false

    @Flag(help: "Leave out offsets and addresses, so that two dumps can be compared.")
    var diff = false

    @Flag(help: "Print one line for each type unit.")
    var summarizeTypes = false

    @Flag(
        help: """
            Look for contradictions: in headers of units, abbreviations, values of attributes, references, ranges, line tables, string offsets, tables of names and
            indexes of packages. The status is 1 if there are any.
            """)
    var verify = false

    @Option(
        help: ArgumentHelp(
            "With --verify, which it implies: full tells each finding and how often each kind occurred, details the findings, summary the same with entries in short, quiet the counts. The last two are as llvm-dwarfdump 19 has them, whatever their names say.",
            valueName: "level"))
    var errorDisplay: ErrorDisplay?

    @Option(help: ArgumentHelp("With --verify, which it implies: write the counts to a file, as JSON.", valueName: "path"))
    var verifyJson: String?

    @Flag(help: "Count functions, variables, what their locations cover, and rows of line tables, as one JSON object.")
    var statistics = false

    @Flag(help: "Print the sizes of debug sections, and their parts of the file.")
    var showSectionSizes = false

    @Flag(help: "Print the paths of all source files.")
    var showSources = false

    @Flag(help: "With --verify: tell nothing but the status.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print how things are encoded.")
    var verbose = false

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    enum ErrorDisplay: String, ExpressibleByArgument, CaseIterable { case quiet, summary, details, full }

    @Option(help: "In llvm-dwarfdump's words, or as JSON: a document a line.")
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
