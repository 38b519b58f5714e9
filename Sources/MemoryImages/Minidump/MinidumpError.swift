/// Why a file cannot be read as a minidump.
package enum MinidumpError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file does not begin like a minidump.
    case notAMinidump
    /// The header or the directory of streams is not in the file.
    case cut
    /// The processor, by the dump's number, is not known; `nil` if the dump does not say it.
    case processor(UInt16?)

    package var description: String {
        switch self {
        case .notAMinidump: "the file is not a minidump"
        case .cut: "the minidump ends before its directory"
        case .processor(let number?): "stacks of the minidump's processor \(number) cannot be unwound"
        case .processor(nil): "the minidump does not say which processor it is from"
        }
    }
}
