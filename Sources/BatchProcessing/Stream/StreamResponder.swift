internal import BinaryPrimitives
internal import CrashReports
internal import Reporting
internal import Symbolication

/// Symbolicates the log of one record after another, and makes what `cairn batch` would keep of it.
package struct StreamResponder: Sendable {
    private let traces: LogTraces
    private let rules: SignatureRules
    private let usesFilesHere: Bool
    private let additions: Set<StreamAddition>

    /// Reports of one log that are in its record; further ones are counted.
    private static let maxReports = 1000

    /// - Parameters:
    ///   - usesFilesHere: a log at a path may be of a crash on this machine.
    ///   - additions: Members of records beside their columns.
    package init(_ traces: LogTraces, _ rules: SignatureRules, usesFilesHere: Bool = true, with additions: Set<StreamAddition> = []) {
        self.traces = traces
        self.rules = rules
        self.usesFilesHere = usesFilesHere
        self.additions = additions
    }

    package func reply(to record: StreamRecord) -> StreamReply {
        do throws(StreamError) { return try row(of: try StreamRequest(record)) } catch {
            return StreamReply(error, of: record)
        }
    }

    private func row(of request: StreamRequest) throws(StreamError) -> StreamReply {
        var rows: [StreamRow] = []
        var count = 0
        let ending = try read(request.content) { report in
            count += 1
            if rows.count < Self.maxReports { rows.append(StreamRow(report, rules, with: additions)) }
        }
        guard let first = rows.first else {
            throw StreamError(ending.isUnreadable ? .unreadable : .noReport, ending.problems.first ?? "the log has no crash report")
        }
        return StreamReply(
            request.keys,
            [("reports", .number(count))] + first.members + [
                ("problems", ending.problems.isEmpty ? nil : .array(ending.problems.map { .string(PlainText.line($0)) })),
                ("more", rows.count == 1 ? nil : .array(rows.dropFirst().map { .object($0.members) })),
            ])
    }

    private func read(_ content: StreamRequest.Content, _ handle: (SymbolicatedReport) -> Void) throws(StreamError) -> LogTraces.Ending {
        do throws(FileError) {
            switch content {
            case .path(let path): return try read(try LogInput(path), from: usesFilesHere ? LogOrigin(logAt: path) : nil, handle)
            case .bytes(let bytes): return try read(LogInput(bytes, path: "-"), from: nil, handle)
            }
        } catch {
            throw StreamError(.unreadable, error.description)
        }
    }

    private func read(
        _ input: consuming LogInput, from origin: LogOrigin?, _ handle: (SymbolicatedReport) -> Void
    ) throws(FileError) -> LogTraces.Ending {
        guard let (kind, file) = try input.memory() else { return traces.read(input, from: origin, handle) }
        return traces.read(kind, file, input.problem, from: origin, handle)
    }
}
