package import BinaryPrimitives

/// Why a file cannot be read as a core.
package enum CoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is not an ELF core.
    case notACore
    /// The machine, by ELF's number, is not known.
    case machine(UInt16)
    /// The file ends in its headers.
    case cut(ReadError)

    package var description: String {
        switch self {
        case .notACore: "the file is not an ELF core file"
        case .machine(let number): "stacks of ELF machine \(number) cannot be unwound"
        case .cut(let error): "the core's headers are damaged: \(error)"
        }
    }
}
