#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Why a file could not be opened or read: the system's error with the path it was about.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    public var path: String
    /// `errno` of the call that failed; zero where the file is no regular file.
    public var errorNumber: Int32

    public var description: String {
        errorNumber == 0 ? "\(path): not a regular file" : unsafe "\(path): \(String(cString: strerror(errorNumber)))"
    }
}

/// A file, open for reading and mapped: `open(2)`, `fstat(2)` and `mmap(2)` with `PROT_READ`.
///
/// Small integers scattered over a large file are cheaper by `read(at:into:)` than through the mapping, where each touches 64 KB
/// (the kernel's fault-around); whole sections that are read once are cheapest through one reused buffer. Strings and tables
/// that are binary-searched are read through the mapping.
///
/// A file that another process truncates while it is mapped raises `SIGBUS` on access, as for every tool that maps its input.
@safe public final class MappedFile: Sendable {
    public let path: String
    /// The size in bytes when it was opened.
    public let size: Int
    private let descriptor: Int32
    // A mapping is immutable memory for as long as the object lives, whichever thread reads it.
    private nonisolated(unsafe) let start: UnsafeRawPointer?

    /// - Throws: `FileError` if the file cannot be opened or mapped, or is not a regular file. An empty file maps as no bytes.
    public init(path: String) throws(FileError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: path, errorNumber: errno) }
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else {
            let number = errno
            close(descriptor)
            throw FileError(path: path, errorNumber: number)
        }
        guard information.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileError(path: path, errorNumber: information.st_mode & S_IFMT == S_IFDIR ? EISDIR : 0)
        }
        let size = Int(information.st_size)
        var start: UnsafeRawPointer?
        if size > 0 {
            let mapping = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0)
            guard let mapping = unsafe mapping, unsafe mapping != MAP_FAILED else {
                let number = errno
                close(descriptor)
                throw FileError(path: path, errorNumber: number)
            }
            unsafe start = UnsafeRawPointer(mapping)
        }
        self.path = path
        self.size = size
        self.descriptor = descriptor
        unsafe self.start = start
    }

    deinit {
        if let start = unsafe start { unsafe _ = munmap(UnsafeMutableRawPointer(mutating: start), size) }
        close(descriptor)
    }

    /// Gives the whole file's bytes to `body`, through the mapping.
    public func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        try unsafe body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: size)))
    }

    /// Copies bytes of the file into the start of `buffer` with `pread(2)`.
    /// - Parameters:
    ///   - offset: position in the file, in bytes.
    ///   - buffer: filled from its start.
    /// - Returns: how many bytes were copied: fewer than the buffer holds only at the end of the file or after an error.
    public func read(at offset: FileOffset, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let position = off_t(exactly: offset.value) else { return 0 }
        var done = 0
        while done < buffer.count {
            let part = unsafe pread(
                descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done, position + off_t(done))
            if part < 0, errno == EINTR { continue }
            if part <= 0 { break }
            done += part
        }
        return done
    }

    /// Tells the kernel that the pages of the mapping are not needed for now (`madvise(2)`, `MADV_DONTNEED`), which takes
    /// them out of the resident set. They are read again from the page cache when they are touched.
    public func releasePages() {
        if let start = unsafe start { unsafe _ = madvise(UnsafeMutableRawPointer(mutating: start), size, Int32(MADV_DONTNEED)) }
    }

    /// The mapped bytes for a C library that keeps a pointer to them. Valid as long as this object lives.
    @unsafe public var unsafeBytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: size) }
}
