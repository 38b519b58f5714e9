internal import BinaryPrimitives
public import CrashLogFormats
public import CrashLogModel
public import CrashReports

extension CrashLog {
    /// Finds the crash reports in a log.
    ///
    /// - Parameters:
    ///   - bytes: the whole log: a file with one report, or the output of a program with reports
    ///     anywhere in it.
    ///   - formatName: the only format to look for (`FormatRegistry.names`); `nil` to detect it.
    ///   - formats: the formats to look for.
    /// - Throws: `LogError` if the log has no report. If it has one, parts that cannot be read are
    ///   in `problems`.
    public init(_ bytes: [UInt8], formatName: String? = nil, formats: FormatRegistry = .standard) throws(LogError) {
        let log = CrashLog.parse(bytes.span, formatName: formatName, registry: formats)
        try self.init(log)
    }

    /// - Parameter damage: Why it is not the whole log.
    private init(_ log: CrashLog, damage: LogError? = nil) throws(LogError) {
        // If a part of the log is missing, it is not known that the log has no report.
        if log.reports.isEmpty, let problem = damage ?? log.problems.first { throw problem.withoutCommands }
        self = log
        problems = (log.problems + [damage].compactMap { $0 }).map(\.withoutCommands)
    }

    /// Reads a file and finds the crash reports in it. Compressed files (gzip, xz, zstd, bzip2,
    /// lz4) and UTF-16 are decoded.
    ///
    /// - Parameters:
    ///   - path: the log's path; `-` for standard input.
    ///   - formatName: the only format to look for (`FormatRegistry.names`); `nil` to detect it.
    ///   - formats: the formats to look for.
    /// - Throws: `LogError` if the file cannot be read or has no report.
    public init(contentsOf path: String, formatName: String? = nil, formats: FormatRegistry = .standard) throws(LogError) {
        let file: LogFile
        do throws(FileError) { file = try LogFile(path, isMemoryRead: false) } catch { throw LogError(error) }
        try self.init(file, formatName: formatName, formats: formats)
    }

    init(_ file: LogFile, formatName: String?, formats: FormatRegistry) throws(LogError) {
        try self.init(CrashLog.parse(file.bytes.span, formatName: formatName, registry: formats), damage: file.damage)
    }
}

/// The contents of a file: a process's memory, or a text.
struct LogFile {
    private(set) var memory: (kind: MemoryFormat, file: MappedFile)?
    private(set) var bytes: [UInt8] = []
    /// Why it is not the whole text.
    private(set) var damage: LogError?

    /// - Parameter isMemoryRead: A core file or a minidump becomes `memory`; else its bytes are the text.
    init(_ path: String, isMemoryRead: Bool) throws(FileError) {
        var input = try LogInput(path)
        if isMemoryRead { memory = try input.memory() }
        if memory == nil { while let part = try input.next() { bytes += part } }
        damage = input.problem
    }
}

extension LogError {
    init(_ error: FileError) {
        self.init(
            error.description,
            kind: error.isMissing ? .missing : error.errorNumber == FileError.tooLarge("").errorNumber ? .tooLarge : .unreadable)
    }
}
