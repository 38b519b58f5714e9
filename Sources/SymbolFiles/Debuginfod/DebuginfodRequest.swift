package import BinaryPrimitives

/// One file that is requested from debuginfod servers: `GET URL/buildid/ID/KIND` (debuginfod(8),
/// "WEBAPI").
///
/// Questions and replies pass between `cairn` and `cairn-tools` as lines:
///
///     within 1500                                  at most so many milliseconds from now on
///     debuginfo 8acbacd7de1380048ce59203fe9cdd91   a question; any number of them
///                                                  an empty line, or the end: request them now
///
///     8acbacd7… debuginfo found URL PATH           PATH is in the cache; URL is `cache` where it already was
///     8acbacd7… debuginfo missing WORDS            no server has it
///     8acbacd7… debuginfo failed WORDS             it is not known whether one has it
package struct DebuginfodRequest: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The file with debug information.
        case debuginfo
        /// The binary itself.
        case executable
    }

    package var kind: Kind
    package var id: ImageID

    package init(_ kind: Kind, _ id: ImageID) {
        self.kind = kind
        self.id = id
    }

    /// Reads a question as it is sent.
    package init?(line: some StringProtocol) {
        let tokens = line.split(separator: " ")
        guard tokens.count == 2, let kind = Kind(rawValue: String(tokens[0])), let id = ImageID(text: tokens[1]) else { return nil }
        self.init(kind, id)
    }

    package var line: String { "\(kind.rawValue) \(id.hexadecimal)" }

    /// URL of the file on a server.
    package func url(at server: String) -> String {
        var base = server[...]
        while base.last == "/" { base.removeLast() }
        return "\(base)/buildid/\(id.hexadecimal)/\(kind.rawValue)"
    }
}

/// Result of a request.
package struct DebuginfodResult: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
        /// The file is at `path`. `source` is the server's URL, or `cache` for a file that was
        /// downloaded before.
        case found(path: String, source: String)
        /// No server has the file: the servers' responses, or the time of those responses.
        case missing(String)
        /// It is unknown whether a server has the file, or the response was not used: the reason.
        case failed(String)
    }

    package var question: DebuginfodRequest
    package var outcome: Outcome

    package init(_ question: DebuginfodRequest, _ outcome: Outcome) {
        self.question = question
        self.outcome = outcome
    }

    /// Reads a reply as it is given.
    package init?(line: some StringProtocol) {
        let tokens = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard tokens.count == 4, let id = ImageID(text: tokens[0]), let kind = DebuginfodRequest.Kind(rawValue: String(tokens[1])) else {
            return nil
        }
        question = DebuginfodRequest(kind, id)
        switch tokens[2] {
        case "found":
            let parts = tokens[3].split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            outcome = .found(path: String(parts[1]), source: String(parts[0]))
        case "missing": outcome = .missing(String(tokens[3]))
        case "failed": outcome = .failed(String(tokens[3]))
        default: return nil
        }
    }

    package var line: String {
        let message =
            switch outcome {
            case .found(let path, let source): "found \(source) \(path)"
            case .missing(let reason): "missing \(reason)"
            case .failed(let reason): "failed \(reason)"
            }
        // Words of a server or of the system stay in their line.
        let text = String(decoding: message.utf8.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
        return "\(question.id.hexadecimal) \(question.kind.rawValue) \(text)"
    }
}
