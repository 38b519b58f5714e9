internal import BinaryPrimitives
internal import CrashLogModel

/// Rules that Apple's stacks have in common, in text and in JSON.
enum AppleStack {
    enum Origin {
        /// A thread, walked from its registers.
        case thread
        /// The call stack that an exception recorded when it was thrown
        /// (`Last Exception Backtrace`, `First throw call stack`, `Stack: (`).
        case exception
    }

    /// Decides which frames are return addresses.
    ///
    /// Frame 0 of a thread is the program counter; every further frame is where a call returns to
    /// ("the first instruction after control returns", Apple's documentation of the `.ips` keys).
    /// An exception's stack is recorded by code that runs inside `objc_exception_throw` or
    /// `NSException`, so all of it is return addresses, the first frame included. The frame that a
    /// signal interrupted, directly under `_sigtramp`, was executing and is exact. Inlined calls
    /// share the address of the frame that they were inlined into, and so its kind. KSCrash prints
    /// an exception's stack instead of the crashed thread's; its first frame shows that.
    static func decideKinds(_ frames: inout [Frame], origin: Origin) {
        let origin = frames.first?.printed?.name == "__exceptionPreprocess" ? .exception : origin
        frames.decideKinds(isFirstExact: origin == .thread) { $0.printed?.name == "_sigtramp" }
    }

    /// Recognises inlined calls in reports that do not mark them.
    ///
    /// Reports of iOS list `A`, `B`, `C` with one address where A was inlined into B and B into C,
    /// each with its own line, as reports of macOS do, which add `[inlined]`. Two frames of a real
    /// recursion share their address, too, but then also their name and line.
    static func markInlined(_ frames: inout [Frame]) {
        var start = 0
        while start < frames.count {
            var end = start + 1
            while end < frames.count, let address = frames[start].address, frames[end].address == address,
                isOtherFunction(frames[end], than: frames[start..<end])
            {
                end += 1
            }
            for index in start..<end - 1 { frames[index].isInlined = true }
            start = end
        }
    }

    private static func isOtherFunction(_ frame: Frame, than group: ArraySlice<Frame>) -> Bool {
        guard let printed = frame.printed, printed.name != nil, group.count < Limits.standard.inlineDepth else { return false }
        return group.allSatisfy { other in
            guard let symbol = other.printed, symbol.name != nil else { return false }
            return symbol.name != printed.name || symbol.location != printed.location
        }
    }

    /// The address in `KERN_INVALID_ADDRESS at 0x0000000000000001`.
    static func faultAddress(_ text: Span<UInt8>) -> RuntimeAddress? {
        guard let at = text.lastRange(of: " at 0x") else { return nil }
        return text.from(at.upperBound - 2).leadingAddress.map { RuntimeAddress($0) }
    }
}
