package import BinaryPrimitives
internal import CallFrames
package import ObjectFiles

/// Recognises the code that a signal handler returns to (`__restore_rt`), in any file of the image.
///
/// The frame above it was interrupted, so its address is exact.
package struct SignalTrampolines: Sendable {
    /// Evidence that an address is in a trampoline.
    package enum Proof: Sendable, Hashable {
        /// Its frame description is marked as a signal frame's.
        case frameDescription
        /// Its instructions are the system call that returns from a signal.
        case instructions
    }

    private let frames: [ExceptionFrames]
    private let debugFrames: LazyValue<[DebugFrames]>
    private let text: (CodeText, TrampolineInstructions)?

    /// - Parameter files: object files of one image.
    package init(_ files: [ObjectFile]) {
        frames = files.compactMap { ExceptionFrames($0) }
        // Without a table, and most files have `.eh_frame` too: read only if nothing else covers an address.
        debugFrames = LazyValue { files.compactMap { DebugFrames($0) } }
        var text: (CodeText, TrampolineInstructions)?
        for file in files {
            guard let found = CodeText(file), let instructions = TrampolineInstructions(file) else { continue }
            text = (found, instructions)
            break
        }
        self.text = text
    }

    /// Returns the evidence that an address, a return address printed in a stack, is in a signal trampoline.
    /// - Returns: `nil` if it is not in one, or nothing is known.
    package func proof(at address: LinkAddress) -> Proof? {
        if isSignalFrame(address) == true { return .frameDescription }
        return hasInstructions(address) ? .instructions : nil
    }

    /// Whether anything is known about an address: its code is at hand, or a frame description
    /// covers it.
    package func isKnown(_ address: LinkAddress) -> Bool {
        text?.0.part(holding: address) != nil || isSignalFrame(address) != nil
    }

    private func isSignalFrame(_ address: LinkAddress) -> Bool? {
        for frames in frames {
            if let isSignal = frames.isSignalFrame(at: address) { return isSignal }
        }
        for frames in debugFrames.get() {
            if let isSignal = frames.isSignalFrame(at: address) { return isSignal }
        }
        return nil
    }

    private func hasInstructions(_ address: LinkAddress) -> Bool {
        guard let (text, instructions) = text, let part = text.part(holding: address),
            let position = address.distance(from: part.addresses.lowerBound)
        else { return false }
        return text.withBytes(of: part) { code in
            guard let rest = try? code.from(position) else { return false }
            return instructions.begin(rest)
        }
    }
}
