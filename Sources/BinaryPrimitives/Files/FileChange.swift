internal import CCairn

/// Reason why data that was read from a file cannot be trusted.
package enum FileChange: Error, Hashable, Sendable, CustomStringConvertible {
    /// It has been written to, or cut short, since it was opened.
    case rewritten(String)
    /// A part of it that was mapped could not be read, although it is as long as it was: its disk,
    /// or the server that it is on, does not give it.
    case unreadable(String)

    package var path: String {
        switch self {
        case .rewritten(let path), .unreadable(let path): path
        }
    }

    /// Description of the change, without the path.
    package var problem: String {
        switch self {
        case .rewritten: "it changed while it was read"
        case .unreadable: "a part of it could not be read"
        }
    }

    package var description: String { "\(path): \(problem)" }
}

/// Behaviour of the process when a file is truncated while it is mapped (`SIGBUS`).
public enum FileChanges {
    /// Makes the process survive from now on: the missing pages are read as zeros. The file's
    /// `change` shows it, so that results from it are replaced by a reason.
    ///
    /// For programs, not for libraries: the handler of a signal belongs to the whole process. It
    /// handles files that are mapped by `MappedFile` from now on, and passes every other fault to
    /// the previous handler of the signal.
    public static func survive() { cairn_mappings_survive() }

    /// When it happens, a number is set to 1: memory that another process shares, and that stays.
    @unsafe package static func notify(_ flag: UnsafeMutablePointer<Int32>) { unsafe cairn_mappings_tell(flag) }

    /// Number of times that pages were missing, in all mapped files: while it stays the same, no
    /// data read in the meantime was zeros in place of a page.
    package static var count: Int { Int(cairn_mappings_marked()) }
}
