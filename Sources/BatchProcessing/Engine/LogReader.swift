#if Batch
    internal import BinaryPrimitives
    internal import CrashReports
    internal import ObjectFiles
    internal import Symbolication

    /// Reads a log and looks its traces up.
    struct LogReader: Sendable {
        let symbolicator: Symbolicator
        let registry: FormatRegistry
        /// The only format is the user's word.
        let isForced: Bool
        let rules: SignatureRules
        /// Takes names out of what is kept.
        let anonymizer: Anonymizer?
        /// Of the rules, and of whether names are kept: what was made otherwise is made anew.
        let fingerprint: String

        /// Bytes read at a time.
        private static let part = 1 << 18
        /// Bytes up to which a file is read once; a larger one is hashed first, and read again to be looked up.
        private static let keptInMemory: UInt64 = 1 << 20

        /// A log's bytes: which they are, and where they can be read.
        struct Content {
            enum Place {
                case file
                case memory([UInt8])
                case member(MappedFile)
            }

            var hash: ContentHash
            /// Bytes.
            var size: Int64
            /// The hash of so many of the first bytes as were asked for; `nil` where the log has no more than these.
            var beginning: ContentHash?
            var place: Place
        }

        /// - Parameter first: how many of the first bytes have a hash of their own; `nil` for none.
        func content(of file: LogTree.File, first: Int64?) throws(BatchProblem) -> Content {
            if let member = file.member {
                let bytes: MappedFile
                do throws(ObjectFileError) { bytes = try member.archive.contents(of: member.number) } catch {
                    throw BatchProblem(path: file.path, problem: error.problem)
                }
                var hasher = ContentHasher()
                for start in stride(from: 0, to: bytes.size, by: Self.part) {
                    hasher.update(bytes.bytes(in: start..<min(bytes.size, start + Self.part)))
                }
                return Content(hash: hasher.finish(), size: Int64(bytes.size), place: .member(bytes))
            }
            do throws(FileError) {
                return try content(ofFileAt: file.path, isSmall: file.stamp.size <= Self.keptInMemory, first: first)
            } catch {
                throw BatchProblem(path: error.path, problem: error.problem)
            }
        }

        private func content(ofFileAt path: String, isSmall: Bool, first: Int64?) throws(FileError) -> Content {
            let descriptor = try FileDescriptor.openWritten(path)
            defer { FileDescriptor.close(descriptor) }
            var hasher = ContentHasher()
            var content = Content(hash: ContentHash(bytes: []), size: 0, place: .file)
            var bytes: [UInt8] = []
            while true {
                var count = Self.part
                if let first, content.size < first { count = min(count, Int(clamping: first - content.size)) }
                let part = try FileDescriptor.readSome(from: descriptor, limit: count, path: path)
                if part.isEmpty { break }
                if content.size == first { content.beginning = hasher.finish() }
                hasher.update(part)
                content.size += Int64(part.count)
                if isSmall { if bytes.isEmpty { bytes = part } else { bytes += part } }
            }
            content.hash = hasher.finish()
            if isSmall { content.place = .memory(bytes) }
            return content
        }

        /// What becomes of a log. Nothing in it ends a run: what is wrong is in the outcome.
        func outcome(of file: LogTree.File, _ content: Content) -> LogOutcome {
            var outcome = LogOutcome(
                content: content.hash, size: content.size, result: .noTrace, problems: [], reports: [], rules: fingerprint)
            var stream = LogStream(registry: registry, isForced: isForced)
            let origin = LogOrigin(logAt: file.path)
            do throws(FileError) {
                var input =
                    switch content.place {
                    case .file: try LogInput(file.path)
                    case .memory(let bytes): LogInput(bytes, path: file.path)
                    case .member(let bytes): LogInput(bytes)
                    }
                while let bytes = try input.next() { stream.feed(bytes.span) { piece, _ in take(piece, content, origin, &outcome) } }
            } catch {
                outcome.result = .unreadable
                outcome.problems.append(error.problem)
            }
            stream.finish { piece, _ in take(piece, content, origin, &outcome) }
            if !stream.problems.isEmpty { outcome.result = .unreadable }
            outcome.problems += stream.foreign.map { [$0.problem(path: file.path).description] } ?? stream.problemsAtEnd.map(\.description)
            if !outcome.reports.isEmpty { outcome.result = .answered }
            if let anonymizer { outcome.problems = outcome.problems.map { anonymizer.text($0) } }
            return outcome
        }

        private func take(_ piece: LogStream.Piece, _ content: Content, _ origin: LogOrigin, _ outcome: inout LogOutcome) {
            guard case .traces(let reports, let range) = piece else { return }
            for report in reports {
                let symbolicated = symbolicator.symbolicate(report.moved(by: -range.lowerBound), from: origin)
                var record = ReportRecord(symbolicated, rules.signature(of: symbolicated)).report
                if let anonymizer {
                    var log: [UInt8] = []
                    if case .memory(let bytes) = content.place { log = bytes }
                    record.anonymize(anonymizer, log: log)
                }
                outcome.reports.append(record)
            }
        }
    }
#endif
