internal import CCairn
internal import LibC

/// The running program, and the programs that it can become.
package enum Program {
    /// The path of the running program, symbolic links resolved; `nil` if the system does not
    /// provide it.
    package static var ownPath: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        #if canImport(Darwin)
            var size = UInt32(path.count)
            guard unsafe _NSGetExecutablePath(&path, &size) == 0, let real = unsafe realpath(path, nil) else { return nil }
            defer { unsafe free(real) }
            return unsafe String(cString: real)
        #else
            let count = unsafe readlink("/proc/self/exe", &path, path.count)
            guard count > 0, count < path.count else { return startedPath }
            return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #endif
    }

    #if !canImport(Darwin)
        /// The path that the running program was started by, symbolic links resolved, for
        /// systems without `/proc`, such as a plain chroot.
        static var startedPath: String? {
            guard let start = unsafe cairn_executed_path(), let real = unsafe realpath(start, nil) else { return nil }
            defer { unsafe free(real) }
            return unsafe String(cString: real)
        }
    #endif

    /// The process's arguments, the program's name first; without `/proc` too, which `CommandLine`
    /// needs.
    package static var arguments: [String] {
        guard let arguments = unsafe cairn_arguments() else { return CommandLine.arguments }
        var result: [String] = []
        for index in 0..<Int(cairn_argument_count()) {
            if let argument = unsafe arguments[index] { result.append(unsafe String(cString: argument)) }
        }
        return result
    }

    /// This machine's name (`gethostname(2)`); `nil` where the system does not give it.
    package static var hostName: String? {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether there is a file at the path that this process may run.
    package static func isRunnable(_ path: String) -> Bool { unsafe PathKind(path: path) == .file && access(path, X_OK) == 0 }

    /// Whether a program runs as another user than who starts it (set-user-ID, set-group-ID), and this process is not root's.
    package static func changesUser(_ path: String) -> Bool {
        var information = stat()
        guard geteuid() != 0, unsafe stat(path, &information) == 0 else { return false }
        return information.st_mode & (S_ISUID | S_ISGID) != 0
    }

    /// The file that a command's first word runs: itself where it has a slash, else the first of
    /// that name in `PATH`.
    package static func path(of word: String) -> String? {
        if word.utf8.contains(UInt8(ascii: "/")) { return isRunnable(word) ? word : nil }
        guard !word.isEmpty else { return nil }
        return (environmentVariable("PATH") ?? "").split(separator: ":").map { Path.join(String($0), word) }.first { isRunnable($0) }
    }

    /// Starts a program (`posix_spawn(3)`) with this process's environment.
    /// - Parameters:
    ///   - path: of the program.
    ///   - arguments: without the program's own name.
    ///   - descriptors: descriptors that it gets, each under another number. They lose "close on exec" by that;
    ///     all others keep it.
    ///   - held: signals that it holds back. Threads that run tasks hold others, which it does not
    ///     take over: it could not be ended by Control-C.
    /// - Returns: its number.
    package static func start(
        _ path: String, _ arguments: [String], descriptors: [(from: Int32, to: Int32)], holding held: [Int32] = []
    ) throws(FileError) -> Int32 {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        for descriptor in descriptors { unsafe _ = posix_spawn_file_actions_adddup2(&actions, descriptor.from, descriptor.to) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in held { unsafe _ = sigaddset(&signals, signal) }
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var vector: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe vector.append(nil)
        defer { unsafe vector.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, path, &actions, &attributes, vector, environ)
        guard failure == 0 else { throw FileError(path: path, errorNumber: failure) }
        return process
    }

    /// Becomes another program (`execv(2)`), which keeps the process, its streams and its
    /// environment.
    /// - Parameters:
    ///   - path: of the program.
    ///   - arguments: without the program's own name.
    /// - Throws: `FileError` if it cannot be run; otherwise it does not return.
    package static func execute(_ path: String, _ arguments: [String]) throws(FileError) -> Never {
        var vector: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe vector.append(nil)
        unsafe _ = execv(path, vector)
        let number = errno
        unsafe vector.forEach { unsafe free($0) }
        throw FileError(path: path, errorNumber: number)
    }
}
