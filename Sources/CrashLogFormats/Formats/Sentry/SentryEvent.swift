internal import BinaryPrimitives
package import CrashLogModel

/// An event of Sentry with native frames of Apple's systems, as sentry-cocoa sends it and Sentry's
/// “JSON” link gives it back. The keys are those of Sentry's event payload (relay's `Event`,
/// `Frame`, `DebugImage`).
///
/// A stack's frames are listed outermost first; in the report they are innermost first, as
/// everywhere.
package struct SentryEvent: DocumentFormat {
    package static let name = "sentry-event-json"
    package static let summary = "Sentry’s events with native frames, as JSON"
    package static let triggers = ["\"debug_meta\"", "\"instruction_addr\"", "\"event_id\"", "\"stacktrace\""]

    package static func begins(_ start: Span<UInt8>) -> Confidence {
        guard firstByte(start) == UInt8(ascii: "{") else { return .none }
        if start.contains("\"debug_meta\"") { return .certain }
        // A frame of an event; one of KSCrash's has `object_addr`.
        if start.contains("\"instruction_addr\""), start.contains("\"stacktrace\"") { return .certain }
        if start.contains("\"event_id\""), start.contains("\"platform\"") || start.contains("\"sentry.") || start.contains("\"contexts\"") {
            return .possible
        }
        return .none
    }

    package static func parse(_ document: Span<UInt8>) throws(LogError) -> [CrashReport] {
        try parse(document, imagesOfFrames: false) { _ in [] }
    }

    package static func parse(
        _ document: Span<UInt8>, imagesOfFrames: Bool, readText: (Span<UInt8>) -> [CrashReport]
    ) throws(LogError) -> [CrashReport] {
        let report = SentryEventReport(try JSONParser().parse(document)).report(imagesOfFrames: imagesOfFrames)
        guard !report.stacks.isEmpty else {
            throw LogError("this Sentry event holds no stacks", expected: "\"stacktrace\" in \"exception\" or \"threads\"", at: 0)
        }
        guard
            report.allStacksAreEmpty
                || report.stacks.contains(where: { $0.frames.contains { $0.address != nil || $0.imageLocation != nil } })
        else {
            throw LogError("the frames of this Sentry event have no addresses", expected: "native frames with \"instruction_addr\"", at: 0)
        }
        return [report]
    }

    /// The keys that Sentry's symbolicator sets: `function`, `symbol_addr`, `abs_path`, `filename`
    /// (the file without its folder), `lineno`, and `colno` where a column is known.
    ///
    /// Inlined calls become frames of their own with the same `instruction_addr`, without any mark,
    /// as Sentry's do. Since the frames are listed outermost first, they come after the function
    /// that they were inlined into.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        JSONFrame.edit(at: frame.range, of: log, functions: result.functions.reversed()) { function, edit in
            edit.set("function", to: JSONString.quoted(function.name))
            edit.set("symbol_addr", toAddress: function.start(from: frame.address), like: edit.object["instruction_addr"])
            if let location = function.location {
                edit.set("filename", to: JSONString.quoted(Path.foreignName(of: location.file)))
                edit.set("abs_path", to: JSONString.quoted(location.file))
                edit.set("lineno", to: "\(location.line)")
                if location.column > 0 { edit.set("colno", to: "\(location.column)") }
            }
        }
    }
}

extension CrashReport {
    fileprivate var allStacksAreEmpty: Bool { stacks.allSatisfy(\.frames.isEmpty) }
}
