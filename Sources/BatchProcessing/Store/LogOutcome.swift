internal import BinaryPrimitives

/// Result of symbolicating one log, as a store keeps it.
package struct LogOutcome: Sendable {
    package enum Result: String, Sendable {
        /// It holds at least one trace.
        case answered
        /// No trace was recognised in it.
        case noTrace = "no-trace"
        /// It could not be read, as a whole or after some position.
        case unreadable
    }

    package var content: ContentHash
    /// Bytes.
    package var size: Int64
    package var result: Result
    /// Problems of the log, one line each.
    package var problems: [String]
    package var reports: [Report]
    /// Fingerprint of the rules that its reports' signatures were made by.
    package var rules: String
    /// A part of the log is missing, because the compressed data is damaged. The outcome has the
    /// reports of the rest.
    package var isCutShort = false

    package init(content: ContentHash, size: Int64, result: Result, problems: [String], reports: [Report], rules: String) {
        self.content = content
        self.size = size
        self.result = result
        self.problems = problems
        self.reports = reports
        self.rules = rules
    }

    /// Unresolved frames.
    package var unanswered: Int { reports.reduce(0) { $0 + $1.stacks.reduce(0) { $0 + $1.unanswered } } }

    /// One trace of the log.
    package struct Report: Sendable {
        package var format: String
        package var process: String?
        package var identifier: String?
        package var version: String?
        package var pid: Int?
        /// The operating system's name: `macOS`.
        package var platform: String?
        /// Its name and version, as the log writes them.
        package var system: String?
        /// The hardware's model: `Mac15,6`.
        package var device: String?
        package var architecture: String?
        /// Nanoseconds since 1970-01-01 00:00:00 UTC; `nil` if the log has no timestamp.
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
        package var images: [LoadedImage] = []
        package var stacks: [Stack] = []
        package var signature: StoredSignature

        package init(format: String, signature: StoredSignature) {
            self.format = format
            self.signature = signature
        }
    }

    /// An image of a report that a frame is in.
    package struct LoadedImage: Sendable {
        package var image: Image
        /// Address that its first byte was mapped at; `nil` if the log does not have it.
        package var base: UInt64?
    }

    /// A file that was loaded somewhere, and whether its symbols were found.
    package struct Image: Sendable, Hashable {
        package var name: String
        /// As `ImageID` writes it; `nil` if the log has only the path.
        package var identity: String?
        package var path: String?
        package var architecture: String?
        package var hasSymbols: Bool
        /// Why there are no symbols: one sentence.
        package var reason: String?
    }

    package struct Stack: Sendable {
        package enum Role: String, Sendable { case thread, exception, other }
        package var role: Role
        /// The thread's number in the log.
        package var index: Int
        package var name: String?
        package var crashed: Bool
        package var frames: [Frame]

        /// Unresolved frames.
        package var unanswered: Int { frames.count { $0.reason != nil } }
    }

    /// A row of a stack. In an image it is given by the distance from the image's first byte. So
    /// the same stack is the same wherever the system has loaded its images.
    package struct Frame: Sendable {
        package var kind: String
        /// Index into the report's images.
        package var image: Int?
        /// The raw address minus the image's base.
        package var offset: UInt64?
        /// The raw address, where no image is known.
        package var address: UInt64?
        /// Function name that the log itself prints.
        package var printed: String?
        /// Innermost first; empty where there is no result.
        package var functions: [Function]
        /// Why the frame is unresolved: one sentence.
        package var reason: String?
    }

    package struct Function: Sendable, Hashable {
        package var name: String
        package var file: String?
        package var line: Int
        package var column: Int
        package var isInlined: Bool
    }
}
