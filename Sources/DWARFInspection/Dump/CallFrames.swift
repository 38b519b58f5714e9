#if Inspection
    /// Call frame information (DWARF 5, section 6.4; `.eh_frame` by the LSB, section 10.6): the instructions of common and function entries.
    struct FrameInstruction {
        /// What an operand is.
        enum Operand {
            case address, offset, codeDelta, signedData, unsignedData, register, addressSpace, expression
        }

        /// `DW_CFA_…`, without the operand that some have in their lower bits.
        var code: UInt8
        var operands: [UInt64] = []
        var expression: Range<Int>?

        /// What the operands of an instruction are; `nil` if it is not known.
        static func kinds(_ code: UInt8) -> [Operand]? {
            switch code {
            case 0x00, 0x0a, 0x0b, 0x2d: []
            case 0x01: [.address]
            case 0x02, 0x03, 0x04, 0x40: [.codeDelta]
            case 0x05, 0x14, 0x80: [.register, .unsignedData]
            case 0x06, 0x07, 0x08, 0x0d, 0xc0: [.register]
            case 0x09: [.register, .register]
            case 0x0c: [.register, .offset]
            case 0x0e, 0x2e: [.offset]
            case 0x0f: [.expression]
            case 0x10, 0x16: [.register, .expression]
            case 0x11, 0x12, 0x15: [.register, .signedData]
            case 0x13: [.signedData]
            case 0x30: [.register, .offset, .addressSpace]
            case 0x31: [.register, .signedData, .addressSpace]
            default: nil
            }
        }

        /// Takes the next instruction.
        /// - Returns: `nil` if it is not known or cut short.
        init?(_ cursor: inout SectionCursor, addressSize: Int) {
            let byte = cursor.u8()
            if byte & 0xc0 != 0 {
                code = byte & 0xc0
                operands = [UInt64(byte & 0x3f)]
                if code == 0x80 { operands.append(cursor.uleb()) }
                if cursor.isPastEnd { return nil }
                return
            }
            code = byte
            guard let kinds = Self.kinds(byte) else { return nil }
            switch byte {
            case 0x01: operands = [cursor.number(addressSize)]
            case 0x02: operands = [UInt64(cursor.u8())]
            case 0x03: operands = [UInt64(cursor.u16())]
            case 0x04: operands = [UInt64(cursor.u32())]
            default:
                for kind in kinds {
                    switch kind {
                    case .signedData: operands.append(UInt64(bitPattern: cursor.sleb()))
                    case .expression:
                        expression = cursor.block(cursor.uleb())
                        operands.append(0)
                    default: operands.append(cursor.uleb())
                    }
                }
            }
            if cursor.isPastEnd { return nil }
        }
    }

    /// A common information entry.
    struct FrameCommonEntry {
        let offset: Int
        var version: UInt8 = 0
        var augmentation: [UInt8] = []
        var addressSize = 0
        var segmentSize: UInt8 = 0
        var codeAlignment: UInt64 = 0
        var dataAlignment: Int64 = 0
        var returnRegister: UInt64 = 0
        var personality: UInt64?
        var augmentationData = 0..<0
        var pointerEncoding: UInt8 = 0
        var languageDataEncoding: UInt8 = 0xff
        var instructions: [FrameInstruction] = []
    }

    /// The rules of one row of an unwind table.
    struct FrameRow {
        enum Rule {
            case unspecified, undefined, same
            case constant(Int32)
            case frame(Int32, isDereferenced: Bool)
            case register(UInt64, Int32, addressSpace: UInt64?)
            case expression(Range<Int>, isDereferenced: Bool)
        }

        var address: UInt64?
        var frame = Rule.unspecified
        var registers: [UInt64: Rule] = [:]

        var isEmpty: Bool {
            if case .unspecified = frame { return registers.isEmpty }
            return false
        }
    }

    extension FrameRow {
        /// Applies instructions to this row, and gives every row that is complete before to `body`.
        /// - Parameters:
        ///   - initial: the registers' rules after the common entry; `nil` while that is read itself.
        /// - Returns: what is wrong; `nil` if nothing is.
        mutating func apply(
            _ instructions: [FrameInstruction], _ common: FrameCommonEntry, initial: [UInt64: Rule]?, architecture: String,
            _ body: (FrameRow) -> Void
        ) -> String? {
            var states: [(Rule, [UInt64: Rule])] = []
            let data = { (value: UInt64) in Int32(truncatingIfNeeded: Int64(bitPattern: value) &* common.dataAlignment) }
            for instruction in instructions {
                let first = instruction.operands.first ?? 0
                let second = instruction.operands.count > 1 ? instruction.operands[1] : 0
                switch instruction.code {
                case 0x01:
                    guard first > address ?? 0 else { return "an address that is not behind the one before" }
                    body(self)
                    address = first
                case 0x02, 0x03, 0x04, 0x40:
                    body(self)
                    guard common.codeAlignment != 0 else { return "a code alignment of zero" }
                    address = address.map { $0 &+ first &* common.codeAlignment }
                case 0xc0, 0x06:
                    guard let initial else { return "a register is restored before there are rules for it" }
                    registers[first] = initial[first]
                case 0x80, 0x05, 0x11: registers[first] = .frame(data(second), isDereferenced: true)
                case 0x14, 0x15: registers[first] = .frame(data(second), isDereferenced: false)
                case 0x0a: states.append((frame, registers))
                case 0x0b:
                    guard let state = states.popLast() else { return "a state is restored that was not kept" }
                    (frame, registers) = state
                case 0x2d:
                    if architecture == "arm64" {
                        // `DW_CFA_AARCH64_negate_ra_state`: whether the return address is signed.
                        if case .constant(let value)? = registers[34] {
                            registers[34] = .constant(value ^ 1)
                        } else {
                            registers[34] = .constant(1)
                        }
                    } else if architecture.hasPrefix("sparc") {
                        for register in UInt64(16)..<32 { registers[register] = .frame(Int32(register - 16) * 8, isDereferenced: true) }
                    } else {
                        return "an instruction of another machine"
                    }
                case 0x07: registers[first] = .undefined
                case 0x08: registers[first] = .same
                case 0x09: registers[first] = .register(second, 0, addressSpace: nil)
                case 0x10: registers[first] = instruction.expression.map { .expression($0, isDereferenced: true) }
                case 0x16: registers[first] = instruction.expression.map { .expression($0, isDereferenced: false) }
                case 0x0d:
                    if case .register(_, let offset, let space) = frame {
                        frame = .register(first, offset, addressSpace: space)
                    } else {
                        frame = .register(first, 0, addressSpace: nil)
                    }
                case 0x0e, 0x13:
                    guard case .register(let register, _, let space) = frame else { return "an offset of a frame that no register tells" }
                    frame = .register(
                        register, instruction.code == 0x13 ? data(first) : Int32(truncatingIfNeeded: first), addressSpace: space)
                case 0x0c: frame = .register(first, Int32(truncatingIfNeeded: second), addressSpace: nil)
                case 0x12: frame = .register(first, data(second), addressSpace: nil)
                case 0x30, 0x31:
                    let offset = instruction.code == 0x31 ? data(second) : Int32(truncatingIfNeeded: second)
                    frame = .register(first, offset, addressSpace: instruction.operands.last)
                case 0x0f: frame = instruction.expression.map { .expression($0, isDereferenced: false) } ?? .unspecified
                default: break
                }
            }
            return nil
        }
    }
#endif
