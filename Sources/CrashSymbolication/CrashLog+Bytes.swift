public import CrashReports

extension CrashLog {
    /// Finds the traces in a log.
    ///
    /// - Parameters:
    ///   - bytes: the whole log: a file with one report, or the output of a program with traces anywhere in it.
    ///   - formatName: the format it is to be read as (`FormatRegistry.names`); `nil` to detect it.
    ///   - formats: the formats to look for.
    /// - Throws: `LogError` if there is no trace in it. Parts that cannot be read beside traces that can are in `problems`.
    public init(_ bytes: [UInt8], formatName: String? = nil, formats: FormatRegistry = .standard) throws(LogError) {
        let log = CrashLog.parse(bytes.span, formatName: formatName, registry: formats)
        if log.reports.isEmpty, let problem = log.problems.first { throw problem }
        self = log
    }
}
