internal import BatchProcessing
internal import BinaryPrimitives
internal import Console
internal import Synchronization

/// Shows the progress of a run: one line that changes on a terminal; elsewhere a line every ten
/// seconds.
final class ProgressDisplay: Sendable {
    private let activity: BatchActivity
    private let isQuiet: Bool
    private let isTerminal: Bool
    private let start = ContinuousClock.now
    private let isOver = Mutex(false)

    private static let terminalPeriod = Duration.milliseconds(200)
    private static let linePeriod = Duration.seconds(10)
    /// Files that need more time than this are named.
    private static let longWait = Duration.seconds(2)
    /// Seconds before which a rate is meaningless.
    private static let shortest = 0.5

    init(_ activity: BatchActivity, isQuiet: Bool) {
        self.activity = activity
        self.isQuiet = isQuiet
        isTerminal = FileDescriptor.isTerminal(2)
    }

    /// Shows the progress of the run from now on.
    func begin() {
        guard !isQuiet else { return }
        Task.detached {
            while true {
                try? await Task.sleep(for: self.isTerminal ? Self.terminalPeriod : Self.linePeriod)
                if self.isOver.withLock({ isOver in
                    if !isOver { self.show() }
                    return isOver
                }) {
                    return
                }
            }
        }
    }

    private func show() {
        let text = line(activity.progress, after: (ContinuousClock.now - start) / .seconds(1))
        write(isTerminal ? "\r\u{1B}[K" + text : text + "\n")
    }

    /// `1234 of 10000 files, 1500 reports, 820 a second, 11 s left; at x/y.ips for 4 s`
    private func line(_ progress: BatchProgress, after seconds: Double) -> String {
        var text = "\(progress.walkedFiles)"
        if let all = progress.treeFiles, all >= progress.walkedFiles { text += " of \(all)" }
        text += " files, \(progress.reports) reports"
        if progress.known > 0 { text += ", \(progress.known) duplicates" }
        if seconds >= Self.shortest {
            let rate = Double(progress.files) / seconds
            text += ", \(Int(rate)) a second"
            if let all = progress.treeFiles, progress.walkedFiles > 0, all > progress.walkedFiles {
                let left = seconds / Double(progress.walkedFiles) * Double(all - progress.walkedFiles)
                text += left < 100 ? ", \(Int(left.rounded(.up))) s left" : ", \(Int((left / 60).rounded(.up))) min left"
            }
        }
        if let (label, since) = activity.currentWork {
            guard let since else { return text + "; " + label }
            let time = ContinuousClock.now - since
            if time >= Self.longWait { text += "; at \(PlainText.line(label, limit: 300)) for \(time.components.seconds) s" }
        }
        return text
    }

    func notify(_ problem: BatchProblem) {
        isOver.withLock { _ in
            if isTerminal, !isQuiet { write("\r\u{1B}[K") }
            printDiagnostic(problem.description)
        }
    }

    /// Shows nothing any more.
    func end() {
        isOver.withLock { isOver in
            isOver = true
            if isTerminal, !isQuiet { write("\r\u{1B}[K") }
        }
    }

    private func write(_ text: String) { try? FileDescriptor.write(Array(text.utf8), to: 2) }
}
