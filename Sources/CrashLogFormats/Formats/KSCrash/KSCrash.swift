internal import BinaryPrimitives
package import CrashLogModel

/// The JSON report of KSCrash 2 and 3 (`KSCrashReport.c` writes it, `KSCrashReportFields.h` lists
/// its keys), and of what grew out of it: sentry-cocoa's SentryCrash, Bugsnag's and Embrace's
/// copies.
///
/// The keys of one level come in any order: the crash handler writes `report` first, a report that
/// a filter has read and written again is sorted. A report with `binary_images` may so begin with
/// tens of kilobytes of images.
package struct KSCrash: DocumentFormat {
    package static let name = "kscrash-json"
    package static let summary = "KSCrash and its descendants in the SDKs of Sentry, Bugsnag and Embrace, as JSON"
    package static let triggers = [
        "\"recrash_report\"", "\"binary_images\"", "\"instruction_addr\"", "\"process_name\"", "\"application_stats\"",
        "\"notable_addresses\"", "\"frameAddress\"",
    ]

    package static func begins(_ start: Span<UInt8>) -> Confidence {
        guard firstByte(start) == UInt8(ascii: "{") else { return .none }
        if start.contains("\"recrash_report\"") { return .certain }
        // An image of Sentry's `debug_meta` has the same keys, but no list of this name is there.
        if start.contains("\"binary_images\"") { return start.contains("\"image_addr\"") ? .certain : .possible }
        // A frame of KSCrash; one of a Sentry event has `image_addr` where this has `object_addr`.
        if start.contains("\"instruction_addr\""), start.contains("\"object_addr\"") { return .certain }
        // An event of Bugsnag's is in `user`, and may come first.
        if start.contains("\"frameAddress\""), start.contains("\"user\""), start.contains("\"event\"") { return .certain }
        // The `report` object:
        // {"version":…,"id":…,"process_name":…,"timestamp":…,"type":"standard"}.
        if start.contains("\"report\""), start.contains("\"process_name\""),
            start.contains("\"standard\"") || start.contains("\"minimal\"") || start.contains("\"custom\"")
        {
            return .certain
        }
        // The `system` object of a report without images and stacks.
        if start.contains("\"application_stats\""), start.contains("\"CFBundleExecutable\"") { return .certain }
        return start.contains("\"notable_addresses\"") ? .possible : .none
    }

    package static func parse(_ document: Span<UInt8>) throws(LogError) -> [CrashReport] {
        let root = try JSONParser().parse(document)
        // A list of images does not show which program wrote the document.
        if root["report"] == nil, root["crash"] == nil {
            let reports = VendorJSON.reports(root, in: document)
            if !reports.isEmpty { return reports }
        }
        guard root["report"] != nil || root["crash"] != nil || root["binary_images"] != nil else {
            throw LogError("not a report of KSCrash", expected: "an object with \"report\" and \"crash\"", at: 0)
        }
        return [KSCrashReport(root).report(in: document)]
    }

    /// `symbol_name` and `symbol_addr` (where the function begins in the process) are set as
    /// KSCrash sets them from `dladdr`, in the spelling of the frame's own address.
    ///
    /// KSCrash records no source lines; its only key for one is `line_of_code`, which gets `file:line`. Inlined calls become
    /// objects of their own in front, with the same addresses, without `symbol_addr`, and with `"inlined": true`. Frames of a Bugsnag event
    /// get Bugsnag's keys.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        JSONFrameKeys.edit(of: frame, with: result, in: log, [.ksCrash, .bugsnag])
    }
}
