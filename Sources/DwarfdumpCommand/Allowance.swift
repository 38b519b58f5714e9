internal import ArgumentParser
internal import BinaryPrimitives

/// Limits of a run's time and memory: those of the options, else several times the needs of files of that
/// size.
///
/// Measured: debug files of libc and Python (11 MB, compressed) take 0.15 s of processor time and 5 MB of
/// memory for each of their megabytes, regardless of the command (dump, verify or compare); the smallest
/// files that send libdwarf or a dump astray take as much as the limits allow (`Fixtures/hostile/dwarf`),
/// which is within ten seconds and a gigabyte, including the start and the delay of the check.
struct Allowance: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Time limit in seconds (0: none).",
            discussion: "The default is processor time: 1 s for each MB of the file, at least 8 s.",
            valueName: "seconds"))
    var timeLimit: Int?

    @Option(
        help: ArgumentHelp(
            "Memory limit in MB, mapped files excluded (0: none).",
            discussion: "The default is 16 times the file's size, at least 896 MB.", valueName: "megabytes"))
    var memoryLimit: Int?

    func validate() throws {
        for (name, value) in [("time", timeLimit), ("memory", memoryLimit)] {
            if let value, !(0...1_000_000_000).contains(value) {
                throw ValidationError("--\(name)-limit \(value): expected 0 to 1000000000")
            }
        }
    }

    /// Returns the limits for files of a total size, including all files that belong to them; zero before it
    /// is known.
    /// - Parameter addresses: the number of addresses to look up. Each takes time regardless of the file: two
    ///   hundred in a second, where thousands are usual.
    func bounds(forBytes size: Int, addresses: Int = 0) -> Bounds {
        let megabytes = size >> 20
        return Bounds(
            seconds: timeLimit ?? max(8, megabytes, addresses / 200), isProcessorTime: timeLimit == nil,
            megabytes: memoryLimit ?? max(896, megabytes * 16))
    }

    /// Limits that a watchdog checks.
    struct Bounds: Equatable {
        /// Zero means no limit.
        var seconds: Int
        /// The limit is on the processor time of this process, regardless of how long it waited for another
        /// process, or for the reader of its output.
        var isProcessorTime: Bool
        /// Memory that the process has allocated itself, without mapped files. Zero means no limit. Not
        /// checked if the system does not report it.
        var megabytes: Int

        /// The processor time (in seconds) at which the system ends the process even if the watchdog did not
        /// check; zero for never.
        /// - Parameter grace: in seconds.
        func processorTime(grace: Int) -> Int {
            guard seconds > 0 else { return 0 }
            return isProcessorTime ? seconds + grace : (seconds + 2 * grace) * Parallel.processors
        }
    }
}
