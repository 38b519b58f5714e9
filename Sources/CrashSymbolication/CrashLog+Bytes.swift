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
        if log.reports.isEmpty, let problem = log.problems.first { throw problem }
        self = log
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
        var bytes: [UInt8] = []
        do throws(FileError) {
            var input = try LogInput(path)
            while let part = try input.next() { bytes += part }
        } catch {
            throw LogError(error.description, kind: .unreadable)
        }
        try self.init(bytes, formatName: formatName, formats: formats)
    }
}
