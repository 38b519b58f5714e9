package import ArgumentParser
package import BinaryPrimitives
internal import Console
package import CrashLogFormats
package import CrashLogModel
internal import ObjectFiles
package import SymbolFiles
package import SymbolSources
package import Symbolication

/// Bytes of a symbol file from which on memory is worth being given back while it is read.
private let largeFile = 64 << 20

/// The options that say how logs are read and where their symbols are looked for: the same in every
/// command that symbolicates logs.
package struct SymbolOptions: ParsableArguments {
    @Option(
        // As ndk-stack has it: -sym DIR.
        name: .of(.symbols),
        help: ArgumentHelp(
            "A symbol file, dSYM bundle, archive (APK, ZIP, tar), a directory of them, or a server (https://, s3://). Repeatable; CAIRN_SYMBOLS adds more.",
            valueName: "path"), completion: .file())
    package var symbols: [String] = []

    @Option(
        name: .of(.image),
        help: ArgumentHelp(
            "Map an image to a symbol file, optionally with its load address (hexadecimal). Repeatable.",
            discussion: """
                BASE is hexadecimal: on Linux the start of the first mapping in /proc/PID/maps (of a position-independent program or library), of a Mach-O image its load address. \
                For example --image tide=build/tide@0x5649090b0000. The default for NAME is the name of the file (=build/tide@0x5649090b0000), the default for BASE is the load address in the log.
                """,
            valueName: "NAME=PATH[@BASE]"))
    package var image: [String] = []

    @Option(
        name: .of(.sysroot),
        help: ArgumentHelp("Root directory of the target system; images are looked up under it. Repeatable.", valueName: "dir"),
        completion: .directory)
    package var sysroot: [String] = []

    @Option(
        name: .of(.pathMap),
        help: ArgumentHelp(
            "Replace the source path prefix OLD with NEW. The longest matching prefix wins. Repeatable.",
            valueName: "OLD=NEW"))
    package var pathMap: [String] = []

    @Option(
        name: .of(.sourceRoot),
        help: ArgumentHelp(
            "Show source paths relative to this directory when the file exists there. Repeatable.", valueName: "dir"),
        completion: .directory)
    package var sourceRoot: [String] = []

    @Flag(name: .of(.noLocal), help: "Never use an image's path on this machine.")
    package var noLocal = false

    @OptionGroup package var debuginfod: DebuginfodOptions

    @Flag(name: .of(.force), help: "Use symbol files even if the build ID or UUID does not match. Affected frames are marked.")
    package var force = false

    @Option(
        name: .of(.logFormat),
        help: ArgumentHelp("Format of the logs, instead of detecting it (see cairn formats).", valueName: "format"),
        completion: .list(FormatRegistry.standard.names))
    package var logFormat: String?

    @Option(
        name: .of(.arch),
        help: ArgumentHelp("Architecture to use if the log does not name one: x86_64, arm64 and so on.", valueName: "arch"),
        completion: .list(TypedArchitecture.names))
    package var arch: String?

    @Option(
        name: .of(.indexCache),
        help: ArgumentHelp(
            "Index cache directory (default: $CAIRN_CACHE, else cairn in the user's cache directory).",
            valueName: "dir"), completion: .directory)
    package var indexCache: String?

    @Flag(name: .of(.noIndex), help: "Disable the index cache.")
    package var noIndex = false

    package init() {}

    package init(_ scan: inout ArgumentScan) {
        symbols = scan.values(.symbols)
        image = scan.values(.image)
        sysroot = scan.values(.sysroot)
        pathMap = scan.values(.pathMap)
        sourceRoot = scan.values(.sourceRoot)
        noLocal = scan.flag(.noLocal)
        debuginfod = DebuginfodOptions(&scan)
        force = scan.flag(.force)
        logFormat = scan.value(.logFormat)
        arch = scan.value(.arch)
        indexCache = scan.value(.indexCache)
        noIndex = scan.flag(.noIndex)
        scan.check(self)
    }

    package func validate() throws {
        for text in image { _ = try ImageArgument.read(text) }
        for text in pathMap { _ = try PathMapArgument.read(text) }
        if let problem = SymbolLocations(symbols).problems.first { throw ValidationError("--symbols " + problem) }
        if let logFormat, FormatRegistry.standard.only(logFormat) == nil {
            let suggestion = SimilarNames.suggestion(for: logFormat, among: FormatRegistry.standard.names)
            throw ValidationError("no such log format: \(logFormat)." + (suggestion.isEmpty ? " Run: cairn formats" : suggestion))
        }
        if let arch, TypedArchitecture.read(arch) == nil {
            let suggestion = SimilarNames.suggestion(for: arch, among: TypedArchitecture.names)
            throw ValidationError(
                "no such architecture: \(arch)." + (suggestion.isEmpty ? " Use a name like x86_64, arm64, armv7 or riscv64" : suggestion))
        }
    }

    /// The formats that are looked for.
    package var formats: FormatRegistry { logFormat.flatMap { FormatRegistry.standard.only($0) } ?? .standard }

    /// The images that the user describes.
    package var images: [GivenImage] { image.compactMap { try? ImageArgument.read($0) } }

    /// Architecture of logs that do not name one.
    package var architecture: Architecture? { arch.flatMap { TypedArchitecture.read($0) } }

    /// How frames are looked up, as far as these options say it.
    package var symbolication: Symbolicator.Options {
        var options = Symbolicator.Options()
        options.images = images
        options.sourcePaths = sourcePaths
        options.architecture = architecture
        return options
    }

    /// Origin of a log in a file; `nil` where files of this machine do not count.
    package func origin(of path: String) -> LogOrigin? { noLocal ? nil : LogOrigin(logAt: path) }

    /// Origin of a log that is printed from now on.
    package var originOfLiveLog: LogOrigin? { noLocal ? nil : .running(since: WallClock.nanoseconds) }

    /// Facts for the advice about missing symbols.
    package var advice: Advice {
        var advice = Advice()
        advice.systemRoots = sysroot
        advice.usesServers = !debuginfod.servers.isEmpty || !locations.servers.isEmpty
        advice.knownServers = environmentVariable("DEBUGINFOD_URLS").flatMap { $0.isEmpty ? nil : $0 }
        return advice
    }

    /// How source paths are shown: by the command's options, and by the settings where it has none.
    package var sourcePaths: SourcePathRules {
        let settings = ActiveSettings.current.settings
        let kept = (settings.pathMap ?? [:]).map { PathMap.Entry(old: $0.key, new: $0.value) }.sorted { $0.old < $1.old }
        // If two entries have one path, the last counts.
        let map = PathMap(kept + pathMap.compactMap { try? PathMapArgument.read($0) })
        return SourcePathRules(map: map, roots: sourceRoot + (settings.sourceRoots ?? []))
    }

    /// The options that decide which symbols are found, as words of a shell command that is printed
    /// to be pasted: `-s build/ --no-local `. Options that only change what is printed are left
    /// out.
    package var searchArguments: String {
        var arguments: [String] = []
        for path in symbols { arguments += ["-s", ShellWord.quoted(path)] }
        for text in image { arguments += ["--image", ShellWord.quoted(text)] }
        for path in sysroot { arguments += ["--sysroot", ShellWord.quoted(path)] }
        if noLocal { arguments.append("--no-local") }
        if force { arguments.append("--force") }
        if let logFormat { arguments += ["--log-format", ShellWord.quoted(logFormat)] }
        if let arch { arguments += ["--arch", ShellWord.quoted(arch)] }
        if debuginfod.isRequested {
            arguments.append("--debuginfod")
            arguments += debuginfod.urls.map { ShellWord.quoted($0, isPath: false) }
        }
        if debuginfod.isForbidden { arguments.append("--no-debuginfod") }
        return arguments.map { $0 + " " }.joined()
    }

    /// Paths of the settings that do not exist: they need not on every machine, but one that is
    /// mistyped never will.
    var deadSettings: [String] {
        let settings = ActiveSettings.current.settings
        return [("symbols", settings.symbols), ("sourceRoots", settings.sourceRoots)].flatMap { key, paths in
            SymbolLocations(paths ?? []).paths.filter { PathKind(path: $0) == nil && !OpenArchives.shared.hasMember(at: $0) }
                .map { "\($0): no such file or directory (\(key) in the settings)" }
        }
    }

    /// The user's locations, the likeliest first.
    private var locations: SymbolLocations {
        SymbolLocations(symbols + SymbolLocations.variable + (ActiveSettings.current.settings.symbols ?? []))
    }

    /// The servers among them.
    package var servers: [SymbolServer] { locations.servers }

    /// Location that asks the servers that the user named; `nil` for none.
    /// - Parameters:
    ///   - quiet: nothing is printed on the terminal while files arrive.
    ///   - isEndless: the run has no end: the budget is for each request.
    package func makeServers(quiet: Bool, isEndless: Bool = false) -> SymbolServers? {
        debuginfod.makeServers(beside: servers, quiet: quiet, isEndless: isEndless)
    }

    /// Creates a provider of symbols from those files and folders. Each missing one is reported in
    /// a line.
    /// - Parameters:
    ///   - network: queried last.
    ///   - locations: more files and folders, after the user's own; those that are not there are
    ///     passed over.
    ///   - programs: that run now, and whose crashes may be in the log.
    ///   - indexes: which large files get an index.
    ///   - quiet: nothing is said when one is made.
    ///   - folderReading: when the files in folders are read.
    /// - Returns: the provider, and whether every location is there.
    package func provider(
        _ network: SymbolServers?, locations more: [String] = [], programs: [String] = [], indexes making: IndexPolicy.Making = .never,
        quiet: Bool = true, folderReading: FolderReading = .whenNeeded
    ) -> (provider: SourceProvider, isComplete: Bool) {
        // The user's word for an image goes before what is in a folder.
        let named = SymbolLocations(symbols + SymbolLocations.variable)
        let given = images.map(\.path) + named.paths
        let all = locations
        for problem in all.problems { printDiagnostic(problem) }
        var isComplete =
            ActiveSettings.current.problems.isEmpty && all.problems.isEmpty
            && (network != nil || !debuginfod.isRequested && all.servers.isEmpty)
        for path in given where PathKind(path: path) == nil && !OpenArchives.shared.hasMember(at: path) {
            printDiagnostic("\(path): no such file or directory")
            isComplete = false
        }
        for path in given {
            if let problem = OpenArchives.shared.problem(at: path) {
                printDiagnostic(problem.description)
                isComplete = false
            }
        }
        for path in sourceRoot where PathKind(path: path) != .directory {
            printDiagnostic("\(path): no such directory: expected a source directory")
            isComplete = false
        }
        for path in sysroot where PathKind(path: path) != .directory {
            printDiagnostic("\(path): no such directory: expected the root directory of the target system")
            isComplete = false
        }
        // The project's settings may name files that are not on every machine.
        let kept = SymbolLocations(ActiveSettings.current.settings.symbols ?? []).paths.filter { PathKind(path: $0) != nil }
        var search = SearchLocations(symbols: given + kept + more.filter { PathKind(path: $0) != nil })
        search.systemRoots = sysroot
        search.folderReading = folderReading
        search.usesImagePaths = !noLocal
        search.programs = programs
        search.others = network.map { [$0] } ?? []
        search.cache = noIndex ? nil : indexCache ?? CacheFolder.standard()
        let indexes = search.cache.map { folder in
            IndexPolicy(
                cache: IndexCache(cacheFolder: folder), making: making,
                note: { path, run in
                    guard !quiet else { return }
                    printDiagnostic("\(path): building its index (run \(run) with it), for faster runs. --no-index prevents it", as: .note)
                })
        }
        let names = BCSymbolMapSearch(symbols: given + kept)
        let provider = SourceProvider(
            search, force: force,
            openFile: SymbolFileReader.openAll,
            openSource: { files in
                let source = ImageSource.open(files, hiddenNames: names, indexes: indexes)
                // The code that read options and the log is not needed while units are read: 3 MB of 28.
                // Of a shared cache an image's share is read.
                let isLarge = files.contains {
                    ($0 as? ObjectFile).map { $0.file.size >= largeFile && !$0.description.isInSharedCache } ?? false
                }
                if isLarge, source.recordedCallSites == nil { ProcessMemory.releaseProgram() }
                return CachingSource(source)
            })
        return (provider, isComplete)
    }
}

