internal import BinaryPrimitives
package import CrashLogModel

/// The log formats that are recognised, in order of priority where two are equally sure. A new
/// format is added to this one list.
public struct FormatRegistry: Sendable {
    private let shapes: [FormatShape]
    /// The only family of logs that is wanted of a format that reads several; `nil` for all.
    package let family: String?
    /// Their triggers, ready to be searched.
    package let search: FormatSearch

    /// - Parameter formats: the formats to look for. Of equally certain ones the first wins.
    public init(_ formats: [any CrashLogFormat.Type]) { self.init(formats.compactMap(FormatShape.init)) }

    private init(_ shapes: [FormatShape], family: String? = nil) {
        self.shapes = shapes
        self.family = family
        search = FormatSearch(shapes)
    }

    /// Every format that this package reads.
    public static let standard = FormatRegistry([
        .document(AppleIPS.self),
        .lines(AppleIPSLegacy.self),
        .lines(AppleCrash.self),
        .document(PLCrashReport.self),
        .lines(AppleSample.self),
        .lines(AppleSpindump.self),
        .lines(AppleLeaks.self),
        .lines(XCTrace.self),
        .lines(ApplePanic.self),
        .lines(KernelOops.self),
        .lines(KernelSegfault.self),
        .lines(FuchsiaCrash.self),
        .lines(SymbolizerMarkup.self),
        .lines(NSExceptionConsole.self),
        .lines(SwiftBacktrace.self),
        .document(SwiftBacktraceJSON.self),
        .lines(SwiftRuntimeTrace.self),
        .document(KSCrash.self),
        .document(VendorJSON.self),
        .document(SentryEvent.self),
        .document(MetricKit.self),
        .document(MongoDBTrace.self),
        .lines(HotSpotError.self),
        .lines(Javacore.self),
        .lines(HotSpotMixedStacks.self),
        .lines(GoPanic.self),
        .lines(PythonTrace.self),
        .lines(JavaTrace.self),
        .lines(JavaScriptError.self),
        .lines(DotNetException.self),
        .lines(BSDPanic.self),
        .lines(AndroidTombstone.self),
        .document(TombstoneProtobuf.self),
        .lines(AndroidANR.self),
        .lines(Microdump.self),
        .document(MinidumpStackwalkJSON.self),
        .lines(AddressSanitizer.self),
        .lines(HWAddressSanitizer.self),
        .lines(LeakSanitizer.self),
        .lines(MemorySanitizer.self),
        .lines(ThreadSanitizer.self),
        .lines(UndefinedBehaviorSanitizer.self),
        .lines(LibFuzzer.self),
        .lines(RowStacks.self),
        .lines(GDBBacktrace.self),
        .lines(ApportReport.self),
        .document(SystemdJournalEntry.self),
        .lines(PerfScript.self),
        .document(AbrtReport.self),
        .lines(AddressList.self),
        .lines(BacktraceLine.self),
        .lines(WindowsDebugger.self),
        .lines(UnrealCallstack.self),
    ])

    /// The format of last resort alone: a trace that another format began, and could not read, is
    /// shown to it.
    package static let rows = FormatRegistry([.lines(RowStacks.self)])

    /// These formats and one more, which is tried first.
    public func adding(_ format: any CrashLogFormat.Type) -> FormatRegistry {
        FormatRegistry([format].compactMap(FormatShape.init) + shapes)
    }

    package var formats: [any CrashLogFormat.Type] { shapes.map(\.format) }
    package var lineFormats: [any LineFormat.Type] { search.lineFormats }
    package var documentFormats: [any DocumentFormat.Type] { search.documentFormats }

    /// The formats' names, each once, in order. A format with a text and a JSON form has one name
    /// for both.
    public var names: [String] { search.names }

    /// The registry without the formats that are accepted only if they are the whole log: the end
    /// of a live log is not known.
    package var forLiveLogs: FormatRegistry {
        FormatRegistry(
            shapes.filter { shape in
                guard case .lines(let format) = shape else { return true }
                return !format.standsAlone
            })
    }

    /// The registry with the format of that name only (`--log-format`); `nil` if there is none.
    public func only(_ name: String) -> FormatRegistry? {
        let chosen = shapes.filter { $0.format.families.contains { $0.name == name } }
        return chosen.isEmpty ? nil : FormatRegistry(chosen, family: name)
    }

    /// The registry without formats of these names.
    package func without(_ names: Set<String>) -> FormatRegistry {
        FormatRegistry(shapes.filter { !names.contains($0.format.name) })
    }

    /// Whether results can be written into a log of the report's format.
    package func acceptsResults(_ report: CrashReport) -> Bool { format(of: report)?.acceptsResults ?? false }

    private func format(of report: CrashReport) -> (any CrashLogFormat.Type)? {
        shapes.first { $0.format.families.contains { $0.name == report.format } }?.format
    }

    /// Returns the edits that put `results` into `log` in the report's own format.
    ///
    /// - Parameters:
    ///   - report: a report that one of these formats parsed.
    ///   - results: the resolved frames, in the order of their positions.
    ///   - log: the log that the frames' positions count from.
    /// - Returns: edits in ascending order that do not overlap; none if no format here has the
    ///   report's name.
    package func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        guard let format = format(of: report) else { return [] }
        return report.damagedEdits(results: results, in: log) { format.edits(of: $0, results: $1, in: $2) }
    }
}

/// A format, and the way in which it is read.
///
/// The registry has it for each of its formats. A cast would search the whole program's
/// conformances, which takes longer than reading a log.
enum FormatShape: Sendable {
    /// One line at a time.
    case lines(any LineFormat.Type)
    /// As a whole.
    case document(any DocumentFormat.Type)

    /// A format of the library's user; `nil` if it is neither.
    init?(_ format: any CrashLogFormat.Type) {
        if let format = format as? any LineFormat.Type {
            self = .lines(format)
        } else if let format = format as? any DocumentFormat.Type {
            self = .document(format)
        } else {
            return nil
        }
    }

    var format: any CrashLogFormat.Type {
        switch self {
        case .lines(let format): format
        case .document(let format): format
        }
    }
}
