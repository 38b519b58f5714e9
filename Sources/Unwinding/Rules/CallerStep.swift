internal import BinaryPrimitives
internal import CallFrames

/// Result of applying a frame's unwind rule.
enum CallerStep {
    /// The caller's registers.
    /// - Parameter isExact: the caller was interrupted by a signal.
    case caller(Registers, isExact: Bool)
    /// The rule says that there is no caller.
    case outermost
    case missingMemory(UInt64)
    /// The rule cannot be applied: it needs a register that is not known, or is damaged.
    case failed
}
