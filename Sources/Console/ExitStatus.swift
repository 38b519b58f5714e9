/// How cairn ends; the numbers are part of its interface.
package enum ExitStatus: Int32, Comparable {
    case done = 0
    /// Something could not be done: a file cannot be read, nothing in it is a crash log.
    case failed = 1
    /// Symbols are missing, and the user requested this status (`--strict`).
    case symbolsMissing = 3
    /// Wrong usage (`EX_USAGE` of `sysexits.h`).
    case usage = 64

    /// Orders statuses by severity, to select the worse of two: a failure beats missing symbols.
    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .done: 0
        case .symbolsMissing: 1
        case .failed: 2
        case .usage: 3
        }
    }

    /// Help text that explains the numbers.
    package static let help = """
          0   success
          1   error: a file cannot be read, or has no crash report
          3   unresolved frames, with --strict or in cairn explain
          64  invalid usage

        """
}
