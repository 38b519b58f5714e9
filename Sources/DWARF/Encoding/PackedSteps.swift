internal import BinaryPrimitives

/// The steps that skip all attributes of an entry, in one number: computed once for an abbreviation, used for every entry that has it.
///
/// The forms `strx1, data4, exprloc, data1` are five bytes and a block, then one byte: the steps
/// `0x2a` and `0x08`, so 0x082a. A step is a byte, the first the lowest: how many bytes are passed
/// (five bits), then what comes after them (three bits, `Kind`). So an entry of fixed size, as most
/// of gcc's are, is passed with one addition, and clang's without looking at its abbreviation.
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
