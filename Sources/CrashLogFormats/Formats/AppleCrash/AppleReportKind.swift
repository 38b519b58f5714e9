internal import BinaryPrimitives
internal import CrashLogModel

/// What kind of report a header belongs to, where it begins as a crash report does: the tools that
/// look at a living process print the same lines first.
enum AppleReportKind {
    /// `sample` and the tools for memory name themselves: `Analysis Tool:   /usr/bin/sample`.
    case sample
    case leaks
    /// spindump and the watchdogs say why and how often they looked: `Event: hang`,
    /// `Data Source: Stackshots`, `Steps: 101`; and of each process `Num samples: 101 (1-101)`.
    case spindump
    /// Of a tool whose report has no stacks: heap, vmmap.
    case other

    init?(heading line: Span<UInt8>) {
        let isSpindump =
            line.hasPrefix("Event:  ") || line.hasPrefix("Steps:  ") || line.hasPrefix("Data Source:  ") || line.hasPrefix("Num samples:  ")
        if isSpindump || line.hasPrefix("Microstackshots: ") {
            self = .spindump
            return
        }
        // Mac OS X 10.6 names no tool above the report's version.
        if line.hasPrefix("leaks Report Version:") {
            self = .leaks
            return
        }
        guard line.hasPrefix("Analysis Tool:") else { return nil }
        if line.hasSuffix("/sample") {
            self = .sample
        } else {
            // Xcode and Instruments look for leaks through an agent.
            let isLeaks = line.hasSuffix("/leaks") || line.hasSuffix("/LeakAgent") || line.hasSuffix("/malloc_history")
            self = isLeaks ? .leaks : .other
        }
    }

    /// The format that goes on with the report; `nil` if there is none.
    func format(_ header: AppleCrashHeader) -> (any LineFormat)? {
        switch self {
        case .sample: AppleSample(header: header)
        case .leaks: AppleLeaks(header: header)
        case .spindump: AppleSpindump(header: header)
        case .other: nil
        }
    }
}
