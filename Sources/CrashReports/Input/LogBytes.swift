package import BinaryPrimitives
package import CrashLogFormats
package import CrashLogModel
internal import Decompression

/// The bytes of a log, part by part: of a file, of standard input, or of a member of an archive.
/// Compressed bytes are unpacked.
package struct LogBytes: ~Copyable {
    private enum Source {
        case descriptor(Int32)
        /// A file, and the number of its bytes that were read.
        case mapped(MappedFile, Int)
        /// The whole log; empty after it was read.
        case memory([UInt8])
    }

    /// Path of the log, for messages.
    package let path: String
    private let limits: Limits
    private var source: Source
    /// Nothing was read yet, and the first bytes decide whether the log is compressed.
    private var isFirst = true
    private var unpacker: LogUnpacker?
    /// Bytes that were looked at and come next.
    private var pending: [UInt8]?
    /// The reason why fewer bytes came than are in the log: its container is damaged.
    package private(set) var problem: LogError?
    /// Compression format of the log, once the first part was read.
    private(set) var container: LogCompression?
    /// The bytes were compressed and have been unpacked.
    private var isUnpacked = false

    /// Number of bytes to read at a time. A pipe may give fewer.
    private static let part = 1 << 18

    /// - Parameter path: path of a file, or `-` for standard input.
    package init(_ path: String, limits: Limits = .standard) throws(FileError) {
        self.path = path
        self.limits = limits
        // Memory that a process never touched is a hole in its core file, which is read where it is
        // needed.
        source = .descriptor(path == "-" ? 0 : try FileDescriptor.openWritten(path) { MemoryFormat($0.span) != nil })
    }

    /// - Parameter file: a log that is not a file of its own.
    package init(_ file: MappedFile, limits: Limits = .standard) {
        path = file.path
        self.limits = limits
        source = .mapped(file, 0)
    }

    /// - Parameters:
    ///   - bytes: the whole log.
    ///   - path: used in messages.
    package init(_ bytes: [UInt8], path: String, limits: Limits = .standard) {
        self.path = path
        self.limits = limits
        source = .memory(bytes)
    }

    /// - Parameter log: has been read before.
    init(_ log: UnpackedLog) {
        path = log.path
        limits = .standard
        source = .memory(log.bytes)
        (isFirst, isUnpacked) = (false, true)
        (container, problem) = (log.container, log.problem)
    }

    /// A log that was read to its end, to be read again.
    /// - Parameter bytes: all that came.
    package func unpacked(_ bytes: [UInt8]) -> UnpackedLog {
        UnpackedLog(bytes: bytes, path: path, container: container, problem: problem)
    }

    deinit { if case .descriptor(let descriptor) = source, descriptor != 0 { FileDescriptor.close(descriptor) } }

    /// A process's memory instead of a log: a core file or a minidump, whose parts are read in any
    /// order. Compressed input, and input from a pipe, is put into a temporary file.
    /// - Returns: `nil` for everything else, which is then read from its first byte. To be called
    ///   first.
    package mutating func memory() throws(FileError) -> (kind: MemoryFormat, file: MappedFile)? {
        var first = try next() ?? []
        while MemoryFormat.mayBegin(first.span), let more = try next() { first += more }
        pending = first.isEmpty ? nil : first
        guard let kind = MemoryFormat(first.span) else {
            guard ApportCore.mayBegin(first), let report = wholeFile(), let core = try ApportCore(limits).unpacked(report) else {
                return nil
            }
            return (.core, core)
        }
        if let file = wholeFile() { return (kind, file) }
        unpacker?.expectMemory()
        var whole = UnlinkedFile()
        while let bytes = try next() { try whole.append(bytes) }
        return (kind, try whole.finish(path: path))
    }

    /// The file, if it is one that is not compressed.
    private func wholeFile() -> MappedFile? {
        guard container == nil else { return nil }
        switch source {
        case .mapped(let file, _): return file
        case .descriptor: return try? MappedFile(path: path == "-" ? "/dev/stdin" : path)
        case .memory: return nil
        }
    }

    /// - Returns: the next bytes; `nil` at the end.
    package mutating func next() throws(FileError) -> [UInt8]? {
        if let bytes = pending {
            pending = nil
            return bytes
        }
        var bytes: [UInt8] = []
        if isFirst {
            isFirst = false
            bytes = try stored()
            while !bytes.isEmpty, LogCompression.mayBegin(bytes.span) {
                let more = try stored()
                if more.isEmpty { break }
                bytes += more
            }
            container = LogCompression(bytes.span)
            guard let container else { return bytes.isEmpty ? nil : bytes }
            do throws(DecodingFailure) { unpacker = try LogUnpacker(container, limits) } catch {
                problem = Self.error(.needsMemory, container, 0, path)
                return nil
            }
            unpacker?.feed(bytes)
        }
        guard let container, !isUnpacked else {
            bytes = try stored()
            return bytes.isEmpty ? nil : bytes
        }
        while true {
            guard let text = unpacker?.read() else { return nil }
            if !text.isEmpty { return text }
            if unpacker?.isDone == true {
                if let why = unpacker?.problem { problem = Self.error(why, container, unpacker?.count ?? 0, path) }
                unpacker = nil
                return nil
            }
            let more = try stored()
            if more.isEmpty { unpacker?.end() } else { unpacker?.feed(more) }
        }
    }

    /// The next bytes as they are stored; empty at the end.
    private mutating func stored() throws(FileError) -> [UInt8] {
        switch source {
        case .descriptor(let descriptor):
            let shown = path == "-" ? "standard input" : path
            return try FileDescriptor.readSome(from: descriptor, limit: Self.part, path: shown)
        case .mapped(let file, let start):
            let end = min(file.size, start + Self.part)
            source = .mapped(file, end)
            return file.bytes(in: start..<end)
        case .memory(let bytes):
            source = .memory([])
            return bytes
        }
    }

    private static func error(_ problem: LogUnpacker.Problem, _ container: LogCompression, _ count: Int, _ path: String) -> LogError {
        let rest = count == 0 ? "Nothing of the log could be read." : "Only the first \(count) bytes of the log were read."
        return switch problem {
        case .endsEarly: LogError("the \(container.name) data ends early. \(rest)")
        case .damaged(let detail): LogError("the \(container.name) data is damaged (\(detail)). \(rest)")
        case .needsMemory: LogError("the \(container.name) data needs more memory than there is. \(rest)")
        case .trailing(let byte): LogError("the \(container.name) data ends at byte \(byte). What follows it was ignored.")
        case .expands:
            // A pipe has no such limit: whoever writes it has decided.
            LogError(
                "the \(container.name) data expands to far more than its size. \(rest)", commands: remedy(container, path), kind: .tooLarge)
        }
    }

    private static func remedy(_ container: LogCompression, _ path: String) -> String {
        path == "-" ? "" : " To read all of it: \(container.command) \(ShellWord.quoted(path)) | cairn -"
    }
}

/// Bytes that were read of a log, kept in memory, and the problem that was met.
package struct UnpackedLog: Sendable {
    package let bytes: [UInt8]
    let path: String
    let container: LogCompression?
    let problem: LogError?
}
