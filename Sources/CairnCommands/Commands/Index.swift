internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// `cairn index FILE…`: makes files that resolve addresses without the debug information.
struct Index: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Build symbol indexes for faster lookups.",
        discussion: """
            An index gives the same results as the file that it is built from, and is faster. Without -o it is written to the index cache, where every command finds it by build ID or UUID. \
            With --gsym, or with -o and a directory, each file is named after its image, with the extension .gsym or .cairnidx. It is written next to the object file, or into the directory of -o. From a file \
            with several images, one index of each is built.

            With --for, the indexes of the files that resolve the frames of some logs are built, unless they are in the cache.

            cairn index --for crashes/*.log --symbols /srv/symbols
            """)

    @Argument(help: "Object files, debug files and dSYM bundles.", completion: .file())
    var files: [String] = []

    @Option(
        name: .customLong("for"), parsing: .upToNextOption,
        help: ArgumentHelp("Build the indexes that these logs need, and keep them in the index cache.", valueName: "log"),
        completion: .file())
    var logs: [String] = []

    @Option(
        name: [.customLong("symbols"), .customShort("s")],
        help: ArgumentHelp(
            "With --for: a symbol file, dSYM bundle, archive, or a directory of them. Repeatable; CAIRN_SYMBOLS adds more.",
            valueName: "path"), completion: .file())
    var symbols: [String] = []

    @Flag(help: "With --for: never use an image's path on this machine.")
    var noLocal = false

    @OptionGroup var debuginfod: DebuginfodOptions

    @Flag(help: "Write LLVM's GSYM, version 1.")
    var gsym = false

    @Flag(help: "List the cached indexes, most recently used first: size in bytes and path.")
    var list = false

    @Flag(help: "Remove the least recently used indexes until the rest fits into --cap. With --cap 0, remove all.")
    var prune = false

    @Option(help: ArgumentHelp("Maximum size of the index cache, in megabytes.", valueName: "MB"))
    var cap: UInt64 = IndexCache.standardCap >> 20

    @Flag(
        help: "Compare the indexes with the files that they are built from: each function, and the start and end of each line.")
    var verify = false

    @Option(
        help: ArgumentHelp("Index cache directory (default: $CAIRN_CACHE, else cairn in the user's cache directory).", valueName: "dir"))
    var indexCache: String?

    @Option(name: [.short, .long], help: ArgumentHelp("Output file, or directory for several.", valueName: "path"))
    var output: String?

    @Option(help: "Only this architecture of a universal file.")
    var arch: String?

    func validate() throws {
        guard !files.isEmpty || !logs.isEmpty || list || prune else { throw ValidationError("no file to index") }
        guard [gsym, list, prune, verify].filter({ $0 }).count <= 1 else {
            throw ValidationError("--gsym, --list, --prune and --verify cannot be combined")
        }
        guard logs.isEmpty || files.isEmpty && output == nil && !gsym && !list && !prune && !verify else {
            throw ValidationError("--for cannot be combined with a file, -o, --gsym, --list, --prune and --verify")
        }
        guard cap <= 1 << 40 else { throw ValidationError("--cap \(cap): expected megabytes") }
    }

    func run() {
        if list || prune { endProcess(manage()) }
        // A GSYM file is made from tables that are new for each unit, of some hundred kilobytes.
        Allocation.returnLargeBlocks(from: gsym ? 4 << 20 : 128 << 10)
        if !logs.isEmpty { endProcess(makeIndexesForLogs()) }
        var status = ExitStatus.done
        var images: [Image] = []
        for path in files {
            do throws(ObjectFileError) { images += try Self.images(in: path, arch.map(Architecture.init)) } catch {
                printDiagnostic(error.description)
                status = .failed
            }
        }
        var names: Set<String> = []
        var printed: Set<String> = []
        for image in images {
            do throws(ObjectFileError) {
                if verify {
                    if try !isTrue(image) { status = .failed }
                    continue
                }
                guard gsym else {
                    try makeIndex(of: image, isOnly: images.count == 1, &names)
                    continue
                }
                let built = try GSYMBuilder.build(image.object)
                if let change = image.object.file.change { throw ObjectFileError(change) }
                for problem in built.problems.prefix(10) { printDiagnostic("\(image.object.path): \(problem)") }
                if !built.problems.isEmpty { status = .failed }
                let target = try target(of: image, isOnly: images.count == 1, &names)
                try write(built, to: target)
            } catch {
                // The slices of a universal file may have one problem.
                if printed.insert(error.description).inserted { printDiagnostic(error.description) }
                status = .failed
            }
        }
        endProcess(status)
    }

    /// An image that a file is made of.
    private struct Image {
        /// Path that the user named.
        var path: String
        /// Name of the file, without its ending.
        var name: String
        /// The object with the debug information, or with names alone where there is none.
        var object: ObjectFile
    }

    private static func images(in path: String, _ architecture: Architecture?) throws(ObjectFileError) -> [Image] {
        let all = try ObjectFiles.openAll(path: path)
        let wanted = all.filter { architecture == nil || $0.architecture == architecture }
        guard !wanted.isEmpty else {
            let architectures = all.map(\.architecture.name).joined(separator: ", ")
            throw ObjectFileError(.noSuchSlice, path: path, "it holds \(architectures): expected \(architecture?.name ?? "an image")")
        }
        return wanted.map { object in
            var name = Path.name(of: object.path)
            for ending in [".debug", ".dbg"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
            // Slices of one file are called alike.
            if wanted.contains(where: { $0 !== object && $0.path == object.path }) { name += "-\(object.architecture)" }
            guard let companion = Companions().find(for: object, open: SymbolFileReader.openAll), let debug = companion.file as? ObjectFile
            else { return Image(path: path, name: name, object: object) }
            printDiagnostic("\(path): no debug information in it, so that of \(debug.path) is used", as: .note)
            return Image(path: path, name: name, object: debug)
        }
    }

    private func target(of image: Image, ending: String = ".gsym", isOnly: Bool, _ names: inout Set<String>) throws(ObjectFileError)
        -> String
    {
        var target: String
        if let output, isOnly, PathKind(path: output) != .directory {
            target = output
        } else {
            let folder = output ?? Path.directory(of: image.path)
            do throws(FileError) { if output != nil { try FileReplacement.makeDirectory(folder) } } catch {
                throw ObjectFileError(.unreadable, path: folder, "\(error.problem): expected a directory for \(image.name)\(ending)")
            }
            target = Path.join(folder, image.name + ending)
            var number = 2
            while !names.insert(target).inserted {
                target = Path.join(folder, "\(image.name)-\(number)\(ending)")
                number += 1
            }
        }
        if files.contains(where: { FileReplacement.isSameFile($0, target) }) || FileReplacement.isSameFile(image.object.path, target) {
            throw ObjectFileError(
                .unsupported, path: target, "it is one of the object files, and cairn never changes its input. Choose another path")
        }
        return target
    }

    private func write(_ image: GSYMImage, to path: String) throws(ObjectFileError) {
        do throws(FileError) {
            var file = try FileReplacement(path: path, isNamed: true)
            for part in image.parts { try file.append(part) }
            try file.finish()
            var output = StandardOutput()
            output.append(PlainText.line("\(path): \(image.functionCount) functions, \(image.size) bytes") + "\n")
            output.flush()
        } catch {
            throw ObjectFileError(.unreadable, path: error.path, error.problem)
        }
    }

    private static let noCache = "no cache directory: expected --index-cache, CAIRN_CACHE or HOME"

    /// Cache of the indexes; `nil` without a home.
    private var cache: IndexCache? {
        (indexCache ?? CacheFolder.standard()).map { IndexCache(cacheFolder: $0, cap: cap << 20) }
    }

    /// `--list` and `--prune`.
    private func manage() -> ExitStatus {
        guard let cache else {
            printDiagnostic(Self.noCache)
            return .failed
        }
        var output = StandardOutput()
        for entry in prune ? cache.prune() : cache.entries() {
            output.append("\(prune ? "removed " : "")\(entry.size) \(PlainText.line(entry.path))\n")
        }
        output.flush()
        return .done
    }

    /// Makes the index of an image, and prints where it is.
    private func makeIndex(of image: Image, isOnly: Bool, _ names: inout Set<String>) throws(ObjectFileError) {
        let given = output == nil ? nil : try target(of: image, ending: ".cairnidx", isOnly: isOnly, &names)
        guard let path = given ?? cache?.path(for: image.object) ?? cache?.folder else {
            throw ObjectFileError(.unsupported, path: image.path, Self.noCache)
        }
        do throws(IndexRefusal) {
            if given == nil { _ = try cache?.make(image.object) } else { try IndexWriter.write(image.object, to: path, isNamed: true) }
        } catch {
            throw ObjectFileError(.unsupported, path: image.object.path, "no index was built, so the file itself is used: \(error.reason)")
        }
        var output = StandardOutput()
        output.append(PlainText.line("\(path): \(FileStamp(path: path)?.size ?? 0) bytes") + "\n")
        output.flush()
    }

    /// `--verify`: whether the index of an image, the one at `-o` or the one in the cache, agrees
    /// with the file.
    private func isTrue(_ image: Image) throws(ObjectFileError) -> Bool {
        let found: SymbolIndex?
        do throws(SymbolIndex.Failure) {
            found = if let output { try SymbolIndex(path: output) } else { cache?.index(for: image.object) }
            try found?.verify()
        } catch { throw ObjectFileError(.corrupt, path: error.path, error.problem) }
        guard let index = found else {
            throw ObjectFileError(.unsupported, path: image.path, "no index in the cache. Run: cairn index \(ShellWord.quoted(image.path))")
        }
        guard index.isMade(of: image.object) else {
            throw ObjectFileError(.unsupported, path: index.file.path, "it is the index of another file than \(image.object.path)")
        }
        let result = IndexComparison(index, image.object)
        var output = StandardOutput()
        output.append(PlainText.line("\(index.file.path): \(result.compared) lookups compared, \(result.differing.count) differ") + "\n")
        for address in result.differing.prefix(10) { output.append("  \(address)\n") }
        output.flush()
        return result.differing.isEmpty
    }

    /// `--for`: keeps the indexes of the files that resolve frames of logs. What is kept already is
    /// not made again.
    private func makeIndexesForLogs() -> ExitStatus {
        guard let cache else {
            printDiagnostic(Self.noCache)
            return .failed
        }
        let arguments = symbols.flatMap { ["--symbols", $0] } + (arch.map { ["--arch", $0] } ?? []) + (noLocal ? ["--no-local"] : [])
        let source: SymbolOptions
        do { source = try SymbolOptions.parse(arguments) } catch {
            printUsageError(SymbolOptions.message(for: error), of: "cairn index")
            return .usage
        }
        let (provider, isComplete) = source.provider(debuginfod.makeServers(beside: source.servers, quiet: false))
        var status = isComplete ? ExitStatus.done : .failed
        let reports = LogReports(
            formats: source.formats, isForced: false, symbolicator: Symbolicator(provider: provider, options: source.symbolication))
        var paths: [String] = []
        for log in LogPaths(logs).logs {
            let origin = source.origin(of: log)
            let isRead = reports.read(log, from: origin) { report, symbolicator in
                for image in symbolicator.symbolicate(report, from: origin).images {
                    for file in image.files where !paths.contains(file.candidate.path) { paths.append(file.candidate.path) }
                }
            }
            if !isRead { status = .failed }
        }
        for path in paths { keepIndexes(of: path, in: cache) }
        return status
    }

    private func keepIndexes(of path: String, in cache: IndexCache) {
        let files: [any SymbolFile]
        do throws(ObjectFileError) { files = try SymbolFileReader.openAll(path: path) } catch {
            return printDiagnostic("\(error.description): no index was built", as: .note)
        }
        var output = StandardOutput()
        for object in files.compactMap({ $0 as? ObjectFile }) where object.hasDebugInformation {
            do throws(IndexRefusal) {
                let index = try cache.loadOrMakeIndex(object)
                output.append(PlainText.line("\(index.file.path): \(index.file.size) bytes, of \(object.path)") + "\n")
            } catch {
                printDiagnostic("\(object.path): no index was built, so the file itself is used: \(error.reason)", as: .note)
            }
        }
        output.flush()
    }
}
