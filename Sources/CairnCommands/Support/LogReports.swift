internal import BinaryPrimitives
internal import Console
internal import CrashLogFormats
internal import CrashLogModel
internal import CrashReports
internal import MemoryReports
internal import Symbolication

/// The traces of one log after another: reading, decoding and recognising, for commands that write
/// no results into the log.
struct LogReports {
    /// The formats that are looked for.
    let formats: FormatRegistry
    let isForced: Bool
    /// Symbolicator for the traces.
    let symbolicator: Symbolicator

    /// Reads a log to its end.
    /// - Parameters:
    ///   - origin: where the log is from.
    ///   - body: gets each trace, and the symbolicator for it.
    /// - Returns: whether all of it could be read. Lines are printed about what could not.
    func read(_ path: String, from origin: LogOrigin? = nil, _ body: (CrashReport, Symbolicator) -> Void) -> Bool {
        do throws(FileError) {
            var input = try LogInput(path)
            if let memory = try input.memory() { return read(memory, path, from: origin, input.problem, body) }
            var stream = LogStream(registry: formats, isForced: isForced)
            func handle(_ piece: LogStream.Piece) {
                guard case .traces(let reports, let range) = piece else { return }
                for report in reports { body(report.moved(by: -range.lowerBound), symbolicator) }
            }
            while let bytes = try input.next() {
                stream.feed(bytes.span) { piece, _ in handle(piece) }
            }
            stream.finish { piece, _ in handle(piece) }
            let problems = input.problems(of: stream)
            for problem in problems { printLogError(problem, of: path) }
            return problems.isEmpty
        } catch {
            printDiagnostic(error.description)
            return false
        }
    }

    private func read(
        _ memory: (kind: MemoryFormat, file: MappedFile), _ path: String, from origin: LogOrigin?, _ problem: LogError?,
        _ body: (CrashReport, Symbolicator) -> Void
    ) -> Bool {
        if let problem { printDiagnostic("\(LogArguments.shown(path)): \(problem)") }
        do throws(LogError) {
            let made = try MemoryReader(symbolicator).report(memory.kind, memory.file, from: origin)
            body(made.report, made.symbolicator)
            return problem == nil
        } catch {
            printDiagnostic("\(LogArguments.shown(path)): \(error)")
            return false
        }
    }
}
