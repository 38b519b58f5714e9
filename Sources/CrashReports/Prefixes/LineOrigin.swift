/// Who wrote a line, as its prefix tells: so that two processes whose lines alternate in one log are kept apart.
struct LineOrigin: Hashable, Sendable {
    /// What stands on every line that a writer writes, whatever it says: the container's name, logcat's process and tag. 0 without.
    var line: UInt64 = 0
    /// What stands once before each message, which may have several lines: the process, a logger's name. 0 without.
    var message: UInt64 = 0
    /// The same without the last of its names: of a program that logs by NSLog in a journal, `server[812]: App[763:707] `, the journal's. 0 where there is one name or none.
    var outerMessage: UInt64 = 0
    /// How many dates the prefix holds. A date tells nobody's name; but a line with a date is the beginning of another message where a trace's lines have none.
    var dates: UInt8 = 0

    /// Whether a line of `other` may continue a trace that a line of this origin began.
    ///
    /// Some writers put their prefix before each line (`docker compose`, logcat, journalctl), some only before the first of a message (NSLog); and the two may stand
    /// behind one another. So a line continues a trace if its prefix is the same, or if it lacks what only stands before a message.
    func isContinued(by other: LineOrigin) -> Bool {
        guard line == other.line else { return false }
        if message == other.message, dates == other.dates { return true }
        // Of two such names behind one another, the first may stand on every line and the second before a message.
        let lacksMessage = other.message == 0 || (other.message == outerMessage && outerMessage != 0)
        return lacksMessage && (other.dates < dates || (other.dates == 0 && dates == 0) || (other.message != 0 && other.dates == dates))
    }
}

/// FNV-1a, 64 bits: tells the names in prefixes apart.
struct NameHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init() {}

    mutating func combine(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
