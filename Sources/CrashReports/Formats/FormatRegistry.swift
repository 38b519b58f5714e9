internal import BinaryPrimitives

/// The log formats that are recognised, surest first where two are equally sure: the one list that a new format is added to.
public struct FormatRegistry: Sendable {
    public let formats: [any CrashLogFormat.Type]
    /// Their triggers, ready to be searched.
    let search: FormatSearch

    public init(_ formats: [any CrashLogFormat.Type]) {
        self.formats = formats
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
        FuchsiaCrash.self,
        SymbolizerMarkup.self,
        NSExceptionConsole.self,
        SwiftBacktrace.self,
        SwiftBacktraceJSON.self,
        SwiftRuntimeTrace.self,
        SwiftServerBacktrace.self,
        KSCrash.self,
        SentryEvent.self,
        MetricKit.self,
        HotSpotError.self,
        Javacore.self,
        GoPanic.self,
        RustPanic.self,
        PythonTrace.self,
        JavaTrace.self,
        BSDPanic.self,
        AndroidTombstone.self,
        AndroidANR.self,
        ChromiumStackDump.self,
        NodeNativeTrace.self,
        Microdump.self,
        XorgBacktrace.self,
        AddressSanitizer.self,
        HWAddressSanitizer.self,
        GWPASan.self,
        LeakSanitizer.self,
        MemorySanitizer.self,
        ThreadSanitizer.self,
        UndefinedBehaviorSanitizer.self,
        LibFuzzer.self,
        GlibcBacktrace.self,
        GDBBacktrace.self,
        ApportReport.self,
        SystemdCoredump.self,
        SystemdJournalEntry.self,
        PerfScript.self,
        AbrtReport.self,
        AddressList.self,
        BacktraceLine.self,
        WindowsDebugger.self,
        UnrealCallstack.self,
    ])

    /// These formats and one more, which is asked first.
    public func adding(_ format: any CrashLogFormat.Type) -> FormatRegistry { FormatRegistry([format] + formats) }

    public var lineFormats: [any LineFormat.Type] { search.lineFormats }
    public var documentFormats: [any DocumentFormat.Type] { search.documentFormats }

    /// The formats' names, each once, in order. A format with a text and a JSON form has one name for both.
    public var names: [String] { search.names }

    /// Without the formats that are only believed where they are the whole log: of a live one nobody knows.
    public var forLiveLogs: FormatRegistry {
        FormatRegistry(formats.filter { ($0 as? any LineFormat.Type)?.standsAlone != true })
    }

    /// Only the formats of that name (`--log-format`); `nil` if there is none.
    public func only(_ name: String) -> FormatRegistry? {
        let chosen = formats.filter { $0.name == name }
        return chosen.isEmpty ? nil : FormatRegistry(chosen)
    }

    /// Whether answers can be written into a log of the report's format.
    public func holdsAnswers(_ report: CrashReport) -> Bool { formats.first { $0.name == report.format }?.holdsAnswers ?? false }

    /// The edits that put `answers` into `log` in the report's own format.
    ///
    /// - Parameters:
    ///   - report: a report that one of these formats parsed.
    ///   - answers: the frames that have an answer, in the order of their places.
    ///   - log: the log that the frames' places count from.
    /// - Returns: edits in ascending order that do not overlap; none if no format here has the report's name.
    public func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        guard let format = formats.first(where: { $0.name == report.format }) else { return [] }
        return report.damagedEdits(answers: answers, in: log) { format.edits(of: $0, answers: $1, in: $2) }
    }
}
