/// The options of elfutils' addr2line (0.188).
struct EUAddr2LineOptions {
    enum Request { case help, usage, version }

    var object = "a.out"
    var section: String?
    var debugFolders: [String] = []
    var showsAddresses = false
    var showsFunctions = false
    var showsInlines = false
    var showsFlags = false
    var showsSymbols = false
    var showsSymbolSections = false
    var isPretty = false
    var printsNamesOnly = false
    var isRelative = false
    var demangles = false
    var isStrict: Bool
    let context: ToolContext
    /// Output that is requested instead of results.
    var request: Request?
    var addresses: [String] = []

    /// Error in the arguments, in the tool's own words if it has some.
    struct Misuse: Error {
        var message: String
        /// A hint how to get help follows the message.
        var isUsage = false
    }

    static let table = [
        ToolOption("", "core", value: .required("COREFILE"), help: "not supported: cairn does not read core files"),
        ToolOption("", "debuginfo-path", value: .required("PATH"), help: "directories with separate debug files, separated by colons"),
        ToolOption("e", "executable", value: .required("FILE"), help: "the file that the addresses are of (a.out)"),
        ToolOption("k", "kernel", help: "not supported: cairn does not read the running kernel"),
        ToolOption("K", "offline-kernel", value: .optional("RELEASE"), help: "not supported: name the vmlinux or the module with -e"),
        ToolOption("M", "linux-process-map", value: .required("FILE"), help: "not supported: name the file with -e, and use its addresses"),
        ToolOption("p", "pid", value: .required("PID"), help: "not supported: cairn does not read processes"),
        ToolOption("j", "section", value: .required("NAME"), help: "addresses count from the beginning of this section"),
        ToolOption("a", "addresses", help: "show the address before each result"),
        ToolOption("A", "absolute", help: "file names with directories, including the compilation directory (default)"),
        ToolOption("C", "demangle", value: .optional("ARG"), help: "names as they were written"),
        ToolOption("f", "functions", help: "show names of functions"),
        ToolOption("F", "flags", help: "also show the flags of the row of the line table"),
        ToolOption("i", "inlines", help: "show the calls that inlined the code, too"),
        ToolOption("", "pretty-print", help: "each result on one line, inlined frames on lines of their own"),
        ToolOption("", "relative", help: "files without the compilation directory"),
        ToolOption("s", "basenames", help: "file names without directories"),
        ToolOption("S", "symbols", help: "show symbols, with the offset from each"),
        ToolOption("x", "symbols-sections", help: "show symbols, with the offset and the section"),
        ToolOption("?", "help", help: "show this help"),
        ToolOption("", "usage", help: "show the usage in short"),
        ToolOption("V", "version", help: "show the version"),
        ToolOption("b", "target", value: .required("ARG"), isHidden: true, help: "as --demangle"),
        ToolOption("", "demangler", value: .required("ARG"), isHidden: true, help: "as --demangle"),
        ToolOption.strictCompat,
    ]

    init(_ arguments: [String], _ context: ToolContext = .process) throws(Misuse) {
        self.context = context
        isStrict = context.isStrict
        var scan = OptionScan(arguments, Self.table)
        while request == nil, let choice = try Self.next(&scan) { try set(choice.option.key, choice.value ?? "") }
        addresses = scan.operands
    }

    private static func next(_ scan: inout OptionScan) throws(Misuse) -> OptionScan.Choice? {
        do throws(OptionScan.Misuse) { return try scan.next() } catch { throw Misuse(message: error.message, isUsage: true) }
    }

    private mutating func set(_ option: String, _ value: String) throws(Misuse) {
        switch option {
        case "executable": object = value
        case "section": section = value
        case "debuginfo-path": debugFolders = value.split(separator: ":").map { String($0) }
        case "addresses": showsAddresses = true
        case "absolute": isRelative = false
        case "relative": isRelative = true
        case "demangle", "target", "demangler": demangles = true
        case "functions": showsFunctions = true
        case "inlines": showsInlines = true
        case "flags": showsFlags = true
        case "pretty-print": isPretty = true
        case "basenames": printsNamesOnly = true
        case "symbols": showsSymbols = true
        case "symbols-sections": (showsSymbols, showsSymbolSections) = (true, true)
        case "help": request = .help
        case "usage": request = .usage
        case "version": request = .version
        case "strict-compat": isStrict = true
        default: throw Misuse(message: Self.refusal(of: option, value))
        }
    }

    /// Message for an option of live processes, kernels or core files, with the alternative.
    private static func refusal(of option: String, _ value: String) -> String {
        switch option {
        case "pid":
            "-p \(value): cairn does not read processes: expected -e with a file. To symbolicate a log of the process, use: cairn symbolicate"
        case "core":
            "--core=\(value): cairn does not read core files: expected -e with a file. To symbolicate a backtrace of the core, use: cairn symbolicate"
        case "linux-process-map":
            "-M \(value): cairn reads no process maps: expected -e with one of the files in it, and addresses of that file"
        case "kernel":
            "-k: cairn does not read the running kernel: expected -e with its vmlinux or module. To symbolicate its log, use: cairn symbolicate"
        default:
            "-K: cairn does not search for a kernel: expected -e with its vmlinux or module. To symbolicate its log, use: cairn symbolicate --symbols"
        }
    }

    static let manual = ToolManual(
        name: "eu-addr2line", summary: "turn addresses into files, lines and columns, as elfutils does",
        synopsis: "[OPTION...] [ADDR...]", grammar: .twoDashes, options: table,
        remarks: [
            "Addresses are hexadecimal, with 0x or without; SYMBOL, SYMBOL+OFFSET and (SECTION)OFFSET work, too. Without any, they are read from standard input, and results are written as soon as no more input is waiting. The exit status is that of the last one: 1 if it is not an address.",
            "What differs from elfutils 0.188: files whose debug information has no .debug_aranges work; an address outside every function has no name; past the end of a unit's code no line is printed; -j and (SECTION)OFFSET work in linked files, too; --relative leaves the compilation directory out (elfutils does not, where it has one); a static function has the name of its symbol; Swift and Rust names are demangled; C++ names are spelled as in LLVM. With --strict-compat, or CAIRN_STRICT_COMPAT=1 in the environment, names and sections are as in elfutils.",
        ])
}
