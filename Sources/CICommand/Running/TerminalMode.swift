internal import LibC

/// A terminal that passes every byte on as it comes, in both directions, for as long as a
/// pseudo-terminal replaces it. The modes are up to that one.
package final class TerminalMode {
    private let descriptor: Int32
    private let before: termios

    /// - Returns: `nil` where the descriptor is no terminal, or another process group has it:
    ///   a process in the background changes no modes.
    package init?(rawOn descriptor: Int32) {
        var modes = termios()
        guard tcgetpgrp(descriptor) == getpgrp(), unsafe tcgetattr(descriptor, &modes) == 0 else { return nil }
        self.descriptor = descriptor
        before = modes
        enter()
    }

    /// Makes it raw; once more after a stop.
    package func enter() {
        var modes = before
        unsafe cfmakeraw(&modes)
        unsafe _ = tcsetattr(descriptor, TCSADRAIN, &modes)
    }

    /// Gives it back as it was.
    package func leave() {
        var modes = before
        unsafe _ = tcsetattr(descriptor, TCSADRAIN, &modes)
    }

    deinit { leave() }
}
