internal import BinaryPrimitives
internal import CallSites
internal import CrashLogModel

/// Evidence that a frame's address is of another kind than its format says.
package enum KindEvidence: String, Sendable, Hashable {
    /// The frame above it has the name of the trampoline of signal handlers.
    case trampolineName = "trampoline-name"
    /// The frame above it has the frame description of a signal trampoline (augmentation `S` of its
    /// CIE).
    case trampolineFrameDescription = "trampoline-frame-description"
    /// The frame above it has the instructions of a signal trampoline.
    case trampolineInstructions = "trampoline-instructions"
    /// No call of the image returns to the address.
    case noCall = "no-call"
    /// The calls at the addresses of its whole stack.
    case calls
    /// Nothing decides: the address may be what a signal interrupted, and is taken so.
    case undecided
}
