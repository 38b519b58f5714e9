/// A format, and how it is read.
///
/// The registry says it of each of its formats. To find it out by a cast, the whole program's
/// conformances are searched, which takes longer than reading a log.
enum FormatShape: Sendable {
    /// One line at a time.
    case lines(any LineFormat.Type)
    /// As a whole.
    case document(any DocumentFormat.Type)

    /// A format of the library's user; `nil` where it is neither.
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
