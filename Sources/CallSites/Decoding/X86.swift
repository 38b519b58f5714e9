internal import BinaryPrimitives

/// x86: how long an instruction is, and whether it calls (Intel's manual, volume 2, chapters 2 and
/// appendix A; AMD's, volume 3, for XOP and 3DNow!).
struct X86: InstructionSet {
    static var unit: Int { 1 }
    static var longest: Int { 15 }

    let is64Bit: Bool
    /// 512 entries. An array is on the heap: one stored inline would be copied for each instruction.
    private let shapes: [UInt8]

    init(is64Bit: Bool) {
        self.is64Bit = is64Bit
        shapes = X86Shapes.table(is64Bit: is64Bit)
    }

    func instruction(at position: Int, after previous: Int, in code: RawSpan, at address: UInt64) -> Instruction {
        let end = min(code.byteCount, position &+ Self.longest)
        var next = position
        var prefixes = Prefixes()
        var opcode: UInt8
        var shape: UInt8
        repeat {
            guard next < end else { return .unknown }
            opcode = code.byte(at: next)
            shape = shapes[Int(opcode)]
            next &+= 1
            if shape & X86Shapes.prefix != 0 { prefixes.add(opcode) }
        } while shape & X86Shapes.prefix != 0

        if shape & X86Shapes.special != 0 {
            return special(opcode, shape, prefixes, next, position, end, code, address)
        }
        guard let last = operandsEnd(shape, prefixes, next, end, code) else { return .unknown }
        return Instruction(length: last &- position)
    }

    /// Prefixes of an opcode, as far as lengths depend on them.
    struct Prefixes {
        /// Prefix 66.
        var hasOperandSize = false
        /// Prefix 67.
        var hasAddressSize = false
        /// REX.W of a REX prefix that is the last prefix.
        var isWide = false
        /// The last of the prefixes F2 and F3.
        var repeating: UInt8 = 0

        @inline(__always)
        mutating func add(_ byte: UInt8) {
            isWide = false
            switch byte {
            case 0x66: hasOperandSize = true
            case 0x67: hasAddressSize = true
            case 0xf2, 0xf3: repeating = byte
            case 0x48...0x4f: isWide = true
            default: break
            }
        }
    }

    /// Size in bytes of an operand whose size prefixes choose, at most four.
    @inline(__always)
    private func sizeZ(_ prefixes: Prefixes) -> Int { prefixes.hasOperandSize && !prefixes.isWide ? 2 : 4 }

    /// Returns the position of an instruction's end; `nil` if it is past `end`.
    /// - Parameter next: position after the opcode.
    @inline(__always)
    private func operandsEnd(_ shape: UInt8, _ prefixes: Prefixes, _ next: Int, _ end: Int, _ code: RawSpan) -> Int? {
        var next = next
        if shape & X86Shapes.modRM != 0 {
            guard next < end else { return nil }
            next = addressEnd(next, prefixes, end, code)
        }
        switch shape & X86Shapes.immediate {
        case X86Shapes.none: break
        case X86Shapes.byte: next &+= 1
        case X86Shapes.word: next &+= 2
        case X86Shapes.sizeZ: next &+= sizeZ(prefixes)
        case X86Shapes.sizeV: next &+= prefixes.isWide ? 8 : prefixes.hasOperandSize ? 2 : 4
        case X86Shapes.offset: next &+= is64Bit ? (prefixes.hasAddressSize ? 4 : 8) : (prefixes.hasAddressSize ? 2 : 4)
        case X86Shapes.wordAndByte: next &+= 3
        default: next &+= 2 &+ sizeZ(prefixes)  // far pointer
        }
        return next <= end ? next : nil
    }

    /// Returns the position after ModRM, SIB and displacement; may be past `end`.
    /// - Parameter next: position of ModRM, before `end`.
    @inline(__always)
    private func addressEnd(_ next: Int, _ prefixes: Prefixes, _ end: Int, _ code: RawSpan) -> Int {
        let modRM = code.byte(at: next)
        if modRM >= 0xc0 { return next &+ 1 }
        if !is64Bit, prefixes.hasAddressSize {
            let size = modRM >= 0x80 || modRM & 0xc7 == 0x06 ? 2 : modRM >= 0x40 ? 1 : 0
            return next &+ 1 &+ size
        }
        let displacement = modRM >= 0x80 ? 4 : modRM >= 0x40 ? 1 : 0
        guard modRM & 7 == 4 else { return next &+ 1 &+ (modRM & 0xc7 == 0x05 ? 4 : displacement) }
        let hasBase = modRM >= 0x40 || next &+ 1 >= end || code.byte(at: next &+ 1) & 7 != 5
        return next &+ 2 &+ (hasBase ? displacement : 4)
    }

