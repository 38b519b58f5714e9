internal import BinaryPrimitives
internal import Unwinding

/// A range of a process's memory, and its permissions.
struct MinidumpRegion {
    var range: Range<UInt64>
    var isExecutable: Bool
    var isGuard = false
    /// Path in `/proc/self/maps`.
    var path: String?
    var fileOffset: UInt64 = 0
}

/// Reads the saved memory, and the permissions of memory that was not saved.
extension MinidumpParser {
    mutating func readMemory(_ bytes: RawSpan) {
        let maxCount = limits.sections
        forEachEntry(.memory, size: 16, maxCount: maxCount, bytes, "ranges of memory") { parser, entry in
            parser.addMemory(parser.address(entry, 0), parser.location(entry, at: 8))
        }
        guard let found = stream(.memory64, "ranges of memory"), case let list = bytes.clamped(to: found) else { return }
        // All bytes follow each other in the file.
        var offset = wide(list, 8)
        var cut = false
        forEachEntry(
            of: list.clamped(to: 16..<max(16, list.byteCount)), count: wide(list, 0), size: 16, maxCount: maxCount, "ranges of memory"
        ) {
            parser, entry in
            let size = parser.wide(entry, 8)
            cut = !parser.addMemory(parser.address(entry, 0), Location(offset: offset, size: size)) || cut
            offset = offset.addingReportingOverflow(size).overflow ? .max : offset &+ size
        }
        if cut { notes.append("the minidump's memory is cut short") }
    }

    /// - Returns: whether the file has all of it.
    @discardableResult
    mutating func addMemory(_ address: UInt64, _ location: Location) -> Bool {
        let size = UInt64(file.size)
        guard location.size > 0, location.offset < size else { return location.size == 0 }
        let count = min(location.size, size - location.offset)
        let start = Int(location.offset)
        segments.append(Memory.Segment(address: address, .file(file, start..<start + Int(count))))
        return count == location.size
    }

    /// - Returns: `nil` if the dump does not have them.
    mutating func readRegions(_ bytes: RawSpan) -> [MinidumpRegion]? {
        var regions: [MinidumpRegion] = []
        if let found = stream(.memoryInformation, "facts about memory"), case let list = bytes.clamped(to: found) {
            // The header has its own size, and the size of an entry.
            let (header, size) = (Int(word(list, 0)), Int(word(list, 4)))
            guard header >= 16, size >= 48 else { return nil }
            forEachEntry(
                of: list.clamped(to: header..<max(header, list.byteCount)), count: wide(list, 8), size: size, maxCount: limits.sections,
                "facts about memory"
            ) { parser, entry in
                let start = parser.address(entry, 0)
                let (end, overflow) = start.addingReportingOverflow(parser.wide(entry, 24))
                let (state, protection) = (parser.word(entry, 32), parser.word(entry, 36))
                // MEM_COMMIT; PAGE_EXECUTE, …_READ, …_READWRITE, …_WRITECOPY; PAGE_GUARD.
                guard !overflow, start < end, state & 0x1000 != 0 else { return }
                regions.append(
                    MinidumpRegion(range: start..<end, isExecutable: protection & 0xf0 != 0, isGuard: protection & 0x100 != 0))
            }
        } else if let found = stream(.linuxMaps, "lines of /proc/self/maps"), case let maps = bytes.clamped(to: found) {
            var rest = maps.text
            while let line = rest.readLine(), regions.count < limits.sections {
                if let region = Self.region(line) { regions.append(region) }
            }
        }
        return regions.isEmpty ? nil : regions.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// `00400000-00417000 r-xp 00000000 fc:02 23856536        /usr/bin/driver`
    private static func region(_ line: Span<UInt8>) -> MinidumpRegion? {
        var rest = line
        guard let start = rest.readHexadecimal(), rest.consume("-"), let end = rest.readHexadecimal(), start < end else { return nil }
        rest.skipBlanks()
        let flags = rest.readToken()
        rest.skipBlanks()
        guard flags.count >= 4, let offset = rest.readHexadecimal() else { return nil }
        // Device and inode.
        for _ in 0..<2 {
            rest.skipBlanks()
            _ = rest.readToken()
        }
        let path = rest.trimmed()
        return MinidumpRegion(
            range: start..<end, isExecutable: flags[2] == UInt8(ascii: "x"), path: path.isEmpty ? nil : path.upTo(4096).text,
            fileOffset: offset)
    }

    /// Returns executable memory that belongs to no image: code that was compiled at run time. Ranges that
    /// were not saved become segments, saved ones are marked.
    mutating func executableSegments() -> [Memory.Segment] {
        // Linux makes all memory executable for programs that have an executable stack (`READ_IMPLIES_EXEC`):
        // then permissions mean nothing.
        let isAll = (regions ?? []).contains { $0.isExecutable && ($0.path == "[heap]" || $0.path == "[stack]") }
        let executable = (regions ?? []).filter { $0.isExecutable && (!isAll || $0.path?.hasPrefix("/") == true) }
        guard !executable.isEmpty else { return [] }
        segments.sort { $0.address < $1.address }
        var added: [Memory.Segment] = []
        var next = 0
        for region in executable {
            var start = region.range.lowerBound
            while next < segments.count, segments[next].address < region.range.upperBound {
                let (address, size) = (segments[next].address, segments[next].size)
                if address >= region.range.lowerBound { segments[next].isExecutable = true }
                if address > start { added.append(Memory.Segment(address: start, .bytes([]), size: address - start, isExecutable: true)) }
                start = max(start, address.addingReportingOverflow(size).overflow ? .max : address + size)
                next += 1
            }
            if start < region.range.upperBound {
                added.append(Memory.Segment(address: start, .bytes([]), size: region.range.upperBound - start, isExecutable: true))
            }
        }
        return added
    }
}
