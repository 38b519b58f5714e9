/// GNU addr2line's own options (binutils 2.40).
struct Addr2LineOptions {
    /// Languages whose names `-C` demangles, as binutils' demangler names them.
    enum NameStyle: String {
        case none, auto, java, gnat, dlang, rust
        case gnuV3 = "gnu-v3"
    }

    var object = "a.out"
    var target: String?
    var section: String?
    var showsFunctions = false
    var showsInlines = false
    var showsAddresses = false
    var isPretty = false
    var printsNamesOnly = false
    /// `none` without `-C`.
    var nameStyle = NameStyle.none
    var isStrict: Bool
    let context: ToolContext
    /// Output that is requested instead of results.
    var request: Request?
    var addresses: [String] = []

    enum Request { case help, version }

    /// Error in the arguments, in the tool's own words.
    struct Misuse: Error {
        var message: String
        /// The usage follows.
        var isUsage = false
    }

    static let table = [
        ToolOption("a", "addresses", help: "show the address before each result"),
        ToolOption(
            "b", "target", value: .required("BFDNAME"), help: "accepted and ignored: the format of the file is detected"
        ),
        ToolOption("e", "exe", value: .required("FILE"), help: "the file that the addresses are of (a.out)"),
        ToolOption("i", "inlines", help: "show the functions that the code was inlined into, too"),
        ToolOption("j", "section", value: .required("NAME"), help: "addresses count from the beginning of this section"),
        ToolOption("p", "pretty-print", help: "each result on one line"),
        ToolOption("s", "basenames", help: "file names without directories"),
        ToolOption("f", "functions", help: "show names of functions"),
        ToolOption(
            "C", "demangle", value: .optional("STYLE"), help: "names as they were written: auto, gnu-v3, rust, java, gnat, dlang or none"),
        ToolOption("R", "recurse-limit", "recursion-limit", help: "limit demangling; it is always limited"),
        ToolOption("r", "no-recurse-limit", "no-recursion-limit", help: "accepted; demangling stays limited"),
        ToolOption("hH", "help", help: "show this help"),
        ToolOption("vV", "version", help: "show the version"),
        ToolOption.strictCompat,
    ]

    init(_ arguments: [String], _ context: ToolContext = .process) throws(Misuse) {
        self.context = context
        isStrict = context.isStrict
        var scan = OptionScan(try Self.expand(arguments), Self.table)
        while request == nil, let choice = try Self.next(&scan) { try set(choice.option.key, choice.value) }
        addresses = scan.operands
    }

    private static func expand(_ arguments: [String]) throws(Misuse) -> [String] {
        do throws(ResponseFiles.IsDirectory) { return try ResponseFiles.expand(arguments) } catch {
            throw Misuse(message: "error: @-file refers to a directory")
        }
    }

    private static func next(_ scan: inout OptionScan) throws(Misuse) -> OptionScan.Choice? {
        do throws(OptionScan.Misuse) { return try scan.next() } catch { throw Misuse(message: error.message, isUsage: true) }
    }

    private mutating func set(_ option: String, _ value: String?) throws(Misuse) {
        switch option {
        case "addresses": showsAddresses = true
        case "basenames": printsNamesOnly = true
        case "demangle":
            guard let style = NameStyle(rawValue: value ?? "auto") else {
                throw Misuse(message: "unknown demangling style `\(value ?? "")'")
            }
            nameStyle = style
        case "exe": object = value ?? ""
        case "functions": showsFunctions = true
        case "inlines": showsInlines = true
        case "pretty-print": isPretty = true
        case "section": section = value
        case "target": target = value
        case "help": request = .help
        case "version": request = .version
        case "strict-compat": isStrict = true
        // Demangling is always limited.
        default: break
        }
    }

    /// The formats that binutils supports on this machine, as `addr2line --help` lists them, and the name of
    /// the default one.
    static let targets = [
        "default", "elf64-x86-64", "elf32-i386", "elf32-iamcu", "elf32-x86-64", "pei-i386", "pe-x86-64", "pei-x86-64", "elf64-little",
        "elf64-big", "elf32-little", "elf32-big", "pe-bigobj-x86-64", "pe-i386", "pdb", "srec", "symbolsrec", "verilog", "tekhex",
        "binary", "ihex", "plugin",
    ]

    static let manual = ToolManual(
        name: "addr2line", summary: "turn addresses into files and lines, as GNU addr2line does",
        synopsis: "[OPTION...] [ADDRESS...]", grammar: .twoDashes, options: table,
        remarks: [
            "Addresses are hexadecimal, with 0x or without, or symbols of the file (main, main+4). Without any, they are read from standard input, and results are written as soon as no more input is waiting. @FILE among the arguments is replaced with the arguments in that file.",
            "What differs from GNU addr2line 2.40: an address outside every function has no name (GNU takes the nearest symbol before it); no file where only a symbol has one; a split-off part of a function has the name of its symbol (f.cold); Swift names are demangled; C++ names are spelled as in LLVM. With --strict-compat, or CAIRN_STRICT_COMPAT=1 in the environment, these are as in GNU addr2line.",
        ])
}
