internal import BinaryPrimitives
internal import Console
internal import CrashReports

/// The traces of one log after another: reading, decoding and recognising, for commands that write
/// no results into the log.
struct LogReports {
    /// The formats that are looked for.
    let formats: FormatRegistry
    let isForced: Bool

    /// Reads a log to its end.
    /// - Parameter body: takes each trace.
    /// - Returns: whether all of it could be read. Lines are printed about what could not.
    func read(_ path: String, _ body: (CrashReport) -> Void) -> Bool {
        do throws(FileError) {
            var input = try LogInput(path)
            var stream = LogStream(registry: formats, isForced: isForced)
            func take(_ piece: LogStream.Piece) {
                guard case .traces(let reports, let range) = piece else { return }
                for report in reports { body(report.moved(by: -range.lowerBound)) }
            }
            while let bytes = try input.next() {
                stream.feed(bytes.span) { piece, _ in take(piece) }
            }
            stream.finish { piece, _ in take(piece) }
            let problems = input.problems(of: stream)
            for problem in problems { complain("\(LogArguments.shown(path)): \(problem)") }
            return problems.isEmpty
        } catch {
            complain(error.description)
            return false
        }
    }
}
