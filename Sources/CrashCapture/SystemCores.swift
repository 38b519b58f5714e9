internal import BinaryPrimitives
internal import LibC

/// Core files that the system writes of a run's processes, where it does not let them be watched.
package struct SystemCores: Sendable {
    package let pattern: CorePattern
    /// The run has raised the limit from 0, so that its core files are not the user's.
    private let isLimitRaised: Bool
    /// Nanoseconds since 1970.
    private let start: Int64

    /// The clock of file systems is up to 10 ms behind (`current_time()` in Linux, HZ 100).
    private static let clockError: Int64 = 10_000_000
    /// A collector writes after the process has ended: it compresses.
    private static let maxWait = Duration.seconds(5)

    /// To be made before the program starts.
    package init(pattern: CorePattern, isLimitRaised: Bool = CoreLimit.isRaisable, start: Int64 = WallClock.nanoseconds) {
        self.pattern = pattern
        self.isLimitRaised = isLimitRaised
        self.start = start - Self.clockError
    }

    /// Paths of the core files that are there now, and were not when the run started.
    /// - Parameters:
    ///   - process: the program, if a signal ended it; files in the working directory are also those of its children.
    ///   - program: the path of its file.
    package func new(of process: Int32?, program: String) -> [String] {
        guard process != nil || pattern.isInWorkingDirectory else { return [] }
        let end = ContinuousClock.now + Self.maxWait
        while true {
            let found = pattern.files(of: pattern.isInWorkingDirectory ? nil : process, program: program).filter {
                FileStamp(path: $0) != nil && FileStamp.isModified($0, after: start)
            }
            if !found.isEmpty || !isCollected || ContinuousClock.now >= end { return found }
            usleep(50_000)
        }
    }

    private var isCollected: Bool { pattern.keeper == .systemd || pattern.keeper == .apport }

    /// Removes a core file that was shown, if the system wrote it only because of this run.
    package func removeIfOwn(_ path: String) {
        if isLimitRaised, pattern.keeper == .kernel { unsafe _ = unlink(path) }
    }
}
