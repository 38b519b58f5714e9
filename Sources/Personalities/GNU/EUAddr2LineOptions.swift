/// elfutils' options of its addr2line (0.188).
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
    var isStrict = false
    /// Asked for instead of answers.
    var request: Request?
    var addresses: [String] = []

    /// Why the arguments cannot be used, in the tool's own words where it has some.
    struct Misuse: Error {
        var message: String
        /// Where help is to be had follows.
        var isUsage = false
    }

    static let table = [
        ToolOption("", "core", value: .required("COREFILE"), help: "not answered: cairn reads no core files"),
        ToolOption("", "debuginfo-path", value: .required("PATH"), help: "folders with separate debug files, with colons between them"),
        ToolOption("e", "executable", value: .required("FILE"), help: "the file that the addresses are of (a.out)"),
        ToolOption("k", "kernel", help: "not answered: cairn reads no running kernel"),
        ToolOption("K", "offline-kernel", value: .optional("RELEASE"), help: "not answered: name the vmlinux or the module with -e"),
        ToolOption("M", "linux-process-map", value: .required("FILE"), help: "not answered: name the file with -e, and its addresses"),
        ToolOption("p", "pid", value: .required("PID"), help: "not answered: cairn reads no processes"),
        ToolOption("j", "section", value: .required("NAME"), help: "addresses count from the beginning of this section"),
        ToolOption("a", "addresses", help: "show the address before each answer"),
        ToolOption("A", "absolute", help: "files with their folders, from the compilation directory on (default)"),
        ToolOption("C", "demangle", value: .optional("ARG"), help: "names as they were written"),
        ToolOption("f", "functions", help: "show names of functions"),
        ToolOption("F", "flags", help: "show what the line table says of the address's row, too"),
        ToolOption("i", "inlines", help: "show the calls that inlined the code, too"),
        ToolOption("", "pretty-print", help: "each answer on one line, the calls on lines of their own"),
        ToolOption("", "relative", help: "files without the compilation directory"),
        ToolOption("s", "basenames", help: "files without their folders"),
        ToolOption("S", "symbols", help: "show symbols, with the offset from each"),
        ToolOption("x", "symbols-sections", help: "show symbols, with the offset and the section"),
        ToolOption("?", "help", help: "show this help"),
        ToolOption("", "usage", help: "show the usage in short"),
        ToolOption("V", "version", help: "show the version"),
        ToolOption("b", "target", value: .required("ARG"), isHidden: true, help: "as --demangle"),
        ToolOption("", "demangler", value: .required("ARG"), isHidden: true, help: "as --demangle"),
        ToolOption.strictCompat,
    ]

    init(_ arguments: [String]) throws(Misuse) {
        var scan = OptionScan(arguments, Self.table)
        while request == nil, let choice = try Self.next(&scan) { try set(choice.option.key, choice.value ?? "") }
        addresses = scan.operands
        isStrict = isStrict || StrictCompat.isInEnvironment
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

    /// What there is instead of a live process, a kernel or a core file.
    private static func refusal(of option: String, _ value: String) -> String {
        switch option {
        case "pid": "-p \(value): cairn reads no processes: expected -e with a file; cairn symbolicate answers a log of the process"
        case "core":
            "--core=\(value): cairn reads no core files: expected -e with a file; cairn symbolicate answers a backtrace of the core"
        case "linux-process-map":
            "-M \(value): cairn reads no process maps: expected -e with one of the files in it, and addresses of that file"
        case "kernel": "-k: cairn reads no running kernel: expected -e with its vmlinux or module; cairn symbolicate answers its log"
        default: "-K: cairn looks for no kernel: expected -e with its vmlinux or module; cairn symbolicate --symbols answers its log"
        }
    }

    static let manual = ToolManual(
        name: "eu-addr2line", summary: "turn addresses into files, lines and columns, as elfutils does",
        synopsis: "[OPTION...] [ADDR...]", grammar: .twoDashes, options: table,
        remarks: [
            "Addresses are hexadecimal, with 0x or without; SYMBOL, SYMBOL+OFFSET and (SECTION)OFFSET name places, too. Without any, lines of standard input are answered, each as soon as nothing more is waiting to be read. The exit status is that of the last one: 1 where it names no place.",
            "What differs from elfutils 0.188: files whose debug information has no .debug_aranges are answered; an address outside every function has no name; behind a unit's code there is no line; -j and (SECTION)OFFSET work in linked files, too; --relative leaves the compilation directory out (elfutils leaves it in where it knows it); a static function is called as its symbol is; Swift and Rust names are read; C++ names are spelled as LLVM spells them. With --strict-compat, or CAIRN_STRICT_COMPAT=1 in the environment, names and sections are as elfutils has them.",
        ])
}
