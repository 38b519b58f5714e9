package import BinaryPrimitives

/// One frame of a stack.
package struct UnwoundFrame: Sendable, Hashable {
    /// The address as it was found: the return address for a caller; on 32-bit ARM with the Thumb bit;
    /// without a signature (arm64).
    package var programCounter: UInt64
    package var stackPointer: UInt64
    package var trust: FrameTrust
    /// The address is an instruction's, not a return address: the frame is the innermost, or a signal
    /// interrupted it, or a signal handler returns to it, or a program put it there.
    package var isExact: Bool
    /// The rules lead to the address, and nothing is mapped there: the return address on the stack was overwritten.
    package var isOverwritten: Bool

    package init(programCounter: UInt64, stackPointer: UInt64, trust: FrameTrust, isExact: Bool, isOverwritten: Bool = false) {
        self.programCounter = programCounter
        self.stackPointer = stackPointer
        self.trust = trust
        self.isExact = isExact
        self.isOverwritten = isOverwritten
    }
}

/// Why a stack has no further frame.
package enum StackEnd: Sendable, Hashable {
    /// The rules mark this function as one without a caller, such as `_start`, or the return address is zero.
    case outermost
    /// Neither rules nor a frame pointer nor the memory above lead to a caller.
    case nothingFound
    /// Rules led to an address at which no module has code.
    case leadsNowhere(UInt64)
    /// Rules need memory that was not saved: the first missing address.
    case missingMemory(UInt64)
    /// Rules led down the stack, or to the frame itself.
    case stackDoesNotRise
    /// The frame that a signal interrupted is already in the stack.
    case repeated
    /// More frames than `Limits` allows.
    case tooManyFrames
}

/// A stack: its frames, innermost first, and the reason why there are no more.
package struct UnwoundStack: Sendable, Hashable {
    package var frames: [UnwoundFrame]
    package var end: StackEnd
    /// Number of frames that are left out of the middle of a long stack.
    package private(set) var omittedCount = 0
    /// Index of the first frame after those that are left out.
    package private(set) var omittedIndex = 0

    package init(frames: [UnwoundFrame], end: StackEnd) {
        self.frames = frames
        self.end = end
    }

    /// Removes a quarter of the frames, from behind the innermost half.
    mutating func removeMiddle() {
        omittedIndex = omittedCount == 0 ? frames.count / 2 : omittedIndex
        let count = max(1, frames.count / 4)
        frames.removeSubrange(omittedIndex..<omittedIndex + count)
        omittedCount += count
    }
}
