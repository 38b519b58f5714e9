/// Tables that can be exported.
package enum ExportContent: String, Sendable, CaseIterable {
    case groups, reports, frames

    /// The columns' names, the same in every row of every format.
    package var columns: [String] {
        switch self {
        case .groups:
            [
                "id", "title", "family", "kind", "lacks_symbols", "reports", "logs", "first", "first_ns", "last", "last_ns",
                "versions",
                "example",
            ]
        case .reports:
            [
                "id", "log", "number", "path", "paths", "group", "title", "format", "process", "identifier", "version", "pid", "platform",
                "architecture", "system", "device", "instant", "instant_ns", "time", "cause_kind", "cause_type", "signal", "message",
                "fault_address", "meaning",
            ]
        case .frames:
            [
                "report", "group", "position", "row", "kind", "function", "file", "line", "column", "module", "offset", "address",
                "inlined",
                "own", "reason",
            ]
        }
    }
}

/// A value of a table: of a plain type, or nothing.
package enum ExportCell: Sendable, Hashable {
    case text(String?)
    case integer(Int64?)
    case flag(Bool)
}

extension DatabaseQueries {
    /// Hands out a table row by row, until `body` wants no more.
    /// - Parameter id: Exports only this group; `nil` exports all.
    package func forEachRow(of content: ExportContent, ofGroup id: String?, _ body: ([ExportCell]) -> Bool) throws(StoreError) {
        switch content {
        case .groups:
            try forEachGroup { group in id == nil || group.id == id ? body(Self.cells(group)) : true }
        case .reports: try forEachReport(ofGroup: id) { body(Self.cells($0)) }
        case .frames:
            var position: (report: Int64?, next: Int64) = (nil, 0)
            try forEachFrame(ofGroup: id) { report, frame in
                if position.report != report.id { position = (report.id, 0) }
                defer { position.next += 1 }
                return body(Self.cells(frame, of: report, position: position.next))
            }
        }
    }

    private static func cells(_ group: GroupSummary) -> [ExportCell] {
        [
            .text(group.id), .text(group.title), .text(group.family), .text(group.kindLabel), .flag(group.lacksSymbols),
            .integer(Int64(group.reports)), .integer(Int64(group.logs)), .text(group.first.map(ReadableTime.utc)), .integer(group.first),
            .text(group.last.map(ReadableTime.utc)), .integer(group.last), .integer(Int64(group.versionCount)),
            .text(QueryJSON.identifier(group.example)),
        ]
    }

    private static func cells(_ report: ReportReference) -> [ExportCell] {
        [
            .text(QueryJSON.identifier(report.id)), .text(report.log), .integer(Int64(report.number)), .text(report.paths.first),
            .integer(Int64(report.pathCount)), .text(report.group), .text(report.title), .text(report.format), .text(report.process),
            .text(report.identifier), .text(report.version), .integer(report.pid), .text(report.platform), .text(report.architecture),
            .text(report.system), .text(report.device), .text(report.instant.map(ReadableTime.utc)), .integer(report.instant),
            .text(report.time), .text(report.causeKind), .text(report.causeType), .text(report.signal), .text(report.message),
            .text(hexadecimal(report.faultAddress)), .text(report.meaning),
        ]
    }

    private static func cells(_ frame: NamedFrame, of report: ReportReference, position: Int64) -> [ExportCell] {
        [
            .text(QueryJSON.identifier(report.id)), .text(report.group), .integer(position), .integer(Int64(frame.row)),
            .text(frame.kind),
            .text(frame.function), .text(frame.file), .integer(frame.line > 0 ? Int64(frame.line) : nil),
            .integer(frame.column > 0 ? Int64(frame.column) : nil), .text(frame.module), .text(hexadecimal(frame.offset)),
            .text(hexadecimal(frame.address)), .flag(frame.isInlined), .flag(frame.isOwn), .text(frame.reason),
        ]
    }

    private static func hexadecimal(_ value: UInt64?) -> String? { value.map { "0x" + String($0, radix: 16) } }
}
