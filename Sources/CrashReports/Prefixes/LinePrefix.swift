internal import BinaryPrimitives

/// What stands before a line's own text because of where the line was written: dates, processes, containers, loggers.
///
/// The prefixes that are recognised are listed in `LinePrefixReader`; several may stand behind one another, as in a container's log of a program that logs by NSLog.
public struct LinePrefix: Sendable, Hashable {
    /// The prefix's length in bytes; zero where there is none.
    public var length: Int
    /// The first date and time as the line words it.
    public var timestamp: String?
    public var processName: String?
    public var pid: Int?
    public var hostName: String?
    public var containerName: String?

    public init(of line: Span<UInt8>) { self.init(Parts(of: line), of: line) }

    init(_ parts: Parts, of line: Span<UInt8>) {
        length = parts.length
        timestamp = parts.date.map { line.clamped(to: $0).text }
        processName = parts.name.map { line.clamped(to: $0).text }
        pid = parts.pid
        hostName = parts.host.map { line.clamped(to: $0).text }
        containerName = parts.container.map { line.clamped(to: $0).text }
    }

    /// Where the parts are: nearly all lines are looked at for no more than the length and the origin.
    struct Parts: Sendable {
        var length = 0
        var date: Range<Int>?
        var name: Range<Int>?
        var pid: Int?
        var host: Range<Int>?
        var container: Range<Int>?
        var origin = LineOrigin()
        /// The test's number, 12 of `12: `, where one is among the prefixes.
        var testNumber: UInt64?

        /// - Parameters:
        ///   - allowsTestNumbers: without, a number at the line's beginning is its own text: the row of a stack that began without one.
        ///   - testNumber: the number of a test whose trace is open: before its lines it is no row's number.
        init(of line: Span<UInt8>, allowsTestNumbers: Bool = true, testNumber: UInt64? = nil) {
            var reader = LinePrefixReader(parts: self, allowsTestNumbers: allowsTestNumbers, testNumber: testNumber)
            reader.read(line)
            self = reader.parts
        }
    }
}
