internal import BinaryPrimitives

/// Reads entries of an `.eh_frame` section (Linux Standard Base, Core, section 10.6.1): common information (CIE) and the frame descriptions (FDE) that refer to it.
/// Only what tells the range of a function is read; the instructions are passed over.
struct FrameEntries {
    /// The address of the section's first byte.
    let address: UInt64
    let addressSize: Int
    let byteOrder: ByteOrder

    /// Bytes of one entry that are read. What is wanted stands in its first forty or so; in a hostile file, strings and padded numbers without an end would be read
    /// again for every entry that refers to them.
    private static let readLength = 256

    /// The next entry from `position` on.
    struct Entry {
        /// Where the entry after it begins.
        var next: Int
        /// The function it describes; `nil` for common information, and where the address cannot be known.
        var range: Range<LinkAddress>?
        /// The frame that the function returns to was interrupted by a signal.
        var isSignalFrame = false
    }

    /// What the frame descriptions that refer to a piece of common information need of it.
    struct Common {
        var encoding: PointerEncoding
        /// `S` in the augmentation: the frames are signal frames.
        var isSignalFrame = false

        static let damaged = Common(encoding: PointerEncoding(value: 0xff))
    }

    /// Reads the entry at a position of the section.
    /// - Returns: `nil` at the zero length that ends the section.
    func entry(at position: Int, in section: RawSpan, commons: inout [Int: Common]) throws(ReadError) -> Entry? {
        var rest = try section.from(UInt64(position))
        guard let length = try takeLength(&rest) else { return nil }
        let idPosition = section.byteCount - rest.byteCount
        var body = try rest.take(bytes: length).prefix(Self.readLength)
        let next = section.byteCount - rest.byteCount
        // `count` makes positions in the section come out: this piece ends before the section does.
        let count = idPosition + body.byteCount
        // The field that tells the two kinds apart: zero for common information, else the distance back to it. It has four bytes also where the length has eight.
        let distance = Int(try body.take(UInt32.self, byteOrder))
        guard distance != 0 else { return Entry(next: next, range: nil) }
        guard distance <= idPosition else { return Entry(next: next, range: nil) }

        let common = idPosition - distance
        let information: Common
        if let known = commons[common] {
            information = known
        } else {
            // A damaged piece of common information spoils the functions that refer to it, not the others.
            information = (try? self.common(at: common, in: section)) ?? .damaged
            commons[common] = information
        }
        let encoding = information.encoding
        guard !encoding.isOmitted else { return Entry(next: next, range: nil) }
        let bases = PointerEncoding.Bases(section: address, data: nil)
        let start = try encoding.take(&body, of: count, addressSize: addressSize, byteOrder, bases)
        let size = try encoding.asLength.take(&body, of: count, addressSize: addressSize, byteOrder, bases)
        guard let start, let size, size > 0, let end = LinkAddress(start).advanced(by: size) else { return Entry(next: next, range: nil) }
        return Entry(next: next, range: LinkAddress(start)..<end, isSignalFrame: information.isSignalFrame)
    }

    /// The length of an entry, in its short or its long form; `nil` for zero.
    private func takeLength(_ bytes: inout RawSpan) throws(ReadError) -> Int? {
        let short = try bytes.take(UInt32.self, byteOrder)
        guard short == 0xffff_ffff else { return short == 0 ? nil : Int(short) }
        return Int(clamping: try bytes.take(UInt64.self, byteOrder))
    }

    /// The common information at `position`. The encoding of addresses is its augmentation's `R`; without one they are plain.
    private func common(at position: Int, in section: RawSpan) throws(ReadError) -> Common {
        var common = Common(encoding: PointerEncoding(value: 0))
        var rest = try section.from(UInt64(position))
        guard let length = try takeLength(&rest) else { return .damaged }
        let idPosition = section.byteCount - rest.byteCount
        var body = try rest.take(bytes: length).prefix(Self.readLength)
        let count = idPosition + body.byteCount
        guard try body.take(UInt32.self, byteOrder) == 0 else { return .damaged }
        let version = try body.take(UInt8.self)
        let augmentation = try body.takeCString()
        // gcc before 3.0 wrote "eh", and then an address.
        if augmentation.byteCount == 2, augmentation.byte(at: 0) == UInt8(ascii: "e"), augmentation.byte(at: 1) == UInt8(ascii: "h") {
            try body.skip(addressSize)
        }
        if version >= 4 { try body.skip(2) }  // address size, segment selector size
        _ = try body.takeULEB128()  // code alignment
        _ = try body.takeSLEB128()  // data alignment
        // The register that holds the return address.
        if version == 1 { try body.skip(1) } else { _ = try body.takeULEB128() }
        guard augmentation.byteCount > 0, augmentation.byte(at: 0) == UInt8(ascii: "z") else { return common }
        _ = try body.takeULEB128()  // the length of what follows
        for index in 1..<max(1, augmentation.byteCount) {
            switch augmentation.byte(at: index) {
            case UInt8(ascii: "R"): common.encoding = PointerEncoding(value: try body.take(UInt8.self))
            case UInt8(ascii: "S"): common.isSignalFrame = true
            case UInt8(ascii: "L"): try body.skip(1)
            case UInt8(ascii: "P"):
                let personality = PointerEncoding(value: try body.take(UInt8.self))
                _ = try personality.take(
                    &body, of: count, addressSize: addressSize, byteOrder, .init(section: address, data: nil))
            // AArch64's pointer authentication and memory tagging: without a value.
            case UInt8(ascii: "B"), UInt8(ascii: "G"): break
            default: return common
            }
        }
        return common
    }
}
