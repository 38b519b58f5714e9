/// How a frame of a stack was found, from the surest to the least sure: `minidump-stackwalk`'s
/// `trust`.
public enum FrameTrust: String, Sendable, Hashable {
    /// The registers that were saved.
    case context
    /// A rule for exactly this address: `.eh_frame`, `.debug_frame`, `.ARM.exidx`, compact unwind
    /// information, or a Breakpad file's `STACK` lines.
    case cfi
    /// The instructions of its function, which has no rules: what they push and subtract from the stack pointer.
    case prologue
    /// The chain of saved frame pointers.
    case framePointer
    /// A number on the stack that may be a return address.
    case scan
}
