internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel
internal import Reporting
internal import Symbolication

/// Optional members of a record.
package enum StreamAddition: String, Sendable, CaseIterable {
    /// The report as `cairn --format json` prints it.
    case report
    /// The input of `cairn groups merge`.
    case stack
}

/// Columns of a record. Every record has every column, and a column one plain type, as the rows of
/// `cairn batch export` have; columns of one name have the same values.
struct StreamRow {
    let members: [(key: String, value: WrittenJSON?)]

    init(_ symbolicated: SymbolicatedReport, _ rules: SignatureRules, with additions: Set<StreamAddition>) {
        let made = rules.signature(of: symbolicated)
        let report = ReportRecord(symbolicated, made).report
        let signature = report.signature
        let frames = report.stacks.flatMap(\.frames)
        members = [
            ("group", Self.text(made.group)), ("signature", .string(signature.exact)), ("title", .string(signature.title)),
            ("family", .string(signature.family)), ("kind", .string(signature.kindLabel)),
            ("lacks_symbols", .boolean(signature.lacksSymbols)),
            ("own_frame", Self.ownFrame(of: symbolicated, rules) ?? .null),
            ("resolved_frames", .number(frames.count { !$0.functions.isEmpty })),
            ("unresolved_frames", .number(frames.count(where: \.isUnresolved))),
            ("format", .string(report.format)), ("process", Self.text(report.process)), ("identifier", Self.text(report.identifier)),
            ("version", Self.text(report.version)), ("pid", report.pid.map(WrittenJSON.number) ?? .null),
            ("platform", Self.text(report.platform)), ("architecture", Self.text(report.architecture)),
            ("system", Self.text(report.system)), ("device", Self.text(report.device)),
            ("instant", Self.text(report.instant.map(ReadableTime.utc))),
            ("instant_ns", report.instant.map { .number(Int($0)) } ?? .null), ("time", Self.text(report.time)),
            ("cause_kind", Self.text(report.causeKind)), ("cause_type", Self.text(report.causeType)),
            ("signal", Self.text(report.signal)), ("message", Self.text(report.message)),
            ("fault_address", Self.text(report.faultAddress.map { "0x" + String($0, radix: 16) })),
            ("meaning", Self.text(report.meaning)),
            ("absence", additions.contains(.stack) ? Self.text(signature.absence) : nil),
            ("stack", additions.contains(.stack) ? .string(signature.frames) : nil),
            ("report", additions.contains(.report) ? JSONRenderer().document(symbolicated, path: nil) : nil),
        ]
    }

    /// The first function of the user's own code, as in `--format text`.
    private static func ownFrame(of report: SymbolicatedReport, _ rules: SignatureRules) -> WrittenJSON? {
        guard let (function, image) = rules.ownCode.firstFrame(of: report) else { return nil }
        let line = function.location.flatMap { $0.line > 0 ? $0.line : nil }
        return .object([
            ("function", .string(function.name)), ("file", text(function.location?.file)), ("line", line.map(WrittenJSON.number) ?? .null),
            ("module", .string(image)),
        ])
    }

    private static func text(_ text: String?) -> WrittenJSON { text.map(WrittenJSON.string) ?? .null }
}
