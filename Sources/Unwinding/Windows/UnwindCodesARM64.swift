internal import BinaryPrimitives

/// The unwind codes of arm64: one for each instruction of a prolog or epilog, in the order in which they are undone (Microsoft,
/// "ARM64 exception handling", "Unwind codes").
///
///     e1           mov x29, sp
///     42           stp x29, lr, [sp, #16]
///     24           stp x19, x20, [sp, #-32]!
///     e4           end
struct UnwindCodesARM64 {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Number of bytes of a code by its first; `nil` for a reserved one.
    private static func size(_ first: UInt8) -> Int? {
        switch first {
        case 0..<0xc0, 0xe1, 0xe3...0xe6, 0xe8...0xec, 0xfc: 1
        case 0xc0...0xdf, 0xe2: 2
        case 0xe7: 3
        case 0xe0: 4
        default: nil
        }
    }

    /// `end`, and the end of the prolog of a part of a function, after which that of the function follows.
    private static let (end, endOfPart): (UInt8, UInt8) = (0xe4, 0xe5)

    /// Number of instructions of a prolog or epilog whose codes begin at an index.
    func instructionCount(from start: Int) -> Int? {
        var (index, count) = (start, 0)
        while index < bytes.count, bytes[index] != Self.end, bytes[index] != Self.endOfPart {
            guard let size = Self.size(bytes[index]) else { return nil }
            // Frames that the processor or the system pushed have no instruction.
            if bytes[index] & 0xf8 != 0xe8 { count += 1 }
            index += size
        }
        return count
    }

    /// Returns what undoes the instructions.
    /// - Parameters:
    ///   - start: the first code's index.
    ///   - skipped: number of codes whose instructions were not executed yet, or are undone already.
    /// - Returns: `nil` if a code is cut short, or is not known.
    func operations(from start: Int, skipping skipped: Int) -> [WindowsFrame.Operation]? {
        var operations: [WindowsFrame.Operation] = []
        var (index, skipped) = (start, skipped)
        // Pairs of registers that follow those of the next code.
        var pairs = 0
        while index < bytes.count, bytes[index] != Self.end {
            guard let size = Self.size(bytes[index]), index + size <= bytes.count else { return nil }
            let code = bytes[index..<index + size]
            index += size
            if skipped > 0 {
                skipped -= 1
                continue
            }
            if code.first == 0xe6 {
                pairs += 1
                continue
            }
            guard let undone = Self.operations(Array(code), count: 2 + 2 * pairs) else { return nil }
            operations += undone
            pairs = 0
        }
        return operations
    }

    /// - Parameter count: registers that a pair's code saves.
    private static func operations(_ code: [UInt8], count: Int) -> [WindowsFrame.Operation]? {
        let first = code[0]
        let value = code.dropFirst().reduce(Int(first)) { $0 << 8 | Int($1) }
        /// Reads registers from the stack pointer on, which then moves.
        func load(_ register: Int, _ count: Int = 1, at offset: Int = 0, adding size: Int = 0) -> [WindowsFrame.Operation] {
            let loads = (0..<count).map { WindowsFrame.Operation.load(register + $0, at: UInt64(offset + 8 * $0)) }
            return size > 0 ? loads + [.add(UInt64(size))] : loads
        }
        func add(_ size: Int) -> [WindowsFrame.Operation] { [.add(UInt64(size))] }
        // Registers are counted from x19.
        let register = 19 + value >> 6 & 15
        switch first {
        case 0x00...0x1f: return add(value & 0x1f * 16)
        case 0x20...0x3f: return load(19, count, adding: value & 0x1f * 8)
        case 0x40...0x7f: return load(29, 2, at: value & 0x3f * 8)
        case 0x80...0xbf: return load(29, 2, adding: (value & 0x3f + 1) * 8)
        case 0xc0...0xc7: return add(value & 0x7ff * 16)
        case 0xc8...0xcb: return load(register, count, at: value & 0x3f * 8)
        case 0xcc...0xcf: return load(register, count, adding: (value & 0x3f + 1) * 8)
        case 0xd0...0xd3: return load(register, at: value & 0x3f * 8)
        case 0xd4, 0xd5: return load(19 + value >> 5 & 15, adding: (value & 0x1f + 1) * 8)
        case 0xd6, 0xd7:
            let offset = value & 0x3f * 8
            return load(19 + 2 * (value >> 6 & 7), at: offset) + load(30, at: offset + 8)
        // Registers of vectors: d8 to d15.
        case 0xd8, 0xd9, 0xdc, 0xdd: return []
        case 0xda, 0xdb: return add((value & 0x3f + 1) * 8)
        case 0xde: return add((value & 0x1f + 1) * 8)
        case 0xe0: return add(value & 0xff_ffff * 16)
        case 0xe1: return [.setStackPointer(29, minus: 0)]
        case 0xe2: return [.setStackPointer(29, minus: UInt64(value & 0xff) * 8)]
        case 0xe7: return anyRegister(code[1], code[2], load)
        case 0xe9: return [.machineFrame(hasErrorCode: false)]
        case 0xea: return [.context]
        // Nothing; the end of a part; where a call returns to was set; the return address is signed.
        case 0xe3, 0xe5, 0xec, 0xfc: return []
        // Codes that depend on the size of vectors, and frames of the kernel and of x86-64's code.
        default: return nil
        }
    }

