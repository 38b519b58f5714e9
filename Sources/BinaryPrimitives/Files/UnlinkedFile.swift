internal import CCairn
internal import LibC

/// Bytes that are put together piece by piece and then read as a file. From a size on they are in a
/// temporary file without a name. It is unlinked as soon as it is open, so that nothing is left,
/// however the process ends. Its pages are the kernel's to drop, which memory's are not.
package struct UnlinkedFile: ~Copyable {
    private var memory: [UInt8] = []
    private var descriptor: Int32 = -1
    package private(set) var count = 0

    private let largestInMemory: Int
    /// Zeros from which on they are left out.
    private static let hole = 1 << 16

    /// - Parameter largestInMemory: bytes up to which no file is made.
    package init(largestInMemory: Int = 1 << 20) { self.largestInMemory = largestInMemory }

    deinit { if descriptor >= 0 { close(descriptor) } }

    package mutating func append(_ bytes: [UInt8]) throws(FileError) { try append(bytes.span.rawBytes) }

    package mutating func append(_ bytes: RawSpan) throws(FileError) {
        count += bytes.byteCount
        if descriptor < 0 {
            memory.append(copying: bytes.text)
            guard memory.count > largestInMemory else { return }
            descriptor = try Self.make()
            let all = memory
            memory = []
            return try FileDescriptor.write(all, to: descriptor, path: Self.folder)
        }
        // Much of a core's memory was never used: a hole uses no disk space.
        if bytes.byteCount >= Self.hole, (0..<bytes.byteCount).allSatisfy({ bytes.byte(at: $0) == 0 }) {
            guard lseek(descriptor, off_t(bytes.byteCount), SEEK_CUR) >= 0 else { throw FileError(path: Self.folder, errorNumber: errno) }
            return
        }
        try FileDescriptor.write(bytes, to: descriptor, path: Self.folder)
    }

    /// Writes bytes in place of the first, which were appended before.
    package mutating func replaceStart(with bytes: [UInt8]) throws(FileError) {
        guard descriptor < 0 else { return try FileDescriptor.write(bytes, at: 0, to: descriptor, path: Self.folder) }
        memory.replaceSubrange(0..<min(bytes.count, memory.count), with: bytes)
        count = memory.count
    }

    /// The file while it is put together: bytes that were not appended yet are zero.
    /// - Parameters:
    ///   - size: final size of the file, in bytes.
    ///   - path: used in messages.
    /// - Throws: `FileError` also where everything is in memory so far.
    package func reading(count size: Int, path: String) throws(FileError) -> MappedFile {
        guard descriptor >= 0, ftruncate(descriptor, off_t(size)) == 0 else { throw FileError(path: path, errorNumber: errno) }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw FileError(path: path, errorNumber: errno) }
        return try MappedFile(descriptor: copy, path: path)
    }

    /// Maps the contents that were written.
    /// - Parameter path: used in messages.
    package consuming func finish(path: String) throws(FileError) -> MappedFile { try reading(path: path) }

    /// Maps the contents written so far, where this value cannot be consumed: in a lock.
    /// - Parameter path: used in messages.
    package func reading(path: String) throws(FileError) -> MappedFile {
        guard descriptor >= 0 else { return try MappedFile(bytes: memory.span.rawBytes, name: path) }
        return try reading(count: count, path: path)
    }

    /// Maps zeroed memory that is backed by a file; `nil` if there is no room for it.
    @unsafe static func mapping(count: Int) -> UnsafeMutableRawPointer? {
        #if canImport(Darwin)
            return nil  // a write would find out that the disk is full, by a signal: nothing reserves the room
        #else
            guard let descriptor = try? make() else { return nil }
            defer { close(descriptor) }
            guard posix_fallocate(descriptor, 0, off_t(count)) == 0,
                let memory = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), unsafe memory != MAP_FAILED
            else { return nil }
            return unsafe memory
        #endif
    }

    /// `TMPDIR`, else `/var/tmp`, which is meant for large files (file-hierarchy(7)): `/tmp` may be
    /// memory.
    private static var folder: String {
        environmentVariable("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/var/tmp"
    }

    private static func make() throws(FileError) -> Int32 {
        var template = Array(Path.join(folder, "cairn-XXXXXX").utf8CString)
        let descriptor = unsafe cairn_temporary_file(&template, 0o600)
        guard descriptor >= 0 else { throw FileError(path: folder, errorNumber: errno) }
        unsafe _ = unlink(template)
        return descriptor
    }
}
