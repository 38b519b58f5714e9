package import BinaryPrimitives

/// An attribute's value as its form encodes it (DWARF 5, section 7.5.5): what it means is left to
/// the attribute, what it points to is not read yet.
enum AttributeValue: Sendable {
    /// A form that is passed over: a block, an expression.
    case other
    /// `addr`.
    case address(UInt64)
    /// `addrx*`: an index into `.debug_addr`.
    case addressIndex(UInt64)
    /// `LLVM_addrx_offset`, or an expression that says the same: an index into `.debug_addr`, and bytes after that address.
    case addressIndexAndOffset(UInt64, UInt64)
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
    /// `string`: where its first byte is, in bytes from the end of what the value was read from.
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

    /// A number where the form gives one: `nil` for strings, references and addresses, and for
    /// negative numbers.
    var number: UInt64? {
        switch self {
        case .unsigned(let value), .sectionOffset(let value): value
        case .signed(let value): UInt64(exactly: value)
        default: nil
        }
    }
}

extension AttributeValue {
    @inline(__always)
    init(_ value: RawValue) {
        let number = value.number
        switch value.form {
        case Form.addr: self = .address(number)
        case Form.data1, Form.data2, Form.data4, Form.data8, Form.udata, Form.flag, Form.flagPresent: self = .unsigned(number)
        case Form.sdata, Form.implicitConst: self = .signed(Int64(bitPattern: number))
        case Form.secOffset: self = .sectionOffset(number)
        case Form.ref1, Form.ref2, Form.ref4, Form.ref8, Form.refUdata: self = .unitReference(number)
        case Form.refAddr: self = .infoReference(number)
        case Form.refSig8: self = .typeSignature(number)
        case Form.string: self = .inlineString(bytesBeforeEnd: value.bytesBeforeEnd)
        case Form.strp: self = .stringOffset(number)
        case Form.lineStrp: self = .lineStringOffset(number)
        case Form.strpSup, Form.gnuStrpAlt: self = .supplementaryString(number)
        case Form.gnuRefAlt, Form.refSup4, Form.refSup8: self = .supplementaryReference(number)
        case Form.strx, Form.gnuStrIndex, Form.strx1, Form.strx2, Form.strx3, Form.strx4: self = .stringIndex(number)
        case Form.addrx, Form.gnuAddrIndex, Form.addrx1, Form.addrx2, Form.addrx3, Form.addrx4: self = .addressIndex(number)
        case Form.llvmAddrxOffset: self = .addressIndexAndOffset(number >> 32, number & 0xffff_ffff)
        case Form.rnglistx: self = .rangeListIndex(number)
        case Form.loclistx: self = .locationListIndex(number)
        default: self = .other
        }
    }
}

extension AttributeValue {
    /// Reads an expression that is an address, or the sum of one and a constant; `nil` for others.
    fileprivate init?(addressExpression bytes: RawSpan, _ sizes: FormSizes) {
        guard let value = try? Self.address(of: bytes, sizes) else { return nil }
        self = value
    }

    private static func address(of bytes: RawSpan, _ sizes: FormSizes) throws(ReadError) -> AttributeValue? {
        var cursor = bytes
        let order = sizes.byteOrder
        let operation = try cursor.read(UInt8.self)
        let isIndex = operation == Operation.addrx || operation == Operation.gnuAddrIndex
        guard isIndex || operation == Operation.addr else { return nil }
        let base = isIndex ? try cursor.readULEB128() : try cursor.readUnsigned(size: sizes.addressSize, order)
        var offset: UInt64 = 0
        if cursor.byteCount > 0 {
            switch try cursor.read(UInt8.self) {
            case Operation.plusConstant: offset = try cursor.readULEB128()
            case Operation.const1u: offset = UInt64(try cursor.read(UInt8.self))
            case Operation.const2u: offset = UInt64(try cursor.read(UInt16.self, order))
            case Operation.const4u: offset = UInt64(try cursor.read(UInt32.self, order))
            case Operation.const8u: offset = try cursor.read(UInt64.self, order)
            case Operation.constu: offset = try cursor.readULEB128()
            default: return nil
            }
            if cursor.byteCount > 0, try cursor.read(UInt8.self) != Operation.plus { return nil }
        }
        guard cursor.byteCount == 0 else { return nil }
        return isIndex ? .addressIndexAndOffset(base, offset) : .address(base &+ offset)
    }
}

/// The sizes that the forms of one unit depend on.
package struct FormSizes: Hashable, Sendable {
    package var addressSize: Int
    package var offsetSize: Int
    package var version: UInt16
    package var byteOrder: ByteOrder

    package init(addressSize: Int, offsetSize: Int, version: UInt16, byteOrder: ByteOrder) {
        self.addressSize = addressSize
        self.offsetSize = offsetSize
        self.version = version
        self.byteOrder = byteOrder
    }

    /// `ref_addr` had the size of an address in DWARF 2, of an offset since.
    var referenceSize: Int { version <= 2 ? addressSize : offsetSize }
}

extension UnitHeader {
    package var formSizes: FormSizes {
        FormSizes(addressSize: addressSize, offsetSize: offsetSize, version: version, byteOrder: byteOrder)
    }
}

extension RawSpan {
    /// Takes an attribute's value.
    /// - Parameter implicit: the value that the abbreviation holds, for `implicit_const`.
    mutating func readValue(_ form: UInt16, implicit: Int64, _ sizes: FormSizes) throws(ReadError) -> AttributeValue {
        AttributeValue(try readRawValue(form, SkipStep(form, sizes), implicit: implicit, sizes))
    }

    /// Takes the value of an attribute that is an address: also of an expression that is one, as clang writes it to save relocations
    /// (`-mllvm -minimize-addr-in-v5=Expressions`: `DW_OP_addrx`, a constant, `DW_OP_plus`).
    mutating func readAddress(_ form: UInt16, implicit: Int64, _ sizes: FormSizes) throws(ReadError) -> AttributeValue {
        let before = self
        let value = try readRawValue(form, SkipStep(form, sizes), implicit: implicit, sizes)
        guard value.form == Form.exprloc else { return AttributeValue(value) }
        let start = before.byteCount - value.bytesBeforeEnd
        return AttributeValue(addressExpression: before.clamped(to: start..<start + value.count), sizes) ?? .other
    }

    /// Moves past the first values of an entry.
    package mutating func skipValues(_ count: Int, of specifications: [AttributeSpecification], _ sizes: FormSizes) throws(ReadError) {
        for index in 0..<min(count, specifications.count) { try skip(specifications[index].step, sizes) }
    }

    /// Moves past a value.
    package mutating func skipValue(_ step: SkipStep, _ sizes: FormSizes) throws(ReadError) { try skip(step, sizes) }

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
        case .block1: try skip(Int(try read(UInt8.self)))
        case .block2: try skip(Int(try read(UInt16.self, sizes.byteOrder)))
        case .block4: try skip(Int(try read(UInt32.self, sizes.byteOrder)))
        case .block: try skip(Int(clamping: try readULEB128()))
        case .indexAndOffset:
            try skipLEB128()
            try skip(4)
        case .indirect: try skipValue(try readIndirectForm(), sizes)
        default: throw ReadError(.unknownForm(nil), bytesLeft: byteCount)
        }
    }
}
