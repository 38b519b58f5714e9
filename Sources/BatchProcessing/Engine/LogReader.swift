#if Batch
    internal import BinaryPrimitives
    internal import CrashReports
    internal import Symbolication

    /// Reads a log and looks its traces up.
    struct LogReader: Sendable {
        let symbolicator: Symbolicator
        let registry: FormatRegistry
        /// The only format is the user's word.
        let isForced: Bool

        private static let part = 1 << 18

        /// The hash of a file's bytes as they are, and how many they are.
        func content(ofFileAt path: String) throws(FileError) -> (hash: ContentHash, size: Int64) {
            let descriptor = try FileDescriptor.open(path)
            defer { FileDescriptor.close(descriptor) }
            var hasher = ContentHasher()
            var size: Int64 = 0
            while true {
                let bytes = try FileDescriptor.readSome(from: descriptor, limit: Self.part, path: path)
                if bytes.isEmpty { return (hasher.finish(), size) }
                hasher.update(bytes)
                size += Int64(bytes.count)
            }
        }

        /// What becomes of a log. Nothing in it ends a run: what is wrong is in the outcome.
        func outcome(ofLogAt path: String, _ content: ContentHash, size: Int64) -> LogOutcome {
            var outcome = LogOutcome(content: content, size: size, result: .noTrace, problems: [], reports: [])
            var stream = LogStream(registry: registry, isForced: isForced)
            do throws(FileError) {
                var input = try LogInput(path)
                while let bytes = try input.next() { stream.feed(bytes.span) { piece, _ in take(piece, &outcome) } }
            } catch {
                outcome.result = .unreadable
                outcome.problems.append(error.problem)
            }
            stream.finish { piece, _ in take(piece, &outcome) }
            if !stream.problems.isEmpty { outcome.result = .unreadable }
            outcome.problems += stream.foreign.map { [$0.problem(path: path).description] } ?? stream.problemsAtEnd.map(\.description)
            if !outcome.reports.isEmpty { outcome.result = .answered }
            return outcome
        }

        private func take(_ piece: LogStream.Piece, _ outcome: inout LogOutcome) {
            guard case .traces(let reports, let range) = piece else { return }
            for report in reports {
                outcome.reports.append(ReportRecord(symbolicator.symbolicate(report.moved(by: -range.lowerBound))).report)
            }
        }
    }
#endif
