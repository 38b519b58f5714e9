internal import BinaryPrimitives

/// Files as they were when the command began: what it has not touched is not of this run.
struct EarlierFiles {
    private let stamps: [String: FileStamp]

    init(_ paths: [String]) {
        var stamps: [String: FileStamp] = [:]
        for path in paths { stamps[path] = FileStamp(path: path) }
        self.stamps = stamps
    }

    /// The file was there before, and has not changed.
    func isUntouched(_ path: String) -> Bool {
        guard let before = stamps[path] else { return false }
        return FileStamp(path: path) == before
    }
}
