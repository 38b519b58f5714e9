internal import BinaryPrimitives

/// How exception tables write an address: `DW_EH_PE_…` (Linux Standard Base, Core, section 10.5.1).
package struct PointerEncoding: Sendable {
    package let value: UInt8

    package init(value: UInt8) { self.value = value }

    /// `DW_EH_PE_omit`: there is no value.
    package var isOmitted: Bool { value == 0xff }

    /// The same number format, relative to zero: the length of a function is written in it.
    var asLength: PointerEncoding { PointerEncoding(value: value & 0x0f) }

    /// Size of one value in bytes; `nil` if it varies, or the format is not known.
    func size(addressSize: Int) -> Int? {
        switch value & 0x0f {
        case 0x0, 0x8: addressSize  // absptr, signed
        case 0x2, 0xa: 2  // udata2, sdata2
        case 0x3, 0xb: 4  // udata4, sdata4
        case 0x4, 0xc: 8  // udata8, sdata8
        default: nil
        }
    }

    /// Reads a value and advances `bytes`.
    /// - Parameter end: offset in the section of the end of `bytes`.
    /// - Returns: `nil` if the format is not known or the value is omitted: nothing is read.
    func read(_ bytes: inout RawSpan, endingAt end: Int, addressSize: Int, _ order: ByteOrder) throws(ReadError) -> EncodedPointer? {
        guard !isOmitted else { return nil }
        let offset = end - bytes.byteCount
        let number: UInt64
        switch value & 0x0f {
        case 0x0, 0x8: number = try bytes.readUnsigned(size: addressSize, order)
        case 0x1: number = try bytes.readULEB128()
        case 0x2: number = UInt64(try bytes.read(UInt16.self, order))
        case 0x3: number = UInt64(try bytes.read(UInt32.self, order))
        case 0x4, 0xc: number = try bytes.read(UInt64.self, order)
        case 0x9: number = UInt64(bitPattern: try bytes.readSLEB128())
        case 0xa: number = UInt64(bitPattern: Int64(try bytes.read(Int16.self, order)))
        case 0xb: number = UInt64(bitPattern: Int64(try bytes.read(Int32.self, order)))
        default: return nil
        }
        return EncodedPointer(encoding: self, number: number, offset: offset)
    }
}

/// A pointer as it is stored in an exception table.
package struct EncodedPointer: Sendable {
    package var encoding: PointerEncoding
    package var number: UInt64
    /// Offset of the pointer in its section.
    package var offset: Int

    /// Returns the address that it points to; if it is indirect, the address of a pointer to that.
    /// - Parameters:
    ///   - section: the address of the section's first byte, for values relative to their own position
    ///     (`pcrel`); if `nil`, such a value is returned without it.
    ///     place (`pcrel`) counts from; `nil`: that is left out.
    ///   - data: the start of `.eh_frame_hdr` (`datarel`); `nil` if it is not known.
    /// - Returns: `nil` if it is relative to something unknown: textrel and funcrel are named by
    ///   the standard and written by no compiler; aligned is.
    package func target(section: UInt64?, data: UInt64? = nil) -> UInt64? {
        switch encoding.value & 0x70 {
        case 0x00: number
        case 0x10: section.map { number &+ $0 &+ UInt64(offset) } ?? number
        case 0x30: data.map { $0 &+ number }
        default: nil
        }
    }

    /// The address.
    /// - Returns: `nil` if it cannot be known, or would have to be read from memory (indirect).
    func address(section: UInt64, data: UInt64? = nil, addressSize: Int) -> UInt64? {
        guard encoding.value & 0x80 == 0, let target = target(section: section, data: data) else { return nil }
        return addressSize == 4 ? target & 0xffff_ffff : target
    }
}
