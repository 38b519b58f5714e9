import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import LibC
import SymbolFiles
import SymbolSources
import Symbolication
import Synchronization
import TestSupport
import Testing

@testable import BatchProcessing

/// There is one reply for one record, in order, even if the processes that read logs fail. They are
/// threads here; the image that a log names decides what a process does.
struct StreamRunTests {
    private final class Written: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }

        func add(_ line: [UInt8]) {
            lines.withLock { $0.append(String(decoding: line.dropLast(), as: UTF8.self)) }
        }
    }

    private struct Watched: SymbolProvider {
        let look: @Sendable (String) -> Void

        func symbols(for request: ImageRequest) -> ImageSymbols {
            look(request.name)
            return ImageSymbols(source: nil)
        }

        func unslidImages(processName: String?) -> [UnslidImage] { [] }
    }

    private static func settings(jobs: Int = 1) -> StreamRun.Settings {
        var settings = StreamRun.Settings()
        settings.jobs = jobs
        settings.memory = .max
        settings.time = .seconds(30)
        return settings
    }

    private static func starter(_ look: @escaping @Sendable (_ image: String, _ socket: LocalSocket) -> Void) -> StreamRun.Starter {
        { (_) throws(FileError) in
            let (mine, other) = try LocalSocket.pair()
            let traces = LogTraces(symbolicator: Symbolicator(provider: Watched { look($0, other) }))
            _ = Parallel.start { StreamHost.run(StreamResponder(traces, SignatureRules()), other) }
            return SocketProcess(sockets: [mine])
        }
    }

    /// A log that names an image.
    private static func record(_ key: Int, _ image: String) -> String {
        #"{"key":\#(key),"log":"==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000\n    #0 0x7f0000001136 in f (/app/\#(image)+0x1136)\n\n"}"#
    }

    private static func run(_ lines: [String], _ settings: StreamRun.Settings, _ start: @escaping StreamRun.Starter) throws -> (
        lines: [String], figures: StreamRun.Figures
    ) {
        let written = Written()
        var rest = Array(lines.joined(separator: "\n").utf8)[...]
        let figures = try StreamRun(settings, start: start).run(
            read: {
                defer { rest = rest.dropFirst(1000) }
                return Array(rest.prefix(1000))
            }, write: { written.add($0) }, fail: { Issue.record("\($0)") })
        #expect(figures.records == written.all.count)
        return (written.all, figures)
    }

    private func value(_ line: String, _ keys: String...) -> String? {
        let bytes = Array(line.utf8)
        guard var value = try? JSONGrammar.document(bytes.span) else { return nil }
        for key in keys {
            guard let next = value[key] else { return nil }
            value = next
        }
        return value.text
    }

    /// Early records take longest, so that later ones are ready before.
    @Test(arguments: [1, 4]) func `replies are in the order of the records`(jobs: Int) throws {
        let random = Mutex<UInt64>(42)
        let start = Self.starter { _, _ in
            let wait = random.withLock { state -> Int64 in
                state = state &* 6_364_136_223_846_793_005 &+ 1
                return Int64(state >> 60)
            }
            pause(.milliseconds(wait))
        }
        let lines = (0..<201).map { $0 % 7 == 3 ? "" : Self.record($0, "lib\($0).so") }
        let result = try Self.run(lines, Self.settings(jobs: jobs), start)
        #expect(result.lines.count == 201 && result.figures.errors == 29)
        for (index, line) in result.lines.enumerated() {
            #expect(value(line, "key") == (index % 7 == 3 ? nil : "\(index)"))
            #expect(value(line, "error", "kind") == (index % 7 == 3 ? "input" : nil), "\(line)")
        }
        #expect(value(result.lines[0], "format") == "sanitizer-asan" && value(result.lines[0], "reports") == "1")
    }

    /// A process that ends, and one that hangs, cost their own record alone.
    @Test func `a log that ends the process is an error, and the next is read`() throws {
        let starts = Atomic(0)
        let start = Self.starter { image, socket in
            if image == "bad.so" { socket.shutDown() }
        }
        let lines = ["a.so", "bad.so", "b.so", "bad.so", "c.so"].enumerated().map { Self.record($0, $1) }
        let result = try Self.run(lines, Self.settings()) { makes throws(FileError) in
            starts.add(1, ordering: .relaxed)
            return try start(makes)
        }
        #expect(result.lines.map { value($0, "error", "kind") } == [nil, "crash", nil, "crash", nil])
        #expect(result.lines.map { value($0, "key") } == ["0", "1", "2", "3", "4"] && result.figures.errors == 2)
        // The first; after each end another for a second try, and one for the next record.
        #expect(starts.load(ordering: .relaxed) == 5)
    }

    /// An earlier record may have damaged the process, so its end is not blamed on a later record.
    @Test func `a record has a second try in a new process`() throws {
        let seen = Atomic(0)
        let start = Self.starter { image, socket in
            if image == "once.so", seen.add(1, ordering: .relaxed).newValue == 1 { socket.shutDown() }
        }
        let result = try Self.run([Self.record(1, "once.so")], Self.settings(), start)
        #expect(result.figures == StreamRun.Figures(records: 1, errors: 0) && value(result.lines[0], "title") != nil)
    }

    @Test func `a log that takes too long is an error, and no more indexes are made`() throws {
        let made = Mutex<[Bool]>([])
        let gate = WorkQueue<Void>(maxWeight: .max)
        defer { gate.close() }
        let start = Self.starter { image, _ in if image == "slow.so" { _ = gate.next() } }
        var settings = Self.settings()
        settings.time = .seconds(3600)
        // The second record's hour is over when it begins.
        let records = Atomic(0)
        settings.now = { records.add(1, ordering: .relaxed).newValue == 2 ? .now - .seconds(3600) : .now }
        let result = try Self.run([Self.record(0, "a.so"), Self.record(1, "slow.so"), Self.record(2, "b.so")], settings) {
            makes throws(FileError) in
            made.withLock { $0.append(makes) }
            return try start(makes)
        }
        #expect(result.lines.map { value($0, "error", "kind") } == [nil, "time-limit", nil])
        #expect(made.withLock { $0 } == [true, false])
    }

    @Test func `a process that has grown is replaced`() throws {
        let starts = Atomic(0)
        var settings = Self.settings()
        settings.memory = 0
        let start = Self.starter { _, _ in }
        let result = try Self.run((0..<5).map { Self.record($0, "a.so") }, settings) { makes throws(FileError) in
            starts.add(1, ordering: .relaxed)
            return try start(makes)
        }
        #expect(result.figures.errors == 0 && starts.load(ordering: .relaxed) == 5)
    }

    @Test func `where no process starts, each record says so`() throws {
        let result = try Self.run((0..<20).map { Self.record($0, "a.so") }, Self.settings(jobs: 3)) { _ throws(FileError) in
            throw FileError(path: "cairn-tools", errorNumber: 2)
        }
        #expect(result.lines.map { value($0, "key") } == (0..<20).map { "\($0)" } && result.figures.unavailable == 20)
        #expect(result.lines.allSatisfy { value($0, "error", "kind") == "unavailable" })
    }

    /// Whoever sends the next record when the reply to the one before has come does not wait for
    /// ever, and whoever reads no replies is not read without an end.
    @Test func `a reply needs no further record, and no more is read than is written`() throws {
        let replies = WorkQueue<[UInt8]>(maxWeight: .max)
        var sent = 0
        _ = try StreamRun(Self.settings(), start: Self.starter { _, _ in }).run(
            read: {
                if sent > 0 { _ = replies.next() }
                sent += 1
                return sent <= 10 ? Array((Self.record(sent, "a.so") + "\n").utf8) : []
            }, write: { _ = replies.add($0, weight: 0) }, fail: { Issue.record("\($0)") })
        #expect(sent == 11)

        let read = Atomic(0)
        let thread = Mutex("")
        let gate = WorkQueue<Int>(maxWeight: .max)
        let written = Atomic(0)
        let ended = WorkQueue<Int>(maxWeight: .max)
        _ = Parallel.start {
            _ = try? StreamRun(Self.settings(jobs: 2), start: Self.starter { _, _ in }).run(
                read: {
                    let number = read.add(1, ordering: .relaxed).newValue
                    if number == 1 { thread.withLock { $0 = Self.thisThread() } }
                    return number <= 2000 ? Array((Self.record(number, "a.so") + "\n").utf8) : []
                },
                write: { _ in
                    if written.add(1, ordering: .relaxed).newValue == 1 { _ = gate.next() }
                }, fail: { _ in })
            _ = ended.add(1, weight: 0)
        }
        // The first line is not taken: then the thread that reads sleeps.
        #expect(
            eventually {
                let before = read.load(ordering: .relaxed)
                return written.load(ordering: .relaxed) == 1 && Self.isAsleep(thread.withLock { $0 })
                    && read.load(ordering: .relaxed) == before
            })
        // 32 lines for each of two jobs may wait.
        #expect(read.load(ordering: .relaxed) <= 2 * 32 + 3 && written.load(ordering: .relaxed) == 1)
        gate.close()
        _ = ended.next()
        #expect(written.load(ordering: .relaxed) == 2000)
    }

    /// Path of this thread in the system (`/proc/thread-self`, proc(5)).
    private static func thisThread() -> String {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = unsafe readlink("/proc/thread-self", &buffer, buffer.count)
        return "/proc/" + String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func isAsleep(_ thread: String) -> Bool {
        String(decoding: TestPaths.bytes(of: thread + "/stat"), as: UTF8.self).contains(") S ")
    }

    @Test func `an output that is closed is said once`() throws {
        let failures = Mutex<[FileError]>([])
        var rest = (0..<10).map { Self.record($0, "a.so") + "\n" }[...]
        let figures = try StreamRun(Self.settings(jobs: 2), start: Self.starter { _, _ in }).run(
            read: { rest.popFirst().map { Array($0.utf8) } ?? [] },
            write: { _ throws(FileError) in throw FileError(path: "standard output", errorNumber: 32) },
            fail: { error in failures.withLock { $0.append(error) } })
        #expect(failures.withLock { $0.map(\.errorNumber) } == [32] && figures.records == 10)
    }

    /// Two processes of this program: all input from the other one is checked.
    @Test func `a message that is none is refused`() {
        #expect(StreamMessage.record([]) == nil && StreamMessage.record([2, 1]) == nil && StreamMessage.record([1, 1]) == nil)
        #expect(StreamMessage.record([1] + [UInt8](repeating: 0xFF, count: 8)) == nil)
        #expect(StreamMessage.record([1, 9, 0, 0, 0, 0, 0, 0, 0, 1]) == nil)
        for record in [StreamRecord.line([]), .line([1, 2]), .pair(key: [], log: []), .pair(key: [1, 2], log: [3])] {
            #expect(StreamMessage.bytes(record).flatMap { StreamMessage.record($0) } == record)
        }
        let zeros = [UInt8](repeating: 0, count: 8)
        #expect(StreamMessage.reply([]) == nil && StreamMessage.reply([0] + zeros) == nil && StreamMessage.reply([2] + zeros + [10]) == nil)
        #expect(
            StreamMessage.reply([0] + zeros + Array("{}\n{}\n".utf8)) == nil && StreamMessage.reply([0] + zeros + Array("{}".utf8)) == nil)
        #expect(StreamMessage.reply([1] + zeros + Array("{}\n".utf8))?.reply.isError == true)
    }
}

private func pause(_ duration: Duration) { _ = FileDescriptor.wait(for: [], atMost: duration) }
