internal import BinaryPrimitives

/// Text before a line's own text that depends on where the line was written: dates, processes,
/// containers, loggers.
///
/// The recognised prefixes are listed in `LinePrefixReader`; several may follow one another, as in
/// a container's log of a program that logs by NSLog.
package struct LinePrefix: Sendable, Hashable {
    /// The prefix's length in bytes; zero if there is none.
    package var length: Int
    /// The first date and time as the line spells it.
    package var timestamp: String?
    package var processName: String?
    package var pid: Int?
    package var hostName: String?
    package var containerName: String?

    package init(of line: Span<UInt8>) { self.init(Parts(of: line), of: line) }

    package init(_ parts: Parts, of line: Span<UInt8>) {
        length = parts.length
        timestamp = parts.date.map { line.clamped(to: $0).text }
        processName = parts.name.map { line.clamped(to: $0).text }
        pid = parts.pid
        hostName = parts.host.map { line.clamped(to: $0).text }
        containerName = parts.container.map { line.clamped(to: $0).text }
    }

    /// Ranges of the parts. For nearly all lines only the length and the origin are used.
    package struct Parts: Sendable {
        package var length = 0
        package var date: Range<Int>?
        package var name: Range<Int>?
        package var pid: Int?
        package var host: Range<Int>?
        package var container: Range<Int>?
        package var origin = LineOrigin()
        /// The test's number, 12 of `12: `, if one is among the prefixes.
        package var testNumber: UInt64?

        /// - Parameters:
        ///   - allowsTestNumbers: without, a number at the line's beginning is its own text: the
        ///     row of a stack that began without one.
        ///   - testNumber: the number of a test whose trace is open: before its lines it is no
        ///     row's number.
        package init(of line: Span<UInt8>, allowsTestNumbers: Bool = true, testNumber: UInt64? = nil) {
            var reader = LinePrefixReader(parts: self, allowsTestNumbers: allowsTestNumbers, testNumber: testNumber)
            reader.read(line)
            self = reader.parts
        }
    }
}
