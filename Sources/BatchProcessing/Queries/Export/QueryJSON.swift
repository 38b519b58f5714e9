internal import BinaryPrimitives
internal import Reporting

/// Results for programs: one JSON object each. Absent means unknown, or none; instants are ISO 8601
/// in UTC, addresses strings in hexadecimal.
package struct QueryJSON {
    /// The version of the schema: it grows within a version, and changes only with it.
    package static let schema = 2

    package init() {}

    /// `cairn batch top`.
    package func render(_ groups: [GroupSummary], of overview: StoreOverview, counted: Int, since: Int64?) -> [UInt8] {
        Self.line([
            ("schema", .number(Self.schema)), ("since", Self.instant(since)), ("reports", .number(counted)),
            ("groups", .array(groups.map { .object(Self.members($0)) })), ("store", Self.object(overview)),
        ])
    }

    /// `cairn batch show`.
    /// - Parameter requested: the former identifier that led to the group.
    package func render(_ group: GroupDetail, former requested: String? = nil) -> [UInt8] {
        let breakdown = group.breakdown
        return Self.line(
            [("schema", .number(Self.schema)), ("requestedAs", requested.map(WrittenJSON.string))]
                + Self.members(group.summary, versions: false)
                + [
                    ("formerIDs", Self.list(group.formerIDs.map(WrittenJSON.string))),
                    ("kinds", Self.tallies(breakdown.kinds)), ("processes", Self.tallies(breakdown.processes)),
                    ("versions", Self.tallies(breakdown.versions)),
                    ("systems", Self.tallies(breakdown.systems)), ("devices", Self.tallies(breakdown.devices)),
                    ("formats", Self.tallies(breakdown.formats)), ("platforms", Self.tallies(breakdown.platforms)),
                    ("architectures", Self.tallies(breakdown.architectures)),
                    (
                        "days",
                        .array(group.days.map { .object([("day", .string(ReadableTime.day($0))), ("reports", .number($0.count))]) })
                    ),
                    ("reportsWithoutInstant", .number(group.reportsWithoutInstant)), ("stackCount", .number(group.stackCount)),
                    ("stacks", .array(group.stacks.map(Self.object))),
                    ("examples", .array(group.examples.map { .object(Self.members($0)) })),
                    ("missingImageCount", .number(group.missingImageCount)),
                    ("missingImages", .array(group.missingImages.map(Self.object))),
                ])
    }

    /// A report of the pages, with its stacks.
    package func render(_ report: FullReport) -> [UInt8] {
        Self.line(
            [("schema", .number(Self.schema))] + Self.members(report.reference) + [
                ("title", Self.text(report.reference.title)),
                (
                    "stacks",
                    .array(
                        report.stacks.map { stack in
                            .object([
                                ("role", .string(stack.role)), ("thread", .number(stack.thread)), ("name", Self.text(stack.name)),
                                ("crashed", stack.crashed ? .boolean(true) : nil), ("rows", .number(stack.rows)),
                                ("frames", .array(stack.frames.map { .object(Self.members($0)) })),
                            ])
                        })
                ),
            ])
    }

    /// `cairn batch search`.
    package func render(_ result: SearchResult, of text: String) -> [UInt8] {
        Self.line([
            ("schema", .number(Self.schema)), ("text", .string(text)), ("reports", .number(result.reports)),
            ("ungroupedReports", .number(result.ungroupedReports)), ("groupCount", .number(result.groupCount)),
            (
                "groups",
                .array(
                    result.groups.map { group in
                        .object([
                            ("id", .string(group.id)), ("title", .string(group.title)), ("matching", .number(group.matching)),
                            ("reports", .number(group.reports)), ("example", .string(Self.identifier(group.example))),
                            (
                                "matches",
                                .array(
                                    group.matches.map {
                                        .object([("place", .string($0.field.rawValue)), ("text", .string($0.text))])
                                    })
                            ),
                        ])
                    })
            ),
        ])
    }

    /// `cairn batch diff`.
    package func render(_ difference: StoreDifference, first: String, second: String) -> [UInt8] {
        Self.line([
            ("schema", .number(Self.schema)),
            ("before", .object([("store", .string(first)), ("reports", .number(difference.before))])),
            ("after", .object([("store", .string(second)), ("reports", .number(difference.after))])),
            ("hasDifferentRules", .boolean(difference.hasDifferentRules)),
            (
                "groups",
                .array(
                    difference.groups.map { group in
                        .object([
                            ("change", .string(group.change.rawValue)), ("title", .string(group.title)), ("before", .number(group.before)),
                            ("after", .number(group.after)), ("idBefore", Self.text(group.idBefore)), ("idAfter", Self.text(group.idAfter)),
                            ("first", Self.instant(group.first)), ("last", Self.instant(group.last)),
                        ])
                    })
            ),
        ])
    }

    // MARK: Parts

    typealias Members = [(key: String, value: WrittenJSON?)]

    static func line(_ members: Members) -> [UInt8] {
        var output: [UInt8] = []
        WrittenJSON.object(members).write(to: &output)
        output.append(UInt8(ascii: "\n"))
        return output
    }

    static func instant(_ instant: Int64?) -> WrittenJSON? { instant.map { .string(ReadableTime.utc($0)) } }
    static func list(_ values: [WrittenJSON]) -> WrittenJSON? { values.isEmpty ? nil : .array(values) }
    static func text(_ text: String?) -> WrittenJSON? { text.map(WrittenJSON.string) }
    static func hexadecimal(_ value: UInt64?) -> WrittenJSON? { value.map { .string("0x" + String($0, radix: 16)) } }

    /// Reports' numbers have 63 bits, of which many a reader of JSON keeps 53.
    static func identifier(_ number: Int64) -> String { String(number) }

    /// One row each; a row without `value` counts the reports whose logs do not have it.
    static func tallies(_ tallies: [Tally]) -> WrittenJSON {
        .array(tallies.map { .object([("value", text($0.value)), ("reports", .number($0.count))]) })
    }

    static func members(_ group: GroupSummary, versions: Bool = true) -> Members {
        [
            ("id", .string(group.id)), ("title", .string(group.title)), ("family", .string(group.family)),
            ("kind", .string(group.kindLabel)),
            ("lacksSymbols", .boolean(group.lacksSymbols)), ("reports", .number(group.reports)),
            ("logs", .number(group.logs)), ("first", instant(group.first)), ("last", instant(group.last)),
            ("versions", versions ? tallies(group.versions) : nil), ("versionCount", .number(group.versionCount)),
            ("example", .string(identifier(group.example))),
        ]
    }

    private static func object(_ overview: StoreOverview) -> WrittenJSON {
        .object([
            ("files", .number(overview.files)), ("logs", .number(overview.logs)), ("reports", .number(overview.reports)),
            ("groups", .number(overview.groups)), ("first", instant(overview.first)), ("last", instant(overview.last)),
            ("isGrouped", .boolean(overview.isGrouped)), ("ungroupedReports", .number(overview.ungroupedReports)),
            ("reportsWithoutInstant", .number(overview.reportsWithoutInstant)),
            ("reportsWithoutStack", .number(overview.reportsWithoutStack)),
            ("reportsLackingSymbols", .number(overview.reportsLackingSymbols)), ("logsWithoutTrace", .number(overview.logsWithoutTrace)),
            ("unreadableLogs", .number(overview.unreadableLogs)), ("unreadFiles", .number(overview.unreadFiles)),
            (
                "unread",
                .array(overview.unread.map { .object([("path", .string($0.path)), ("problem", .string($0.problem))]) })
            ),
            ("frames", .number(overview.frames)), ("unresolvedFrames", .number(overview.unresolvedFrames)),
            ("missingImageCount", .number(overview.missingImageCount)), ("missingImages", .array(overview.missingImages.map(object))),
        ])
    }

    private static func object(_ image: MissingImage) -> WrittenJSON {
        .object([
            ("name", .string(image.name)), ("identity", text(image.identity)), ("architecture", text(image.architecture)),
            ("path", text(image.path)), ("reason", text(image.reason)), ("reports", .number(image.reports)),
        ])
    }

    private static func object(_ stack: GroupStack) -> WrittenJSON {
        .object([
            ("reports", .number(stack.reports)), ("example", .string(identifier(stack.example))), ("rows", .number(stack.rows)),
            ("frames", .array(stack.frames.map { .object(members($0)) })),
        ])
    }

    static func members(_ frame: NamedFrame) -> Members {
        [
            ("row", .number(frame.row)), ("kind", .string(frame.kind)), ("function", text(frame.function)), ("file", text(frame.file)),
            ("line", frame.line > 0 ? .number(frame.line) : nil), ("column", frame.column > 0 ? .number(frame.column) : nil),
            ("module", text(frame.module)), ("offset", hexadecimal(frame.offset)), ("address", hexadecimal(frame.address)),
            ("inlined", frame.isInlined ? .boolean(true) : nil), ("own", frame.isOwn ? .boolean(true) : nil),
            ("reason", text(frame.reason)),
        ]
    }

    static func members(_ report: ReportReference) -> Members {
        [
            ("id", .string(identifier(report.id))), ("log", .string(report.log)), ("number", .number(report.number)),
            ("paths", .array(report.paths.map(WrittenJSON.string))), ("pathCount", .number(report.pathCount)),
            ("group", text(report.group)), ("format", .string(report.format)), ("process", text(report.process)),
            ("identifier", text(report.identifier)), ("version", text(report.version)),
            ("pid", report.pid.flatMap { Int(exactly: $0) }.map(WrittenJSON.number)), ("platform", text(report.platform)),
            ("architecture", text(report.architecture)), ("system", text(report.system)), ("device", text(report.device)),
            ("instant", instant(report.instant)), ("time", text(report.time)), ("causeKind", text(report.causeKind)),
            ("causeType", text(report.causeType)), ("signal", text(report.signal)), ("message", text(report.message)),
            ("faultAddress", hexadecimal(report.faultAddress)), ("meaning", text(report.meaning)),
        ]
    }
}
