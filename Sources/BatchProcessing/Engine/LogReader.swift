internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel
internal import CrashReports
internal import ObjectFiles
internal import Symbolication

/// Reads a log and looks its traces up.
struct LogReader: Sendable {
    let traces: LogTraces
    let rules: SignatureRules
    /// Removes names from the results that are kept.
    let anonymizer: Anonymizer?
    /// Identifies the rules and whether names are kept. Results with another fingerprint are made
    /// again.
    let fingerprint: String
    let notice: @Sendable (SymbolicatedReport) -> Void

    /// Bytes up to which a log is read once; a larger one is hashed first, and read again to be
    /// looked up.
    private static let keptInMemory = 1 << 20

    /// A log's bytes: which they are, and where they can be read.
    struct Content {
        enum Location {
            case file
            case memory(UnpackedLog)
            case member(MappedFile)
        }

        /// Hash of the log's bytes. For a compressed log it is that of the decompressed bytes, so that
        /// a log is the same log after it was rotated.
        var hash: ContentHash
        /// Bytes of the text.
        var size: Int64
        /// The hash of the requested number of first bytes; `nil` if the log has no more than
        /// these.
        var beginning: ContentHash?
        var location: Location
        /// It is a core file or a minidump; and why it is not whole.
        var memory: (kind: MemoryFormat, file: MappedFile, problem: LogError?)?
    }

    /// - Parameter first: Number of first bytes to hash separately; `nil` to skip this.
    func content(of file: LogTree.File, first: Int64?) throws(BatchProblem) -> Content {
        if let member = file.member {
            let bytes: MappedFile
            do throws(ObjectFileError) { bytes = try member.archive.contents(of: member.number) } catch {
                throw BatchProblem(path: file.path, problem: error.problem)
            }
            do throws(FileError) {
                return try content(LogBytes(bytes), .member(bytes), isSmall: bytes.size <= Self.keptInMemory, first: nil)
            } catch {
                throw BatchProblem(path: file.path, problem: error.problem)
            }
        }
        do throws(FileError) {
            return try content(try LogBytes(file.path), .file, isSmall: file.stamp.size <= UInt64(Self.keptInMemory), first: first)
        } catch {
            throw BatchProblem(path: error.path, problem: error.problem)
        }
    }

    private func content(
        _ log: consuming LogBytes, _ location: Content.Location, isSmall: Bool, first: Int64?
    ) throws(FileError) -> Content {
        if let (kind, file) = try log.memory() { return Self.content(kind, file, log.problem, location) }
        var hasher = ContentHasher()
        var content = Content(hash: ContentHash(bytes: []), size: 0, location: location)
        var bytes: [UInt8] = []
        var isSmall = isSmall
        while let part = try log.next() {
            if let first, content.size <= first, content.size + Int64(part.count) > first {
                let head = Int(first - content.size)
                hasher.update(Array(part[..<head]))
                content.beginning = hasher.finish()
                hasher.update(Array(part[head...]))
            } else {
                hasher.update(part)
            }
            content.size += Int64(part.count)
            // A small file may hold a large log.
            isSmall = isSmall && content.size <= Int64(Self.keptInMemory)
            if isSmall { if bytes.isEmpty { bytes = part } else { bytes += part } }
        }
        content.hash = hasher.finish()
        if isSmall { content.location = .memory(log.unpacked(bytes)) }
        return content
    }

    /// A process's memory, which has any size: it is read in parts.
    private static func content(
        _ kind: MemoryFormat, _ file: MappedFile, _ problem: LogError?, _ location: Content.Location
    ) -> Content {
        var hasher = ContentHasher()
        for start in stride(from: 0, to: file.size, by: 1 << 18) {
            hasher.update(file.bytes(in: start..<min(file.size, start + (1 << 18))))
        }
        return Content(hash: hasher.finish(), size: Int64(file.size), location: location, memory: (kind, file, problem))
    }

    /// Symbolicates a log. Errors do not end the run; they are listed in the outcome.
    func outcome(of file: LogTree.File, _ content: Content) -> LogOutcome {
        var outcome = LogOutcome(
            content: content.hash, size: content.size, result: .noTrace, problems: [], reports: [], rules: fingerprint)
        let origin = LogOrigin(logAt: file.path)
        let ending: LogTraces.Ending
        if let (kind, memory, problem) = content.memory {
            ending = traces.read(kind, memory, problem, from: origin) { keep($0, content, &outcome) }
        } else {
            do throws(FileError) {
                let input =
                    switch content.location {
                    case .file: try LogInput(file.path)
                    case .memory(let log): LogInput(log)
                    case .member(let bytes): LogInput(bytes)
                    }
                ending = traces.read(input, from: origin) { keep($0, content, &outcome) }
            } catch {
                ending = LogTraces.Ending(problems: [error.problem], isUnreadable: true)
            }
        }
        outcome.problems = ending.problems
        outcome.isCutShort = ending.isCutShort
        if ending.isUnreadable { outcome.result = .unreadable }
        return finished(outcome)
    }

    private func finished(_ outcome: LogOutcome) -> LogOutcome {
        var outcome = outcome
        if !outcome.reports.isEmpty { outcome.result = .answered }
        if let anonymizer { outcome.problems = outcome.problems.map { anonymizer.text($0) } }
        return outcome
    }

    private func keep(_ symbolicated: SymbolicatedReport, _ content: Content, _ outcome: inout LogOutcome) {
        notice(symbolicated)
        var record = ReportRecord(symbolicated, rules.signature(of: symbolicated)).report
        if let anonymizer {
            var log: [UInt8] = []
            if case .memory(let unpacked) = content.location { log = unpacked.bytes }
            record.anonymize(anonymizer, log: log)
        }
        outcome.reports.append(record)
    }
}
