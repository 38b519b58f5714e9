internal import BinaryPrimitives
internal import CrashLogModel

/// A row of a tombstone's `memory map`, as crash_dump and xCrash print it:
///
///     00007ec28a0d3000-00007ec28a0e6000 r-x       0    13000 /data/app/x/lib/x86_64/libxcrash.so
///     0000007b'0a5d2000-0000007b'0a5d4fff r-x      1000      3000  /system/lib64/libfoo.so (BuildId: ba48…) (load bias 0x1000)
///     --->0000007b'0a5d2000-…                                                          where the fault address is
///     00007ec28a0e8000-00007ec28a0e9000 rw-   14000     1000 >                         xCrash: the name of the row above
struct AndroidMapRow {
    var start: UInt64
    /// One after the last byte.
    var end: UInt64
    var offset: UInt64
    /// `nil` without a name; `>` as the row has it.
    var path: String?
    var id: ImageID?

    init(start: UInt64, end: UInt64, offset: UInt64, path: String?, id: ImageID?) {
        (self.start, self.end, self.offset, self.path, self.id) = (start, end, offset, path, id)
    }

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        _ = rest.consume("--->")
        guard let start = AndroidMapRow.readPointer(&rest), rest.consume("-"), let end = AndroidMapRow.readPointer(&rest), rest.consume(" ")
        else {
            return nil
        }
        self.start = start
        // Since Android 5 debuggerd prints the last byte; before it and in xCrash it is the one
        // after it: mappings end where pages do.
        self.end = end & 1 == 1 ? end &+ 1 : end
        let access = rest.readToken()
        guard access.count >= 3, access.at(2) == UInt8(ascii: "x") || access.at(2) == UInt8(ascii: "-") else { return nil }
        rest.skipBlanks()
        guard let offset = rest.readHexadecimal() else { return nil }
        self.offset = offset
        rest.skipBlanks()
        guard rest.readHexadecimal() != nil else { return nil }
        var name = rest.trimmed()
        if let mark = name.firstRange(of: " (BuildId: ") {
            let value = name.from(mark.upperBound)
            if let close = value.firstIndex(of: UInt8(ascii: ")")) { id = ImageID(buildID: value.upTo(close).text) }
            name = name.upTo(mark.lowerBound)
        } else if let mark = name.firstRange(of: " (load b") {
            name = name.upTo(mark.lowerBound)
        }
        path = name.count > 0 ? name.text : nil
    }

    /// `0000007b'0a5d2000`
    private static func readPointer(_ rest: inout Span<UInt8>) -> UInt64? {
        var text = rest
        guard let high = text.readHexadecimal() else { return nil }
        guard text.at(0) == UInt8(ascii: "'") else {
            rest = text
            return high
        }
        text = text.from(1)
        guard high <= UInt32.max, let low = text.readHexadecimal(), low <= UInt32.max else { return nil }
        rest = text
        return high << 32 | low
    }
}

/// The memory map's files and where each was mapped.
struct AndroidMemoryMap {
    struct File {
        /// Address at which the file's first byte was mapped.
        var base: UInt64
        /// From there to the end of the last mapping.
        var size: UInt64
        var id: ImageID?
    }

    private(set) var files: [String: File] = [:]
    private var lastPath: String?

    var isEmpty: Bool { files.isEmpty }

    mutating func add(_ row: AndroidMapRow) {
        let path = row.path == ">" ? lastPath : row.path
        lastPath = path
        guard let path, path.hasPrefix("/"), row.end > row.start else { return }
        if var file = files[path] {
            if row.end > file.base { file.size = max(file.size, row.end - file.base) }
            file.id = file.id ?? row.id
            files[path] = file
        } else if files.count < Limits.standard.images, row.offset <= row.start {
            let base = row.start - row.offset
            files[path] = File(base: base, size: row.end - base, id: row.id)
        }
    }
}
