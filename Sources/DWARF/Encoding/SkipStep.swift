/// How to move past one attribute's value without reading it: a number of bytes, or one of the
/// kinds below.
package struct SkipStep: Sendable, Hashable {
    /// Bytes; below zero the kinds of values that contain their own length.
    package let code: Int32

    private init(code: Int32) { self.code = code }

    /// A fixed number of bytes.
    package static func bytes(_ count: Int) -> SkipStep { SkipStep(code: Int32(clamping: max(0, count))) }
    /// One LEB128 number.
    static let leb128 = SkipStep(code: -1)
    /// A zero-terminated string.
    static let string = SkipStep(code: -2)
    /// A length of 1, 2 or 4 bytes or in LEB128, and as many bytes.
    static let block1 = SkipStep(code: -3)
    static let block2 = SkipStep(code: -4)
    static let block4 = SkipStep(code: -5)
    static let block = SkipStep(code: -6)
    /// The form comes before the value.
    static let indirect = SkipStep(code: -7)
    /// A LEB128 number and four bytes, by LLVM (`addrx_offset`).
    static let indexAndOffset = SkipStep(code: -8)
    /// A form that no standard and no compiler in use defines: what follows it cannot be found.
    static let unknown = SkipStep(code: -9)

    package init(_ form: UInt16, _ sizes: FormSizes) {
        switch form {
        case Form.flagPresent, Form.implicitConst: self = .bytes(0)
        case Form.data1, Form.flag, Form.ref1, Form.strx1, Form.addrx1: self = .bytes(1)
        case Form.data2, Form.ref2, Form.strx2, Form.addrx2: self = .bytes(2)
        case Form.strx3, Form.addrx3: self = .bytes(3)
        case Form.data4, Form.ref4, Form.strx4, Form.addrx4, Form.refSup4: self = .bytes(4)
        case Form.data8, Form.ref8, Form.refSig8, Form.refSup8: self = .bytes(8)
        case Form.data16: self = .bytes(16)
        case Form.addr: self = .bytes(sizes.addressSize)
        case Form.strp, Form.lineStrp, Form.secOffset, Form.strpSup, Form.gnuRefAlt, Form.gnuStrpAlt: self = .bytes(sizes.offsetSize)
        case Form.refAddr: self = .bytes(sizes.referenceSize)
        case Form.udata, Form.sdata, Form.refUdata, Form.strx, Form.addrx, Form.loclistx, Form.rnglistx, Form.gnuAddrIndex,
            Form.gnuStrIndex:
            self = .leb128
        case Form.string: self = .string
        case Form.block1: self = .block1
        case Form.block2: self = .block2
        case Form.block4: self = .block4
        case Form.block, Form.exprloc: self = .block
        case Form.indirect: self = .indirect
        case Form.llvmAddrxOffset: self = .indexAndOffset
        default: self = .unknown
        }
    }
}

/// The steps of the standard's forms, by form: a table of abbreviations has some thousand
/// attributes.
package struct FormSteps {
    private let steps: [SkipStep]
    private let sizes: FormSizes

    /// One more than `DW_FORM_addrx4`, the last of DWARF 5.
    private static let count: UInt16 = 0x2d

    package init(_ sizes: FormSizes) {
        self.sizes = sizes
        steps = (0..<Self.count).map { SkipStep($0, sizes) }
    }

    @inline(__always)
    subscript(_ form: UInt16) -> SkipStep { form < Self.count ? steps[Int(form)] : SkipStep(form, sizes) }
}
