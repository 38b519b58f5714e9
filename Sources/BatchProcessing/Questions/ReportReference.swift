/// A report: what its log says, and where the log is.
package struct ReportReference: Sendable, Hashable {
    package var id: Int64
    /// SHA-256 of the log's bytes, hexadecimal.
    package var log: String
    /// Index among the traces of its log, from 0.
    package var number: Int
    /// Paths of the log, at most as many as the limit; and their number.
    package var paths: [String]
    package var pathCount: Int
    /// The group that it belongs to; `nil` where it is not grouped.
    package var group: String?
    package var title: String?
    package var format: String
    package var process: String?
    package var identifier: String?
    package var version: String?
    package var pid: Int64?
    package var platform: String?
    package var architecture: String?
    package var system: String?
    package var device: String?
    /// Nanoseconds since 1970 UTC; `nil` if the log has no timestamp.
    package var instant: Int64?
    /// As the log writes it.
    package var time: String?
    package var causeKind: String?
    package var causeType: String?
    package var signal: String?
    package var message: String?
    package var faultAddress: UInt64?
    /// Meaning of the cause.
    package var meaning: String?
}
