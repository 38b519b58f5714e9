package import BinaryPrimitives
package import CrashLogFormats
package import CrashLogModel

/// The text of a log, part by part, as UTF-8: of a file, of standard input, or of a member of an
/// archive, compressed or not.
package struct LogInput: ~Copyable {
    private var bytes: LogBytes
    private var decoder: UTF16Decoder?
    private var isFirst = true
    /// The log's own encoding; known after the first part.
    package private(set) var encoding = TextEncoding.utf8
    /// The byte at the end of a log in UTF-16 that is half a unit.
    package private(set) var oddByte: UInt8?

    /// - Parameter path: path of a file, or `-` for standard input.
    package init(_ path: String, limits: Limits = .standard) throws(FileError) { bytes = try LogBytes(path, limits: limits) }

    /// - Parameter file: a log that is not a file of its own.
    package init(_ file: MappedFile, limits: Limits = .standard) { bytes = LogBytes(file, limits: limits) }

    /// - Parameters:
    ///   - bytes: the whole log.
    ///   - path: used in messages.
    package init(_ bytes: [UInt8], path: String) { self.bytes = LogBytes(bytes, path: path) }

    /// - Parameter log: a log that has been read before.
    package init(_ log: UnpackedLog) { bytes = LogBytes(log) }

    /// Returns the problems of a log that was read to its end. Their messages use the log's path.
    /// - Parameter stream: the stream that has got all of the log and has finished.
    package func problems(of stream: LogStream) -> [LogError] {
        let isCutShort = bytes.problem != nil && !stream.hasFoundReport
        let own: [LogError]
        if let foreign = stream.foreign {
            own = [foreign.problem(path: bytes.path, in: bytes.container)]
        } else {
            // If a part of the log is missing, it is not known that the log has no report.
            own = isCutShort ? stream.problems : stream.problemsAtEnd
        }
        return own + (bytes.problem.map { [$0] } ?? [])
    }

    /// The reason why fewer bytes came than are in the log: its container is damaged.
    package var problem: LogError? { bytes.problem }

    /// The log is compressed. Known after the first part.
    package var isCompressed: Bool { bytes.container != nil }

    /// Returns the problem of a log that is a file of another kind: a core file, a program.
    /// - Parameter start: the first part, or all of the log.
    package func foreignProblem(_ start: Span<UInt8>) -> LogError? {
        if let foreign = ForeignFile.recognise(start) { return foreign.problem(path: bytes.path, in: bytes.container) }
        var content = ContentKind()
        content.inspect(start, base: 0)
        // A file that is not text but has a supported format is a crash log all the same.
        guard !FormatRegistry.standard.documentFormats.contains(where: { $0.isBinary && $0.begins(start) == .certain }) else {
            return nil
        }
        return content.isBinary ? LogError("this is not text, and not a crash log", kind: .otherFile) : nil
    }

    /// A process's memory instead of a log (`LogBytes.memory`). To be called first.
    package mutating func memory() throws(FileError) -> (kind: MemoryFormat, file: MappedFile)? { try bytes.memory() }

    /// - Returns: the next bytes; `nil` at the end.
    package mutating func next() throws(FileError) -> [UInt8]? {
        var bytes = try self.bytes.next() ?? []
        if isFirst {
            isFirst = false
            // The first four bytes give the encoding.
            while bytes.count < 4 {
                guard let more = try self.bytes.next() else { break }
                bytes += more
            }
            encoding = TextEncoding(of: bytes.span)
            if case .utf16(let order) = encoding { decoder = UTF16Decoder(order) }
        }
        guard decoder != nil else { return bytes.isEmpty ? nil : bytes }
        var text: [UInt8] = []
        if bytes.isEmpty {
            oddByte = decoder?.finish(to: &text) ?? oddByte
            decoder = nil
            return text.isEmpty ? nil : text
        }
        decoder?.decode(bytes.span, to: &text)
        return text
    }
}
