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
}
