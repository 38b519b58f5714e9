internal import CrashLogFormats
internal import CrashLogModel

/// Notices when a log has the same crash twice.
///
/// Console and Finder's preview show an `.ips` of macOS 12 and later as "Translated Report (Full
/// Report Below)", the text form, and paste the JSON under "Full Report". Both parts are reports
/// and both are symbolicated; the second is marked as the first once more, so that nobody counts
/// two crashes.
struct RepeatedReports {
    /// The latest text report.
    private var text: CrashReport?

    /// Adds the note to `report` if it is the JSON form of the text report before it: one process,
    /// one moment.
    mutating func note(_ report: inout CrashReport) {
        if report.format == AppleIPS.name, let text, text.process.name == report.process.name, text.process.pid == report.process.pid,
            let instant = text.timestamp?.instant, instant == report.timestamp?.instant
        {
            report.notes.append("This is the full form of the translated report above it: one crash, printed twice.")
        }
        text = report.format == AppleCrash.name ? report : nil
    }
}
