internal import BinaryPrimitives

/// What kind of report a header belongs to, where it begins as a crash report does: the tools that look at a living process print the same lines first.
enum AppleReportKind {
    /// `sample` and the tools for memory name themselves: `Analysis Tool:   /usr/bin/sample`.
    case sample
    /// Of a tool whose report has no stacks: heap, vmmap.
    case other

    init?(toldBy line: Span<UInt8>) {
        guard line.hasPrefix("Analysis Tool:") else { return nil }
        self = line.hasSuffix("/sample") ? .sample : .other
    }

    /// The format that goes on with the report; `nil` if there is none.
    func format(_ header: AppleCrashHeader) -> (any LineFormat)? {
        switch self {
        case .sample: AppleSample(header: header)
        case .other: nil
        }
    }
}
