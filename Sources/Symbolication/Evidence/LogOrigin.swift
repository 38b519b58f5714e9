internal import BinaryPrimitives

/// Facts about a log in addition to its text, which decide whether files of this machine can be those of the
/// crash.
public struct LogOrigin: Sendable, Hashable {
    /// When the log was written, or when the run that prints it began: nanoseconds since 1970 (UTC). A file
    /// that was modified later is not the one that crashed.
    public var writtenAt: Int64
    /// Directories from which relative paths of images may count, the likeliest first.
    public var folders: [String]
    /// Whether a program that runs on this machine prints it, in any directory.
    var isOfThisMachine = false

    /// - Parameters:
    ///   - writtenAt: when the log was written, in seconds since 1970.
    ///   - folders: directories from which relative paths of the log may count.
    public init(writtenAt: Int64, folders: [String]) {
        self.writtenAt = writtenAt
        self.folders = folders
    }

    /// A log that is printed now, by a program that runs in the working directory.
    /// - Parameter start: when it began, as `writtenAt`.
    public static func running(since start: Int64) -> LogOrigin {
        var origin = LogOrigin(writtenAt: start, folders: ["."])
        origin.isOfThisMachine = true
        return origin
    }

    /// Creates the origin of a log in a file: its images may be beside it, or in the working directory. For
    /// `-`, and for a path that is not a regular file, the log is written now.
    public init(logAt path: String) {
        let stamp = FileStamp(path: path == "-" ? "/dev/stdin" : path)
        writtenAt = stamp?.modified ?? WallClock.nanoseconds
        let own = Path.directory(of: path)
        folders = path == "-" || own == "." ? ["."] : [own, "."]
    }
}
