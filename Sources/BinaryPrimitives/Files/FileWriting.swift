internal import CCairn
internal import LibC

/// Writing, and the reading of streams that cannot be mapped. Descriptors: 0 standard input, 1
/// standard output, 2 standard error.
package enum FileDescriptor {
    /// Writes all bytes (`write(2)`, gone on with after a short write or a signal).
    package static func write(_ bytes: [UInt8], to descriptor: Int32, path: String = "standard output") throws(FileError) {
        try write(bytes.span.rawBytes, to: descriptor, path: path)
    }

    /// Writes a raw byte span.
    static func write(_ bytes: RawSpan, to descriptor: Int32, path: String) throws(FileError) {
        var done = 0
        while done < bytes.byteCount {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe writeSome(descriptor, UnsafeRawBufferPointer(rebasing: buffer[done...]))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN || errno == EWOULDBLOCK {
                // Whoever shares the other end may have made it non-blocking, as Node.js does with
                // its children's pipes.
                waitForRoom(in: descriptor)
                continue
            }
            guard count > 0 else { throw FileError(path: path, errorNumber: errno) }
            done += count
        }
    }

    /// Writes all bytes in place of those at an offset (`pwrite(2)`).
    static func write(_ bytes: [UInt8], at offset: Int, to descriptor: Int32, path: String) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(descriptor, buffer.baseAddress.map { unsafe $0 + done }, bytes.count - done, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(path: path, errorNumber: errno) }
            done += count
        }
    }

    /// Reads the available bytes, at most `limit`: it waits for the first byte only, so that a
    /// response can follow each question.
    /// - Returns: no bytes at the end.
    package static func readSome(from descriptor: Int32, limit: Int = 1 << 16, path: String = "standard input") throws(FileError) -> [UInt8]
    {
        while true {
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
                count = unsafe readOnce(descriptor, UnsafeMutableRawBufferPointer(buffer))
                initialized = max(0, count)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN || errno == EWOULDBLOCK {
                _ = wait(for: [descriptor], atMost: nil)
                continue
            }
            guard count >= 0 else { throw FileError(path: path, errorNumber: errno) }
            return bytes
        }
    }

    /// Reads to the end.
    /// - Parameter limit: maximum number of bytes; longer input is refused (`EFBIG`), also from a
    ///   device without an end.
    package static func readAll(from descriptor: Int32, limit: Int = .max, path: String = "standard input") throws(FileError) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let part = try readSome(from: descriptor, limit: 1 << 20, path: path)
            if part.isEmpty { return all }
            guard part.count <= limit - all.count else { throw .tooLarge(path) }
            all += part
        }
    }

    /// Whether reading would not wait (`poll(2)`): bytes are there, or the end is.
    package static func hasInput(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) > 0
    }

    /// Writes as many bytes as the other end accepts at once.
    /// - Returns: number of bytes written; all of them if the other end is closed.
    package static func writeAvailable(_ bytes: [UInt8], to descriptor: Int32) -> Int {
        let count = unsafe bytes.withUnsafeBytes { unsafe writeSome(descriptor, $0) }
        if count < 0 { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : bytes.count }
        return count
    }

    /// Waits until one of several descriptors can be read, or its other end is closed (`poll(2)`).
    /// - Parameter atMost: how long; `nil`: without an end.
    /// - Returns: for each whether it is so; none where the time is over, or a signal came.
    package static func wait(for descriptors: [Int32], atMost: Duration?) -> [Bool] {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = atMost.map {
            max(0, $0.components.seconds * 1000 + ($0.components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        }
        let count = unsafe poll(&entries, nfds_t(entries.count), milliseconds.map { Int32(clamping: $0) } ?? -1)
        return entries.map { count > 0 && $0.revents != 0 }
    }

    private static func waitForRoom(in descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe _ = poll(&entry, 1, -1)
    }

    /// Whether it is a terminal.
    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Whether a program reads the other end: it is a pipe or a socket, neither a file nor a terminal nor `/dev/null`.
    package static func isPipe(_ descriptor: Int32) -> Bool {
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else { return false }
        let kind = information.st_mode & S_IFMT
        return kind == S_IFIFO || kind == S_IFSOCK
    }

    private static func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        unsafe LibC.write(descriptor, bytes.baseAddress, bytes.count)
    }

    private static func readOnce(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
        unsafe read(descriptor, bytes.baseAddress, bytes.count)
    }
}

