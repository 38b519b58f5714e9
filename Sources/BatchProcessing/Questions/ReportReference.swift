/// A report: what its log says, and where the log lies.
public struct ReportReference: Sendable, Hashable {
    public var id: Int64
    /// SHA-256 of the log's bytes, hexadecimal.
    public var log: String
    /// The log's place among the traces of its log, from 0.
    public var number: Int
    /// Where the log lies, at most as many as the limit; and how many there are.
    public var paths: [String]
    public var pathCount: Int
    /// The group that it belongs to; `nil` where it is not grouped.
    public var group: String?
    public var title: String?
    public var format: String
    public var process: String?
    public var identifier: String?
    public var version: String?
    public var pid: Int64?
    public var platform: String?
    public var architecture: String?
    public var system: String?
    public var device: String?
    /// Nanoseconds since 1970 UTC; `nil` where the log does not tell.
    public var instant: Int64?
    /// As the log words it.
    public var time: String?
    public var causeKind: String?
    public var causeType: String?
    public var signal: String?
    public var message: String?
    public var faultAddress: UInt64?
    /// What the cause means.
    public var meaning: String?
}
