internal import BinaryPrimitives

/// `UNWIND_INFO`: what a function's prolog does (Microsoft, "x64 exception handling", "struct UNWIND_INFO").
///
///     version 3 bits, flags 5 bits; size of the prolog; number of slots; frame register 4 bits, its offset 4 bits
///     slots of 2 bytes: offset of the instruction's end, operation 4 bits, its information 4 bits
///     chained: the entry of the function that this is a part of
///
/// The slots are in the order in which they are undone.
struct UnwindInformationX64: Sendable {
    let prologSize: Int
    private let frameRegister: Int?
    private let frameOffset: UInt64
    /// Whether the frame register is set before this part of the function begins.
    private var isChained: Bool { chained != nil }
    private let codes: [(offset: Int, operation: WindowsFrame.Operation)]
    /// The address of the information of the function that this is a part of, from the image's first byte.
    let chained: UInt32?

    /// - Returns: `nil` if the information is cut short, or has a version or operation that is not known.
    init?(_ bytes: RawSpan) {
        guard bytes.byteCount >= 4 else { return nil }
        let (version, flags) = (bytes.byte(at: 0) & 7, bytes.byte(at: 0) >> 3)
        guard version == 1 || version == 2 else { return nil }
        prologSize = Int(bytes.byte(at: 1))
        let count = Int(bytes.byte(at: 2))
        let frame = bytes.byte(at: 3)
        frameRegister = frame & 15 == 0 ? nil : Processor.x64Registers[Int(frame & 15)]
        frameOffset = UInt64(frame >> 4) * 16
        let end = 4 + count * 2
        guard end <= bytes.byteCount else { return nil }
        var codes: [(offset: Int, operation: WindowsFrame.Operation)] = []
        var index = 4
        while index < end {
            let (offset, code) = (Int(bytes.byte(at: index)), bytes.byte(at: index + 1))
            let information = code >> 4
            let slots = Self.slotCount(code & 15, information, version)
            guard let slots, index + slots * 2 <= end else { return nil }
            let value = Self.value(bytes.clamped(to: index + 2..<index + slots * 2))
            index += slots * 2
            let register = Processor.x64Registers[Int(information)]
            switch code & 15 {
            // Version 2 has an even number of slots for epilogs; nothing ends at offset 0.
            case 0: if offset > 0 || version == 1 { codes.append((offset, .pop(register))) }
            case 1: codes.append((offset, .add(information == 0 ? value * 8 : value)))
            case 2: codes.append((offset, .add(UInt64(information) * 8 + 8)))
            case 3:
                guard let frameRegister else { return nil }
                codes.append((offset, .setStackPointer(frameRegister, minus: frameOffset)))
            case 4: codes.append((offset, .loadFromBase(register, at: value * 8)))
            case 5: codes.append((offset, .loadFromBase(register, at: value)))
            case 10: codes.append((offset, .machineFrame(hasErrorCode: information == 1)))
            // Epilogs, and registers of vectors.
            default: break
            }
        }
        self.codes = codes
        guard flags & 4 != 0 else {
            chained = nil
            return
        }
        // The number of slots is rounded up to an even one; the entry has begin, end, information.
        guard let address = try? bytes.value(UInt32.self, at: 4 + (count + 1) / 2 * 4 + 8, .littleEndian), address & 1 == 0 else {
            return nil
        }
        chained = address
    }

    private static func slotCount(_ operation: UInt8, _ information: UInt8, _ version: UInt8) -> Int? {
        switch operation {
        case 0, 2, 3, 10: 1
        case 1: information == 0 ? 2 : information == 1 ? 3 : nil
        case 4, 8: 2
        case 5, 9: 3
        // UWOP_EPILOG. In version 1, saves of 64 bits of a vector, which nothing writes any more.
        case 6: version == 2 ? 1 : 2
        case 7: 3
        default: nil
        }
    }

    /// The number in the slots after the first.
    private static func value(_ bytes: RawSpan) -> UInt64 {
        let size = min(bytes.byteCount, 4)
        return size == 0 ? 0 : (try? bytes.unsigned(size: size, at: 0, .littleEndian)) ?? 0
    }

    /// The base that saved registers are read from.
    /// - Parameter offset: of the next instruction, from the function's first byte.
    func base(at offset: Int) -> WindowsFrame.Base? {
        guard let frameRegister else { return nil }
        let set = codes.first { if case .setStackPointer = $0.operation { true } else { false } }
        guard isChained || offset >= set?.offset ?? 0 else { return nil }
        return WindowsFrame.Base(register: frameRegister, below: frameOffset)
    }

    /// The steps that undo the instructions that end at or before an offset.
    func operations(at offset: Int) -> [WindowsFrame.Operation] { codes.filter { $0.offset <= offset }.map(\.operation) }
}

extension Processor {
    /// DWARF's numbers of x86-64's registers in the order of their instructions' numbers: `rax rcx rdx rbx rsp rbp rsi rdi`, `r8` to
    /// `r15`.
    static let x64Registers = [0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15]
}
