internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel
internal import Symbolication

/// A symbolicated report as stores keep it.
struct ReportRecord {
    private(set) var report: LogOutcome.Report
    private let symbolicated: SymbolicatedReport
    /// Index in the record of each image with frames, by its index in the symbolicated report.
    private var imageIndices: [Int: Int] = [:]

    /// - Parameter now: nanoseconds since 1970 UTC.
    init(_ symbolicated: SymbolicatedReport, _ signature: CrashSignature, now: Int64 = WallClock.nanoseconds) {
        self.symbolicated = symbolicated
        let log = symbolicated.report
        report = LogOutcome.Report(format: log.format, signature: StoredSignature(signature))
        report.process = log.process.name
        report.identifier = log.process.identifier
        report.version = log.process.version
        report.pid = log.process.pid
        report.platform = log.platform.map(Self.platform)
        report.system = log.platform.map(Self.system)
        report.device = log.device
        report.architecture = log.architecture?.description
        report.instant = log.timestamp?.instant.flatMap { Int64(exactly: $0) }.flatMap { Self.isPossible($0, now: now) ? $0 : nil }
        report.time = log.timestamp?.text
        // The first error of a chain.
        let cause = log.rootCause?.cause ?? log.cause
        report.causeKind = cause?.kind.rawValue
        report.causeType = cause?.type
        report.signal = cause?.signal
        report.message = cause?.message
        report.faultAddress = cause?.address?.value
        report.meaning = log.meaning
        if let backtrace = log.exceptionBacktrace { add(backtrace, symbolicated.exceptionBacktrace, .exception) }
        for (stack, outcomes) in zip(log.additionalBacktraces, symbolicated.additionalBacktraces) { add(stack, outcomes, .other) }
        for (stack, outcomes) in zip(log.threads, symbolicated.threads) { add(stack, outcomes, .thread) }
    }

    /// Whether a crash can have happened then. A device without a running clock counts from its
    /// first day: 1970-01-01 (Unix), 1980-01-01 (FAT, and the BIOS of a PC). A clock in another
    /// zone is at most 14 hours ahead.
    static func isPossible(_ instant: Int64, now: Int64) -> Bool {
        let day: Int64 = 86_400_000_000_000
        // 1980-01-02.
        return instant >= 3653 * day && instant <= now.addingReportingOverflow(day).partialValue
    }

    private mutating func add(_ thread: ThreadTrace, _ outcomes: [FrameOutcome], _ role: LogOutcome.Stack.Role) {
        var frames: [LogOutcome.Frame] = []
        for (frame, outcome) in zip(thread.frames, outcomes) { frames.append(record(frame, outcome)) }
        report.stacks.append(LogOutcome.Stack(role: role, index: thread.index, name: thread.name, crashed: thread.crashed, frames: frames))
    }

    private mutating func record(_ frame: Frame, _ outcome: FrameOutcome) -> LogOutcome.Frame {
        var record = LogOutcome.Frame(kind: Self.label(frame.kind), functions: [])
        record.printed = frame.printed?.name
        // Without symbols the log's own image and offset.
        if let image = outcome.image ?? frame.image, let offset = outcome.moduleOffset(of: frame) {
            record.image = imageIndex(of: image)
            record.offset = offset.value
        } else {
            record.address = frame.address?.value
        }
        switch outcome.result {
        case .resolved(let result, _):
            record.functions = result.functions.map { function in
                LogOutcome.Function(
                    name: function.name, file: function.location?.file, line: max(0, function.location?.line ?? 0),
                    column: max(0, function.location?.column ?? 0), isInlined: function.isInlined)
            }
        case .unresolved: record.reason = symbolicated.missingResult(frame, outcome)
        case .partOfNextFrame, .notLookedUp: break
        }
        return record
    }

    private mutating func imageIndex(of image: Int) -> Int? {
        if let index = imageIndices[image] { return index }
        guard symbolicated.images.indices.contains(image) else { return nil }
        let outcome = symbolicated.images[image]
        let index = report.images.count
        report.images.append(
            LogOutcome.LoadedImage(
                image: LogOutcome.Image(
                    name: outcome.image.name, identity: outcome.image.id?.description, path: outcome.image.path,
                    architecture: outcome.image.architecture?.description, hasSymbols: outcome.status == .found, reason: outcome.reason),
                base: outcome.image.base?.value))
        imageIndices[image] = index
        return index
    }

    /// The operating system's name, which logs put in front of its version: `macOS 15.2 (24C101)`,
    /// `Android, google/…`, `Linux 6.1.0 on …`.
    private static func platform(_ description: String) -> String {
        let name = description.utf8.prefix {
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "(")
        }
        let text = Substring(name)
        let trimmed = (text.firstRange(of: " on ").map { text[..<$0.lowerBound] } ?? text).split(separator: " ").joined(separator: " ")
        return trimmed.isEmpty ? description : trimmed
    }

    /// Android's text is a fingerprint, `Android, google/sailfish/sailfish:10/QP1A.190711.020/…`,
    /// most of which is the device's. The release and the build identify the system.
    private static func system(_ description: String) -> String {
        guard description.hasPrefix("Android, ") else { return description }
        let parts = description.dropFirst(9).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 4, let colon = parts[2].firstIndex(of: ":") else { return description }
        return "Android \(parts[2][parts[2].index(after: colon)...]) (\(parts[3]))"
    }

    private static func label(_ kind: Frame.Kind) -> String {
        switch kind {
        case .programCounter: "program-counter"
        case .returnAddress: "return-address"
        case .exact: "exact"
        case .asyncResumePoint: "async-resume-point"
        case .omitted(let count): "omitted \(count)"
        case .truncated: "truncated"
        }
    }
}
