import BinaryPrimitives
import Synchronization
import TestSupport
import Testing

/// Waiting work, and waiting threads.
struct WorkQueueTests {
    private final class Piece: Sendable {
        static let alive = Atomic(0)
        init() { Self.alive.add(1, ordering: .relaxed) }
        deinit { Self.alive.subtract(1, ordering: .relaxed) }
    }

    /// In an endless stream the queue may never be empty: removed elements are not kept.
    @Test func `nothing is kept of what was taken`() {
        let queue = WorkQueue<Piece>(maxWeight: .max)
        _ = queue.add(Piece(), weight: 1)
        for _ in 0..<10_000 {
            _ = queue.add(Piece(), weight: 1)
            _ = queue.next()
        }
        #expect(Piece.alive.load(ordering: .relaxed) == 1)
        _ = queue.next()
        #expect(Piece.alive.load(ordering: .relaxed) == 0 && queue.next(waits: false) == nil)
    }

    @Test func `first in, first out, as far as there is room`() {
        let queue = WorkQueue<Int>(maxWeight: 10)
        for number in 0..<5_000 {
            #expect(queue.add(number, weight: 4) && queue.add(-number, weight: 4) && !queue.add(0, weight: 4))
            #expect(queue.next() == number && queue.next() == -number)
        }
        // One may always wait.
        #expect(queue.add(1, weight: 100))
        queue.close()
        #expect(queue.next() == 1 && queue.next() == nil)
    }

    /// Whether somebody waits for the lock of a folder: `1: -> FLOCK ADVISORY WRITE 17 08:01:4711 0 EOF`
    /// (`/proc/locks`, proc(5)).
    private static func isAwaited(_ folder: String) throws -> Bool {
        let file = try run("stat", ["-c", "%i", folder]).lines.first ?? ""
        return try readFile("/proc/locks").split(separator: UInt8(ascii: "\n")).contains { line in
            let text = String(decoding: line, as: UTF8.self)
            return text.contains(" -> FLOCK ") && text.contains(":\(file) ")
        }
    }

    /// The lock of a folder is one thread's, and one process's, at a time; and a process that is
    /// killed leaves none.
    @Test func `a folder is locked until its lock is released, or its process has ended`() throws {
        try withTemporaryFolder { folder in
            let lock = FolderLock(folder)
            let queue = WorkQueue<Int>(maxWeight: .max)
            _ = Parallel.start {
                FolderLock(folder).release()
                _ = queue.add(1, weight: 0)
            }
            #expect(try eventually { try Self.isAwaited(folder) })
            #expect(queue.next(waits: false) == nil)
            // flock(1) tries the same lock.
            #expect(try run("flock", ["-n", folder, "true"]).status == 1)
            lock.release()
            #expect(queue.next() == 1)
            #expect(try run("flock", ["-n", folder, "true"]).status == 0)

            let other = try StartedProgram(["flock", folder, "sh", "-c", "echo locked; exec sleep 1000"])
            #expect(other.line() == "locked")
            _ = Parallel.start {
                FolderLock(folder).release()
                _ = queue.add(2, weight: 0)
            }
            #expect(try eventually { try Self.isAwaited(folder) })
            #expect(queue.next(waits: false) == nil)
            try run("sh", ["-c", "pkill -9 -P $1; kill -9 $1", "sh", "\(other.process)"]).requireSuccess()
            #expect(queue.next() == 2 && Directory.entries(in: folder, limit: 10).isEmpty)
        }
    }
}
