internal import BinaryPrimitives

/// A failure in plain words: what every output has in common.
struct FailureText {
    private let failure: Failure

    init(_ failure: Failure) { self.failure = failure }

    /// Lines of text: the failure, how its location was found, how often it was met, and the first
    /// frames.
    var message: String {
        var parts: [String] = []
        if !failure.message.isEmpty { parts.append(failure.message) }
        parts += remarks
        if let stack = failure.stacks.first, !stack.frames.isEmpty { parts.append(Self.rows(stack.frames, limit: 20)) }
        return parts.joined(separator: "\n")
    }

    /// Remarks that the reader must know beside the message; a sentence each.
    var remarks: [String] {
        var remarks: [String] = []
        if let remark = failure.locationRemark { remarks.append(remark) }
        if let remark = failure.missingLocationReason {
            remarks.append("No line of your code: " + remark.prefix(1).lowercased() + remark.dropFirst())
        }
        if failure.tests.count > 1 {
            remarks.append(
                "In \(failure.tests.count) tests: " + failure.tests.prefix(5).joined(separator: ", ")
                    + (failure.tests.count > 5 ? ", …" : ""))
        }
        if failure.commandSucceeded { remarks.append("The command succeeded nevertheless: a test may expect this failure.") }
        if failure.count > 1 { remarks.append("Occurred \(failure.count) times.") }
        if let log = failure.log { remarks.append("In the log \(log == "-" ? "on standard input" : PlainText.line(log, limit: 1024)).") }
        return remarks
    }

    /// A stack's rows: number, function, place; own code marked with `*`, and why a function has no
    /// name.
    static func rows(_ frames: [Failure.Frame], limit: Int) -> String {
        var rows: [String] = []
        for (index, frame) in frames.prefix(limit).enumerated() {
            var row =
                (frame.isOwn ? "* " : "  ") + "\(index) " + (frame.function.map { PlainText.line($0, limit: 400) } ?? frame.address ?? "?")
            if frame.function == nil, frame.owner == .unknown { row += " (\(PlainText.line(frame.reason, limit: 300)))" }
            if frame.isInlined { row += " [inlined]" }
            if let image = frame.image { row += " in " + PlainText.line(image, limit: 120) }
            if let location = frame.location {
                row += " at \(PlainText.line(location.path)):\(location.line)"
            } else if let file = frame.file {
                row += " at " + PlainText.line(file, limit: 400) + (frame.line > 0 ? ":\(frame.line)" : "")
            }
            rows.append(row)
            if let repetition = frame.repetition {
                let cycle = repetition.period == 1 ? "the frame above" : "the \(repetition.period) frames above"
                rows.append("  … \(cycle), \(repetition.times) more times")
            }
        }
        if frames.count > limit { rows.append("  … \(frames.count - limit) more") }
        return rows.joined(separator: "\n")
    }
}
