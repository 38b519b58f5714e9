internal import BinaryPrimitives
package import CrashLogModel

/// MetricKit's diagnostics as JSON: a payload (`MXDiagnosticPayload.jsonRepresentation()`), one
/// diagnostic of it, or a call-stack tree alone; and the same trees as App Store Connect's
/// diagnostic logs hold them, whose numbers are strings.
///
/// Each diagnostic is a report of its own: a payload gathers what happened to a process at
/// different times.
package struct MetricKit: DocumentFormat {
    package static let name = "metrickit"
    package static let summary = "MetricKit’s diagnostics: crashes, hangs, CPU and disk exceptions, slow launches, as JSON"
    package static let triggers = [
        "\"callStackRootFrames\"", "\"callStackTree\"", "\"callStackPerThread\"", "Diagnostics\"", "\"diagnosticMetaData\"",
        "\"offsetIntoBinaryTextSegment\"",
    ]

    package static func begins(_ start: Span<UInt8>) -> Confidence {
        guard let first = firstByte(start), first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return .none }
        for key in ["\"callStackRootFrames\"", "\"callStackTree\"", "\"diagnosticMetaData\"", "\"offsetIntoBinaryTextSegment\""]
        where start.contains(key) {
            return .certain
        }
        for list in MetricKitDiagnostic.Kind.allCases where start.contains("\"" + list.rawValue + "\"") { return .certain }
        return start.contains("\"callStackPerThread\"") ? .possible : .none
    }

    package static func parse(_ document: Span<UInt8>) throws(LogError) -> [CrashReport] {
        let root = try JSONParser().parse(document)
        var reports: [CrashReport] = []
        for payload in root.isObject ? [root] : root.elements { add(payload, times: payload, to: &reports, depth: 0) }
        guard reports.contains(where: { report in report.stacks.contains { !$0.frames.isEmpty } }) else {
            throw LogError("this MetricKit document holds no call stacks", expected: "a \"callStackTree\" with \"callStacks\"", at: 0)
        }
        return reports
    }

    /// A payload holds lists of diagnostics, a diagnostic a `callStackTree`, a tree `callStacks`.
    /// App Store Connect's logs are payloads in `productData`'s `diagnosticLogs`.
    private static func add(_ value: JSONValue, times: JSONValue, to reports: inout [CrashReport], depth: Int) {
        // In the document's order, because results are written in that order.
        for member in value.members {
            guard let kind = MetricKitDiagnostic.Kind(rawValue: member.key) else { continue }
            for element in member.value.elements where reports.count < Limits.standard.threads {
                reports.append(MetricKitDiagnostic(element, kind: kind, times: times).report())
            }
        }
        if value["callStackTree"] != nil || value["callStacks"] != nil {
            reports.append(MetricKitDiagnostic(value, kind: nil, times: times).report())
        } else if depth < 4 {
            for key in ["productData", "diagnosticLogs"] {
                for element in value[key]?.elements ?? [] { add(element, times: element, to: &reports, depth: depth + 1) }
            }
        }
    }

    /// The keys that Apple's own symbolicated trees have (`DiagnosticLogCallStackNode` of the App
    /// Store Connect API): `symbolName`, `offsetIntoSymbol`, `fileName`, `lineNumber`.
    ///
    /// They come first in the frame's object, before its sub-frames. A frame keeps its one object:
    /// calls that were inlined into its function are listed in it as `inlinedCalls`, innermost
    /// first, because a sub-frame would be a caller or a sample of its own.
    package static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        let filter = ResultFilter(report)
        var found: [TextEdit] = []
        for (frame, result) in results where filter.isImprovement(result, for: frame) { found += edits(of: frame, with: result, in: log) }
        var edits: [TextEdit] = []
        for edit in found.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) { edits.add(edit) }
        return edits
    }

    private static func edits(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> [TextEdit] {
        guard let object = try? JSONParser().parse(log.upTo(frame.range.upperBound), from: frame.range.lowerBound),
            let first = object.members.first,
            let function = result.functions.last
        else { return [] }
        // In App Store Connect's trees all values are strings.
        let isText = object["address"]?.string != nil
        var members = [("symbolName", JSONString.quoted(function.name))]
        if let offset = function.offset { members.append(("offsetIntoSymbol", isText ? "\"\(offset)\"" : "\(offset)")) }
        if let location = function.location {
            members.append(("fileName", JSONString.quoted(location.file)))
            members.append(("lineNumber", isText ? "\"\(location.line)\"" : "\(location.line)"))
        }
        let inlined = result.functions.dropLast()
        if !inlined.isEmpty {
            members.append(("inlinedCalls", "[" + inlined.map { call($0, isText: isText) }.joined(separator: ", ") + "]"))
        }

        var edits: [TextEdit] = []
        let style = JSONStyle(of: object, in: log)
        var added = ""
        for (key, value) in members {
            if let member = object.member(key) {
                edits.append(TextEdit(range: member.value.range, replacement: Array(value.utf8)))
            } else {
                added += style.member(key, value) + "," + style.afterComma
            }
        }
        if !added.isEmpty {
            let start = first.keyRange.lowerBound
            edits.append(TextEdit(range: start..<start, replacement: Array(added.utf8)))
        }
        return edits
    }

    private static func call(_ function: FrameResult.Function, isText: Bool) -> String {
        var text = "{\"symbolName\": " + JSONString.quoted(function.name)
        if let location = function.location {
            text +=
                ", \"fileName\": " + JSONString.quoted(location.file) + ", \"lineNumber\": "
                + (isText ? "\"\(location.line)\"" : "\(location.line)")
        }
        return text + "}"
    }
}
