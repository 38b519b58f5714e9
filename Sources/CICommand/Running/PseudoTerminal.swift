package import BinaryPrimitives
internal import CCairn
internal import LibC

/// The master side of a pseudo-terminal (`posix_openpt(3)`): a program on the other side takes it
/// for its terminal.
package final class PseudoTerminal: Sendable {
    /// Reads what the program writes, and takes what it is to read as typed.
    package let descriptor: Int32
    /// The path of the side that the program opens.
    let otherSide: String

    /// Opens one with the modes and the size of a terminal.
    /// - Parameter terminal: the descriptor of the terminal that it replaces.
    /// - Throws: `FileError` with the system's reason.
    package init(like terminal: Int32) throws(FileError) {
        var name = [CChar](repeating: 0, count: 128)
        let master = unsafe cairn_open_terminal(&name, name.count)
        guard master >= 0 else { throw FileError(path: "/dev/ptmx", errorNumber: errno) }
        // A program that reads nothing must not stop what is typed from being waited with.
        _ = fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK)
        descriptor = master
        otherSide = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var modes = termios()
        if unsafe tcgetattr(terminal, &modes) == 0 { unsafe _ = tcsetattr(master, TCSANOW, &modes) }
        copySize(of: terminal)
    }

    deinit { close(descriptor) }

    /// Takes over another terminal's size; programs on the other side get SIGWINCH.
    package func copySize(of terminal: Int32) {
        var size = winsize()
        guard unsafe ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 else { return }
        unsafe _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    }
}

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