/// A file that appears whole or not at all: it is written beside `path`, and renamed at the end.
///
/// While it is written it is locked (`flock(2)`), and the lock ends with the process however that
/// ends. It distinguishes what a killed process has left from what another one is writing
/// (`removeAbandoned(in:)`).
///
package struct FileReplacement: ~Copyable {
    package let path: String
    /// Path of the temporary file; `nil` if `path` is a device or a pipe and is written directly.
    private let temporary: String?
    private let descriptor: Int32
    private var isDone = false

    /// Begins the file.
    /// - Parameter isNamed: the user named the path. A device or a pipe is then written directly and never replaced:
    ///   otherwise root with `-o /dev/null` would replace the device of the whole machine.
    package init(path: String, isNamed: Bool = false) throws(FileError) {
        if isNamed, Self.isDevice(path) {
            descriptor = try FileDescriptor.openDevice(path)
            temporary = nil
            self.path = path
            return
        }
        while true {
            var template = Array(Path.join(Path.directory(of: path), Self.prefix + "XXXXXX").utf8CString)
            let descriptor = unsafe cairn_temporary_file(&template, 0o666)
            guard descriptor >= 0 else { throw FileError(path: path, errorNumber: errno) }
            // If the file system has no locks, other processes do not remove anything either.
            _ = flock(descriptor, LOCK_EX)
            var information = stat()
            if unsafe fstat(descriptor, &information) == 0, information.st_nlink == 0 {
                // Another process removed the file as abandoned before it was locked.
                close(descriptor)
                continue
            }
            self.descriptor = descriptor
            temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            self.path = path
            return
        }
    }

    /// Whether a path leads to a device, a pipe or a socket; symbolic links are followed.
    private static func isDevice(_ path: String) -> Bool {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else { return false }
        let kind = information.st_mode & S_IFMT
        return kind != S_IFREG && kind != S_IFDIR
    }

    package static let prefix = ".cairn-"

    /// Whether a name belongs to a file, or to a folder of files, that is being written.
    package static func isUnfinished(_ name: String) -> Bool { name.hasPrefix(prefix) }

    /// Removes what processes that were killed have left of files that they were writing in a
    /// folder of ours.
    package static func removeAbandoned(in folder: String) {
        for entry in Directory.entries(in: folder, limit: 100_000)
        where entry.name.hasPrefix(prefix) && entry.name.utf8.count == prefix.utf8.count + 6 && entry.kind == .file {
            let path = Path.join(folder, entry.name)
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unsafe _ = unlink(path) }
            close(descriptor)
        }
    }

    deinit {
        // Not finished: nothing of it stays.
        if !isDone {
            close(descriptor)
            if let temporary { unsafe unlink(temporary) }
        }
    }

    package func append(_ bytes: [UInt8]) throws(FileError) { try FileDescriptor.write(bytes, to: descriptor, path: path) }

    /// Writes bytes in place of the first, which were appended before.
    package func replaceStart(with bytes: [UInt8]) throws(FileError) {
        try FileDescriptor.write(bytes, at: 0, to: descriptor, path: path)
    }

    /// Makes the file durable (`fsync(2)`) and renames it to `path`, so that no reader ever sees a
    /// part of it, and a failure leaves the old file.
    package mutating func finish() throws(FileError) {
        guard let temporary else {
            close(descriptor)
            isDone = true
            return
        }
        guard fsync(descriptor) == 0, unsafe rename(temporary, path) == 0 else {
            throw FileError(path: path, errorNumber: errno)
        }
        close(descriptor)
        isDone = true
    }

    /// How large a file this process may write, in bytes (`RLIMIT_FSIZE`, `ulimit -f`).
    private static var maxFileSize: Int {
        #if canImport(Darwin)
            let kind = RLIMIT_FSIZE
        #else
            let kind = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #endif
        var limits = rlimit()
        return unsafe getrlimit(kind, &limits) == 0 ? Int(clamping: limits.rlim_cur) : .max
    }

    /// Writes a whole file.
    package static func write(_ bytes: [UInt8], to path: String, isNamed: Bool = false) throws(FileError) {
        // The process would be ended (SIGXFSZ).
        guard bytes.count <= maxFileSize else { throw .tooLarge(path) }
        var file = try FileReplacement(path: path, isNamed: isNamed)
        try file.append(bytes)
        try file.finish()
    }

    /// Gives a file a second name (`link(2)`), replacing an existing file with that name.
    /// - Returns: whether the file system has it now; some know no such links.
    package static func link(_ path: String, to name: String) -> Bool {
        let temporary = Path.join(Path.directory(of: name), prefix + "link-\(getpid())")
        unsafe unlink(temporary)
        guard unsafe LibC.link(path, temporary) == 0 else { return false }
        // If both names are links to one file, `rename(2)` does nothing and leaves both.
        defer { unsafe unlink(temporary) }
        return unsafe rename(temporary, name) == 0
    }

    /// Gives a file a second name (`link(2)`) that no other file has, and makes it durable.
    /// - Returns: whether it has the name; `false` where another file has it, which stays.
    package static func linkIfNew(_ path: String, to name: String) throws(FileError) -> Bool {
        guard unsafe LibC.link(path, name) == 0 else {
            if errno == EEXIST { return false }
            throw FileError(path: name, errorNumber: errno)
        }
        Directory.synchronize(Path.directory(of: name))
        return true
    }

    /// Removes a file.
    package static func remove(_ path: String) throws(FileError) {
        guard unsafe unlink(path) == 0 else { throw FileError(path: path, errorNumber: errno) }
    }

    /// Whether both paths lead to one file.
    package static func isSameFile(_ path: String, _ other: String) -> Bool {
        guard let first = FileIdentity(path: path) else { return false }
        return first == FileIdentity(path: other)
    }

    /// Makes a directory unless there is one, and those above it.
    package static func makeDirectories(_ path: String) throws(FileError) {
        guard PathKind(path: path) != .directory else { return }
        let parent = Path.directory(of: path)
        if parent != path { try makeDirectories(parent) }
        try makeDirectory(path)
    }

    /// Makes a directory unless there is one.
    package static func makeDirectory(_ path: String) throws(FileError) {
        guard unsafe mkdir(path, 0o777) == 0 || (errno == EEXIST && PathKind(path: path) == .directory) else {
            throw FileError(path: path, errorNumber: errno)
        }
    }
}

