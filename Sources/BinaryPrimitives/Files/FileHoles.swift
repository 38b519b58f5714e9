internal import LibC

#if canImport(Darwin)
    private let seekData = SEEK_DATA
    private let seekHole = SEEK_HOLE
#else
    // `lseek(2)`: the headers have them for GNU's programs only.
    private let seekData: Int32 = 3
    private let seekHole: Int32 = 4
#endif

extension FileDescriptor {
    /// Opens a file that is read from its beginning to its end, whose bytes are there.
    ///
    /// An empty file can have any size: bytes that were never written are a hole, which uses no
    /// disk space and reads as zeros. `truncate -s 1T a.log` makes a file that takes an hour to
    /// read; so does a program that continues to write at its old offset after `logrotate` with
    /// `copytruncate` has cut its log.
    /// - Parameters:
    ///   - limit: bytes of all holes together.
    ///   - isNotRead: whether a file with these first bytes is not read from beginning to end, so
    ///     that its holes do not matter.
    /// - Throws: `FileError` (`FileError.holes`) where there are more.
    package static func openWritten(
        _ path: String, holes limit: Int = Limits.standard.fileHoles, unless isNotRead: ([UInt8]) -> Bool = { _ in false }
    ) throws(FileError) -> Int32 {
        let descriptor = try open(path)
        guard hasMoreHoles(descriptor, than: limit) else { return descriptor }
        let start = (try? readSome(from: descriptor, limit: 64, path: path)) ?? []
        lseek(descriptor, 0, SEEK_SET)
        if isNotRead(start) { return descriptor }
        close(descriptor)
        throw FileError(path: path, errorNumber: FileError.holes)
    }

    /// Looks at the file's extents (`lseek(2)` with `SEEK_HOLE` and `SEEK_DATA`), if the file
    /// system reports them; a pipe has none. The descriptor is at the beginning afterwards.
    private static func hasMoreHoles(_ descriptor: Int32, than limit: Int) -> Bool {
        var information = stat()
        // A smaller file cannot have so many. The size is read without moving the position: on
        // macOS a path like /dev/fd/3 shares its position with the process that opened it.
        guard unsafe fstat(descriptor, &information) == 0, Int64(information.st_size) > Int64(limit) else { return false }
        let size = information.st_size
        defer { lseek(descriptor, 0, SEEK_SET) }
        var left = Int64(limit)
        var position: off_t = 0
        while position < size {
            let hole = lseek(descriptor, position, seekHole)
            guard hole >= position, hole < size else { return false }
            // There is none where the rest of the file is a hole (`ENXIO`).
            let data = lseek(descriptor, hole, seekData)
            let end = data < 0 ? size : data
            guard end > hole else { return false }
            left -= Int64(end - hole)
            if left < 0 { return true }
            position = end
        }
        return false
    }
}
