internal import BinaryPrimitives

/// The runtime's description of a Go program (`moduledata` in Go's `runtime/symtab.go`), which from Go 1.26 on has a section of its own.
struct GoModuleData {
    /// What distances in the line table count from.
    let textStart: UInt64?
    /// Where the tables of inlined calls begin, in bytes from the line table's start.
    let inlineTrees: Int?

    /// - Returns: `nil` where there is none, or it is another table's.
    init?(_ object: ObjectFile, table: Section, _ header: GoTableHeader) {
        guard let section = object.section(named: object.description.container == .machO ? "__go_module" : ".go.module"),
            let contents = try? object.contents(of: section)
        else { return nil }
        let words = contents.withBytes { bytes in
            var rest = bytes
            var words: [UInt64] = []
            while words.count < 64, let word = try? rest.takeUnsigned(size: header.pointerSize, header.byteOrder) { words.append(word) }
            return words
        }
        // The first word is the address of the line table, the second that of the names in it.
        guard words.count > 24, words[0] == table.address.value, words[1] == table.address.advanced(by: UInt64(header.names))?.value else {
            return nil
        }
        // After six slices of three words each: the table for finding functions, the lowest and the highest address, the start of the text.
        textStart = words[22]
        // What comes next changes with the releases, but the end of the line table stands behind the address of `go:func.*`, which lies in it.
        let end = table.address.advanced(by: table.size)?.value
        let trees = words.indices.dropFirst(24).first { words[$0] == end }.flatMap { index in
            LinkAddress(words[index - 1]).distance(from: table.address)
        }
        inlineTrees = trees.flatMap { $0 < table.size ? Int(exactly: $0) : nil }
    }
}
