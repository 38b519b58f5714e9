import Synchronization
import Testing

@testable import Debuginfod

struct FetchProgressTests {
    @Test func `the line is written over itself and taken away`() {
        let written = Written()
        let progress = FetchProgress { written.add($0) }
        progress.begin(2)
        progress.add(1_500_000)
        progress.finishOne()
        progress.finishOne()
        progress.clear()
        // A beginning, two files, and the end; bytes between them within a tenth of a second show
        // nothing of their own.
        #expect(
            written.text
                == "\rdebuginfod: 0 of 2 files, 0.0 MB\u{1B}[K\rdebuginfod: 1 of 2 files, 1.5 MB\u{1B}[K\rdebuginfod: 2 of 2 files, 1.5 MB\u{1B}[K\r\u{1B}[K"
        )
    }

    private final class Written: Sendable {
        private let all = Mutex("")

        var text: String { all.withLock { $0 } }

        func add(_ text: String) { all.withLock { $0 += text } }
    }
}
