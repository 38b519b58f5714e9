internal import BinaryPrimitives

/// One instruction, as far as calls go.
struct Instruction {
    enum Call: UInt8 { case none, indirect, direct }

    /// Number of bytes; zero if the instruction is not known.
    var length: UInt8
    var call = Call.none
    /// Bytes from the instruction's first to where its call returns: more than `length` where a
    /// delay slot follows.
    var returnDistance: UInt8
    /// The address that a direct call calls.
    var target: UInt64 = 0

    static let unknown = Instruction(length: 0, returnDistance: 0)

    @inline(__always)
    init(length: UInt8, returnDistance: UInt8) {
        self.length = length
        self.returnDistance = returnDistance
    }

    /// No call.
    @inline(__always)
    init(length: Int) { self.init(length: UInt8(truncatingIfNeeded: length), returnDistance: UInt8(truncatingIfNeeded: length)) }

    /// A call.
    /// - Parameter target: `nil` for an indirect one.
    @inline(__always)
    init(length: Int, calling target: UInt64?, delay: Int = 0) {
        self.init(length: UInt8(truncatingIfNeeded: length), returnDistance: UInt8(truncatingIfNeeded: length &+ delay))
        call = target == nil ? .indirect : .direct
        self.target = target ?? 0
    }
}

/// The instructions of one machine.
protocol InstructionSet: Sendable {
    /// Instructions begin at multiples of this number of bytes.
    static var unit: Int { get }
    /// Bytes of the longest instruction.
    static var longest: Int { get }
    /// Whether calls have a delay slot of one instruction after them.
    static var hasDelaySlots: Bool { get }

    /// The instruction at a position.
    /// - Parameters:
    ///   - previous: position of the instruction before it; negative if that is not known.
    ///   - code: bytes up to the last position where the instruction may end.
    ///   - address: of the position.
    func instruction(at position: Int, after previous: Int, in code: RawSpan, at address: UInt64) -> Instruction

    /// Whether the bytes before a position can be a call, regardless of where instructions begin. `false`
    /// only if no call returns there.
    func mayEndCall(at position: Int, in code: RawSpan) -> Bool
}

extension InstructionSet {
    static var hasDelaySlots: Bool { false }
    /// All instructions have one length.
    static var isFixed: Bool { Self.unit == Self.longest }
    func mayEndCall(at position: Int, in code: RawSpan) -> Bool { true }
}

extension RawSpan {
    /// The integer at a position; `nil` outside.
    @inline(__always)
    func word<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, at position: Int, _ order: ByteOrder) -> Value? {
        try? value(type, at: position, order)
    }
}

extension UInt32 {
    /// The lowest `bits` bits as a signed number, times `scale`, for addition to an address.
    @inline(__always)
    func displacement(bits: UInt32, scale: Int64 = 1) -> UInt64 {
        let shift = 32 &- bits
        return UInt64(bitPattern: Int64(Int32(bitPattern: self << shift) >> Int32(shift)) &* scale)
    }
}
