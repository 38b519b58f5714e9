import BinaryPrimitives
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
        let (first, second) = Parallel.both(worthwhile: worthwhile) { 1 } _: { "b" }
        #expect(first == 1 && second == "b")
    }
}
