internal import BinaryPrimitives

/// An attribute's value as its form encodes it (DWARF 5, section 7.5.5): what it means is left to the attribute, what it points to is not read yet.
enum AttributeValue: Sendable {
    /// A form that is passed over: a block, an expression.
    case other
    /// `addr`.
    case address(UInt64)
    /// `addrx*`: an index into `.debug_addr`.
    case addressIndex(UInt64)
    /// `data*`, `udata`, `flag*`, zero-extended.
    case unsigned(UInt64)
    /// `sdata` and `implicit_const`.
    case signed(Int64)
    /// `sec_offset`, bytes from the start of the section that the attribute names.
    case sectionOffset(UInt64)
    /// `rnglistx`: an index into the unit's range lists.
    case rangeListIndex(UInt64)
    /// `loclistx`: an index into the unit's location lists.
    case locationListIndex(UInt64)
    /// `ref1` to `ref_udata`: bytes from the start of the unit's header.
    case unitReference(UInt64)
    /// `ref_addr`: bytes from the start of `.debug_info`.
    case infoReference(UInt64)
    /// `string`: where its first byte stands, in bytes from the end of what the value was read from.
    case inlineString(bytesBeforeEnd: Int)
    /// `strp`: bytes from the start of `.debug_str`.
    case stringOffset(UInt64)
    /// `line_strp`: bytes from the start of `.debug_line_str`.
    case lineStringOffset(UInt64)
    /// `ref_sig8`: the signature of a type unit.
    case typeSignature(UInt64)
    /// `ref_sup*`, `GNU_ref_alt`: bytes from the start of `.debug_info` of the supplementary file.
    case supplementaryReference(UInt64)
    /// `strp_sup`, `GNU_strp_alt`: bytes from the start of `.debug_str` of the supplementary file.
    case supplementaryString(UInt64)
    /// `strx*`: an index into `.debug_str_offsets`.
    case stringIndex(UInt64)

    /// A number where the form gives one: `nil` for strings, references and addresses, and for negative numbers.
    var number: UInt64? {
        switch self {
        case .unsigned(let value), .sectionOffset(let value): value
        case .signed(let value): UInt64(exactly: value)
        default: nil
        }
    }
}

/// The sizes that the forms of one unit depend on.
struct FormSizes: Hashable, Sendable {
    var addressSize: Int
    var offsetSize: Int
    var version: UInt16
    var byteOrder: ByteOrder

    /// `ref_addr` had the size of an address in DWARF 2, of an offset since.
    var referenceSize: Int { version <= 2 ? addressSize : offsetSize }
}

extension UnitHeader {
    var formSizes: FormSizes {
        FormSizes(addressSize: addressSize, offsetSize: offsetSize, version: version, byteOrder: byteOrder)
    }
}

