internal import LibC

/// Times what is run several times, and prints one line: the median of the runs, what one item
/// cost, and how much passed in a second.
///
/// Time is processor time of the whole process: on a machine that does other work too, the clock on
/// the wall says less.
public struct Timing {
    /// Name of the measured work, for the first column.
    public var name: String
    public var runs = 5

    public init(_ name: String) { self.name = name }

    /// - Parameters:
    ///   - unit: what the body counts, in the plural.
    ///   - bytes: how many bytes each run reads; zero where that says nothing.
    ///   - body: does the work and returns how many items it did: the same number each time, or the
    ///     program ends.
    /// - Returns: nanoseconds an item, of the median.
    @discardableResult
    public func measure(_ unit: String, bytes: Int = 0, _ body: () throws -> Int) rethrows -> Double {
        // Not counted: it brings files into the page cache, and metadata of types into being.
        let items = try body()
        var nanoseconds: [Double] = []
        for _ in 0..<runs {
            let start = processorTime()
            let done = try body()
            nanoseconds.append(Double(processorTime() - start))
            guard done == items else { fatalError("\(name): \(done) \(unit) in one run, \(items) in another") }
        }
        nanoseconds.sort()
        let median = nanoseconds[runs / 2]
        let item = median / Double(max(1, items))
        var line =
            "\(padded(name, 44)) \(decimal(median / 1e6)) ms (\(decimal(nanoseconds[0] / 1e6))–\(decimal(nanoseconds[runs - 1] / 1e6))), "
        line += "\(items) \(unit), \(decimal(item)) ns each, \(decimal(1e3 / item)) M/s"
        if bytes > 0 { line += ", \(decimal(Double(bytes) * 1e3 / median)) MB/s" }
        print(line)
        return item
    }
}

/// Nanoseconds of processor time that this process has used, in all threads.
private func processorTime() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Two digits after the point, three where the number is below one.
func decimal(_ value: Double) -> String {
    let scale = value < 1 ? 1000 : 100
    let whole = Int((value * Double(scale)).rounded())
    let rest = String(whole % scale)
    return "\(whole / scale)." + String(repeating: "0", count: String(scale).count - 1 - rest.count) + rest
}

func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