/// `NAME=PATH[@BASE]`, as `--image` has it.
enum ImageArgument {
    /// - Throws: `ValidationError` with what is wrong and what was expected.
    static func read(_ text: String) throws -> GivenImage {
        guard let equals = text.firstIndex(of: "=") else { throw wrong(text, "no = in it") }
        let name = String(text[..<equals])
        let rest = text[text.index(after: equals)...]
        // Paths may have an @ of their own, as `icon@2x` has.
        guard let at = rest.lastIndex(of: "@"), PathKind(path: String(rest)) == nil else {
            guard !rest.isEmpty else { throw wrong(text, "the path is empty") }
            return GivenImage(name: name, path: String(rest))
        }
        guard at > rest.startIndex else { throw wrong(text, "the path is empty") }
        guard let base = Numbers.hexadecimal(rest[rest.index(after: at)...]) else {
            throw wrong(text, "\(rest[rest.index(after: at)...]) is not a hexadecimal number of at most 64 bits")
        }
        return GivenImage(name: name, path: String(rest[..<at]), base: RuntimeAddress(base))
    }

    private static func wrong(_ text: String, _ problem: String) -> ValidationError {
        ValidationError("--image \(text): \(problem): expected NAME=PATH or NAME=PATH@BASE")
    }
}

/// `OLD=NEW`, as `--path-map` has it.
enum PathMapArgument {
    /// - Throws: `ValidationError` with what is wrong and what was expected.
    static func read(_ text: String) throws -> PathMap.Entry {
        guard let equals = text.firstIndex(of: "=") else { throw ValidationError("--path-map \(text): no = in it: expected OLD=NEW") }
        guard equals > text.startIndex else { throw ValidationError("--path-map \(text): the old path is empty: expected OLD=NEW") }
        return PathMap.Entry(old: String(text[..<equals]), new: String(text[text.index(after: equals)...]))
    }
}

/// An architecture as people type it: cairn's name of it, or the one that `uname -m` and compilers
/// have.
enum TypedArchitecture {
    static let names = known.keys.sorted()

    /// - Returns: `nil` if no architecture has that name.
    static func read(_ text: String) -> Architecture? { known[text.lowercased()] }

    private static let known: [String: Architecture] = {
        var known: [String: Architecture] = [
            "aarch64": .arm64, "amd64": .x86_64, "x86-64": .x86_64, "x64": .x86_64, "x86": .i386, "i486": .i386, "i586": .i386,
            "i686": .i386, "sparc": Architecture("sparc"), "sparcv9": Architecture("sparcv9"), "sparc64": Architecture("sparcv9"),
        ]
        for one in [
            Architecture.i386, .x86_64, .x86_64h, .armv6, .armv7, .armv7s, .armv7k, .arm, .arm64, .arm64e, .arm64_32, .ppc, .ppc64,
            .riscv32,
            .riscv64, .s390x, .mips, .mips64, .loongarch64,
        ] { known[one.name] = one }
        return known
    }()
}