    // MARK: Opcodes that need a look

    private func special(
        _ opcode: UInt8, _ shape: UInt8, _ prefixes: Prefixes, _ next: Int, _ position: Int, _ end: Int, _ code: RawSpan, _ address: UInt64
    ) -> Instruction {
        let operand = next < end ? code.byte(at: next) : 0
        switch opcode {
        case 0x0f: return twoBytes(prefixes, next, position, end, code)
        case 0xe8, 0x9a:
            guard let last = operandsEnd(shape, prefixes, next, end, code) else { return .unknown }
            let length = last &- position
            return Instruction(length: length, calling: opcode == 0xe8 ? target(next, last, code, address &+ UInt64(length)) : nil)
        case 0xff:
            guard next < end, let last = operandsEnd(shape, prefixes, next, end, code) else { return .unknown }
            let form = operand >> 3 & 7
            // There is no form 7; far calls and jumps take their operand from memory.
            guard form != 7, operand < 0xc0 || (form != 3 && form != 5) else { return .unknown }
            return form == 2 || form == 3
                ? Instruction(length: last &- position, calling: nil) : Instruction(length: last &- position)
        case 0xf6, 0xf7:
            // TEST has an immediate operand, the others of the group do not.
            let hasImmediate = operand & 0x30 == 0
            let size = hasImmediate ? (opcode == 0xf6 ? X86Shapes.byte : X86Shapes.sizeZ) : X86Shapes.none
            return plain(X86Shapes.modRM | size, prefixes, next, position, end, code)
        case 0xfe: return operand & 0x30 == 0 ? plain(X86Shapes.modRM, prefixes, next, position, end, code) : .unknown
        case 0xc6, 0xc7:
            // MOV, and XABORT and XBEGIN.
            guard operand & 0x38 == 0 || operand == 0xf8 else { return .unknown }
            return plain(X86Shapes.modRM | (opcode == 0xc6 ? X86Shapes.byte : X86Shapes.sizeZ), prefixes, next, position, end, code)
        case 0x8f:
            if operand & 0x38 == 0 { return plain(X86Shapes.modRM, prefixes, next, position, end, code) }
            return operand & 0x1f >= 8 ? xop(prefixes, next, position, end, code) : .unknown
        case 0xc4, 0xc5, 0x62:
            // Without 64 bits, LDS, LES and BOUND, which have an operand in memory.
            if !is64Bit, operand < 0xc0 { return plain(X86Shapes.modRM, prefixes, next, position, end, code) }
            return opcode == 0x62 ? evex(prefixes, next, position, end, code) : vex(opcode, prefixes, next, position, end, code)
        default: return .unknown
        }
    }

    @inline(__always)
    private func plain(
        _ shape: UInt8, _ prefixes: Prefixes, _ next: Int, _ position: Int, _ end: Int, _ code: RawSpan
    ) -> Instruction {
        guard next < end, let last = operandsEnd(shape, prefixes, next, end, code) else { return .unknown }
        return Instruction(length: last &- position)
    }

    /// The target of a call whose distance is between two positions.
    private func target(_ next: Int, _ last: Int, _ code: RawSpan, _ returnAddress: UInt64) -> UInt64 {
        if last &- next == 2 {
            // With an operand size of 16 bits the instruction pointer has 16 bits.
            let distance = code.word(Int16.self, at: next, .littleEndian) ?? 0
            return (returnAddress &+ UInt64(bitPattern: Int64(distance))) & 0xffff
        }
        let sum = returnAddress &+ UInt64(bitPattern: Int64(code.word(Int32.self, at: next, .littleEndian) ?? 0))
        return is64Bit ? sum : sum & 0xffff_ffff
    }

