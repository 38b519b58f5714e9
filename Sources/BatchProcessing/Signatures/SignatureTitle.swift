/// A group's name for people: the kind, and the functions where it happened.
struct SignatureTitle: Sendable {
    let text: String

    /// The first informative function, whosever it is (`strlen`), then those of own code. Helpers
    /// that many bugs end in do not count toward the few that are shown.
    init(kind: CrashKind, stack: [SignatureFrame], labels: FrameLabels, limits: SignatureLimits) {
        var shown: [String] = []
        var counted = 0
        let hasOwn = stack.contains(where: \.isOwn)
        for (index, frame) in stack.enumerated() {
            guard counted < limits.titleFrames, shown.count < 2 * limits.titleFrames else { break }
            guard frame.isOwn || !hasOwn || index == 0 && !frame.name.isEmpty else { continue }
            let label = frame.name.isEmpty ? labels.label(frame).split(separator: "@").first.map(String.init) ?? "?" : frame.name
            guard shown.last != label else { continue }
            shown.append(label)
            if !frame.isPrefix { counted += 1 }
        }
        text = Self.text(kind.label + (shown.isEmpty ? "" : " in " + shown.joined(separator: " | ")), limits)
    }

    /// One line, cut to its limit, without what would move a terminal's cursor.
    static func text(_ text: String, _ limits: SignatureLimits) -> String {
        let line = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
        var result = ""
        for scalar in line {
            guard result.utf8.count + 4 <= limits.titleBytes else { return result + "…" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
