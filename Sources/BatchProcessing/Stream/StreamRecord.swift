/// A record of `cairn stream` as it comes in.
package enum StreamRecord: Sendable, Hashable {
    /// A line without its end.
    case line([UInt8])
    /// A key and a log, each with its length before it.
    case pair(key: [UInt8], log: [UInt8])
    /// A record that cannot be read: the beginning of a line, or the key of a pair.
    indirect case refused(StreamRecord, StreamError)
}

/// Why a record has no report.
package struct StreamError: Error, Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// It is no JSON object, or it does not have one of `log`, `path` and `bytes`.
        case input
        /// It is larger than it may be.
        case tooLarge = "too-large"
        /// The log cannot be read.
        case unreadable
        /// The log has no crash report.
        case noReport = "no-report"
        /// It took longer than it may.
        case timeLimit = "time-limit"
        /// The process that read it has ended.
        case crash
        /// No process can be started to read it.
        case unavailable
    }

    package var kind: Kind
    /// One line.
    package var message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

/// How records are separated in the input.
package enum StreamFraming: String, Sendable, CaseIterable {
    /// A JSON object a line.
    case ndjson
    /// The key's length, the key, the log's length, the log. A length is four bytes, the most
    /// significant first, as `DataOutputStream.writeInt` of Java and `struct.pack(">I", n)` of
    /// Python write it.
    case lengths
}
