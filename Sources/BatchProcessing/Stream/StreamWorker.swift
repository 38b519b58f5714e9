internal import BinaryPrimitives
internal import Synchronization

/// Hands one record after another to a process of its own (`StreamHost`), and starts another one if
/// that process ends, is too slow or has grown. It handles one record at a time, so it is known
/// which record caused the problem.
struct StreamWorker {
    private let settings: StreamRun.Settings
    private let start: StreamRun.Starter
    /// Whether processes make indexes of symbol files that do not have one.
    private let makesIndexes: StreamFlag
    private var process: SocketProcess?

    init(_ settings: StreamRun.Settings, makesIndexes: StreamFlag, start: @escaping StreamRun.Starter) {
        self.settings = settings
        self.makesIndexes = makesIndexes
        self.start = start
    }

    mutating func reply(to record: StreamRecord) -> StreamReply {
        if case .refused(let record, let error) = record { return StreamReply(error, of: record) }
        guard let message = StreamMessage.bytes(record) else { return StreamReply(StreamError(.input, "not a record"), of: record) }
        // Once more, if the process ends: what it kept of earlier records may be to blame, and the
        // same record has the same result in every run.
        for _ in 0..<2 {
            do throws(FileError) {
                let process = if let process = self.process { process } else { try start(makesIndexes.isSet) }
                self.process = process
                do throws(LocalSocket.Failure) {
                    return try exchange(message, process)
                } catch {
                    self.process = nil
                    guard error == .late else { continue }
                    // Making an index may have taken the time, and would again.
                    makesIndexes.unset()
                    let seconds = settings.time.components.seconds
                    return StreamReply(
                        StreamError(
                            .timeLimit, "it took more than \(seconds) s. Raise --time-limit, or make indexes before: cairn index --for"),
                        of: record)
                }
            } catch {
                return StreamReply(StreamError(.unavailable, error.description), of: record)
            }
        }
        return StreamReply(StreamError(.crash, "the process that read it ended, twice. Raise --memory, or report a bug"), of: record)
    }

    private mutating func exchange(_ message: [UInt8], _ process: SocketProcess) throws(LocalSocket.Failure) -> StreamReply {
        guard let socket = process.sockets.first else { throw .ended }
        let deadline = settings.now() + settings.time
        try socket.send(message: message, before: deadline)
        guard let (reply, memory) = StreamMessage.reply(try socket.message(maxBytes: Self.maxReplyBytes, before: deadline)) else {
            throw .ended
        }
        if memory > settings.memory { self.process = nil }
        return reply
    }

    private static let maxReplyBytes = 1 << 30
}

/// Set until it is unset once.
final class StreamFlag: Sendable {
    private let value = Atomic(true)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func unset() { value.store(false, ordering: .relaxed) }
}
