internal import BatchProcessing
internal import BinaryPrimitives
internal import Console

/// How far a run is: one line that changes on a terminal, nothing elsewhere but what went wrong.
struct ProgressDisplay: Sendable {
    private let isShown: Bool
    private let start = ContinuousClock.now

    init(isQuiet: Bool) { isShown = !isQuiet && FileDescriptor.isTerminal(2) }

    func show(_ progress: BatchProgress) {
        guard isShown else { return }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let rate = seconds > 0 ? Int(Double(progress.files) / seconds) : 0
        write("\r\u{1B}[K\(progress.files) files, \(progress.reports) reports, \(progress.known) known before, \(rate) files a second")
    }

    func tell(_ line: String) {
        if isShown { write("\r\u{1B}[K") }
        complain(line)
    }

    func end() { if isShown { write("\r\u{1B}[K") } }

    private func write(_ text: String) { try? FileDescriptor.write(Array(text.utf8), to: 2) }
}
