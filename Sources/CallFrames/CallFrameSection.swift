package import BinaryPrimitives

/// Reads the entries of `.eh_frame` (Linux Standard Base, Core, section 10.6.1) or `.debug_frame`
/// (DWARF 5, section 6.4.1): common information (CIE), and the frame descriptions (FDE) of
/// functions that refer to it.
package struct CallFrameSection: Sendable {
    /// `.eh_frame`; the two differ in how references, ends and addresses are written.
    package let isExceptions: Bool
    /// The address of the section's first byte.
    package let address: UInt64
    package let addressSize: Int
    let byteOrder: ByteOrder

    package init(isExceptions: Bool, address: UInt64, addressSize: Int, byteOrder: ByteOrder) {
        self.isExceptions = isExceptions
        self.address = address
        self.addressSize = addressSize
        self.byteOrder = byteOrder
    }

    /// Header of an entry, and the range of its content.
    package struct Entry: Sendable {
        /// Offset in the section, as all positions here.
        package var offset: Int
        package var length: UInt64
        /// Bytes of an offset: 4, or 8 in the 64-bit format.
        package var offsetSize: Int
        package var isCommon: Bool
        /// The field as stored. In a function's entry it refers to the common information: in `.eh_frame` by
        /// the distance from this field back to it, in `.debug_frame` by its offset.
        package var id: UInt64
        /// Offset of the common information that a function's entry refers to; `nil` if it would be before
        /// the section.
        package var common: Int?
        /// Range of the bytes after the field that distinguishes the two kinds.
        package var content: Range<Int>

        package var end: Int { content.upperBound }
    }

    /// The entry at a position.
    /// - Returns: an entry of length 0 at the end of the list (`.eh_frame`).
    package func entry(at position: Int, in section: RawSpan) throws(ReadError) -> Entry {
        var rest = try section.from(UInt64(max(0, position)))
        let short = try rest.read(UInt32.self, byteOrder)
        let isLong = short == 0xffff_ffff
        let length = isLong ? try rest.read(UInt64.self, byteOrder) : UInt64(short)
        let start = section.byteCount - rest.byteCount
        var body = try rest.read(bytes: Int(clamping: length))
        let end = start + body.byteCount
        // In `.eh_frame` the field has four bytes even if the length has eight.
        let isWide = isLong && !isExceptions
        let id = isWide ? (try? body.read(UInt64.self, byteOrder)) ?? 0 : UInt64((try? body.read(UInt32.self, byteOrder)) ?? 0)
        let isCommon = isExceptions ? id == 0 : id == (isWide ? UInt64.max : 0xffff_ffff)
        let common = isExceptions ? (id <= UInt64(start) ? start - Int(id) : nil) : Int(exactly: id)
        return Entry(
            offset: position, length: length, offsetSize: isLong ? 8 : 4, isCommon: isCommon, id: id, common: common,
            content: end - body.byteCount..<end)
    }

    /// Reads common information.
    /// - Parameter longest: maximum number of bytes to read. A lookup needs only the first forty or so; in a
    ///   hostile file, strings and padded numbers without an end would be read again for every entry that
    ///   refers to them.
    package func common(_ entry: Entry, in section: RawSpan, longest: Int = .max) throws(ReadError) -> CommonInformation {
        let end = entry.content.lowerBound + min(entry.content.count, longest)
        var body = section.clamped(to: entry.content.lowerBound..<end)
        var common = CommonInformation(offset: entry.offset)
        common.version = try body.read(UInt8.self)
        let augmentation = try body.readCString()
        common.augmentation.append(copying: augmentation.text)
        common.addressSize = addressSize
        // gcc before 3.0 wrote "eh", and then an address.
        if isExceptions, common.augmentation == Array("eh".utf8) { try body.skip(addressSize) }
        if common.version >= 4 {
            common.addressSize = Int(try body.read(UInt8.self))
            common.segmentSelectorSize = try body.read(UInt8.self)
        }
        common.codeAlignment = try body.readULEB128()
        common.dataAlignment = try body.readSLEB128()
        common.returnRegister = common.version == 1 ? UInt64(try body.read(UInt8.self)) : try body.readULEB128()
        if isExceptions {
            try readAugmentation(&body, endingAt: end, &common)
        } else {
            common.isSignalFrame = common.augmentation.contains(UInt8(ascii: "S"))
        }
        common.instructions = end - body.byteCount..<entry.end
        return common
    }

    private func readAugmentation(_ body: inout RawSpan, endingAt end: Int, _ common: inout CommonInformation) throws(ReadError) {
        guard common.augmentation.first == UInt8(ascii: "z") else { return common.isUnderstood = common.augmentation.isEmpty }
        let length = try body.readULEB128()
        let start = end - body.byteCount
        for letter in common.augmentation.dropFirst() {
            switch letter {
            case UInt8(ascii: "R"): common.pointerEncoding = PointerEncoding(value: try body.read(UInt8.self))
            case UInt8(ascii: "S"): common.isSignalFrame = true
            case UInt8(ascii: "L"): common.languageDataEncoding = PointerEncoding(value: try body.read(UInt8.self))
            case UInt8(ascii: "P"):
                let encoding = PointerEncoding(value: try body.read(UInt8.self))
                common.personality = try encoding.read(&body, endingAt: end, addressSize: addressSize, byteOrder)
            // AArch64's pointer authentication and memory tagging: without a value.
            case UInt8(ascii: "B"), UInt8(ascii: "G"): break
            default: return common.isUnderstood = false
            }
        }
        common.augmentationData = start..<end - body.byteCount
        common.isUnderstood = length == UInt64(common.augmentationData.count)
    }

    /// Reads a function's frame description.
    /// - Parameter common: the common information that the entry refers to; if `nil`, addresses have the
    ///   section's size.
    package func function(
        _ entry: Entry, _ common: CommonInformation?, in section: RawSpan, longest: Int = .max
    ) throws(ReadError) -> FrameDescription {
        let end = entry.content.lowerBound + min(entry.content.count, longest)
        var body = section.clamped(to: entry.content.lowerBound..<end)
        var function = FrameDescription()
        if isExceptions {
            let encoding = common?.pointerEncoding ?? PointerEncoding(value: 0xff)
            function.start = try encoding.read(&body, endingAt: end, addressSize: addressSize, byteOrder)
            function.size = try encoding.asLength.read(&body, endingAt: end, addressSize: addressSize, byteOrder)?.number
            if common?.augmentation.first == UInt8(ascii: "z") {
                do throws(ReadError) {
                    let length = try body.readULEB128()
                    let data = try body.read(bytes: Int(clamping: length))
                    let offset = end - body.byteCount - data.byteCount
                    var rest = section.clamped(to: offset..<end)
                    function.languageData = try common?.languageDataEncoding.read(&rest, endingAt: end, addressSize: addressSize, byteOrder)
                    function.isUnderstood = rest.byteCount == body.byteCount
                } catch {
                    function.isUnderstood = false
                }
            }
        } else {
            let size = common?.addressSize ?? addressSize
            let offset = end - body.byteCount
            let start = try body.readUnsigned(size: size, byteOrder)
            function.start = EncodedPointer(encoding: PointerEncoding(value: 0), number: start, offset: offset)
            function.size = try body.readUnsigned(size: size, byteOrder)
        }
        function.instructions = end - body.byteCount..<entry.end
        return function
    }
}

