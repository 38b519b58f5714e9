package import ArgumentParser
internal import BinaryPrimitives
internal import Console
package import CrashReports
internal import ObjectFiles
package import SymbolFiles
internal import SymbolSources
package import Symbolication

/// The options that say how logs are read and where their symbols are looked for: the same in every command that answers logs.
package struct SymbolOptions: ParsableArguments {
    @Option(
        name: [.customLong("symbols"), .customShort("s")],
        help: "A symbol file, a dSYM bundle, an archive (APK, ZIP, tar), or a folder of them. May be repeated; CAIRN_SYMBOLS adds more.")
    package var symbols: [String] = []

    @Option(
        help: ArgumentHelp(
            "An image that the log does not name, or whose base it does not tell: what the log calls it, its symbol file, and where it was loaded. May be repeated.",
            discussion: """
                BASE is hexadecimal: of a position-independent program or library on Linux where its first mapping begins in /proc/PID/maps, of a Mach-O image its load address. \
                For example --image tide=build/tide@0x5649090b0000. Without NAME (=build/tide@0x5649090b0000) the file's own name is meant; without @BASE the one that the log tells.
                """,
            valueName: "NAME=PATH[@BASE]"))
    package var image: [String] = []

    @Option(
        help:
            "The file system of the machine that the logs come from, as a folder: images are looked for at their own paths below it. May be repeated."
    )
    package var sysroot: [String] = []

    @Option(
        help: ArgumentHelp(
            "Tell source paths that begin with OLD as if they began with NEW. The longest OLD that ends where a folder does wins. May be repeated.",
            valueName: "OLD=NEW"))
    package var pathMap: [String] = []

    @Option(
        help: ArgumentHelp(
            "A folder where sources lie: paths of files that are there are told from it on. May be repeated.", valueName: "folder"))
    package var sourceRoot: [String] = []

    @Flag(help: "Never use an image's own path on this machine.")
    package var noLocal = false

    @OptionGroup package var debuginfod: DebuginfodOptions

    @Flag(help: "Use symbol files whose identity differs from the log's; every such frame says so.")
    package var force = false

    @Option(help: "Read the logs as this format instead of detecting it (see cairn formats).")
    package var logFormat: String?

    @Option(help: "The architecture, where a log does not tell it.")
    package var arch: String?

    @Option(
        help: ArgumentHelp(
            "Where indexes, and what was seen in large folders of symbols, are kept for the next run; CAIRN_CACHE, else cairn in the user's cache folder.",
            valueName: "folder"))
    package var indexCache: String?

    @Flag(help: "Keep nothing for the next run, and read nothing that was kept.")
    package var noIndex = false

    package init() {}

    package func validate() throws {
        for text in image { _ = try ImageArgument.read(text) }
        for text in pathMap { _ = try PathMapArgument.read(text) }
        if let logFormat, FormatRegistry.standard.only(logFormat) == nil {
            let names = FormatRegistry.standard.names.joined(separator: ", ")
            throw ValidationError("there is no log format \(logFormat): expected one of \(names)")
        }
    }

    /// The formats that are looked for.
    package var formats: FormatRegistry { logFormat.flatMap { FormatRegistry.standard.only($0) } ?? .standard }

    /// The images that the user describes.
    package var images: [GivenImage] { image.compactMap { try? ImageArgument.read($0) } }

    /// How frames are looked up, as far as these options say it.
    package var symbolication: Symbolicator.Options {
        var options = Symbolicator.Options()
        options.images = images
        options.sourcePaths = sourcePaths
        options.architecture = arch.map(Architecture.init)
        return options
    }

    /// Where a log in a file is from; `nil` where files of this machine do not count.
    package func origin(of path: String) -> LogOrigin? { noLocal ? nil : LogOrigin(logAt: path) }

    /// The same for a log that is printed from now on.
    package var originOfRun: LogOrigin? { noLocal ? nil : .running(since: WallClock.nanoseconds) }

    /// What would help where symbols are missing.
    package var advice: Advice {
        var advice = Advice()
        advice.systemRoots = sysroot
        advice.asksServers = !debuginfod.servers.isEmpty
        advice.knownServers = environmentVariable("DEBUGINFOD_URLS").flatMap { $0.isEmpty ? nil : $0 }
        return advice
    }

    /// How source paths are told: by the command's words, and by the settings where it has none.
    package var sourcePaths: SourcePaths {
        let settings = SettingsInForce.current.settings
        let kept = (settings.pathMap ?? [:]).map { PathMap.Entry(old: $0.key, new: $0.value) }.sorted { $0.old < $1.old }
        // Of two entries for one path the last counts.
        let map = PathMap(kept + pathMap.compactMap { try? PathMapArgument.read($0) })
        return SourcePaths(map: map, roots: sourceRoot + (settings.sourceRoots ?? []))
    }

    /// What takes symbols from those places. Each that is not there is told in a line.
    /// - Parameters:
    ///   - network: asked last.
    ///   - places: more files and folders, behind the user's own; those that are not there are passed over.
    ///   - programs: that run now, and whose crashes may be in the log.
    ///   - isBatch: so many logs are answered that indexes pay.
    /// - Returns: the provider, and whether every place is there.
    package func provider(
        _ network: DebuginfodServers?, places more: [String] = [], programs: [String] = [], isBatch: Bool = false
    ) -> (provider: SourceProvider, isComplete: Bool) {
        // The user's word for an image goes before what lies in a folder.
        let given = images.map(\.path) + symbols + (environmentVariable("CAIRN_SYMBOLS") ?? "").split(separator: ":").map(String.init)
        var isComplete = SettingsInForce.current.problems.isEmpty && (network != nil || !debuginfod.isAsked)
        for path in given where PathKind(path: path) == nil && !OpenArchives.shared.hasMember(at: path) {
            complain("\(path): nothing is there: expected a symbol file, a dSYM bundle, an archive, or a folder of them")
            isComplete = false
        }
        for path in given {
            if let problem = OpenArchives.shared.problem(at: path) {
                complain(problem.description)
                isComplete = false
            }
        }
        for path in sourceRoot where PathKind(path: path) != .directory {
            complain("\(path): it is no folder: expected one where sources lie")
            isComplete = false
        }
        for path in sysroot where PathKind(path: path) != .directory {
            complain("\(path): it is no folder: expected the root of another machine's file system")
            isComplete = false
        }
        // What a project keeps in its settings need not be there on every machine.
        let kept = (SettingsInForce.current.settings.symbols ?? []).filter { PathKind(path: $0) != nil }
        var places = SearchPlaces(symbols: given + kept + more.filter { PathKind(path: $0) != nil })
        places.systemRoots = sysroot
        places.usesImagePaths = !noLocal
        places.programs = programs
        places.others = network.map { [$0] } ?? []
        places.cache = noIndex ? nil : indexCache ?? CacheFolder.standard()
        let indexes = places.cache.map { IndexPolicy(cache: IndexCache(cacheFolder: $0), isBatch: isBatch) }
        let names = BCSymbolMapSearch(symbols: given + kept)
        let provider = SourceProvider(
            places, force: force,
            openFile: { path throws(ObjectFileError) in try SymbolFileReader.openAll(path: path) },
            openSource: { files in
                let source = ImageSource.open(files, hiddenNames: names, indexes: indexes)
                return isBatch ? RememberedSource(source) : source
            })
        return (provider, isComplete)
    }
}
