internal import BinaryPrimitives
package import CrashLogModel

/// PLCrashReporter's own report, `.plcrash`: what apps of HockeyApp, App Center and others wrote to
/// disk when they crashed (`PLCrashLogWriter.m`). Seven letters, a version byte, then one protobuf
/// message, whose schema is `PLCrashReport.proto` of that project. Its text form
/// (`plcrashutil convert --format=ios`) is an Apple report of version 104 and read as `AppleCrash`.
package struct PLCrashReport: DocumentFormat {
    package static let name = "plcrashreporter"
    package static let summary = "PLCrashReporter’s binary reports (.plcrash); its text form is apple-crash"
    package static let triggers = ["plcrash"]
    package static let magic = Array("plcrash".utf8)
    /// Messages of one length inside another: a longer name would move everything after it.
    package static let acceptsResults = false

    package static func begins(_ start: Span<UInt8>) -> Confidence { start.hasPrefix("plcrash") ? .certain : .none }

    package static func parse(_ document: Span<UInt8>) throws(LogError) -> [CrashReport] {
        guard document.hasPrefix("plcrash"), let version = document.at(magic.count) else {
            throw LogError("not a .plcrash file", expected: "the letters plcrash and a version", at: 0)
        }
        // `PLCRASH_REPORT_FILE_VERSION`: 1 since 2008; additions to the schema did not change it.
        guard version == 1 else { throw LogError("the .plcrash has version \(version)", expected: "version 1", at: magic.count) }
        var reader = PLCrashReportReader()
        let message = magic.count + 1..<document.count
        let problem = ProtobufFields.forEach(of: message, in: document) { reader.read($0, in: document) }
        if let problem = problem ?? reader.problem { reader.report.notes.append("The report is damaged: \(problem).") }
        guard !reader.isEmpty else {
            throw problem ?? LogError("the .plcrash holds no threads", expected: "a report of PLCrashReporter", at: message.lowerBound)
        }
        return [reader.finish()]
    }
}