/// Information that the frame descriptions referring to it have in common (CIE).
package struct CommonInformation: Sendable {
    package let offset: Int
    package var version: UInt8 = 0
    package var augmentation: [UInt8] = []
    package var addressSize = 0
    package var segmentSelectorSize: UInt8 = 0
    package var codeAlignment: UInt64 = 0
    package var dataAlignment: Int64 = 0
    package var returnRegister: UInt64 = 0
    package var personality: EncodedPointer?
    /// Range of the augmentation data, whose layout the augmentation's letters describe.
    package var augmentationData = 0..<0
    /// Encoding of addresses (`R` in the augmentation); without `R` they are plain.
    package var pointerEncoding = PointerEncoding(value: 0)
    package var languageDataEncoding = PointerEncoding(value: 0xff)
    /// `S` in the augmentation: the frames are signal frames, whose callers were interrupted.
    package var isSignalFrame = false
    /// All letters of the augmentation are known, and their data are as long as they say.
    package var isUnderstood = true
    package var instructions = 0..<0

    package init(offset: Int) { self.offset = offset }
}

/// A function's frames (FDE).
package struct FrameDescription: Sendable {
    /// `nil` where its encoding is not known.
    package var start: EncodedPointer?
    package var size: UInt64?
    /// The language's exception table.
    package var languageData: EncodedPointer?
    /// Its augmentation data are as long as they say.
    package var isUnderstood = true
    package var instructions = 0..<0
}
