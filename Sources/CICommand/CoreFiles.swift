internal import BinaryPrimitives
internal import CommandRunning

/// The core files that a run leaves where the system keeps them (core(5)): those that were not
/// there before.
struct CoreFiles {
    private let pattern: String
    private let folder: String
    private let before: [String: FileStamp]

    /// The most files that are inspected.
    private static let most = 4

    /// - Parameters:
    ///   - folder: the command's working directory.
    ///   - pattern: the contents of `/proc/sys/kernel/core_pattern`; empty: the system keeps none.
    init(folder: String?, pattern: String = CoreFiles.systemPattern) {
        self.folder = folder ?? "/"
        self.pattern = pattern
        before = Self.files(self.folder, pattern)
    }

    /// The system writes them to files, if the limit lets it.
    var areFiles: Bool { !pattern.isEmpty && !pattern.hasPrefix("|") }

    /// Why a process that a signal ended has left no stack, and what to do about it; `nil` where
    /// nothing is known.
    /// - Parameter mayAsk: gdb may be run.
    func remedy(mayAsk: Bool) -> String? {
        if pattern.hasPrefix("|") {
            let program = pattern.dropFirst().drop { $0 == " " }.prefix { $0 != " " }
            return "The system gives core files to \(program), where cairn cannot read them."
        }
        if !areFiles { return "The system keeps no core files (/proc/sys/kernel/core_pattern is empty)." }
        if !mayAsk { return "With gdb, and without --no-debugger, its core file would be read." }
        if CoreLimit.isForbidden { return "No core file was kept: the hard limit is 0 (ulimit -H -c)." }
        return nil
    }

    /// Where they are, if a program of the system's takes them. Of the usual ones, every user may
    /// query this one.
    var remark: String? {
        guard pattern.hasPrefix("|"), pattern.contains("systemd-coredump") else { return nil }
        return "the system's coredumpctl may have a core file: coredumpctl info | cairn filter"
    }

    /// After the run: those that are there now, and were not, or not so.
    var new: [String] { Array(allNew.prefix(Self.most)) }

    /// Tests that a process ends leave one for each, though nothing went wrong.
    var allNew: [String] {
        Self.files(folder, pattern).filter { before[$0.key] != $0.value && Self.isCore($0.key) }.keys.sorted()
    }

    /// The program that left a core file. `AT_EXECFN` is its name as it was started, perhaps
    /// relative to a folder that is no longer known; of the files that were in memory one has that
    /// name.
    /// - Returns: `nil` where gdb cannot be run, or the file is gone.
    func program(of core: String, environment: [String]) -> String? {
        guard var question = DebuggerQuestion(programOf: core, environment: environment) else { return nil }
        question.wait(atMost: .seconds(30))
        let lines = question.lines
        // `31   AT_EXECFN            File name of executable        0x7fff91153ff0 "./chang"`
        guard let row = lines.first(where: { $0.contains(" AT_EXECFN ") }),
            let text = row.split(separator: "\"", maxSplits: 2).dropFirst().first
        else { return nil }
        let name = Path.name(of: String(text))
        // `      0x55f36460d000     0x55f36460e000     0x1000        0x0 /srv/chang`
        let mapped = lines.lazy.filter { $0.contains(" 0x") }.compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
        return mapped.first { Path.name(of: $0) == name && FileStamp(path: $0) != nil }
    }

    static var systemPattern: String {
        let bytes = (try? FileDescriptor.readAll(atPath: "/proc/sys/kernel/core_pattern")) ?? []
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// What has the name of a core file. `/var/cores/core.%p`, or `core` in the working directory:
    /// the text before the first `%` is the beginning of every name.
    private static func files(_ folder: String, _ pattern: String) -> [String: FileStamp] {
        guard !pattern.isEmpty, !pattern.hasPrefix("|") else { return [:] }
        let path = pattern.hasPrefix("/") ? pattern : Path.join(folder, pattern)
        let (place, beginning) = (Path.directory(of: path), Path.name(of: path).prefix { $0 != "%" })
        guard !place.contains("%") else { return [:] }
        var found: [String: FileStamp] = [:]
        for name in (try? Directory.names(in: place)) ?? [] where name.hasPrefix(beginning) {
            found[Path.join(place, name)] = FileStamp(path: Path.join(place, name))
        }
        return found
    }

    /// An ELF file of the type `ET_CORE` (4), in either byte order.
    private static func isCore(_ path: String) -> Bool {
        guard let descriptor = try? FileDescriptor.open(path) else { return false }
        defer { FileDescriptor.close(descriptor) }
        guard let head = try? FileDescriptor.readSome(from: descriptor, limit: 18), head.count == 18 else { return false }
        return head.starts(with: [0x7f, 0x45, 0x4c, 0x46]) && (head[16] == 4 && head[17] == 0 || head[16] == 0 && head[17] == 4)
    }
}
