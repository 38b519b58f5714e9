internal import BinaryPrimitives
internal import CallFrames

/// Rule for unwinding the frames at one address of code. Cached for the next frame there.
enum UnwindRule: Sendable {
    /// Rules of `.eh_frame` or `.debug_frame`.
    case rules(FrameRules, ByteOrder, addressSize: Int, swapsFrameRegisters: Bool)
    /// Instructions of `.ARM.exidx`, or its mark that there are none (`EXIDX_CANTUNWIND`).
    case exceptionIndex([UInt8])
    case cannotUnwind
    /// Decoded entries of `__unwind_info`.
    case frame(below: Int, registers: [Int?])
    case frameless(size: Int, registers: [Int])
    /// `STACK CFI` and `STACK WIN` of a Breakpad file.
    case breakpad([String: [String]])
    case breakpadWindows(BreakpadWindowsFrame)
    /// `.pdata` and `.xdata` of PE.
    case windows(WindowsFrame)

    /// - Parameter calleeParameters: bytes that the frame pushed for the one it called (32-bit
    ///   Windows).
    func caller(of registers: Registers, _ memory: Memory, calleeParameters: UInt64) -> CallerStep {
        switch self {
        case .rules(let rules, let order, let addressSize, let swaps):
            return RuleStep(
                rules: rules, registers: registers, memory: memory, order: order, addressSize: addressSize, swapsFrameRegisters: swaps
            ).caller()
        case .exceptionIndex(let instructions):
            var step = ExceptionIndexStep(registers, memory)
            return step.caller(by: instructions)
        case .cannotUnwind: return .outermost
        case .frame(let below, let saved): return CompactStep(registers: registers, memory: memory).frame(below: below, saved)
        case .frameless(let size, let saved): return CompactStep(registers: registers, memory: memory).frameless(size: size, saved)
        case .breakpad(let rules): return BreakpadStep(registers: registers, memory: memory).caller(by: rules)
        case .windows(let frame):
            var step = WindowsStep(registers, memory)
            return step.caller(by: frame)
        case .breakpadWindows(let frame):
            return BreakpadStep(registers: registers, memory: memory).caller(by: frame, calleeParameters: calleeParameters)
        }
    }

    /// Whether the rule applies only to some instructions of a function, so that what it leads to must be a return address: not to
    /// the first and last ones, or only if the function is a leaf.
    var isOfBody: Bool {
        switch self {
        case .frame, .frameless: true
        case .windows(let frame): frame == .leaf
        default: false
        }
    }

    /// Bytes of parameters that the function's caller pushed for it.
    var parameters: UInt64 { if case .breakpadWindows(let frame) = self { frame.parameters } else { 0 } }
}
