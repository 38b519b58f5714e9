#if os(Linux)
    import CFilterProbe
    import Testing

    /// Which system calls a sealed process may make, each tried in a process of its own.
    struct FilterTests {
        private static let isThere = probe("read") != 254

        private static func probe(_ call: String, opensFiles: Bool = false) -> Int32 { unsafe cairn_probe(call, opensFiles ? 1 : 0) }

        @Test(
            .enabled(if: isThere, "no filters of system calls here"),
            arguments: ["read", "pread", "write", "fstat", "sleep", "memory", "thread", "raise", "limit"])
        func `what reading, memory, threads and clocks need is allowed`(call: String) {
            #expect(Self.probe(call) == 0)
        }

        /// 159: ended by SIGSYS, 31.
        @Test(
            .enabled(if: isThere, "no filters of system calls here"),
            arguments: [
                "open to write", "open to create", "open without a name", "openat2", "execve", "execveat", "fork", "socket", "connect",
                "ptrace",
                "process_vm_readv", "kill another", "tgkill another", "pidfd_open", "unlink", "rename", "mkdir", "chmod",
                "code from a file",
                "code from memory", "raise a limit", "memfd_create", "io_uring_setup", "bpf", "mount", "unshare",
            ])
        func `what reaches beyond the process ends it`(call: String) {
            #expect(Self.probe(call) == 128 + 31)
            #expect(Self.probe(call, opensFiles: true) == 128 + 31)
        }

        /// The errors that a missing right (13, EACCES), a missing call (38, ENOSYS), a forbidden
        /// one (1, EPERM) and no terminal (25, ENOTTY) give.
        @Test(
            .enabled(if: isThere, "no filters of system calls here"),
            arguments: [("open", Int32(13)), ("clone3", 38), ("prctl", 1), ("terminal", 25)])
        func `what the C library can do without is refused`(call: String, error: Int32) {
            #expect(Self.probe(call) == error)
        }

        @Test(.enabled(if: isThere, "no filters of system calls here"))
        func `files are opened to be read where that is needed`() {
            #expect(Self.probe("open", opensFiles: true) == 0)
        }
    }
#endif
