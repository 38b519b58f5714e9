internal import BinaryPrimitives

/// Rule for the value of a caller's register, or for the address of a frame, CFA (DWARF 5, section 6.4.1).
package enum FrameRule: Hashable, Sendable {
    case unspecified
    /// It cannot be recovered.
    case undefined
    /// It has the same value as in this frame.
    case same
    case constant(Int64)
    /// Offset in bytes from the frame's address (CFA): the value is that address or, if dereferenced, the
    /// value in memory there.
    case frame(Int64, isDereferenced: Bool)
    /// The value of a register plus an offset in bytes.
    case register(UInt64, Int64, addressSpace: UInt64?)
    /// An expression at a range of the section; dereferenced as above.
    case expression(Range<Int>, isDereferenced: Bool)
}

/// The rules of one row of a function's unwind table.
package struct FrameRow: Sendable {
    /// First address that the rules apply to; `nil` in common information.
    package var address: UInt64?
    /// Rule for the canonical frame address, CFA.
    package var frame = FrameRule.unspecified
    package var registers: [UInt64: FrameRule] = [:]

    package init(address: UInt64? = nil) { self.address = address }

    package var isEmpty: Bool { frame == .unspecified && registers.isEmpty }
}

/// Why instructions cannot be executed.
package struct FrameFlaw: Error {
    package let message: String

    init(_ message: String) { self.message = message }
}

/// Executes the instructions of frame descriptions (DWARF 5, section 6.4.3).
package struct FrameMachine {
    package private(set) var row: FrameRow
    private let codeAlignment: UInt64
    private let dataAlignment: Int64
    private let architecture: String
    private var states: [(FrameRule, [UInt64: FrameRule])] = []
    /// The registers' rules after the common information; `nil` while that is executed itself.
    private var initial: [UInt64: FrameRule]?

    /// - Parameters:
    ///   - start: the function's first address; `nil` for common information by itself.
    ///   - architecture: selects the vendor's instructions.
    package init(_ common: CommonInformation, start: UInt64?, architecture: String) {
        row = FrameRow(address: start)
        codeAlignment = common.codeAlignment
        dataAlignment = common.dataAlignment
        self.architecture = architecture
    }

    /// Called after the instructions of the common information, before those of the function.
    package mutating func beginFunction() {
        initial = row.registers
        states = []
    }

    /// - Returns: the row that is complete, if the instruction begins another one.
    package mutating func execute(_ instruction: CallFrameInstruction) throws(FrameFlaw) -> FrameRow? {
        let (first, second) = (instruction.first, instruction.second)
        switch instruction.code {
        case 0x01, 0x02, 0x03, 0x04, 0x40:
            if instruction.code == 0x01, first <= row.address ?? 0 { throw FrameFlaw("an address that is not after the one before") }
            if instruction.code != 0x01, codeAlignment == 0 { throw FrameFlaw("a code alignment of zero") }
            let complete = row
            row.address = address(behind: instruction)
            return complete
        case 0xc0, 0x06:
            guard let initial else { throw FrameFlaw("a register is restored before there are rules for it") }
            row.registers[first] = initial[first]
        case 0x80, 0x05, 0x11: row.registers[first] = .frame(data(second), isDereferenced: true)
        case 0x14, 0x15: row.registers[first] = .frame(data(second), isDereferenced: false)
        case 0x0a:
            guard states.count < Limits.standard.frameStates else {
                throw FrameFlaw("more states are kept than \(Limits.standard.frameStates)")
            }
            states.append((row.frame, row.registers))
        case 0x0b:
            guard let state = states.popLast() else { throw FrameFlaw("a state is restored that was not kept") }
            (row.frame, row.registers) = state
        case 0x2d: try executeVendors()
        case 0x07: row.registers[first] = .undefined
        case 0x08: row.registers[first] = .same
        case 0x09: row.registers[first] = .register(second, 0, addressSpace: nil)
        case 0x10: row.registers[first] = instruction.expression.map { .expression($0, isDereferenced: true) }
        case 0x16: row.registers[first] = instruction.expression.map { .expression($0, isDereferenced: false) }
        case 0x0c, 0x0d, 0x0e, 0x0f, 0x12, 0x13, 0x30, 0x31: try setFrame(instruction)
        default: break
        }
        guard row.registers.count <= Limits.standard.frameRules else {
            throw FrameFlaw("more registers have rules than \(Limits.standard.frameRules)")
        }
        return nil
    }

    /// Returns the first address of the row that an instruction begins; `nil` if it begins none, or the
    /// address is not known.
    func address(behind instruction: CallFrameInstruction) -> UInt64? {
        switch instruction.code {
        case 0x01: instruction.first
        case 0x02, 0x03, 0x04, 0x40: row.address.map { $0 &+ instruction.first &* codeAlignment }
        default: nil
        }
    }

    /// A factored offset.
    private func data(_ value: UInt64) -> Int64 { Int64(bitPattern: value) &* dataAlignment }

    private mutating func setFrame(_ instruction: CallFrameInstruction) throws(FrameFlaw) {
        let (first, second) = (instruction.first, instruction.second)
        switch instruction.code {
        case 0x0c: row.frame = .register(first, Int64(bitPattern: second), addressSpace: nil)
        case 0x12: row.frame = .register(first, data(second), addressSpace: nil)
        case 0x0d:
            if case .register(_, let offset, let space) = row.frame {
                row.frame = .register(first, offset, addressSpace: space)
            } else {
                row.frame = .register(first, 0, addressSpace: nil)
            }
        case 0x0e, 0x13:
            guard case .register(let register, _, let space) = row.frame else {
                throw FrameFlaw("an offset of a frame without a register")
            }
            row.frame = .register(register, instruction.code == 0x13 ? data(first) : Int64(bitPattern: first), addressSpace: space)
        case 0x30, 0x31:
            let offset = instruction.code == 0x31 ? data(second) : Int64(bitPattern: second)
            row.frame = .register(first, offset, addressSpace: instruction.third)
        default: row.frame = instruction.expression.map { .expression($0, isDereferenced: false) } ?? .unspecified
        }
    }

    /// `DW_CFA_AARCH64_negate_ra_state` and `DW_CFA_GNU_window_save`, which have one number.
    private mutating func executeVendors() throws(FrameFlaw) {
        if architecture == "arm64" {
            // Register 34 says whether the return address is signed.
            if case .constant(let value)? = row.registers[34] {
                row.registers[34] = .constant(value ^ 1)
            } else {
                row.registers[34] = .constant(1)
            }
        } else if architecture.hasPrefix("sparc") {
            // The registers of the window are saved at the frame's address.
            let size: Int64 = architecture == "sparc" ? 4 : 8
            for register in UInt64(16)..<32 { row.registers[register] = .frame(Int64(register - 16) * size, isDereferenced: true) }
        } else {
            throw FrameFlaw("an instruction of another machine")
        }
    }
}
