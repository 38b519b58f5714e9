import BinaryPrimitives
import LibC
import Synchronization
import TestSupport
import Testing

struct ParallelTests {
    /// `nproc` of coreutils counts the processors that a process may run on, which `taskset` and containers make fewer.
    @Test func `as many processors are used as the process may run on`() throws {
        let result = try run("env", ["-u", "OMP_NUM_THREADS", "-u", "OMP_THREAD_LIMIT", "nproc"])
        try result.requireSuccess()
        #expect("\(Parallel.processors)" == result.output.split(separator: "\n").first.map(String.init))
    }

    @Test(arguments: [1, 2, 7, 1000]) func `a map keeps the order of its elements`(count: Int) {
        #expect(Parallel.map(Array(0..<count), chunk: 3) { $0 * 2 } == (0..<count).map { $0 * 2 })
    }

    @Test(arguments: [true, false]) func `both halves are done, whether a thread is started or not`(worthwhile: Bool) {
        let (first, second) = Parallel.both(worthwhile: worthwhile) {
            1
        } _: {
            "b"
        }
        #expect(first == 1 && second == "b")
    }

    /// A thread begins on another processor than its creator, and may run on all of the process's later.
    @Test(.enabled(if: Parallel.processors > 1, "one processor")) func `a thread may run wherever the process may`() throws {
        let results = Mutex<[[UInt8]]>([])
        Parallel.run(onThreads: Parallel.processors) {
            // The creator allows it all processors when it has begun.
            var status: [UInt8] = []
            for _ in 0..<1000 {
                status = (try? readFile("/proc/thread-self/status")) ?? []
                if Self.allowed(status) == Self.allowed((try? readFile("/proc/self/status")) ?? []) { break }
                usleep(1000)
            }
            results.withLock { $0.append(status) }
        }
        let process = Self.allowed(try readFile("/proc/self/status"))
        #expect(!process.isEmpty)
        #expect(results.withLock { $0 }.map(Self.allowed) == [String](repeating: process, count: Parallel.processors))
    }

    private static func allowed(_ status: [UInt8]) -> String {
        String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }.map(String.init) ?? ""
    }
}
