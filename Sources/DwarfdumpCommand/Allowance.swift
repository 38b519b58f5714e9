internal import ArgumentParser
internal import BinaryPrimitives

/// What a run may take: what the options say, else what files of that size need several times over.
///
/// Measured: debug files of libc and Python (11 MB, compressed) take 0.15 s of processor time and 5
/// MB of memory for each of their megabytes, whatever is dumped, verified or compared; the smallest
/// files that lead libdwarf or a dump astray take as much as they are let
/// (`Fixtures/hostile/dwarf`), which is within ten seconds and a gigabyte with what it takes to
/// begin, and to notice.
struct Allowance: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "For how long to read, in seconds; 0 for as long as it takes.",
            discussion: "Otherwise as much processor time as a file of its size may take: 1 s for each MB, and 8 s at least.",
            valueName: "seconds"))
    var timeLimit: Int?

    @Option(
        help: ArgumentHelp(
            "How much memory to take, in MB, without what is mapped of files; 0 for any.",
            discussion: "Otherwise 16 times the file's size, and 896 MB at least.", valueName: "megabytes"))
    var memoryLimit: Int?

    func validate() throws {
        for (name, value) in [("time", timeLimit), ("memory", memoryLimit)] {
            if let value, !(0...1_000_000_000).contains(value) {
                throw ValidationError("--\(name)-limit \(value): expected 0 to 1000000000")
            }
        }
    }

    /// For files that have that many bytes together, with all that belongs to them; zero before
    /// that is known.
    /// - Parameter addresses: the addresses to look up. Each takes its time whatever the file: two
    ///   hundred in a second, where thousands are usual.
    func bounds(forBytes size: Int, addresses: Int = 0) -> Bounds {
        let megabytes = size >> 20
        return Bounds(
            seconds: timeLimit ?? max(8, megabytes, addresses / 200), isProcessorTime: timeLimit == nil,
            megabytes: memoryLimit ?? max(896, megabytes * 16))
    }

    /// What a watchdog looks at.
    struct Bounds: Equatable {
        /// Zero means no limit.
        var seconds: Int
        /// Time in which a processor worked for this process, however long it waited for another,
        /// or for whoever reads its output.
        var isProcessorTime: Bool
        /// Of memory that the process has taken itself, without what it has mapped of files. Zero
        /// means no limit. Not checked where the system does not give it.
        var megabytes: Int

        /// The processor time (in seconds) at which the system ends the process although nobody
        /// looked; zero for never.
        /// - Parameter grace: in seconds.
        func processorTime(grace: Int) -> Int {
            guard seconds > 0 else { return 0 }
            return isProcessorTime ? seconds + grace : (seconds + 2 * grace) * Parallel.processors
        }
    }
}
