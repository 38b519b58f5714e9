internal import BinaryPrimitives
package import CrashLogModel

/// The log formats that are recognised, surest first where two are equally sure: the one list that
/// a new format is added to.
public struct FormatRegistry: Sendable {
    package let formats: [any CrashLogFormat.Type]
    /// The only family of logs that is wanted of a format that reads several; `nil` for all.
    package let family: String?
    /// Their triggers, ready to be searched.
    package let search: FormatSearch

    /// - Parameter formats: the formats to look for. Of equally certain ones the first wins.
    public init(_ formats: [any CrashLogFormat.Type]) { self.init(formats, family: nil) }

    private init(_ formats: [any CrashLogFormat.Type], family: String?) {
        self.formats = formats
        self.family = family
        search = FormatSearch(formats)
    }

    /// Every format that this package reads.
    public static let standard = FormatRegistry([
        AppleIPS.self,
        AppleIPSLegacy.self,
        AppleCrash.self,
        PLCrashReport.self,
        AppleSample.self,
        AppleSpindump.self,
        AppleLeaks.self,
        ApplePanic.self,
        KernelOops.self,
        KernelSegfault.self,
        FuchsiaCrash.self,
        SymbolizerMarkup.self,
        NSExceptionConsole.self,
        SwiftBacktrace.self,
        SwiftBacktraceJSON.self,
        SwiftRuntimeTrace.self,
        KSCrash.self,
        SentryEvent.self,
        MetricKit.self,
        MongoDBTrace.self,
        HotSpotError.self,
        Javacore.self,
        HotSpotMixedStacks.self,
        GoPanic.self,
        PythonTrace.self,
        JavaTrace.self,
        BSDPanic.self,
        AndroidTombstone.self,
        TombstoneProtobuf.self,
        AndroidANR.self,
        Microdump.self,
        MinidumpStackwalkJSON.self,
        AddressSanitizer.self,
        HWAddressSanitizer.self,
        LeakSanitizer.self,
        MemorySanitizer.self,
        ThreadSanitizer.self,
        UndefinedBehaviorSanitizer.self,
        LibFuzzer.self,
        RowStacks.self,
        GDBBacktrace.self,
        ApportReport.self,
        SystemdJournalEntry.self,
        PerfScript.self,
        AbrtReport.self,
        AddressList.self,
        BacktraceLine.self,
        WindowsDebugger.self,
        UnrealCallstack.self,
    ])

    /// The format of last resort alone: a trace that another format began, and could not read, is
    /// shown to it.
    package static let rows = FormatRegistry([RowStacks.self])

    /// These formats and one more, which is tried first.
    public func adding(_ format: any CrashLogFormat.Type) -> FormatRegistry { FormatRegistry([format] + formats) }

    package var lineFormats: [any LineFormat.Type] { search.lineFormats }
    package var documentFormats: [any DocumentFormat.Type] { search.documentFormats }

    /// The formats' names, each once, in order. A format with a text and a JSON form has one name
    /// for both.
    public var names: [String] { search.names }

    /// Without the formats that are only believed where they are the whole log: of a live one
    /// nobody knows.
    package var forLiveLogs: FormatRegistry {
        FormatRegistry(formats.filter { ($0 as? any LineFormat.Type)?.standsAlone != true })
    }

    /// Only the formats of that name (`--log-format`); `nil` if there is none.
    public func only(_ name: String) -> FormatRegistry? {
        let chosen = formats.filter { $0.families.contains { $0.name == name } }
        return chosen.isEmpty ? nil : FormatRegistry(chosen, family: name)
    }

    /// Whether results can be written into a log of the report's format.
    package func holdsAnswers(_ report: CrashReport) -> Bool { format(of: report)?.holdsAnswers ?? false }

    private func format(of report: CrashReport) -> (any CrashLogFormat.Type)? {
        formats.first { $0.families.contains { $0.name == report.format } }
    }

    /// The edits that put `answers` into `log` in the report's own format.
    ///
    /// - Parameters:
    ///   - report: a report that one of these formats parsed.
    ///   - answers: the resolved frames, in the order of their places.
    ///   - log: the log that the frames' places count from.
    /// - Returns: edits in ascending order that do not overlap; none if no format here has the
    ///   report's name.
    package func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        guard let format = format(of: report) else { return [] }
        return report.damagedEdits(answers: answers, in: log) { format.edits(of: $0, answers: $1, in: $2) }
    }
}
