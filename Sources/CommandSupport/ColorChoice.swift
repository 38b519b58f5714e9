package import ArgumentParser
internal import BinaryPrimitives
package import Reporting

/// `--color`: whether text is coloured.
package enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never

    /// - Parameter isStandardOutput: the text goes there; a file gets colours only if they are always wanted.
    package func theme(isStandardOutput: Bool) -> Theme {
        switch self {
        case .always: .color
        case .never: .plain
        case .auto: isStandardOutput && FileDescriptor.isTerminal(1) && (environmentVariable("NO_COLOR") ?? "").isEmpty ? .color : .plain
        }
    }
}
