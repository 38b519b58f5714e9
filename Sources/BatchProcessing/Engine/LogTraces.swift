internal import BinaryPrimitives
package import CrashLogFormats
internal import CrashLogModel
internal import CrashReports
internal import MemoryReports
package import Symbolication

/// Finds the reports of a log and looks them up.
package struct LogTraces: Sendable {
    let symbolicator: Symbolicator
    let registry: FormatRegistry
    /// The only format is the one that the user gave.
    let isForced: Bool
    /// Nobody sees the images that no frame is in: a store does not keep them.
    var imagesOfFrames = false

    /// - Parameters:
    ///   - symbolicator: its table of open symbol files is the whole run's: each is opened once.
    ///   - isForced: `registry` holds the one format that the user gave.
    package init(symbolicator: Symbolicator, registry: FormatRegistry = .standard, isForced: Bool = false) {
        self.symbolicator = symbolicator
        self.registry = registry
        self.isForced = isForced
    }

    /// Problems of a log, beside its reports.
    struct Ending {
        /// One line for each problem.
        var problems: [String] = []
        /// It could not be read, as a whole or after some position.
        var isUnreadable = false
        /// A part of it is missing, because what it is compressed in is damaged.
        var isCutShort = false
    }

    /// Reads a text to its end. Errors do not end the run; they are listed in the result.
    /// - Parameters:
    ///   - origin: `nil` if files of this machine must not be used.
    ///   - handle: Called with each report.
    func read(
        _ input: consuming LogInput, from origin: LogOrigin?, _ handle: (SymbolicatedReport) -> Void
    ) -> Ending {
        var ending = Ending()
        // The user's image options may apply to any image that the log lists.
        let imagesOfFrames = imagesOfFrames && symbolicator.options.images.isEmpty
        var stream = LogStream(registry: registry, isForced: isForced, imagesOfFrames: imagesOfFrames)
        func symbolicate(_ piece: LogStream.Piece) {
            guard case .traces(let reports, let range) = piece else { return }
            for report in reports { handle(symbolicator.symbolicate(report.moved(by: -range.lowerBound), from: origin)) }
        }
        do throws(FileError) {
            while let bytes = try input.next() { stream.feed(bytes.span) { piece, _ in symbolicate(piece) } }
            stream.finish { piece, _ in symbolicate(piece) }
            ending.isCutShort = input.problem != nil
            ending.problems = input.problems(of: stream).map(\.description)
        } catch {
            ending.isUnreadable = true
            ending.problems = [error.problem]
            stream.finish { piece, _ in symbolicate(piece) }
            ending.problems += stream.problems.map(\.description)
        }
        // A file of another kind, a program or an archive, is not a log that could not be read.
        let isUnreadable = stream.problems.contains { $0.kind != .otherFile }
        ending.isUnreadable = ending.isUnreadable || ending.isCutShort || isUnreadable
        return ending
    }

    /// Unwinds a core file or a minidump.
    /// - Parameter problem: why it is not whole.
    func read(
        _ kind: MemoryFormat, _ file: MappedFile, _ problem: LogError?, from origin: LogOrigin?, _ handle: (SymbolicatedReport) -> Void
    ) -> Ending {
        var ending = Ending()
        do throws(LogError) {
            let made = try MemoryReader(symbolicator).report(kind, file, from: origin)
            handle(made.symbolicator.symbolicate(made.report, from: origin))
        } catch {
            ending.isUnreadable = true
            ending.problems = [error.description]
        }
        if let problem { ending.problems.append(problem.description) }
        ending.isCutShort = problem != nil
        return ending
    }
}
