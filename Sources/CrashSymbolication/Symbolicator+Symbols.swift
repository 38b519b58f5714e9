internal import BinaryPrimitives
public import CrashLogFormats
public import CrashLogModel
public import CrashReports
internal import MemoryReports
internal import ObjectFiles
public import Reporting
public import SymbolFiles
internal import SymbolSources
public import Symbolication

extension SourceProvider {
    /// Takes symbols from files that this package reads: ELF, Mach-O, dSYM bundles, with DWARF or
    /// symbol tables in them.
    ///
    /// - Parameters:
    ///   - paths: files, dSYM bundles, and folders with such files anywhere below.
    ///   - locators: further locations, searched after those.
    ///   - force: whether to use a file of the right name even if its UUID or build ID differs from the log's.
    public convenience init(symbols paths: [String], locators: [any DebugFileLocator] = [], force: Bool = false) {
        let names = BCSymbolMapSearch(symbols: paths)
        var locations = SearchLocations(symbols: paths)
        locations.others = locators
        self.init(
            locations, force: force,
            openFile: { path throws(ObjectFileError) in try SymbolFileReader.openAll(path: path) },
            openSource: { CachingSource(ImageSource.open($0, hiddenNames: names)) })
    }
}

extension Symbolicator {
    /// Creates a symbolicator over symbol files.
    ///
    /// - Parameters:
    ///   - paths: files, dSYM bundles, and folders with such files anywhere below. Nothing is
    ///     opened before a report needs it.
    ///   - locators: further locations, searched after those.
    ///   - force: whether to use a file of the right name even if its UUID or build ID differs from the
    ///     log's; every result from it is marked.
    ///   - options: rules for looking up addresses.
    public init(
        symbols paths: [String], locators: [any DebugFileLocator] = [], force: Bool = false, options: Options = Options()
    ) {
        self.init(provider: SourceProvider(symbols: paths, locators: locators, force: force), options: options)
    }

    /// Symbolicates a file: a log, a core file or a minidump, also a compressed one. What it is is
    /// detected.
    ///
    /// ```swift
    /// print(try symbolicator.symbolicate(contentsOf: "core.4711").renderedText(by: .text))
    /// ```
    ///
    /// - Parameters:
    ///   - path: the file's path; `-` for standard input.
    ///   - formatName: the only format of logs to look for (`FormatRegistry.names`); `nil` to detect
    ///     it.
    ///   - formats: the formats of logs to look for.
    ///   - origin: where it is from. With it, files of this machine count at the images' own paths
    ///     where nothing contradicts them.
    /// - Throws: `LogError` if the file cannot be read, is damaged, or has no report.
    public func symbolicate(
        contentsOf path: String, formatName: String? = nil, formats: FormatRegistry = .standard, from origin: LogOrigin? = nil
    ) throws(LogError) -> SymbolicatedLog {
        let file: LogFile
        do throws(FileError) { file = try LogFile(path, isMemoryRead: true) } catch { throw LogError(error) }
        if let memory = file.memory {
            var report = try symbolicate(memory.kind, memory.file, from: origin)
            // A dump that is cut short has what came before.
            if let damage = file.damage { report.notes.append(damage.withoutCommands.description) }
            return SymbolicatedLog(path: path, reports: [report])
        }
        return symbolicate(try CrashLog(file, formatName: formatName, formats: formats), path: path, from: origin)
    }

    /// Symbolicates a core file or a minidump, also a compressed one: unwinds each thread's stack,
    /// with the rules of the files that symbols come from. `symbolicate(contentsOf:)` also reads logs.
    ///
    /// - Parameters:
    ///   - path: of the core file or minidump; `-` for standard input.
    ///   - origin: where it is from. With it, files of this machine count at the images' own paths
    ///     where nothing contradicts them.
    /// - Returns: `nil` for every other file.
    /// - Throws: `LogError` if the file cannot be read, or is damaged in its headers.
    public func symbolicate(memoryAt path: String, from origin: LogOrigin? = nil) throws(LogError) -> SymbolicatedReport? {
        let found: (kind: MemoryFormat, file: MappedFile)?
        do throws(FileError) {
            var input = try LogInput(path)
            found = try input.memory()
        } catch { throw LogError(error) }
        guard let found else { return nil }
        return try symbolicate(found.kind, found.file, from: origin)
    }

    private func symbolicate(_ kind: MemoryFormat, _ file: MappedFile, from origin: LogOrigin?) throws(LogError) -> SymbolicatedReport {
        do throws(LogError) {
            let made = try MemoryReader(self).report(kind, file, from: origin)
            return made.symbolicator.symbolicate(made.report, from: origin)
        } catch { throw error.withoutCommands }
    }

    /// Symbolicates every trace of a log.
    /// - Parameters:
    ///   - log: the reports.
    ///   - path: the log's name in outputs that show it.
    ///   - origin: where the log is from. With it, files of this machine count at the images' own
    ///     paths where nothing contradicts them.
    public func symbolicate(_ log: CrashLog, path: String = "-", from origin: LogOrigin? = nil) -> SymbolicatedLog {
        SymbolicatedLog(path: path, reports: log.reports.map { symbolicate($0, from: origin) })
    }
}
