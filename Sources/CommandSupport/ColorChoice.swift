internal import ArgumentParser
internal import BinaryPrimitives
package import Reporting

/// `--color`: whether text is coloured.
package enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never

    /// - Parameter isStandardOutput: the text goes there; a file gets colours only if they are
    ///   always wanted.
    package func theme(isStandardOutput: Bool) -> Theme {
        switch self {
        case .always: .color
        case .never: .plain
        case .auto:
            // A dumb terminal has no colors (terminfo(5)), and no-color.org's variable turns colors
            // off.
            isStandardOutput && FileDescriptor.isTerminal(1) && environmentVariable("TERM") != "dumb"
                && (environmentVariable("NO_COLOR") ?? "").isEmpty ? .color : .plain
        }
    }
}
