package import BinaryPrimitives

/// One frame of a stack.
package struct UnwoundFrame: Sendable, Hashable {
    /// As it was found: of a caller, the return address; on 32-bit ARM with the Thumb bit; without
    /// a signature (arm64).
    package var programCounter: UInt64
    package var stackPointer: UInt64
    package var trust: FrameTrust
    /// The address is that of an instruction, and no return address: the frame is the innermost, or
    /// a signal interrupted it, or a signal handler returns to it, or a program put it there.
    package var isExact: Bool

    package init(programCounter: UInt64, stackPointer: UInt64, trust: FrameTrust, isExact: Bool) {
        self.programCounter = programCounter
        self.stackPointer = stackPointer
        self.trust = trust
        self.isExact = isExact
    }
}

/// Why a stack has no further frame.
package enum StackEnd: Sendable, Hashable {
    /// The rules say that this function has no caller, as of `_start`, or the return address is
    /// zero.
    case outermost
    /// Neither rules nor a frame pointer nor the memory above lead to a caller.
    case nothingFound
    /// Rules were there, and led to an address that no module has code at.
    case leadsNowhere(UInt64)
    /// Rules were there, and their memory was not saved: the first address that was missing.
    case missingMemory(UInt64)
    /// Rules were there, and led down the stack, or to the frame itself.
    case stackDoesNotRise
    /// The interrupted frame of a signal is one that was there before.
    case repeated
    /// More frames than `Limits` allows.
    case tooManyFrames
}

/// A stack: its frames, innermost first, and why it ends there.
package struct UnwoundStack: Sendable, Hashable {
    package var frames: [UnwoundFrame]
    package var end: StackEnd

    package init(frames: [UnwoundFrame], end: StackEnd) {
        self.frames = frames
        self.end = end
    }
}
