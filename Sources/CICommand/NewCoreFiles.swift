internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel
internal import LibC

/// The core files that a run leaves where the system keeps them (core(5)): those that were not
/// there before.
struct NewCoreFiles {
    private let pattern: String
    private let folder: String
    private let before: [String: FileStamp]

    /// The most files that are inspected.
    private static let maxFiles = 4

    /// - Parameters:
    ///   - folder: the command's working directory.
    ///   - pattern: the contents of `/proc/sys/kernel/core_pattern`; empty: the system keeps none.
    init(folder: String?, pattern: String = NewCoreFiles.systemPattern) {
        self.folder = folder ?? "/"
        self.pattern = pattern
        before = Self.files(self.folder, pattern)
    }

    /// The system writes them to files, if the limit lets it.
    var areFiles: Bool { !pattern.isEmpty && !pattern.hasPrefix("|") }

    /// Why a process that a signal ended has left no stack, and what to do about it; `nil` where
    /// nothing is known.
    /// - Parameter isWanted: a core file may be written.
    func remedy(isWanted: Bool) -> String? {
        if pattern.hasPrefix("|") {
            let program = pattern.dropFirst().drop { $0 == " " }.prefix { $0 != " " }
            return "The system gives core files to \(program), where cairn cannot read them."
        }
        if !areFiles { return "The system keeps no core files (/proc/sys/kernel/core_pattern is empty)." }
        if !isWanted { return "Without --no-debugger, its core file would be read." }
        if CoreLimit.isForbidden { return "No core file was kept: the hard limit is 0 (ulimit -H -c)." }
        return nil
    }

    /// Note about the core files' location, if a program of the system takes them. Of the usual
    /// programs, every user may query this one.
    var remark: String? {
        guard pattern.hasPrefix("|"), pattern.contains("systemd-coredump") else { return nil }
        return "the system's coredumpctl may have a core file: coredumpctl dump | cairn -"
    }

    /// After the run: those that are there now, and were not, or not so.
    var new: [String] { Array(allNew.prefix(Self.maxFiles)) }

    /// Tests that a process ends leave one for each, though nothing went wrong.
    var allNew: [String] {
        Self.files(folder, pattern).filter { before[$0.key] != $0.value && Self.isCore($0.key) }.keys.sorted()
    }

    static var systemPattern: String {
        let bytes = (try? FileDescriptor.readAll(atPath: "/proc/sys/kernel/core_pattern")) ?? []
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Files that have the name of a core file. `/var/cores/core.%p`, or `core` in the working
    /// directory: the text before the first `%` is the beginning of every name.
    private static func files(_ folder: String, _ pattern: String) -> [String: FileStamp] {
        guard !pattern.isEmpty, !pattern.hasPrefix("|") else { return [:] }
        let path = pattern.hasPrefix("/") ? pattern : Path.join(folder, pattern)
        let (directory, beginning) = (Path.directory(of: path), Path.name(of: path).prefix { $0 != "%" })
        guard !directory.contains("%") else { return [:] }
        var found: [String: FileStamp] = [:]
        for name in (try? Directory.names(in: directory)) ?? [] where name.hasPrefix(beginning) {
            found[Path.join(directory, name)] = FileStamp(path: Path.join(directory, name))
        }
        return found
    }

    private static func isCore(_ path: String) -> Bool {
        guard let descriptor = try? FileDescriptor.open(path) else { return false }
        defer { FileDescriptor.close(descriptor) }
        let head = try? FileDescriptor.readSome(from: descriptor, limit: MemoryFormat.magicLength)
        return head.flatMap { MemoryFormat($0.span) } == .core
    }
}

/// How large the core files may be that a command leaves (`RLIMIT_CORE`, setrlimit(2)): a limit
/// that it inherits. Most systems set the soft one to 0, and let everybody raise it to the hard
/// one.
package struct CoreLimit {
    private let before: rlimit

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(4)
    #else
        private static let resource = RLIMIT_CORE
    #endif

    private init(before: rlimit) { self.before = before }

    /// The hard limit is 0: no core can be had.
    package static var isForbidden: Bool { current.map { $0.rlim_max == 0 } ?? false }

    /// The limit keeps cores from being written, and can be raised.
    static var isRaisable: Bool { current.map { $0.rlim_cur == 0 && $0.rlim_max != 0 } ?? false }

    /// Raises the soft limit to the hard one, until `restore`.
    /// - Returns: `nil` where cores are not kept from being written, or cannot be had.
    package static func raise() -> CoreLimit? {
        guard isRaisable, let before = current else { return nil }
        var raised = before
        raised.rlim_cur = before.rlim_max
        guard unsafe setrlimit(resource, &raised) == 0 else { return nil }
        return CoreLimit(before: before)
    }

    /// Restores the previous limit for processes that are started from now on.
    package func restore() {
        var limit = before
        unsafe _ = setrlimit(Self.resource, &limit)
    }

    private static var current: rlimit? {
        var limit = rlimit()
        return unsafe getrlimit(resource, &limit) == 0 ? limit : nil
    }
}
