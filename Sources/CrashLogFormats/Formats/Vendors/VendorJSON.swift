internal import BinaryPrimitives
package import CrashLogModel

/// Events of vendors whose stacks are lists of frame objects with addresses. `VendorKeys` lists the
/// keys of each vendor.
package struct VendorJSON: DocumentFormat {
    package static let name = VendorKeys.bugsnag.name
    package static let summary = VendorKeys.bugsnag.summary
    package static let families: [(name: String, summary: String)] = VendorKeys.all.map { ($0.name, $0.summary) }
    package static let triggers = Set(VendorKeys.all.flatMap { $0.marks.flatMap { $0 } }).sorted().map { "\"\($0)\"" }

    package static func begins(_ start: Span<UInt8>) -> Confidence {
        guard let first = firstByte(start), first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return .none }
        return VendorKeys.all.contains { keys in
            // Other formats' rows in the vendor's strings are read as texts.
            guard !keys.stacks[0].areRows || start.contains("\"0 ") else { return false }
            return keys.marks.contains { $0.allSatisfy { start.contains("\"\($0)\"") } }
        } ? .certain : .none
    }

    package static func parse(_ document: Span<UInt8>) throws(LogError) -> [CrashReport] {
        let root = try JSONParser().parse(document)
        let reports = reports(root, in: document)
        guard !reports.isEmpty else {
            throw LogError(
                "this event has no stack with addresses",
                expected: VendorKeys.all.map { keys in
                    "\"\(keys.stacks[0].list)\" with \"\(keys.stacks[0].frames)\" of "
                        + (keys.stacks[0].areRows ? "rows" : "\"\(keys.frame.address)\"")
                }.joined(separator: ", or "), at: 0)
        }
        return reports
    }

    /// The events that have frames.
    /// - Parameter document: the bytes that the root is in.
    static func reports(_ root: JSONValue, in document: Span<UInt8>) -> [CrashReport] {
        var reports: [CrashReport] = []
        for keys in VendorKeys.all {
            let container = keys.events.lazy.compactMap { root[$0] }.first ?? root
            for value in (container.isObject ? [container] : container.elements).prefix(Limits.standard.threads) {
                guard let report = VendorEvent(value, keys)?.report(in: document),
                    report.stacks.contains(where: { $0.frames.contains { $0.address != nil } })
                else { continue }
                reports.append(report)
            }
            if !reports.isEmpty { break }
        }
        return reports
    }

    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard log.at(frame.range.lowerBound) == UInt8(ascii: "{") else { return QuotedAppleRows.edit(of: frame, with: result, in: log) }
        return JSONFrameKeys.edit(of: frame, with: result, in: log, VendorKeys.all.map(\.frame))
    }
}
