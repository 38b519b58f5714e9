internal import BinaryPrimitives

/// A mapping of a process (`/proc/PID/smaps`, proc_pid_maps(5)).
struct ProcessMapping {
    /// Addresses of the process.
    var range: Range<UInt64>
    var isReadable: Bool
    var isWritable: Bool
    var isExecutable: Bool
    /// Bytes from the file's first one.
    var offset: UInt64
    /// Path of the file, `[heap]` and the like, or empty. The system adds ` (deleted)` to the path of a file that is gone.
    var path: String
    /// Bytes in memory; `nil`: not known.
    var resident: UInt64?
    /// Bytes in memory that the file does not have, because they were changed; `nil`: not known.
    var anonymous: UInt64?

    var isFile: Bool { path.hasPrefix("/") }
    var isDeleted: Bool { path.hasSuffix(" (deleted)") }

    /// The mappings of a process, ascending.
    static func all(of process: Int32) -> [ProcessMapping] {
        let text = (try? FileDescriptor.readAll(atPath: "/proc/\(process)/smaps", limit: maxBytes)) ?? []
        if !text.isEmpty { return parse(text) }
        return parse((try? FileDescriptor.readAll(atPath: "/proc/\(process)/maps", limit: maxBytes)) ?? [])
    }

    /// A process has at most 65,530 mappings by default (`vm.max_map_count`), of 800 bytes each.
    private static let maxBytes = 256 << 20

    static func parse(_ text: [UInt8]) -> [ProcessMapping] {
        var mappings: [ProcessMapping] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            if let size = size(line, "Rss:") {
                if !mappings.isEmpty { mappings[mappings.count - 1].resident = size }
            } else if let size = size(line, "Anonymous:") {
                if !mappings.isEmpty { mappings[mappings.count - 1].anonymous = size }
            } else if let mapping = ProcessMapping(line) {
                mappings.append(mapping)
            }
        }
        return mappings
    }

    /// `Rss:                 160 kB`
    private static func size(_ line: ArraySlice<UInt8>, _ name: String) -> UInt64? {
        guard line.starts(with: name.utf8) else { return nil }
        let number = line.dropFirst(name.utf8.count).drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: " ") }
        return UInt64(String(decoding: number, as: UTF8.self)).flatMap { $0 < 1 << 53 ? $0 << 10 : nil }
    }

    /// `7f5c1a600000-7f5c1a628000 r--p 00000000 fe:01 1234      /usr/lib/libc.so.6`
    private init?(_ line: ArraySlice<UInt8>) {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count >= 5, let dash = fields[0].firstIndex(of: UInt8(ascii: "-")), fields[1].count == 4,
            let start = UInt64(String(decoding: fields[0][..<dash], as: UTF8.self), radix: 16),
            let end = UInt64(String(decoding: fields[0][(dash + 1)...], as: UTF8.self), radix: 16), start < end,
            let offset = UInt64(String(decoding: fields[2], as: UTF8.self), radix: 16)
        else { return nil }
        range = start..<end
        let rights = Array(fields[1])
        isReadable = rights[0] == UInt8(ascii: "r")
        isWritable = rights[1] == UInt8(ascii: "w")
        isExecutable = rights[2] == UInt8(ascii: "x")
        self.offset = offset
        path = fields.count > 5 ? String(decoding: fields[5].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self) : ""
    }
}
