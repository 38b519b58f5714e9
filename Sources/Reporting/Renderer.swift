public import Symbolication

/// A log whose traces have been looked up.
public struct SymbolicatedLog: Sendable {
    /// The log's path as the user named it; `-` for standard input.
    public var path: String
    /// Its traces, in order.
    public var reports: [SymbolicatedReport]

    /// - Parameters:
    ///   - path: the log's name in outputs.
    ///   - reports: in the log's order.
    public init(path: String, reports: [SymbolicatedReport]) {
        self.path = path
        self.reports = reports
    }
}

/// Writes a looked-up log in one way.
public protocol Renderer: Sendable {
    /// Name of the format for `--format`.
    static var name: String { get }

    /// - Parameters:
    ///   - log: what was found.
    ///   - source: the log's bytes, in which the frames' ranges count.
    /// - Returns: the bytes to write, complete with the last line's ending.
    func render(_ log: SymbolicatedLog, source: Span<UInt8>) -> [UInt8]
}
