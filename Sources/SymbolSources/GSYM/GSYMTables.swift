internal import BinaryPrimitives
internal import DWARF

/// The texts and files of a GSYM file that is being written, each once.
struct GSYMTables {
    /// Zero bytes end the texts; the first is the empty one.
    private(set) var texts: [UInt8] = [0]
    private(set) var files: [(folder: UInt32, name: UInt32)] = [(0, 0)]
    private var textOffsets: [String: UInt32] = ["": 0]
    /// Text offsets of names that were found by their keys (`UnitFunctions.Name`).
    private var keyOffsets: [UInt32: UInt32] = [:]
    private var fileIndices: [String: UInt32] = [:]
    private var unnamed: UInt32?
    private var unknown: UInt32?
    /// Bytes that the texts may have together: offsets have 32 bits, and a small file may hold
    /// gigabytes of names that share their bytes.
    let limit: Int
    /// A text found no room, and is the empty one.
    private(set) var isFull = false

    init(limit: Int) { self.limit = min(limit, Int(UInt32.max)) }

    /// A text's offset; 0, the empty text, where there is no room for more.
    mutating func text(_ text: String) -> UInt32 {
        if let known = textOffsets[text] { return known }
        guard let offset = UInt32(exactly: texts.count), texts.count + text.utf8.count < limit else {
            isFull = true
            return 0
        }
        // A zero byte would end it early.
        texts += text.utf8.lazy.map { $0 == 0 ? UInt8(ascii: "?") : $0 }
        texts.append(0)
        textOffsets[text] = offset
        return offset
    }

    /// A name's offset; 0, the empty text, also where it cannot be read.
    /// - Parameter read: its text.
    mutating func name(_ name: UnitFunctions.Name, _ read: (UnitFunctions.Name) -> String?) -> UInt32 {
        switch name {
        case .text(let text): return self.text(text)
        case .key(let key):
            if let known = keyOffsets[key] { return known }
            let offset = text(read(name) ?? "")
            keyOffsets[key] = offset
            return offset
        }
    }

    /// Returns the offset of an empty text for a function without a name: as a function's name, readers stop at
    /// offset 0.
    mutating func noName() -> UInt32 {
        if let unnamed { return unnamed }
        let offset = UInt32(clamping: texts.count)
        texts.append(0)
        unnamed = offset
        return offset
    }

    mutating func file(_ path: String) -> UInt32 {
        if let known = fileIndices[path] { return known }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.utf8.lastIndex(of: UInt8(ascii: "\\"))
        var folder = ""
        var name = path
        if let slash {
            folder = slash == path.startIndex ? "/" : String(path[..<slash])
            name = String(path[path.utf8.index(after: slash)...])
        }
        let index = UInt32(clamping: files.count)
        files.append((text(folder), text(name)))
        fileIndices[path] = index
        return index
    }

    /// A file without directory and name, but not the first: a row with that one is no row for
    /// `llvm-gsymutil`, which then has no result at all.
    mutating func unknownFile() -> UInt32 {
        if let unknown { return unknown }
        let index = UInt32(clamping: files.count)
        files.append((0, 0))
        unknown = index
        return index
    }
}
