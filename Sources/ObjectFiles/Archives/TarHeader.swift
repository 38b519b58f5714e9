internal import BinaryPrimitives

/// One header of a tar archive: 512 bytes in front of each member's (POSIX.1-2017, `pax`, "ustar
/// Interchange Format"; GNU tar's manual, "Basic Tar Format").
struct TarHeader {
    enum Kind {
        case file
        /// A second name of a file that came before.
        case link(to: String)
        /// GNU's: the next header's name, or its link's, is what follows.
        case longName
        case longLink
        /// pax': records about the next member, or about all that follow.
        case records
        case globalRecords
        /// A folder, a symbolic link, a device: nothing with bytes of its own that could be
        /// symbols.
        case other
        /// A file of which GNU tar wrote only the parts that are not zero; `isContinued` if its map
        /// continues in a block of its own.
        case sparse(isContinued: Bool)
    }

    static let size = 512

    var name: String
    var kind: Kind
    /// Bytes that follow, before they are filled up to a multiple of 512.
    var contentSize: UInt64

    /// - Returns: `nil` where the checksum is wrong: it distinguishes a tar archive from anything
    ///   else.
    init?(_ block: [UInt8]) {
        // Never zero: the blanks count. The header of a universal Mach-O file has a sum of zero by
        // signed bytes, and zeros where the checksum would be.
        guard block.count == Self.size, let stated = Self.number(block[148..<156]), stated > 0,
            Self.sums(block).contains(Int64(clamping: stated)),
            let size = Self.number(block[124..<136])
        else { return nil }
        contentSize = size
        let link = Self.text(block[157..<257])
        name = Self.text(block[0..<100])
        // GNU's older magic, `ustar` with blanks, has times where POSIX has the front of the name.
        if block[257..<263].elementsEqual(Array("ustar\0".utf8)) {
            let front = Self.text(block[345..<500])
            if !front.isEmpty { name = front + "/" + name }
        }
        switch block[156] {
        // Before POSIX a folder was a file whose name ends with a slash.
        case 0, UInt8(ascii: "0"), UInt8(ascii: "7"): kind = name.hasSuffix("/") ? .other : .file
        case UInt8(ascii: "1"): kind = .link(to: link)
        case UInt8(ascii: "L"): kind = .longName
        case UInt8(ascii: "K"): kind = .longLink
        case UInt8(ascii: "x"): kind = .records
        case UInt8(ascii: "g"): kind = .globalRecords
        case UInt8(ascii: "S"): kind = .sparse(isContinued: block[482] != 0)
        default: kind = .other
        }
        // These have no bytes, even if the size is not zero: the size of a link may be the file's.
        if case .link = kind { contentSize = 0 }
        if (UInt8(ascii: "2")...UInt8(ascii: "6")).contains(block[156]) { contentSize = 0 }
    }

    static func isEnd(_ block: [UInt8]) -> Bool { block.allSatisfy { $0 == 0 } }

    /// The sum of all bytes, those of the checksum counted as blanks; the second as some old tars
    /// took it, with signed bytes.
    private static func sums(_ block: [UInt8]) -> [Int64] {
        var unsigned: Int64 = 0
        var signed: Int64 = 0
        for (index, byte) in block.enumerated() {
            let byte = (148..<156).contains(index) ? UInt8(ascii: " ") : byte
            unsigned += Int64(byte)
            signed += Int64(Int8(bitPattern: byte))
        }
        return [unsigned, signed]
    }

    private static func text(_ field: ArraySlice<UInt8>) -> String { String(decoding: field.prefix { $0 != 0 }, as: UTF8.self) }

    /// Octal digits between blanks and zeros; or, where they do not suffice, the number itself
    /// after a byte 0x80 (GNU's).
    private static func number(_ field: ArraySlice<UInt8>) -> UInt64? {
        if let first = field.first, first & 0x80 != 0 {
            guard first == 0x80, field.dropFirst().dropLast(8).allSatisfy({ $0 == 0 }) else { return nil }
            return field.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        var value: UInt64 = 0
        var hasDigits = false
        for byte in field.drop(while: { $0 == UInt8(ascii: " ") }) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) else {
                guard byte == 0 || byte == UInt8(ascii: " ") else { return nil }
                break
            }
            guard value >> 61 == 0 else { return nil }
            value = value << 3 | UInt64(byte - UInt8(ascii: "0"))
            hasDigits = true
        }
        return hasDigits || field.allSatisfy { $0 == 0 || $0 == UInt8(ascii: " ") } ? value : nil
    }
}

/// pax' records: `LENGTH KEY=VALUE` and a line feed each, the length counting all of it.
struct PaxRecords {
    private(set) var path: String?
    private(set) var linkPath: String?
    private(set) var size: UInt64?
    /// Only parts of the member were written (GNU's sparse files in pax).
    private(set) var isSparse = false

    init(_ bytes: [UInt8] = []) {
        var rest = bytes[...]
        while let space = rest.firstIndex(of: UInt8(ascii: " ")), let length = Int(String(decoding: rest[..<space], as: UTF8.self)),
            length > space - rest.startIndex + 1, length <= rest.count
        {
            let record = rest[(space + 1)..<(rest.startIndex + length)]
            rest = rest[(rest.startIndex + length)...]
            guard let equals = record.firstIndex(of: UInt8(ascii: "=")), record.last == UInt8(ascii: "\n") else { continue }
            let value = String(decoding: record[(equals + 1)...].dropLast(), as: UTF8.self)
            switch String(decoding: record[..<equals], as: UTF8.self) {
            case "path": path = value
            case "linkpath": linkPath = value
            case "size": size = UInt64(value)
            case let key where key.hasPrefix("GNU.sparse."): isSparse = true
            default: break
            }
        }
    }

    /// These, and those of `others` that these do not give.
    func or(_ others: PaxRecords) -> PaxRecords {
        var all = self
        all.path = path ?? others.path
        all.linkPath = linkPath ?? others.linkPath
        all.size = size ?? others.size
        all.isSparse = isSparse || others.isSparse
        return all
    }
}
