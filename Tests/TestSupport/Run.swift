import CSpawning
import LibC

/// Result of a program: its complete output, and how it ended.
package struct RunResult: Sendable {
    /// The exit status; 128 plus the signal's number where a signal ended it, as shells say it.
    package var status: Int32
    package var standardOutput: [UInt8]
    package var standardError: [UInt8]

    package init(status: Int32, standardOutput: [UInt8], standardError: [UInt8]) {
        self.status = status
        self.standardOutput = standardOutput
        self.standardError = standardError
    }

    /// Standard output as text.
    package var output: String { String(decoding: standardOutput, as: UTF8.self) }
    /// Standard error as text.
    package var errors: String { String(decoding: standardError, as: UTF8.self) }
    /// Standard output's lines, without the empty one after the last line ending.
    package var lines: [String] {
        var lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Checks that the program ended with status 0.
    /// - Throws: `RunError` with the line of the call and what the program wrote, if it did not.
    @discardableResult package func requireSuccess(file: String = #fileID, line: Int = #line) throws -> RunResult {
        guard status == 0 else { throw RunError(description: "\(file):\(line): status \(status): \(errors)\(output)") }
        return self
    }
}

package struct RunError: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
}

/// Runs a program to its end.
///
/// The three standard streams are unlinked temporary files, so nothing can block on a full pipe,
/// whatever the program writes.
/// - Parameters:
///   - program: its path, or a name to be found in `PATH`.
///   - arguments: without the program's own name.
///   - name: `argv[0]` where it differs from `program`.
///   - input: standard input's bytes.
///   - environment: variables set beside the current ones; `nil` as a value removes one.
///   - directory: the working directory; the current one if `nil`.
/// - Throws: `RunError` if the program cannot be started.
package func run(
    _ program: String, _ arguments: [String] = [], name: String? = nil, input: [UInt8] = [], environment changes: [String: String?] = [:],
    directory: String? = nil
) throws -> RunResult {
    try withStandardStreams(input: input) { streams in
        endStatus(
            of: try spawn(program, [name ?? program] + arguments, streams: streams, environment: changes, directory: directory))
    }
}

/// Gives `body` the descriptors of three files in place of a process's standard streams.
/// - Parameters:
///   - input: standard input's bytes.
///   - body: gets standard input, standard output and standard error; returns the status.
package func withStandardStreams(input: [UInt8], _ body: ([Int32]) throws -> Int32) throws -> RunResult {
    let streams = try [temporaryFile(), temporaryFile(), temporaryFile()]
    defer { for stream in streams { close(stream) } }
    try fill(streams[0], with: input)
    let status = try body(streams)
    return RunResult(status: status, standardOutput: try contents(streams[1]), standardError: try contents(streams[2]))
}

/// Starts a program (`posix_spawnp(3)`).
/// - Parameters:
///   - arguments: with `argv[0]`.
///   - streams: become its standard input, standard output and standard error.
///   - directory: its working directory; the current one if `nil`.
/// - Throws: `RunError` if it cannot be started.
func spawn(
    _ program: String, _ arguments: [String], streams: [Int32], environment changes: [String: String?], directory: String? = nil
) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
    if let directory { unsafe _ = cairn_add_directory_change(&actions, directory) }
    for (number, stream) in streams.enumerated() { unsafe posix_spawn_file_actions_adddup2(&actions, stream, Int32(number)) }
    // SwiftNIO, which some tests use, ignores SIGPIPE for the whole process, and what is ignored
    // stays so in what it starts: a program would not end as one does that a shell starts.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    var attributes = unsafe posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    // The threads that run tests block most signals, SIGCHLD too, for which ctest waits.
    var blocked = sigset_t()
    unsafe sigemptyset(&blocked)
    unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var child: pid_t = 0
    let failure = unsafe withCStrings(arguments) { argv in
        unsafe withCStrings(environment(changedBy: changes)) { envp in
            unsafe posix_spawnp(&child, program, &actions, &attributes, argv, envp)
        }
    }
    guard failure == 0 else { throw RunError(description: unsafe "\(program): \(String(cString: strerror(failure)))") }
    return child
}

/// Waits for a program's end.
/// - Returns: its status as `RunResult` has it.
func endStatus(of process: pid_t) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
}

/// A file's bytes.
package func readFile(_ path: String) throws -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw RunError(description: unsafe "\(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    return try contents(descriptor)
}

/// Writes a file anew.
package func writeFile(_ path: String, _ bytes: [UInt8]) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw RunError(description: unsafe "\(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    try fill(descriptor, with: bytes)
}

/// Cuts a file short, or lengthens it by a hole (`truncate(2)`).
package func cutFile(_ path: String, to size: Int) throws {
    guard unsafe truncate(path, off_t(size)) == 0 else {
        throw RunError(description: unsafe "\(path): \(String(cString: strerror(errno)))")
    }
}

/// Makes a pipe with a name (`mkfifo(3)`).
package func makePipe(_ path: String) throws {
    guard unsafe mkfifo(path, 0o600) == 0 else { throw RunError(description: unsafe "\(path): \(String(cString: strerror(errno)))") }
}

/// Makes a folder that is removed with everything in it after `body`.
package func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    var template = Array("/tmp/cairn-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw RunError(description: "no temporary folder") }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { removeTree(path) }
    return try body(path)
}

/// Makes folders, with those that they are in; not those that are there.
/// - Throws: `RunError` if one cannot be made.
package func makeFolders(_ paths: String...) throws {
    for path in paths {
        var made = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            made += "/" + name
            guard unsafe mkdir(made, 0o777) == 0 || errno == EEXIST else {
                throw RunError(description: unsafe "\(made): \(String(cString: strerror(errno)))")
            }
        }
    }
}

/// Removes a file, or a folder with all that is in it, locked ones too. Links are not followed.
private func removeTree(_ path: String) {
    var status = stat()
    guard unsafe unlink(path) != 0, unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    unsafe _ = chmod(path, 0o700)
    for name in TestPaths.names(in: path) { removeTree(path + "/" + name) }
    unsafe _ = rmdir(path)
}

private func temporaryFile() throws -> Int32 {
    var template = Array("/tmp/cairn-run-XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&template)
    guard descriptor >= 0 else { throw RunError(description: "no temporary file") }
    unsafe unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
}

private func fill(_ descriptor: Int32, with bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw RunError(description: "cannot write a temporary file") }
        rest = rest.dropFirst(count)
    }
    lseek(descriptor, 0, SEEK_SET)
}

private func contents(_ descriptor: Int32) throws -> [UInt8] {
    lseek(descriptor, 0, SEEK_SET)
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw RunError(description: "cannot read a file") }
        if count == 0 { return all }
        all += buffer[..<count]
    }
}

private func environment(changedBy changes: [String: String?]) -> [String] {
    var result: [String] = []
    var position = unsafe environ
    while let entry = unsafe position.pointee {
        let text = unsafe String(cString: entry)
        let name = String(text.prefix { $0 != "=" })
        if changes[name] == nil { result.append(text) }
        unsafe position += 1
    }
    for case (let name, let value?) in changes { result.append(name + "=" + value) }
    return result
}

private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
    for (index, string) in strings.enumerated() { unsafe pointers[index] = strdup(string) }
    unsafe pointers[strings.count] = nil
    defer {
        for index in strings.indices { unsafe free(pointers[index]) }
        unsafe pointers.deallocate()
    }
    return unsafe body(pointers)
}