    private func twoBytes(_ prefixes: Prefixes, _ next: Int, _ position: Int, _ end: Int, _ code: RawSpan) -> Instruction {
        guard next < end else { return .unknown }
        let opcode = code.byte(at: next)
        let shape = shapes[256 &+ Int(opcode)]
        if shape & X86Shapes.special == 0 {
            guard let last = operandsEnd(shape, prefixes, next &+ 1, end, code) else { return .unknown }
            return Instruction(length: last &- position)
        }
        switch opcode {
        case 0x38: return plain(X86Shapes.modRM, prefixes, next &+ 2, position, end, code)
        case 0x3a: return plain(X86Shapes.modRM | X86Shapes.byte, prefixes, next &+ 2, position, end, code)
        case 0x24, 0x26:
            // Test registers, before 64 bits.
            return !is64Bit && next &+ 2 <= end ? Instruction(length: next &+ 2 &- position) : .unknown
        // Control and debug registers: always a register, regardless of ModRM.
        case 0x20...0x23: return next &+ 2 <= end ? Instruction(length: next &+ 2 &- position) : .unknown
        case 0x78:
            // EXTRQ and INSERTQ of SSE4a have two bytes; VMREAD none.
            let isVector = prefixes.hasOperandSize || prefixes.repeating == 0xf2
            return plain(X86Shapes.modRM | (isVector ? X86Shapes.word : X86Shapes.none), prefixes, next &+ 1, position, end, code)
        default: return .unknown
        }
    }

    // MARK: Vector encodings

    private func vex(_ opcode: UInt8, _ prefixes: Prefixes, _ next: Int, _ position: Int, _ end: Int, _ code: RawSpan) -> Instruction {
        let opcodePosition = next &+ (opcode == 0xc5 ? 1 : 2)
        guard opcodePosition < end else { return .unknown }
        let map = opcode == 0xc5 ? 1 : code.byte(at: next) & 0x1f
        let vector = code.byte(at: opcodePosition)
        if map == 1, vector == 0x77 { return Instruction(length: opcodePosition &+ 1 &- position) }
        guard let size = vectorImmediate(map, vector) else { return .unknown }
        return plain(X86Shapes.modRM | size, prefixes, opcodePosition &+ 1, position, end, code)
    }

    private func evex(_ prefixes: Prefixes, _ next: Int, _ position: Int, _ end: Int, _ code: RawSpan) -> Instruction {
        guard next &+ 3 < end else { return .unknown }
        let map = code.byte(at: next) & 7
        // The bit of the second byte that is always set; APX clears it.
        guard code.byte(at: next &+ 1) & 4 != 0, map != 4, map != 7 else { return .unknown }
        guard let size = map >= 5 ? X86Shapes.none : vectorImmediate(map, code.byte(at: next &+ 3)) else { return .unknown }
        return plain(X86Shapes.modRM | size, prefixes, next &+ 4, position, end, code)
    }

    private func xop(_ prefixes: Prefixes, _ next: Int, _ position: Int, _ end: Int, _ code: RawSpan) -> Instruction {
        let size: UInt8
        switch code.byte(at: next) & 0x1f {
        case 8: size = X86Shapes.byte
        case 9: size = X86Shapes.none
        case 10: size = X86Shapes.sizeZ  // always four bytes: XOP has no operand size prefix
        default: return .unknown
        }
        return plain(X86Shapes.modRM | size, prefixes, next &+ 3, position, end, code)
    }

    /// The immediate operand of an opcode of VEX and EVEX; `nil` for a map that is not known.
    private func vectorImmediate(_ map: UInt8, _ opcode: UInt8) -> UInt8? {
        switch map {
        case 1:
            switch opcode {
            case 0x70...0x73, 0xc2, 0xc4...0xc6: X86Shapes.byte
            default: X86Shapes.none
            }
        case 2: X86Shapes.none
        case 3: X86Shapes.byte
        default: nil
        }
    }

    // MARK: The bytes before a return address

    func mayEndCall(at position: Int, in code: RawSpan) -> Bool {
        guard position <= code.byteCount else { return false }
        func byte(_ distance: Int) -> UInt8? { position >= distance ? code.byte(at: position &- distance) : nil }
        func isPrefixed(_ distance: Int) -> Bool { byte(distance &+ 1).map { shapes[Int($0)] & X86Shapes.prefix != 0 } ?? false }

        if byte(5) == 0xe8 || (byte(3) == 0xe8 && isPrefixed(3)) { return true }
        if !is64Bit, byte(7) == 0x9a || (byte(5) == 0x9a && isPrefixed(5)) { return true }
        for distance in 2...7 {
            guard byte(distance) == 0xff, let modRM = byte(distance &- 1), modRM & 0x30 == 0x10 else { continue }
            var prefixes = Prefixes()
            let modRMPosition = position &- distance &+ 1
            if addressEnd(modRMPosition, prefixes, position, code) == position { return true }
            prefixes.hasAddressSize = true
            if addressEnd(modRMPosition, prefixes, position, code) == position { return true }
        }
        return false
    }
}
