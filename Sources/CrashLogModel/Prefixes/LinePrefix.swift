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

/// Identity of a line's writer, according to the line's prefix. It keeps apart two processes whose
/// lines alternate in one log.
package struct LineOrigin: Hashable, Sendable {
    /// Hash of the part that is on every line of a writer, independent of the line's text: the
    /// container's name, logcat's process and tag. 0 if there is none.
    package var line: UInt64 = 0
    /// Hash of the part that comes once before each message, which may have several lines: the
    /// process, a logger's name. 0 if there is none.
    package var message: UInt64 = 0
    /// Hash of the message part without the last of its names: for a program that logs by NSLog in
    /// a journal, `server[812]: App[763:707] `, the journal's. 0 if there is one name or none.
    package var outerMessage: UInt64 = 0
    /// Number of dates in the prefix. A date names no writer; but a line with a date begins another
    /// message if a trace's lines have none.
    package var dates: UInt8 = 0

    /// Whether the line has a prefix with a writer or a date.
    package var hasPrefix: Bool { self != LineOrigin() }

    /// Whether a line of `other` may continue a trace that a line of this origin began.
    ///
    /// Some writers put their prefix before each line (`docker compose`, logcat, journalctl), some
    /// only before the first line of a message (NSLog); and the two may follow one another. So a
    /// line continues a trace if its prefix is the same, or if it lacks only what comes before a
    /// message.
    package func isContinued(by other: LineOrigin) -> Bool {
        guard line == other.line else { return false }
        if message == other.message, dates == other.dates { return true }
        // If two such names follow one another, the first may be on every line and the second
        // before a message.
        let lacksMessage = other.message == 0 || (other.message == outerMessage && outerMessage != 0)
        return lacksMessage && (other.dates < dates || (other.dates == 0 && dates == 0) || (other.message != 0 && other.dates == dates))
    }
}

/// FNV-1a, 64 bits: distinguishes the names in prefixes.
package struct NameHash {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func combine(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
