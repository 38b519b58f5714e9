internal import BinaryPrimitives

/// The core files that a run leaves where the system keeps them (core(5)): those that were not there before.
struct CoreFiles {
    private let pattern: String
    private let folder: String
    private let before: [String: FileStamp]

    /// Files that are told of.
    private static let most = 8

    /// - Parameters:
    ///   - folder: the command's working directory.
    ///   - pattern: the contents of `/proc/sys/kernel/core_pattern`; empty: the system keeps none.
    init(folder: String?, pattern: String = CoreFiles.systemPattern) {
        self.folder = folder ?? "/"
        self.pattern = pattern
        before = Self.files(self.folder, pattern)
    }

    /// After the run: what is there now, with what makes a log of it. One line for each.
    var remarks: [String] {
        if pattern.hasPrefix("|") {
            // A program takes them; of the usual ones, this one lets anybody ask.
            guard pattern.contains("systemd-coredump") else { return [] }
            return ["the system's coredumpctl may have a core file: coredumpctl info | cairn filter"]
        }
        let new = Self.files(folder, pattern).filter { before[$0.key] != $0.value && Self.isCore($0.key) }
        return new.keys.sorted().prefix(Self.most).map {
            "the system kept a core file: gdb --batch --ex 'thread apply all bt' --core=\($0) PROGRAM | cairn filter"
        }
    }

    static var systemPattern: String {
        let bytes = (try? FileDescriptor.readAll(atPath: "/proc/sys/kernel/core_pattern")) ?? []
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// What has the name of a core file. `/var/cores/core.%p`, or `core` in the working directory: what stands before the first `%` is the beginning of every name.
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
