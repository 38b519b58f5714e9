import BinaryPrimitives
import CrashReports
import Timing

/// Measures how fast logs are searched for traces, on one core: LogScanning FOLDER
///
/// First lines of many writers in which no trace is, then each family of crash logs in FOLDER
/// (`Fixtures/logs`), its files one after another, repeated to about 8 MB: most of what is read
/// there is parsed.
@main
enum LogScanning {
    static func main() throws {
        let folder = CommandLine.arguments[1]
        measure("lines without a trace", quietLog(), runs: 5)
        // A binary report is a log of its own: it is not searched for after another one.
        for family in try Directory.names(in: folder)
        where PathKind(path: Path.join(folder, family)) == .directory && !["android-tombstone-pb", "plcrashreporter"].contains(family) {
            let samples = try files(below: Path.join(folder, family)).flatMap {
                try FileDescriptor.readAll(atPath: $0) + [UInt8(ascii: "\n")]
            }
            guard !samples.isEmpty else { continue }
            var log: [UInt8] = []
            while log.count < 8 << 20 { log += samples }
            measure(family, log, runs: 3)
        }
    }

    /// Bytes as a program reads them from a pipe.
    static let part = 64 << 10

    /// Lines as a service, a container, a structured log, syslog and a program write them; about 32
    /// MB.
    static func quietLog() -> [UInt8] {
        let words = [
            "connection", "accepted", "from", "client", "request", "served", "cache", "miss", "thread", "queue", "depth", "retry", "after",
            "timeout", "user", "bytes",
        ]
        var numbers = RandomNumbers(seed: 7)
        var log: [UInt8] = []
        var number = 0
        while log.count < 32 << 20 {
            let text = (0..<10).map { _ in words[Int(numbers.next() % UInt64(words.count))] }.joined(separator: " ")
            let line =
                switch number % 5 {
                case 0: "2026-11-21T10:00:00.123Z INFO [main] \(text) id=\(number)\n"
                case 1: "web_1  | 10.0.0.\(number % 255) - - [21/Nov/2026:10:00:00 +0000] \"GET /\(text) HTTP/1.1\" 200 \(number)\n"
                case 2: "{\"level\":\"info\",\"ts\":\(number),\"msg\":\"\(text)\"}\n"
                case 3: "Nov 21 10:00:00 host app[\(number % 30000)]: \(text)\n"
                default: text + "\n"
                }
            log += line.utf8
            number += 1
        }
        return log
    }

    /// The files below a folder, those of what is expected left out.
    static func files(below folder: String) throws -> [String] {
        try Directory.names(in: folder).flatMap { name -> [String] in
            let path = Path.join(folder, name)
            if PathKind(path: path) == .directory { return try files(below: path) }
            return path.contains("expected") || name == "README.md" || name.hasSuffix(".sh") ? [] : [path]
        }
    }

    /// - Parameter runs: of the measurement.
    static func measure(_ name: String, _ log: [UInt8], runs: Int) {
        let lines = log.count { $0 == UInt8(ascii: "\n") }
        let traces = traces(in: log)
        var timing = Timing("\(name), \(traces) traces")
        timing.runs = runs
        timing.measure("lines", bytes: log.count) {
            guard self.traces(in: log) == traces else { fatalError("\(name): another number of traces than \(traces)") }
            return lines
        }
    }

    static func traces(in log: [UInt8]) -> Int {
        var stream = LogStream()
        var (traces, position) = (0, 0)
        while position < log.count {
            let end = min(position + part, log.count)
            stream.feed(log.span.extracting(position..<end)) { piece, _ in traces += piece.reports.count }
            position = end
        }
        stream.finish { piece, _ in traces += piece.reports.count }
        return traces
    }
}
