internal import BinaryPrimitives

/// How exception tables write an address: `DW_EH_PE_…` (Linux Standard Base, Core, section 10.5.1).
struct PointerEncoding {
    let value: UInt8

    /// `DW_EH_PE_omit`: there is no value.
    var isOmitted: Bool { value == 0xff }

    /// The same form of number, counted from zero: how the length of a function is written.
    var asLength: PointerEncoding { PointerEncoding(value: value & 0x0f) }

    /// Bytes of one value; `nil` where they vary, or the form is not known.
    func size(addressSize: Int) -> Int? {
        switch value & 0x0f {
        case 0x0, 0x8: addressSize  // absptr, signed
        case 0x2, 0xa: 2  // udata2, sdata2
        case 0x3, 0xb: 4  // udata4, sdata4
        case 0x4, 0xc: 8  // udata8, sdata8
        default: nil
        }
    }

    /// What a value counts from.
    struct Bases {
        /// The address of the first byte of what is read: a value relative to its own place (`pcrel`) counts from there.
        var section: UInt64
        /// The start of `.eh_frame_hdr` (`datarel`); `nil` where it is not known.
        var data: UInt64?
    }

    /// Takes a value.
    /// - Parameters:
    ///   - count: the size of the section that `bytes` is the rest of.
    /// - Returns: the address; `nil` if the encoding is unknown, indirect (the address would have to be read from memory) or relative to something unknown.
    ///   The bytes are taken all the same where their number is known.
    func take(_ bytes: inout RawSpan, of count: Int, addressSize: Int, _ order: ByteOrder, _ bases: Bases) throws(ReadError) -> UInt64? {
        let position = bases.section &+ UInt64(count - bytes.byteCount)
        let number: UInt64
        switch value & 0x0f {
        case 0x0, 0x8: number = try bytes.takeUnsigned(size: addressSize, order)
        case 0x1: number = try bytes.takeULEB128()
        case 0x2: number = UInt64(try bytes.take(UInt16.self, order))
        case 0x3: number = UInt64(try bytes.take(UInt32.self, order))
        case 0x4, 0xc: number = try bytes.take(UInt64.self, order)
        case 0x9: number = UInt64(bitPattern: try bytes.takeSLEB128())
        case 0xa: number = UInt64(bitPattern: Int64(try bytes.take(Int16.self, order)))
        case 0xb: number = UInt64(bitPattern: Int64(try bytes.take(Int32.self, order)))
        default: return nil
        }
        guard value & 0x80 == 0 else { return nil }
        let base: UInt64
        switch value & 0x70 {
        case 0x00: base = 0
        case 0x10: base = position
        case 0x30:
            guard let data = bases.data else { return nil }
            base = data
        // textrel and funcrel are named by the standard and written by no compiler; aligned is.
        default: return nil
        }
        let address = base &+ number
        return addressSize == 4 ? address & 0xffff_ffff : address
    }
}
