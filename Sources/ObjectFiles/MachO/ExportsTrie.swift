internal import BinaryPrimitives

/// The tree of exported names that dyld searches: `LC_DYLD_EXPORTS_TRIE`, and the export part of
/// `LC_DYLD_INFO` (`mach-o/loader.h`; `ExportInfoTrie` in LLVM).
///
/// A node is the size of its own entry (ULEB128, zero for an inner node), that entry, the number of
/// its children (one byte), and for each child the characters that lead to it (zero-terminated) and
/// the child's position in the tree (ULEB128).
enum ExportsTrie {
    struct Entry: Hashable {
        var name: String
        /// From the image's first byte.
        var offset: UInt64
    }

    /// A child that is still to be read.
    private struct Child {
        var position: Int
        /// How much of the name leads to its parent.
        var prefix: Int
        /// Range in the tree of the characters that this node adds.
        var label: Range<Int>
    }

    /// - Returns: the names with an address in this image, in the order of the tree, and what
    ///   stopped the walk early, if something did.
    static func decode(_ bytes: RawSpan, limits: Limits = .standard) -> (entries: [Entry], problem: String?) {
        var entries: [Entry] = []
        var name: [UInt8] = []
        var nameBytes = 0
        // Each node has one parent. One that is reached again makes a circle, or a tree of
        // exponential size.
        var seen: Set<Int> = []
        var open = [Child(position: 0, prefix: 0, label: 0..<0)]
        if bytes.byteCount == 0 { return ([], nil) }
        while let child = open.popLast() {
            guard seen.insert(child.position).inserted else { return (entries, "the node at byte \(child.position) has two parents") }
            name.removeLast(name.count - child.prefix)
            name.append(contentsOf: bytes.clamped(to: child.label))
            guard name.count <= limits.nameLength else { return (entries, "a name of more than \(limits.nameLength) bytes") }
            do throws(ReadError) {
                let children = try node(bytes, at: child.position, prefix: name.count) { offset in
                    entries.append(Entry(name: String(decoding: name, as: UTF8.self), offset: offset))
                    nameBytes += name.count
                }
                open += children.reversed()
            } catch {
                return (entries, "the node at byte \(child.position) of \(bytes.byteCount): \(error)")
            }
            guard nameBytes <= limits.exportNames else { return (entries, "names of more than \(limits.exportNames) bytes in all") }
        }
        return (entries, nil)
    }

    private static func node(
        _ bytes: RawSpan, at position: Int, prefix: Int, _ export: (_ offset: UInt64) -> Void
    ) throws(ReadError) -> [Child] {
        var rest = try bytes.from(UInt64(position))
        let size = try rest.readULEB128()
        let count = Int(clamping: size)
        var entry = try rest.read(bytes: count)
        if count > 0 {
            // EXPORT_SYMBOL_FLAGS_KIND_MASK: 0 regular, 1 thread-local, 2 absolute: a number, no
            // address of this image. EXPORT_SYMBOL_FLAGS_REEXPORT (8): another image has it. With a
            // stub and resolver (0x10), the stub's address comes first.
            let flags = try entry.readULEB128()
            if flags & 0x8 == 0, flags & 0x3 != 2 { export(try entry.readULEB128()) }
        }
        var children: [Child] = []
        for _ in 0..<(try rest.read(UInt8.self)) {
            let start = bytes.byteCount - rest.byteCount
            let label = start..<start + (try rest.readCString()).byteCount
            let child = try rest.readULEB128()
            guard child < UInt64(bytes.byteCount) else {
                throw ReadError(.outOfBytes(needed: Int(clamping: child)), bytesLeft: bytes.byteCount)
            }
            children.append(Child(position: Int(child), prefix: prefix, label: label))
        }
        return children
    }
}

extension [UInt8] {
    fileprivate mutating func append(contentsOf bytes: RawSpan) {
        for index in 0..<bytes.byteCount { append(bytes.byte(at: index)) }
    }
}
