internal import CCairn
internal import LibC

/// Memory of this process.
package enum ProcessMemory {
    /// Bytes that are its own and not pages of files; 0 where the system does not say it
    /// (`/proc/self/statm`, proc_pid_statm(5): resident and shared pages).
    package static var own: Int {
        let path = "/proc/self/statm"
        guard let descriptor = try? FileDescriptor.open(path) else { return 0 }
        defer { FileDescriptor.close(descriptor) }
        guard let text = try? FileDescriptor.readSome(from: descriptor, limit: 256, path: path) else { return 0 }
        let numbers = String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        guard numbers.count > 2 else { return 0 }
        return max(0, numbers[1] &- numbers[2]) &* Int(getpagesize())
    }

    /// Lowers how much memory this process may take for itself (`RLIMIT_DATA`, setrlimit(2)): a
    /// request for more ends it. Mapped files do not count.
    package static func limit(to bytes: Int) {
        #if canImport(Darwin)
            let kind = RLIMIT_DATA
        #else
            let kind = __rlimit_resource_t(RLIMIT_DATA.rawValue)
        #endif
        var limits = rlimit()
        guard unsafe getrlimit(kind, &limits) == 0 else { return }
        limits.rlim_cur = min(limits.rlim_max, rlim_t(bytes))
        unsafe _ = setrlimit(kind, &limits)
    }

    /// Removes pages of the program itself, code and constants, from this process's memory: for a
    /// process that has started, and then does one thing for days.
    ///
    /// Reading options, and finding out which types conform to which protocols, goes through much
    /// of a program of 160 MB, and around each byte the kernel maps 64 KB. What is used again
    /// comes back from the page cache. The two processes of `cairn serve` had 54 MB at most
    /// without this, and have 49.
    package static func releaseProgram() { cairn_release_program_pages() }
}
