internal import BinaryPrimitives
internal import CrashCapture
internal import CrashLogFormats
internal import CrashLogModel

/// The core files that a run leaves where the system keeps them (core(5)): those that were not
/// there before.
struct NewCoreFiles {
    private let pattern: CorePattern
    private let before: [String: FileStamp]

    /// The most files that are inspected.
    private static let maxFiles = 4

    /// - Parameters:
    ///   - folder: the command's working directory.
    ///   - pattern: the contents of `/proc/sys/kernel/core_pattern`; empty: the system keeps none.
    init(folder: String?, pattern: String = CorePattern.systemText) {
        self.pattern = CorePattern(pattern, folder: folder ?? "/")
        before = Self.stamps(self.pattern)
    }

    /// The system writes them to files, if the limit lets it.
    var areFiles: Bool { pattern.keeper == .kernel }

    /// Why a process that a signal ended has left no stack, and what to do about it; `nil` where
    /// nothing is known.
    /// - Parameter isWanted: a core file may be written.
    func remedy(isWanted: Bool) -> String? {
        if areFiles, !isWanted { return "Without --no-debugger, its core file would be read." }
        return pattern.reasonForNone
    }

    /// Note about the core files' location, if a program of the system takes them. Of the usual
    /// programs, every user may query this one.
    var remark: String? {
        guard pattern.keeper == .systemd else { return nil }
        return "the system's coredumpctl may have a core file: coredumpctl dump | cairn -"
    }

    /// After the run: those that are there now, and were not, or not so.
    var new: [String] { Array(allNew.prefix(Self.maxFiles)) }

    /// Tests that a process ends leave one for each, though nothing went wrong.
    var allNew: [String] {
        Self.stamps(pattern).filter { before[$0.key] != $0.value && Self.isCore($0.key) }.keys.sorted()
    }

    /// The files that the kernel writes; a collector's are read by its own program.
    private static func stamps(_ pattern: CorePattern) -> [String: FileStamp] {
        guard pattern.keeper == .kernel else { return [:] }
        return Dictionary(pattern.files(of: nil).compactMap { path in FileStamp(path: path).map { (path, $0) } }) { $1 }
    }

    private static func isCore(_ path: String) -> Bool {
        guard let descriptor = try? FileDescriptor.open(path) else { return false }
        defer { FileDescriptor.close(descriptor) }
        let head = try? FileDescriptor.readSome(from: descriptor, limit: MemoryFormat.magicLength)
        return head.flatMap { MemoryFormat($0.span) } == .core
    }
}
