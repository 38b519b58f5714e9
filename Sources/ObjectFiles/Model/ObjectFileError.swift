public import BinaryPrimitives

/// Why a file could not be used as an object file.
public struct ObjectFileError: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// The file could not be opened or read.
        case unreadable
        /// Not ELF, not Mach-O, not a dSYM bundle.
        case unknownFormat
        /// It begins like an object file and then contradicts itself or ends early.
        case corrupt
        /// A part of it needs something that this build does not have.
        case unsupported
        /// A universal file or bundle without the slice that was asked for.
        case noSuchSlice
    }

    public var kind: Kind
    public var path: String
    /// What is wrong, and what was expected.
    public var problem: String

    public init(_ kind: Kind, path: String, _ problem: String) {
        self.kind = kind
        self.path = path
        self.problem = problem
    }

    /// The file is not what it was when it was opened.
    public init(_ change: FileChange) { self.init(.unreadable, path: change.path, change.problem) }

    public var description: String { "\(path): \(problem)" }
}