extension RawSpan {
    /// Takes an attribute's value.
    /// - Parameter implicit: the value that the abbreviation holds, for `implicit_const`.
    mutating func takeValue(_ form: UInt16, implicit: Int64, _ sizes: FormSizes) throws(ReadError) -> AttributeValue {
        let order = sizes.byteOrder
        switch form {
        case Form.addr: return .address(try takeUnsigned(size: sizes.addressSize, order))
        case Form.data1, Form.flag: return .unsigned(UInt64(try take(UInt8.self)))
        case Form.data2: return .unsigned(UInt64(try take(UInt16.self, order)))
        case Form.data4: return .unsigned(UInt64(try take(UInt32.self, order)))
        case Form.data8: return .unsigned(try take(UInt64.self, order))
        case Form.udata: return .unsigned(try takeULEB128())
        case Form.sdata: return .signed(try takeSLEB128())
        case Form.implicitConst: return .signed(implicit)
        case Form.flagPresent: return .unsigned(1)
        case Form.secOffset: return .sectionOffset(try takeUnsigned(size: sizes.offsetSize, order))
        case Form.ref1: return .unitReference(UInt64(try take(UInt8.self)))
        case Form.ref2: return .unitReference(UInt64(try take(UInt16.self, order)))
        case Form.ref4: return .unitReference(UInt64(try take(UInt32.self, order)))
        case Form.ref8: return .unitReference(try take(UInt64.self, order))
        case Form.refUdata: return .unitReference(try takeULEB128())
        case Form.refAddr: return .infoReference(try takeUnsigned(size: sizes.referenceSize, order))
        case Form.refSig8: return .typeSignature(try take(UInt64.self, order))
        case Form.string:
            let value = AttributeValue.inlineString(bytesBeforeEnd: byteCount)
            try skipCString()
            return value
        case Form.strp: return .stringOffset(try takeUnsigned(size: sizes.offsetSize, order))
        case Form.lineStrp: return .lineStringOffset(try takeUnsigned(size: sizes.offsetSize, order))
        case Form.strpSup, Form.gnuStrpAlt: return .supplementaryString(try takeUnsigned(size: sizes.offsetSize, order))
        case Form.gnuRefAlt: return .supplementaryReference(try takeUnsigned(size: sizes.offsetSize, order))
        case Form.refSup4: return .supplementaryReference(UInt64(try take(UInt32.self, order)))
        case Form.refSup8: return .supplementaryReference(try take(UInt64.self, order))
        case Form.strx, Form.gnuStrIndex: return .stringIndex(try takeULEB128())
        case Form.strx1: return .stringIndex(UInt64(try take(UInt8.self)))
        case Form.strx2: return .stringIndex(UInt64(try take(UInt16.self, order)))
        case Form.strx3: return .stringIndex(try takeThreeBytes(order))
        case Form.strx4: return .stringIndex(UInt64(try take(UInt32.self, order)))
        case Form.addrx, Form.gnuAddrIndex: return .addressIndex(try takeULEB128())
        case Form.addrx1: return .addressIndex(UInt64(try take(UInt8.self)))
        case Form.addrx2: return .addressIndex(UInt64(try take(UInt16.self, order)))
        case Form.addrx3: return .addressIndex(try takeThreeBytes(order))
        case Form.addrx4: return .addressIndex(UInt64(try take(UInt32.self, order)))
        case Form.rnglistx: return .rangeListIndex(try takeULEB128())
        case Form.indirect:
            let actual = try takeULEB128()
            // `implicit_const` has no place for its value behind `indirect`, and `indirect` may not name itself.
            guard let form = UInt16(exactly: actual), form != Form.indirect, form != Form.implicitConst else {
                throw ReadError(.unknownForm(actual), bytesLeft: byteCount)
            }
            return try takeValue(form, implicit: 0, sizes)
        default:
            try skipValue(form, sizes)
            return .other
        }
    }

    /// Moves past an attribute's value.
    mutating func skipValue(_ form: UInt16, _ sizes: FormSizes) throws(ReadError) { try skip(SkipStep(form, sizes), sizes) }

    /// Moves past one step of a skip plan.
    @inline(__always)
    mutating func skip(_ step: SkipStep, _ sizes: FormSizes) throws(ReadError) {
        if step.code >= 0 { return try skip(Int(step.code)) }
        try skipVariable(step, sizes)
    }

    private mutating func skipVariable(_ step: SkipStep, _ sizes: FormSizes) throws(ReadError) {
        switch step {
        case .leb128: try skipLEB128()
        case .string: try skipCString()
        case .block1: try skip(Int(try take(UInt8.self)))
        case .block2: try skip(Int(try take(UInt16.self, sizes.byteOrder)))
        case .block4: try skip(Int(try take(UInt32.self, sizes.byteOrder)))
        case .block: try skip(Int(clamping: try takeULEB128()))
        case .indirect:
            let actual = try takeULEB128()
            guard let form = UInt16(exactly: actual), form != Form.indirect, form != Form.implicitConst else {
                throw ReadError(.unknownForm(actual), bytesLeft: byteCount)
            }
            try skipValue(form, sizes)
        default: throw ReadError(.unknownForm(nil), bytesLeft: byteCount)
        }
    }

    /// A three-byte integer (`strx3`, `addrx3`).
    mutating func takeThreeBytes(_ order: ByteOrder) throws(ReadError) -> UInt64 {
        let first = UInt64(try take(UInt8.self))
        let second = UInt64(try take(UInt8.self))
        let third = UInt64(try take(UInt8.self))
        return order == .littleEndian ? first | second << 8 | third << 16 : first << 16 | second << 8 | third
    }
}
