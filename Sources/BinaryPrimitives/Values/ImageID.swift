/// Identity of an image, which connects a log's image to the one file that it was loaded from.
///
/// ELF's build ID (the `NT_GNU_BUILD_ID` note, of any length, 20 bytes for SHA-1) or Mach-O's
/// `LC_UUID` (16 bytes). Two identities are the same when their bytes are; how the log spelled them
/// does not matter.
public struct ImageID: Hashable, Sendable, CustomStringConvertible {
    /// The identity's bytes, in file order.
    public let bytes: [UInt8]
    /// Whether it is known to be a build ID, also if it is as long as a UUID. It affects how the
    /// identity is shown, not what it is equal to.
    package let isBuildID: Bool

    public static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// - Returns: `nil` for no bytes, or for nothing but zeros (Apple's reports write a zero UUID
    ///   for "unknown").
    package init?(bytes: [UInt8]) { self.init(bytes: bytes, isBuildID: false) }

    /// The bytes of an ELF file's build ID.
    package init?(buildID bytes: [UInt8]) { self.init(bytes: bytes, isBuildID: true) }

    private init?(bytes: [UInt8], isBuildID: Bool) {
        guard !bytes.isEmpty, bytes.contains(where: { $0 != 0 }) else { return nil }
        (self.bytes, self.isBuildID) = (bytes, isBuildID)
    }

    /// Reads an identity in any of the field's spellings: hexadecimal digits in either case, with
    /// or without a UUID's dashes, with or without Apple's angle brackets.
    ///
    /// Examples: `bf961b3b526d2110c608a658d3ca7824fad73eff`,
    /// `8F528C10-3E80-3DD6-B0BE-5D558F64F7AB`, `<8f528c103e803dd6b0be5d558f64f7ab>`.
    package init?(text: some StringProtocol) {
        let found = text.utf8.withContiguousStorageIfAvailable { unsafe Self.bytes($0.span) }
        guard let bytes = found ?? Self.bytes(Array(text.utf8).span) else { return nil }
        self.init(bytes: bytes)
    }

    /// Reads an identity from a text's bytes in place: a log may list hundreds of images.
    package init?(text: Span<UInt8>) {
        guard let bytes = Self.bytes(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// Reads a build ID from a writer that has ELF files only: Android's libraries have MD5 hashes,
    /// of 16 bytes (`--build-id=md5`).
    package init?(buildID text: some StringProtocol) {
        guard let id = ImageID(text: text) else { return nil }
        self.init(buildID: id.bytes)
    }

    private static func bytes(_ text: Span<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(text.count / 2 + 1, 64))
        var high: UInt8 = 0
        var isHalf = false
        for index in 0..<text.count {
            let character = text[index]
            switch character {
            case UInt8(ascii: "-"), UInt8(ascii: "<"), UInt8(ascii: ">"): continue
            default:
                guard let digit = hexadecimalValue(character) else { return nil }
                if isHalf {
                    guard bytes.count < 64 else { return nil }
                    bytes.append(high << 4 | digit)
                } else {
                    high = digit
                }
                isHalf.toggle()
            }
        }
        return isHalf ? nil : bytes
    }

    /// Whether a log that says this means the file with that identity: they are the same, or one of
    /// them is what Breakpad keeps of the other.
    ///
    /// Breakpad's GUIDs, in its dumps and in its symbol files, have 16 bytes: of a longer build ID
    /// (SHA-1 has 20) the first 16; a shorter one (`ld --build-id=fast` of LLD makes 8) has zeros
    /// after it (`common/linux/file_id.cc`, `ConvertIdentifierToUUIDString`). That two files share
    /// 128 bits of a hash is out of the question. Of identities under 8 bytes nothing is concluded.
    package func matches(_ file: ImageID) -> Bool { self == file || isGUID(of: file) || file.isGUID(of: self) }

    /// Whether this is the GUID that Breakpad makes of a build ID of another length.
    private func isGUID(of whole: ImageID) -> Bool {
        guard bytes.count == 16, whole.bytes.count != 16, whole.bytes.count >= 8 else { return false }
        let shared = min(16, whole.bytes.count)
        return bytes[..<shared] == whole.bytes[..<shared] && bytes[shared...].allSatisfy { $0 == 0 }
    }

    /// Lower-case hexadecimal digits without dashes: ELF's and debuginfod's spelling.
    public var hexadecimal: String { hexadecimalText(bytes[...], uppercase: false) }

    /// Apple's spelling, upper-case with dashes (8-4-4-4-12); `nil` if this is not 16 bytes long,
    /// or a build ID.
    public var uuid: String? {
        guard bytes.count == 16, !isBuildID else { return nil }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
            .map { hexadecimalText(bytes[$0], uppercase: true) }
            .joined(separator: "-")
    }

    /// The standard spelling: a UUID for 16 bytes that are not a build ID, hexadecimal digits
    /// otherwise.
    public var description: String { uuid ?? hexadecimal }
}

/// The value of an ASCII hexadecimal digit; `nil` for anything else.
@inlinable
package func hexadecimalValue(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character &- UInt8(ascii: "A") &+ 10
    default: nil
    }
}

private func hexadecimalText(_ bytes: ArraySlice<UInt8>, uppercase: Bool) -> String {
    // Bytes rather than characters: every start of a tool spells a build ID, and text that grows
    // letter by letter costs it a twentieth of its time.
    let ten = UInt8(ascii: uppercase ? "A" : "a")
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
        text.append(hexadecimalDigit(byte >> 4, ten))
        text.append(hexadecimalDigit(byte & 15, ten))
    }
    return String(decoding: text, as: UTF8.self)
}

private func hexadecimalDigit(_ value: UInt8, _ ten: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : ten + (value - 10) }
