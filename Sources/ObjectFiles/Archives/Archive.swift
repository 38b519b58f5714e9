internal import BinaryPrimitives

/// A static library: `ar`'s archive of object files (`ar(5)`, and `ar.h`).
///
/// A header of 60 characters comes before each member: name (16), date (12), owner and group (6
/// each), mode (8), size (10), `` `\n ``. Members begin at even positions. A name that does not fit
/// is `#1/N` as BSD and Apple write it, the member then beginning with the N bytes of the name; or
/// `/N` as System V and GNU write it, the name being at N in the member `//`.
///
/// A thin archive (`ar --thin`) has the headers alone: its names are the members' paths, from its own folder on.
enum Archive {
    struct Member: Sendable, Hashable {
        var name: String
        /// Seconds since 1970.
        var modificationTime: UInt64
        /// Its bytes, from the archive's first; empty in a thin archive.
        var range: Range<Int>
        /// The file that a thin archive refers to.
        var path: String?

        /// Whether the member is meant by a name: in a thin archive, also by the file's own name.
        func isNamed(_ wanted: String) -> Bool { name == wanted || path != nil && Path.name(of: name) == wanted }

        /// The file that has the member's bytes, and where.
        /// - Parameter archive: the file that the archive is in.
        /// - Throws: `ObjectFileError` if the file that a thin archive refers to cannot be read.
        func contents(in archive: MappedFile) throws(ObjectFileError) -> (file: MappedFile, range: Range<Int>) {
            guard let path else { return (archive, range) }
            do throws(FileError) {
                let file = try MappedFile(path: path)
                return (file, 0..<file.size)
            } catch {
                throw ObjectFileError(
                    .unreadable, path: "\(archive.path)(\(name))", "the thin archive's member \(path): \(error.problem)")
            }
        }
    }

    static let magic = Array("!<arch>\n".utf8)
    static let thinMagic = Array("!<thin>\n".utf8)

    /// - Parameter slice: the bytes of the archive: the whole file, or one slice of a universal
    ///   file.
    /// - Returns: the members that are no table of the archive itself; `nil` if the bytes are no
    ///   archive.
    /// - Throws: `ObjectFileError` if the archive is truncated or a header is invalid.
    static func members(_ file: MappedFile, _ slice: Range<Int>) throws(ObjectFileError) -> [Member]? {
        let slice = slice.clamped(to: 0..<file.size)
        let start = file.bytes(in: slice.prefix(magic.count))
        let isThin = start == thinMagic
        guard isThin || start == magic else { return nil }
        var members: [Member] = []
        var longNames = 0..<0
        var position = slice.lowerBound + magic.count
        while position < slice.upperBound {
            let header = file.bytes(in: (position..<slice.upperBound).prefix(60))
            guard header.count == 60, header[58] == UInt8(ascii: "`"), header[59] == UInt8(ascii: "\n"),
                let size = number(header[48..<58]), size <= UInt64(isThin ? Int.max / 2 : slice.upperBound - position - 60),
                !isThin || !holdsTable(header) || size <= UInt64(slice.upperBound - position - 60)
            else {
                throw ObjectFileError(
                    .corrupt, path: file.path, "the archive's member at byte \(position) has no header, or is longer than what is left")
            }
            let isElsewhere = isThin && !holdsTable(header)
            var content = position + 60..<position + 60 + (isElsewhere ? 0 : Int(size))
            position = content.upperBound + (isElsewhere ? 0 : Int(size & 1))
            var name = String(decoding: header[0..<16].prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            if name.hasPrefix("#1/"), let length = number(header[3..<16]), length <= size {
                let field = file.bytes(in: content.prefix(Int(length)))
                content = content.lowerBound + Int(length)..<content.upperBound
                // Padded with zeros, so that the object after it is aligned.
                name = String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
            } else if name == "//" {
                longNames = content
            } else if name.hasPrefix("/"), let offset = number(header[1..<16]), offset < UInt64(longNames.count) {
                let field = file.bytes(in: (longNames.lowerBound + Int(offset)..<longNames.upperBound).prefix(Limits.standard.nameLength))
                name = String(decoding: field.prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }, as: UTF8.self)
                if name.hasSuffix("/") { name.removeLast() }
            } else if name.utf8.count > 1, name.hasSuffix("/") {
                name.removeLast()
            }
            // The tables of symbols: BSD's and Apple's, System V's.
            if name.hasPrefix("__.SYMDEF") || !isElsewhere && name.hasPrefix("/") { continue }
            var member = Member(name: name, modificationTime: number(header[16..<28]) ?? 0, range: content)
            if isElsewhere { member.path = name.hasPrefix("/") ? name : Path.join(Path.directory(of: file.path), name) }
            members.append(member)
        }
        return members
    }

    /// Whether a member is a table of the archive itself: of symbols, or of names.
    private static func holdsTable(_ header: [UInt8]) -> Bool {
        guard header[0] == UInt8(ascii: "/") else { return false }
        return header[1] == UInt8(ascii: " ") || header[1] == UInt8(ascii: "/") || header[1] == UInt8(ascii: "S")
    }

    /// A decimal number, padded with spaces.
    private static func number(_ field: ArraySlice<UInt8>) -> UInt64? {
        UInt64(String(decoding: field.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    }
}
