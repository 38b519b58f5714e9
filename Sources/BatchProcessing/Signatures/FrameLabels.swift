/// Decides for the unnamed frames of one stack whether they are identified by their module offset,
/// or by their module alone (see `CrashSignature`).
struct FrameLabels: Sendable {
    /// Rows whose offset counts.
    private let rows: Set<Int>

    /// The innermost row, if its symbol alone is known. Closures count as what they are in. But if
    /// the optimiser may have inlined everything that a closure calls into it, without a record,
    /// only its number distinguishes it from its siblings.
    private let crashRow: Int?

    /// Some frame counts by its offset.
    var countsOffsets: Bool { !rows.isEmpty }

    init(_ stack: [SignatureFrame]) {
        let own = stack.filter(\.isOwn)
        let frames = own.isEmpty ? stack : own
        crashRow = frames.first.flatMap { $0.showsInlinedCalls ? nil : $0.row }
        let named = frames.firstIndex { !$0.name.isEmpty }
        let inner = frames[..<(named ?? frames.endIndex)]
        guard let named else {
            // No frame has a name, so only offsets identify the crash. Offsets in system images are
            // used only if there are no others.
            rows = Set(inner.map(\.row))
            return
        }
        // Frames that the named code called in another image (a library without symbols) are
        // identified by the caller. In its own image, the offset identifies the crash.
        rows = Set(inner.filter { $0.module == frames[named].module }.map(\.row))
    }

    /// Whether a frame without a name counts by its offset.
    func isCounted(_ frame: SignatureFrame) -> Bool { rows.contains(frame.row) }

    /// - Returns: a label for each frame; repeated modules appear once.
    func labels(_ frames: [SignatureFrame]) -> [String] {
        var result: [String] = []
        for frame in frames {
            let label = label(frame)
            if frame.name.isEmpty, !rows.contains(frame.row), result.last == label || frame.module.isEmpty { continue }
            result.append(label)
        }
        return result
    }

    func label(_ frame: SignatureFrame) -> String {
        guard frame.name.isEmpty else {
            return frame.name + (frame.row == crashRow && frame.isClosure && !frame.closure.isEmpty ? " #" + frame.closure : "")
        }
        return rows.contains(frame.row) ? frame.offsetLabel : frame.moduleLabel
    }
}
