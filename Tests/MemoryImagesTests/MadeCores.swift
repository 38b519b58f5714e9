import BinaryPrimitives
import MemoryImages
import ObjectFiles
import TestSupport
import Unwinding

/// Cores of programs that are compiled here, and what other unwinders say about them.
enum MadeCores {
    /// The kernel writes a core into the working directory of a process that crashes.
    static let kernelWrites: Bool = {
        guard let pattern = try? readFile("/proc/sys/kernel/core_pattern") else { return false }
        return String(decoding: pattern, as: UTF8.self).hasPrefix("core")
    }()
    static let euStack = ["/usr/bin/eu-stack"].first(where: TestPaths.isReadable)
    static let compilers = ["gcc", "clang-19"].filter { TestPaths.isReadable("/usr/bin/" + $0) }

    /// Threads that wait, a signal's handler above a comparator that `qsort` calls, recursion, and
    /// a crash in the handler.
    static let source = """
        #include <pthread.h>
        #include <signal.h>
        #include <stdlib.h>
        #include <unistd.h>
        static volatile int zero, *null;
        static pthread_barrier_t barrier;
        __attribute__((noinline)) static int deep(int n) { return n > 0 ? deep(n - 1) * 3 + n : (raise(SIGUSR1), zero); }
        __attribute__((noinline)) static int compare(const void *a, const void *b) { return deep(5) + *(int *)a - *(int *)b; }
        static void handler(int number) { char room[number * 16]; room[0] = 1; *null = room[zero]; }
        static void *wait(void *argument) { pthread_barrier_wait(&barrier); for (;;) pause(); return argument; }
        int main(void) {
            int numbers[] = {3, 1, 2};
            sigset_t none;
            alarm(30);
            /* Whoever starts this may have blocked them. */
            sigemptyset(&none);
            sigprocmask(SIG_SETMASK, &none, NULL);
            pthread_t thread;
            stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
            struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
            pthread_barrier_init(&barrier, NULL, 3);
            for (int i = 0; i < 2; i++) pthread_create(&thread, NULL, wait, NULL);
            pthread_barrier_wait(&barrier);
            usleep(50000);
            sigaltstack(&other, NULL);
            sigaction(SIGUSR1, &action, NULL);
            qsort(numbers, 3, sizeof(int), compare);
            return numbers[0];
        }
        """

    /// Compiles the program, lets it crash, and gives its core to `body`.
    static func withCore(_ compiler: String, _ options: [String], _ body: (_ program: String, _ core: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array(source.utf8))
            try run(compiler, options + ["-g", "-pthread", "a.c", "-o", "prog"], directory: folder).requireSuccess()
            _ = try run("sh", ["-c", "ulimit -c unlimited; exec ./prog"], directory: folder)
            guard let core = TestPaths.files(under: folder).first(where: { $0.hasPrefix(folder + "/core") }) else {
                throw RunError(description: "no core was written")
            }
            try body(folder + "/prog", core)
        }
    }

    /// The same for a program of another processor.
    static func withEmulatedCore<Result>(
        _ compiler: String, _ emulator: String, _ options: [String], source: String = source,
        _ body: (_ program: String, _ core: String) throws -> Result
    ) throws -> Result {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/a.c", Array(source.utf8))
            try run(compiler, options + ["-g", "-static", "-pthread", "a.c", "-o", "prog"], directory: folder).requireSuccess()
            _ = try run("sh", ["-c", "ulimit -c unlimited; exec \(emulator) ./prog"], directory: folder)
            guard let core = TestPaths.files(under: folder).first(where: { $0.hasPrefix(folder + "/qemu_prog_") && $0.hasSuffix(".core") })
            else { throw RunError(description: "no core was written") }
            return try body(folder + "/prog", core)
        }
    }

    /// The addresses of each thread's frames, as eu-stack prints them.
    static func euStack(_ program: String, _ core: String) throws -> [UInt64: [UInt64]] {
        let lines = try run("eu-stack", ["-n", "0", "--core=" + core, "--executable=" + program], environment: ["DEBUGINFOD_URLS": nil])
            .lines
        return stacks(lines)
    }

    static func stacks(_ lines: [String]) -> [UInt64: [UInt64]] {
        var stacks: [UInt64: [UInt64]] = [:]
        var thread: UInt64?
        for line in lines {
            let words = line.split { " :".contains($0) }
            if words.first == "TID", words.count == 2 { thread = UInt64(words[1]) }
            guard let thread, words.count >= 2, words[0].hasPrefix("#"), words[1].hasPrefix("0x"),
                let address = UInt64(words[1].dropFirst(2), radix: 16)
            else { continue }
            stacks[thread, default: []].append(address)
        }
        return stacks
    }

    /// Opens the files where the process had them.
    static func files(_ image: MappedImage) -> ImageFiles { ImageFiles((try? ObjectFiles.open(path: image.path)).map { [$0] } ?? []) }
}

extension UnwoundStack {
    /// For messages.
    var text: String {
        frames.map { "\(String($0.programCounter, radix: 16)) \($0.trust.rawValue)\($0.isExact ? "!" : "")" }.joined(separator: ", ")
            + " \(end)"
    }
}
