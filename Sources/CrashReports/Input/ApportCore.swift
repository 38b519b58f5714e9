internal import BinaryPrimitives
internal import CrashLogFormats

/// The core file in a report of apport, which is on disk as the kernel gave it, before anybody has
/// looked for its stacks:
///
///     ProblemType: Crash
///     CoreDump: base64
///      H4sICAAAAAAC/0NvcmVEdW1wAA==
///      7X0LfFTVtfc…
///
/// Each line is base64 of its own; together they are a gzip or Zstandard stream
/// (`problem_report.py`, `write`).
struct ApportCore {
    private let limits: Limits

    init(_ limits: Limits) { self.limits = limits }

    private static let beginning = Array("ProblemType: Crash".utf8)
    private static let field = "\nCoreDump: base64\n"
    /// With these, apport has added the stacks.
    private static let stacks = ["\nStacktrace:", "\nThreadStacktrace:"]

    static func mayBegin(_ start: [UInt8]) -> Bool { start.starts(with: beginning) }

    /// - Parameter file: the report.
    /// - Returns: the core file; `nil` if the report has none, or has stacks.
    func unpacked(_ file: MappedFile) throws(FileError) -> MappedFile? {
        let found = file.withBytes { bytes -> Int? in
            let text = bytes.text
            guard let range = text.firstRange(of: Self.field) else { return nil }
            let head = text.upTo(range.lowerBound)
            let tail = text.from(max(range.upperBound, text.count - (1 << 20)))
            guard Self.stacks.allSatisfy({ head.firstRange(of: $0) == nil && tail.firstRange(of: $0) == nil }) else { return nil }
            return range.upperBound
        }
        guard var position = found else { return nil }
        var unpacker: LogUnpacker?
        var core = UnlinkedFile()
        var start: [UInt8] = []
        while let line = line(of: file, at: &position) {
            if unpacker == nil {
                // The first line may be less than the decoder's mark.
                start += line
                guard start.count >= LogCompression.maxMagicLength, let container = LogCompression(start.span) else {
                    guard start.count < 1 << 10 else { return nil }
                    continue
                }
                guard var made = try? LogUnpacker(container, limits) else { return nil }
                made.expectMemory()
                made.feed(start)
                unpacker = consume made
            } else {
                unpacker?.feed(line)
            }
            try appendText(of: &unpacker, into: &core)
        }
        unpacker?.end()
        try appendText(of: &unpacker, into: &core)
        return core.count == 0 ? nil : try core.finish(path: file.path)
    }

    private func appendText(of unpacker: inout LogUnpacker?, into core: inout UnlinkedFile) throws(FileError) {
        while let bytes = unpacker?.read(), !bytes.isEmpty { try core.append(bytes) }
    }

    /// The bytes of the next line of the field; `nil` at its end.
    private func line(of file: MappedFile, at position: inout Int) -> [UInt8]? {
        let start = position
        let found = file.withBytes { bytes -> (bytes: [UInt8], next: Int)? in
            let text = bytes.text
            guard text.at(start) == UInt8(ascii: " ") else { return nil }
            let end = text.firstIndex(of: UInt8(ascii: "\n"), from: start) ?? text.count
            let bytes = Base64.decoded(text.from(start + 1).upTo(end - start - 1), isStrict: false) ?? []
            return (bytes, min(end + 1, text.count))
        }
        guard let found else { return nil }
        position = found.next
        return found.bytes
    }
}
