package import BinaryPrimitives

/// Why a file could not be used as an object file.
package struct ObjectFileError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// The file could not be opened or read.
        case unreadable
        /// Not ELF, not Mach-O, not a dSYM bundle.
        case unknownFormat
        /// It begins like an object file and then contradicts itself or ends early.
        case corrupt
        /// A part of it needs something that this build does not have.
        case unsupported
        /// A universal file or bundle without the requested slice.
        case noSuchSlice
    }

    package var kind: Kind
    package var path: String
    /// Description of the problem, and of what was expected.
    package var problem: String

    package init(_ kind: Kind, path: String, _ problem: String) {
        self.kind = kind
        self.path = path
        self.problem = problem
    }

    /// The file changed after it was opened.
    package init(_ change: FileChange) { self.init(.unreadable, path: change.path, change.problem) }

    package var description: String { "\(path): \(problem)" }
}
