internal import BinaryPrimitives

/// Finds the starts of instructions by decoding them one after another.
///
/// Positions are offsets from the section's first byte; `base` is its address.
struct Sweep<Set: InstructionSet> {
    let set: Set
    let base: UInt64
    /// Maximum number of bytes that are decoded for one address.
    let maxBytes: Int

    struct Found {
        var position: Int
        var instruction: Instruction
    }

    /// Up to this distance, code is decoded from the function's start: most functions are shorter. If there
    /// are only two ways to read the code, they meet soon.
    private static var near: Int { Set.longest / Set.unit > 2 ? 4096 : 256 }
    /// If a function begins further away, decoding this many bytes before the address is enough for streams
    /// to meet.
    private static var window: Int { Set.longest / Set.unit > 2 ? 512 : 128 }

    /// Calls `body` with each call in a stretch of code, up to its end or to an instruction that is not
    /// known.
    /// - Parameters:
    ///   - start: position of an instruction.
    ///   - code: bytes up to the end of the stretch.
    /// - Returns: `false` if `body` stopped it.
    @inline(__always)
    func forEachCall(from start: Int, in code: RawSpan, _ body: (Int, Instruction) -> Bool) -> Bool {
        var position = start
        var previous = -1
        while position < code.byteCount {
            let instruction = set.instruction(at: position, after: previous, in: code, at: base &+ UInt64(truncatingIfNeeded: position))
            guard instruction.length > 0 else { return true }
            if instruction.call != .none, !body(position, instruction) { return false }
            previous = position
            position &+= Int(instruction.length)
        }
        return true
    }

    /// The instruction that holds a position.
    /// - Parameters:
    ///   - start: an instruction begins there, at or before the position.
    ///   - code: bytes up to the end of the stretch.
    /// - Returns: `nil` if that cannot be known.
    func instruction(holding position: Int, from start: Int, in code: RawSpan) -> Found? {
        guard position >= start, position < code.byteCount else { return nil }
        if Set.isFixed {
            let first = position &- Int(truncatingIfNeeded: (base &+ UInt64(truncatingIfNeeded: position)) % UInt64(Set.unit))
            guard first >= start else { return nil }
            return found(at: first, after: first &- Set.unit >= start ? first &- Set.unit : -1, in: code)
        }
        let distance = position &- start
        if distance <= Self.near { return walk(to: position, from: start, in: code) }
        if let met = meeting(at: position, after: start, in: code) { return met }
        return distance <= maxBytes ? walk(to: position, from: start, in: code) : nil
    }

    private func found(at position: Int, after previous: Int, in code: RawSpan) -> Found? {
        let instruction = set.instruction(at: position, after: previous, in: code, at: base &+ UInt64(truncatingIfNeeded: position))
        return instruction.length > 0 ? Found(position: position, instruction: instruction) : nil
    }

    private func walk(to position: Int, from start: Int, in code: RawSpan) -> Found? {
        var next = start
        var previous = -1
        while let found = found(at: next, after: previous, in: code) {
            previous = next
            next &+= Int(found.instruction.length)
            if next > position { return found }
        }
        return nil
    }

    /// Decodes from every position where an instruction may begin, some bytes before `position`. At least one
    /// of them is the start of an instruction, and all bytes from there on are instructions; so if all
    /// streams that get through arrive at one instruction, it is this one.
    private func meeting(at position: Int, after start: Int, in code: RawSpan) -> Found? {
        var first = position &- Self.window
        first &-= (first &- start) % Set.unit
        var met: Found?
        for stream in 0..<Set.longest / Set.unit {
            guard let found = walk(to: position, from: first &+ stream &* Set.unit, in: code) else { continue }
            if let met, met.position != found.position { return nil }
            met = found
        }
        return met
    }
}