    /// `save_any_reg`: any register, or a pair; the stack pointer may move. The second byte has the kind: 0 is `x`.
    private static func anyRegister(
        _ first: UInt8, _ second: UInt8, _ load: (Int, Int, Int, Int) -> [WindowsFrame.Operation]
    ) -> [WindowsFrame.Operation]? {
        guard first & 0x80 == 0 else { return nil }
        let (isPair, moves, kind) = (first & 0x40 != 0, first & 0x20 != 0, second >> 6)
        let distance = (Int(second & 0x3f) + (moves ? 1 : 0)) * (isPair || moves || kind == 2 ? 16 : 8)
        guard kind == 0 else { return moves ? [.add(UInt64(distance))] : [] }
        let register = Int(first & 0x1f)
        guard register + (isPair ? 1 : 0) <= 30 else { return nil }
        return load(register, isPair ? 2 : 1, moves ? 0 : distance, moves ? distance : 0)
    }
}

/// `.xdata` of arm64: the length of a function, its unwind codes, and where its epilogs are (Microsoft, "ARM64 exception handling",
/// ".xdata records").
struct UnwindInformationARM64 {
    private let codes: UnwindCodesARM64
    /// Index of the function's first instruction after it.
    private let length: Int
    /// First instruction, and index of the first code.
    private let epilogs: [(start: Int, code: Int)]

    /// - Returns: `nil` if the information is cut short, or of a newer version.
    init?(_ bytes: RawSpan) {
        func word(_ index: Int) -> Int? { (try? bytes.value(UInt32.self, at: index * 4, .littleEndian)).map { Int($0) } }
        guard let header = word(0), header >> 18 & 3 == 0 else { return nil }
        length = header & 0x3ffff
        var (epilogCount, wordCount, position) = (header >> 22 & 0x1f, header >> 27 & 0x1f, 1)
        if epilogCount == 0, wordCount == 0 {
            guard let extended = word(1) else { return nil }
            (epilogCount, wordCount, position) = (extended & 0xffff, extended >> 16 & 0xff, 2)
        }
        var epilogs: [(start: Int, code: Int)] = []
        let isAtEnd = header >> 21 & 1 == 1
        if !isAtEnd {
            guard (position + epilogCount) * 4 <= bytes.byteCount else { return nil }
            for index in position..<position + epilogCount {
                guard let scope = word(index) else { return nil }
                epilogs.append((scope & 0x3ffff, scope >> 22))
            }
            position += epilogCount
        }
        let range = position * 4..<(position + wordCount) * 4
        guard range.upperBound <= bytes.byteCount else { return nil }
        codes = UnwindCodesARM64(bytes.clamped(to: range).text.copied())
        if isAtEnd {
            // The only epilog's first code; its return has none, but for the end.
            guard let count = codes.instructionCount(from: epilogCount) else { return nil }
            epilogs = [(length - count - 1, epilogCount)]
        }
        self.epilogs = epilogs
    }

    /// - Parameter index: the instruction's.
    func frame(at index: Int) -> WindowsFrame? {
        guard let prolog = codes.instructionCount(from: 0) else { return nil }
        if index < prolog { return codes.operations(from: 0, skipping: prolog - index).map { WindowsFrame($0) } }
        for epilog in epilogs where index >= epilog.start {
            guard let count = codes.instructionCount(from: epilog.code) else { return nil }
            if index <= epilog.start + count {
                return codes.operations(from: epilog.code, skipping: index - epilog.start).map { WindowsFrame($0) }
            }
        }
        return codes.operations(from: 0, skipping: 0).map { WindowsFrame($0) }
    }
}

