internal import BinaryPrimitives
internal import CrashReports

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

    /// Number of frames that symbols could have a result for and do not.
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

        /// Number of frames that symbols could have a result for and do not.
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
        /// Why symbols have no result for it: one sentence; `nil` where they have one, or could have none.
        package var reason: String?
        /// Whether it has a name neither from symbols nor in the log.
        package var isUnresolved: Bool { reason != nil && printed == nil }
    }

    package struct Function: Sendable, Hashable {
        package var name: String
        package var file: String?
        package var line: Int
        package var column: Int
        package var isInlined: Bool
    }
}

extension LogOutcome.Report {
    /// Removes the names of users, hosts and devices from all texts at once: a name from a path is
    /// also removed from a message.
    ///
    /// - Parameter log: the log's bytes, if available: names from its fields (`User Name:`) are
    ///   then found in the texts. Empty otherwise.
    mutating func anonymize(_ anonymizer: Anonymizer, log: [UInt8]) {
        var texts: [String] = []
        forEachText { texts.append($0) }
        var joined = log
        var starts: [Int] = []
        for text in texts {
            // A line of its own; line breaks in it stay what they are.
            joined.append(0x0A)
            starts.append(joined.count)
            joined += Array(text.utf8)
        }
        let changed = anonymizer.bytes(joined.span)
        // Every replacement is as long as what it replaces.
        guard changed.count == joined.count else { return }
        var index = 0
        forEachText { text in
            let start = starts[index]
            index += 1
            text = String(decoding: changed[start..<start + text.utf8.count], as: UTF8.self)
        }
    }

    /// Every text that comes from the log, or says where something is, in one order.
    private mutating func forEachText(_ body: (inout String) -> Void) {
        func change(_ text: inout String?) {
            guard var plain = text else { return }
            body(&plain)
            text = plain
        }
        change(&process)
        change(&identifier)
        change(&version)
        change(&causeType)
        change(&message)
        change(&meaning)
        change(&device)
        body(&signature.title)
        for index in images.indices {
            body(&images[index].image.name)
            change(&images[index].image.path)
            change(&images[index].image.reason)
        }
        for stack in stacks.indices {
            change(&stacks[stack].name)
            for frame in stacks[stack].frames.indices {
                change(&stacks[stack].frames[frame].printed)
                change(&stacks[stack].frames[frame].reason)
                for function in stacks[stack].frames[frame].functions.indices {
                    change(&stacks[stack].frames[frame].functions[function].file)
                }
            }
        }
    }
}
