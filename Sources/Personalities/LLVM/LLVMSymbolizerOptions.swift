internal import BinaryPrimitives
internal import Console
internal import Demangling
internal import SymbolFiles

/// llvm-symbolizer's options (`llvm/tools/llvm-symbolizer/Opts.td` of LLVM 19); the last of each kind is
/// used.
struct LLVMSymbolizerOptions {
    enum Style {
        case llvm
        case gnu
        case json
    }

    enum Names {
        case linkage
        case short
        case none
    }

    enum Paths {
        case absolute
        case relative
        case base
    }

    var style = Style.llvm
    var object: String?
    var buildID: [UInt8]?
    var architecture: Architecture?
    var names = Names.linkage
    var paths = Paths.absolute
    var showsInlines = true
    var showsAddresses = false
    var demangles = true
    var isPretty = false
    var isVerbose = false
    /// Lines of source text around each line (`--print-source-context-lines`).
    var contextLines = 0
    /// Code that the compiler attributes to no line gets the last line before it, marked as approximate (LLVM
    /// 21).
    var skipsLineZero = false
    /// Subtracted from each requested address (`--adjust-vma`).
    var adjustment: UInt64 = 0
    /// The upper byte of a data symbol's address is a memory tag, not a part of its location.
    var ignoresMemoryTags = true
    /// Print LLVM's output even where cairn differs on purpose.
    var isStrict: Bool
    let context: ToolContext
    /// Filter markup out of standard input instead of resolving addresses.
    var filtersMarkup = false
    var color = ColorChoice.automatic
    var fileOptions = FileOptions()
    /// `llvm-addr2line`: every number is hexadecimal.
    let isAddr2Line: Bool
    var addresses: [String] = []

    /// Condition for coloring markup's output.
    enum ColorChoice {
        case automatic
        case always
        case never
    }

    /// Output that the arguments request instead of results.
    enum Request: Error {
        case help
        case version
        /// Error messages in the tool's words.
        case misuse([String])
    }

    /// Whether the output needs details that results do not include by default: discriminators, declarations,
    /// recorded paths, source text.
    var needsDetails: Bool { style != .llvm || isVerbose || names == .short || paths == .relative || contextLines > 0 || skipsLineZero }

    /// - Parameters:
    ///   - isAddr2Line: called as `llvm-addr2line`, which has other defaults.
    ///   - environment: the value of `LLVM_SYMBOLIZER_OPTS` or `LLVM_ADDR2LINE_OPTS`: options
    ///     before the arguments.
    init(_ arguments: [String], isAddr2Line: Bool, environment: String? = nil, _ context: ToolContext = .process) throws(Request) {
        self.isAddr2Line = isAddr2Line
        self.context = context
        isStrict = context.isStrict
        if isAddr2Line { (style, names, showsInlines, demangles, ignoresMemoryTags) = (.gnu, .none, false, false, false) }
        let first = environment.map { ResponseFiles.arguments(in: $0.utf8.span) } ?? []
        let given = first + arguments
        // The name of a directory stays as it is; it is not an address either.
        let all = (try? ResponseFiles.expand(given)) ?? given
        var problems: [String] = []
        var wantsHelp = false
        var wantsVersion = false
        for part in LLVMOptionTable.read(all) {
            switch part {
            case .input(let text): addresses.append(text)
            case .unknown(let problem): problems.append(problem)
            case .option(.help, _): wantsHelp = true
            case .option(.version, _): wantsVersion = true
            case .option(let option, let value): if problems.isEmpty { try set(option, value) }
            }
        }
        if !problems.isEmpty { throw .misuse(problems.map { "error: \($0)" }) }
        if wantsHelp { throw .help }
        if wantsVersion { throw .version }
        if buildID != nil, object != nil { throw .misuse(["error: cannot specify both --build-id and --obj"]) }
    }

    private mutating func set(_ option: LLVMOptionTable.Option, _ value: String) throws(Request) {
        switch option {
        case .addresses: showsAddresses = true
        case .adjustVMA: adjustment = try Self.number(value, "--adjust-vma=")
        case .basenames: paths = .base
        case .relativenames: paths = .relative
        case .buildID:
            guard let bytes = LLVMSymbolizerInput.buildID(value.utf8.span) else {
                throw .misuse(["--build-id=: expected a build ID, but got '\(value)'"])
            }
            buildID = bytes
        case .color: color = .always
        case .colorWhen: color = value == "always" ? .always : value == "never" ? .never : .automatic
        case .debugFileDirectory: fileOptions.debugFileDirectories.append(value)
        case .defaultArch: architecture = Architecture(value)
        case .demangle: demangles = true
        case .noDemangle: demangles = false
        case .dsymHint:
            guard value.hasSuffix(".dSYM") else {
                writeError("Warning: invalid dSYM hint: \"\(value)\" (must have the '.dSYM' extension).\n", to: context.errors)
                return
            }
            fileOptions.dsymHints.append(value)
        case .dwp: fileOptions.package = value
        case .fallbackDebugPath: fileOptions.fallbackDebugPath = value
        case .filterMarkup: filtersMarkup = true
        case .functions: names = .linkage
        case .functionsHow: names = value == "none" ? .none : value == "short" ? .short : .linkage
        case .inlines: showsInlines = true
        case .noInlines: showsInlines = false
        case .object: object = value
        case .outputStyle: style = value == "GNU" ? .gnu : value == "JSON" ? .json : .llvm
        case .prettyPrint: isPretty = true
        case .contextLines: contextLines = Int(clamping: try Self.number(value, "--print-source-context-lines="))
        case .untag: ignoresMemoryTags = true
        case .noUntag: ignoresMemoryTags = false
        case .verbose: isVerbose = true
        case .skipLineZero: skipsLineZero = true
        case .strictCompat: isStrict = true
        // These options have no effect here: they concern a cache of open files, Windows' debug information,
        // and GSYM files (which LLVM 21 uses instead of a file's own debug information). Addresses of ELF and
        // Mach-O are never relative to a base that the file prefers.
        case .cacheSize: _ = try Self.number(value, "--cache-size=")
        case .debuginfod: fileOptions.fetchedFiles = .standard()
        case .noDebuginfod: (fileOptions.fetchedFiles, fileOptions.mayUseFetchedFiles) = (nil, false)
        case .dia, .gsymFileDirectory, .disableGSYM, .relativeAddress, .help, .version: break
        }
    }

    private static func number(_ text: String, _ option: String) throws(Request) -> UInt64 {
        guard let number = LLVMSymbolizerInput.number(text.utf8.span) else {
            throw .misuse(["\(option): expected a non-negative integer, but got '\(text)'"])
        }
        return number
    }
}

extension PrintedNames {
    /// Uses the forms of names and paths that llvm-symbolizer's options select.
    init(_ options: LLVMSymbolizerOptions) {
        var demangler = Demangler.ofTools(style: options.demangles && options.names != .short ? .simplified : .none)
        if options.isStrict { demangler.unread += [.swift, .swiftBefore4] }
        let kind: Kind = options.names == .none ? .none : options.names == .short ? .short : .linkage
        self.init(demangler, kind, usesRecordedPaths: options.paths == .relative, skipsLineZero: options.skipsLineZero)
    }
}