/// A variable of the process's environment; `nil` if it is not set.
package func environmentVariable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
}

/// The process's environment, each variable as `NAME=value`; invalid UTF-8 is repaired.
package func environmentVariables() -> [String] {
    var variables: [String] = []
    var next = unsafe environ
    while let variable = unsafe next.pointee {
        variables.append(unsafe String(cString: variable))
        unsafe next += 1
    }
    return variables
}

/// Ends the process with a status of another program.
package func exitProcess(_ status: Int32) -> Never { exit(status) }

extension FileDescriptor {
    /// Opens a file to read.
    /// - Returns: the descriptor, which the caller closes by `close(_:)`.
    package static func open(_ path: String) throws(FileError) -> Int32 {
        let descriptor = openForReading(path)
        guard descriptor >= 0 else { throw FileError(path: path, errorNumber: errno) }
        return descriptor
    }

    /// Opens a device or a pipe to write.
    fileprivate static func openDevice(_ path: String) throws(FileError) -> Int32 {
        let descriptor = openForWriting(path)
        guard descriptor >= 0 else { throw FileError(path: path, errorNumber: errno) }
        return descriptor
    }

    package static func close(_ descriptor: Int32) { closeDescriptor(descriptor) }

    /// The first bytes of a file, fewer where it is shorter; empty where it cannot be read. For
    /// files of which only the beginning is wanted, which are not worth a mapping.
    package static func head(of path: String, count: Int) -> [UInt8] {
        // Other kinds of files, or unreadable ones, have no such bytes: opening a pipe would wait
        // for its other end.
        guard PathKind(path: path) == .file, let descriptor = try? open(path) else { return [] }
        defer { close(descriptor) }
        return (try? readSome(from: descriptor, limit: count, path: path)) ?? []
    }

    /// Reads a pipe or a device to its end.
    package static func readAll(atPath path: String, limit: Int = .max) throws(FileError) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        return try readAll(from: descriptor, limit: limit, path: path)
    }
}

/// `open(2)` and `close(2)`, whose names the extension above has itself.
private func openForReading(_ path: String) -> Int32 { unsafe open(path, O_RDONLY | O_CLOEXEC) }
private func openForWriting(_ path: String) -> Int32 { unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) }
private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }
