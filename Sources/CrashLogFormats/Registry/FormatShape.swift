/// A format, and the way in which it is read.
///
/// The registry has it for each of its formats. A cast would search the whole program's
/// conformances, which takes longer than reading a log.
enum FormatShape: Sendable {
    /// One line at a time.
    case lines(any LineFormat.Type)
    /// As a whole.
    case document(any DocumentFormat.Type)

    /// A format of the library's user; `nil` if it is neither.
    init?(_ format: any CrashLogFormat.Type) {
        if let format = format as? any LineFormat.Type {
            self = .lines(format)
        } else if let format = format as? any DocumentFormat.Type {
            self = .document(format)
        } else {
            return nil
        }
    }

    var format: any CrashLogFormat.Type {
        switch self {
        case .lines(let format): format
        case .document(let format): format
        }
    }
}