/// Packed unwind data of arm64: functions whose prolog and epilog are of the usual form (Microsoft, "ARM64 exception handling",
/// "Packed unwind data").
///
///     bits 0-1     1: prolog and epilog, 2: a part of a function without them
///     bits 2-12    length in instructions
///     bits 13-15   saved registers d8 and up, less one
///     bits 16-19   saved registers x19 and up
///     bit 20       x0 to x7 are stored, too
///     bits 21-22   1: lr is saved, 2: as 3, with a signed return address, 3: x29 and lr are a frame record
///     bits 23-31   size of the frame, in 16 bytes
struct PackedFrameARM64 {
    private let hasProlog: Bool
    private let length: Int
    /// The steps that undo each instruction of the prolog, the last one first.
    private let steps: [[WindowsFrame.Operation]]
    /// The steps for the registers x0 to x7, which an epilog leaves out unless they move the stack pointer.
    private let stored: Range<Int>

    /// - Returns: `nil` if the sizes contradict each other.
    init?(_ data: UInt32) {
        let data = Int(data)
        guard case let flag = data & 3, flag == 1 || flag == 2 else { return nil }
        hasProlog = flag == 1
        length = data >> 2 & 0x7ff
        let (vectors, registers, chain) = (data >> 13 & 7, data >> 16 & 15, data >> 21 & 3)
        let storesArguments = data >> 20 & 1 == 1
        let saved = Array(19..<19 + registers) + (chain == 1 ? [30] : [])
        let vectorCount = vectors == 0 ? 0 : vectors + 1
        let savedSize = (saved.count * 8 + vectorCount * 8 + (storesArguments ? 64 : 0) + 15) & ~15
        let localSize = data >> 23 * 16 - savedSize
        guard registers <= 10, localSize >= 0 else { return nil }

        // In the order of the prolog; the first one moves the stack pointer.
        var saves = Self.saves(saved) + [[WindowsFrame.Operation]](repeating: [], count: (vectorCount + 1) / 2)
        if storesArguments { saves += [[WindowsFrame.Operation]](repeating: [], count: 4) }
        if !saves.isEmpty { saves[0].append(.add(UInt64(savedSize))) }
        if chain == 2 { saves.insert([], at: 0) }
        let locals = Self.locals(localSize, isChained: chain >= 2)
        steps = locals + saves.reversed()
        stored = storesArguments ? locals.count..<locals.count + 4 : 0..<0
    }

    /// Pairs from the stack pointer upwards.
    private static func saves(_ registers: [Int]) -> [[WindowsFrame.Operation]] {
        stride(from: 0, to: registers.count, by: 2).map { index in
            (index..<min(index + 2, registers.count)).map { .load(registers[$0], at: UInt64($0 * 8)) }
        }
    }

    /// The steps that undo the instructions that make room for locals. An instruction subtracts at most 4,095, and the first one 4,080.
    private static func locals(_ size: Int, isChained: Bool) -> [[WindowsFrame.Operation]] {
        let record: [WindowsFrame.Operation] = [.load(29, at: 0), .load(30, at: 8)]
        let setsFrame: [[WindowsFrame.Operation]] = isChained ? [[.setStackPointer(29, minus: 0)]] : []
        if isChained, size <= 512 { return setsFrame + [record + [.add(UInt64(size))]] }
        let sizes = size > 4080 ? [size - 4080, 4080] : size > 0 ? [size] : []
        return setsFrame + (isChained ? [record] : []) + sizes.map { [.add(UInt64($0))] }
    }

    /// - Parameter index: the instruction's.
    func frame(at index: Int) -> WindowsFrame {
        guard hasProlog else { return WindowsFrame(steps.flatMap(\.self)) }
        if index < steps.count { return WindowsFrame(steps[(steps.count - index)...].flatMap(\.self)) }
        // The epilog is at the end, before its return.
        let mirrored = steps.enumerated().filter { !stored.contains($0.offset) || !$0.element.isEmpty }.map(\.element)
        let start = length - mirrored.count - 1
        guard index >= start else { return WindowsFrame(steps.flatMap(\.self)) }
        return WindowsFrame(mirrored[min(index - start, mirrored.count)...].flatMap(\.self))
    }
}
