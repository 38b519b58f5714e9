package import BinaryPrimitives

/// An attribute's value as it is encoded (DWARF 5, section 7.5.5).
package struct RawValue: Sendable {
    /// `DW_FORM_…`, after `DW_FORM_indirect`.
    package var form: UInt16
    /// A number, an offset, an index, or how many bytes a block has; bits, also where the form has
    /// a sign.
    package var number: UInt64 = 0
    /// Start of a block or of a string in the entry, in bytes from the end of the bytes that the value was read from.
    package var bytesBeforeEnd = 0
    /// How many those are.
    package var count = 0

    /// A block or an expression.
    package var isBlock: Bool {
        switch form {
        case Form.block1, Form.block2, Form.block4, Form.block, Form.exprloc: true
        default: false
        }
    }
}

extension RawSpan {
    /// Takes a value.
    /// - Parameter implicit: the value that the abbreviation holds, for `implicit_const`.
    package mutating func readRawValue(
        _ form: UInt16, _ step: SkipStep, implicit: Int64 = 0, _ sizes: FormSizes
    ) throws(ReadError) -> RawValue {
        var value = RawValue(form: form)
        let order = sizes.byteOrder
        switch step.code {
        case 0: value.number = form == Form.flagPresent ? 1 : UInt64(bitPattern: implicit)
        case 1: value.number = UInt64(try read(UInt8.self))
        case 2: value.number = UInt64(try read(UInt16.self, order))
        case 3: value.number = try readThreeBytes(order)
        case 4: value.number = UInt64(try read(UInt32.self, order))
        case 8: value.number = try read(UInt64.self, order)
        case 16: try readBlock(16, &value)
        case SkipStep.leb128.code: value.number = form == Form.sdata ? UInt64(bitPattern: try readSLEB128()) : try readULEB128()
        case SkipStep.string.code:
            value.bytesBeforeEnd = byteCount
            try skipCString()
            value.count = value.bytesBeforeEnd - byteCount - 1
        case SkipStep.block1.code: try readBlock(UInt64(try read(UInt8.self)), &value)
        case SkipStep.block2.code: try readBlock(UInt64(try read(UInt16.self, order)), &value)
        case SkipStep.block4.code: try readBlock(UInt64(try read(UInt32.self, order)), &value)
        case SkipStep.block.code: try readBlock(try readULEB128(), &value)
        case SkipStep.indexAndOffset.code:
            let index = try readULEB128()
            value.number = index << 32 | UInt64(try read(UInt32.self, order))
        case SkipStep.indirect.code:
            let form = try readIndirectForm()
            return try readRawValue(form, SkipStep(form, sizes), sizes)
        default: throw ReadError(.unknownForm(nil), bytesLeft: byteCount)
        }
        return value
    }

    private mutating func readBlock(_ count: UInt64, _ value: inout RawValue) throws(ReadError) {
        (value.number, value.bytesBeforeEnd, value.count) = (count, byteCount, Int(clamping: count))
        try skip(value.count)
    }

    /// Takes the form that `DW_FORM_indirect` puts before a value. `implicit_const` has no room
    /// for its value there, and `indirect` may not name itself.
    mutating func readIndirectForm() throws(ReadError) -> UInt16 {
        let actual = try readULEB128()
        guard let form = UInt16(exactly: actual), form != Form.indirect, form != Form.implicitConst else {
            throw ReadError(.unknownForm(actual), bytesLeft: byteCount)
        }
        return form
    }

    /// A three-byte integer (`strx3`, `addrx3`).
    private mutating func readThreeBytes(_ order: ByteOrder) throws(ReadError) -> UInt64 {
        let first = UInt64(try read(UInt8.self))
        let second = UInt64(try read(UInt8.self))
        let third = UInt64(try read(UInt8.self))
        return order == .littleEndian ? first | second << 8 | third << 16 : first << 16 | second << 8 | third
    }
}
