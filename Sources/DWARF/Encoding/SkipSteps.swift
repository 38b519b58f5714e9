internal import BinaryPrimitives

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

/// The steps that skip all attributes of an entry, in one number: computed once for an abbreviation, used for every entry that has it.
///
/// A step is a byte; the first step is the lowest byte:
///
///     bit  7      3 2    0
///         +--------+------+
///         | bytes  | kind |   `bytes` are passed, then what `kind` says
///         +--------+------+
///
/// Example: the forms `strx1, data4, exprloc, data1` are five bytes and a block, then one byte:
///
///     step 1: 00001 000 = 0x08     step 0: 00101 010 = 0x2a     bits = 0x082a
///
/// So an entry of fixed size, as most of gcc's are, is passed with one addition, and clang's without looking at its abbreviation.
struct PackedSteps: Sendable, Hashable {
    /// Zero: no attribute takes a byte.
    private(set) var bits: UInt64 = 0

    /// Data that follows a step's bytes.
    private enum Kind {
        static let nothing: UInt64 = 0
        static let leb128: UInt64 = 1
        static let block: UInt64 = 2
        static let string: UInt64 = 3
        static let block1: UInt64 = 4
        static let block2: UInt64 = 5
        static let block4: UInt64 = 6
        /// The attributes do not fit in one number, or have a form that contains its own form: they
        /// are passed one by one, by what the abbreviation declares.
        static let declared: UInt64 = 7
    }

    private static let largest = 0x1f
    private static let bitsOfKind: UInt64 = 3

    static let declared = PackedSteps(bits: Kind.declared)

    /// Steps while they are put together.
    struct Builder {
        private var bits: UInt64 = 0
        private var shift: UInt64 = 0
        private var fits = true
        /// Bytes of the forms of fixed size since the last other one.
        private(set) var pending = 0

        /// Whether all attributes so far are of fixed size.
        var isFixed: Bool { bits == 0 && fits }
        /// The steps that skip the attributes up to the pending bytes.
        var withoutPending: PackedSteps { fits ? PackedSteps(bits: bits) : .declared }

        @inline(__always)
        mutating func add(_ step: SkipStep) {
            if step.code >= 0 { pending &+= Int(step.code) } else { addVariable(step) }
        }

        @inline(never)
        private mutating func addVariable(_ step: SkipStep) {
            switch step {
            case .leb128: end(with: Kind.leb128)
            case .block: end(with: Kind.block)
            case .string: end(with: Kind.string)
            case .block1: end(with: Kind.block1)
            case .block2: end(with: Kind.block2)
            case .block4: end(with: Kind.block4)
            default: fits = false
            }
        }

        private mutating func end(with kind: UInt64) {
            while pending > PackedSteps.largest {
                append(UInt64(PackedSteps.largest) << PackedSteps.bitsOfKind)
                guard fits else { return }
                pending &-= PackedSteps.largest
            }
            let step = UInt64(pending) << PackedSteps.bitsOfKind | kind
            if step != 0 { append(step) }
            pending = 0
        }

        private mutating func append(_ step: UInt64) {
            guard shift < 64 else { return fits = false }
            bits |= step << shift
            shift &+= 8
        }

        /// The steps that skip all attributes.
        @inline(__always)
        func finish() -> PackedSteps {
            if isFixed, pending <= PackedSteps.largest { return PackedSteps(bits: UInt64(pending) << PackedSteps.bitsOfKind) }
            return finishLong()
        }

        @inline(never)
        private func finishLong() -> PackedSteps {
            var all = self
            all.end(with: Kind.nothing)
            return all.withoutPending
        }
    }

    /// Moves past the attributes.
    /// - Parameters:
    ///   - position: where the first is, in bytes from the start of `bytes`; moved past the last,
    ///     which may be after the end of `bytes` where the last bytes are of fixed size.
    /// - Returns: `false`, with nothing passed, if they are passed by what the abbreviation
    ///   declares.
    @inline(__always)
    func pass(_ position: inout Int, _ bytes: RawSpan, _ sizes: FormSizes) throws(ReadError) -> Bool {
        // One step of fixed size, as most of gcc's entries are.
        if bits <= UInt64(Self.largest) << Self.bitsOfKind, bits & 7 == Kind.nothing {
            position &+= Int(truncatingIfNeeded: bits >> Self.bitsOfKind)
            return true
        }
        var rest = bits
        while rest != 0 {
            let kind = rest & 7
            position &+= Int(truncatingIfNeeded: rest >> Self.bitsOfKind) & Self.largest
            rest >>= 8
            switch kind {
            case Kind.nothing: continue
            case Kind.leb128:
                repeat {
                    guard position < bytes.byteCount else { throw ReadError(.outOfBytes(needed: 1), bytesLeft: 0) }
                    position &+= 1
                } while bytes.byte(at: position &- 1) >= 0x80
            case Kind.block where position < bytes.byteCount && bytes.byte(at: position) < 0x80:
                position &+= 1 &+ Int(bytes.byte(at: position))
            case Kind.declared: return false
            default: position = try Self.end(of: kind, at: position, bytes, sizes)
            }
        }
        return true
    }

    private static func end(of kind: UInt64, at position: Int, _ bytes: RawSpan, _ sizes: FormSizes) throws(ReadError) -> Int {
        var cursor = try bytes.from(UInt64(position))
        let step: SkipStep =
            switch kind {
            case Kind.block: .block
            case Kind.string: .string
            case Kind.block1: .block1
            case Kind.block2: .block2
            default: .block4
            }
        try cursor.skip(step, sizes)
        return bytes.byteCount &- cursor.byteCount
    }
}
