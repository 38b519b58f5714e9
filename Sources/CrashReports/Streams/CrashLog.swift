internal import BinaryPrimitives
package import CrashLogFormats
public import CrashLogModel

/// A log that is there as a whole: its pieces and the reports in it.
public struct CrashLog: Sendable {
    /// Text and traces, in order, covering every byte.
    package var pieces: [LogStream.Piece]
    /// Reasons why parts of it could not be read; if there is no report and no other reason, that
    /// nothing in it is a crash.
    public var problems: [LogError]
    /// Kind of the file, if its first bytes show that it is not a log: a core file, a minidump,
    /// something compressed.
    package var foreign: ForeignFile?
    /// Encoding of the log. If it is not UTF-8, positions count in the log as UTF-8.
    package var encoding = TextEncoding.utf8

    /// The traces, in order.
    public var reports: [CrashReport] {
        pieces.flatMap(\.reports)
    }

    /// Reads a whole log. Never throws and never traps on any input.
    ///
    /// - Parameters:
    ///   - bytes: the log.
    ///   - formatName: the format it is to be read as (`FormatRegistry.names`); `nil` to detect it.
    package static func parse(_ bytes: Span<UInt8>, formatName: String? = nil, registry: FormatRegistry = .standard) -> CrashLog {
        var chosen = registry
        if let formatName {
            guard let only = registry.only(formatName) else {
                let names = registry.names.joined(separator: ", ")
                let problem = LogError("no such log format: “\(formatName)”", expected: "one of \(names)")
                return CrashLog(pieces: bytes.count > 0 ? [.text(0..<bytes.count)] : [], problems: [problem])
            }
            chosen = only
        }
        let encoding = TextEncoding(of: bytes)
        guard case .utf16(let order) = encoding else {
            let found = LogStream.pieces(of: bytes, registry: chosen, isForced: formatName != nil)
            return CrashLog(pieces: joined(found.pieces), problems: found.problems, foreign: found.foreign)
        }
        var text: [UInt8] = []
        var decoder = UTF16Decoder(order)
        decoder.decode(bytes, to: &text)
        _ = decoder.finish(to: &text)
        let found = LogStream.pieces(of: text.span, registry: chosen, isForced: formatName != nil)
        return CrashLog(pieces: joined(found.pieces), problems: found.problems, encoding: encoding)
    }

    /// Neighbouring pieces of text become one.
    private static func joined(_ pieces: [LogStream.Piece]) -> [LogStream.Piece] {
        pieces.reduce(into: []) { result, piece in
            if case .text(let range) = piece, case .text(let before)? = result.last {
                result[result.count - 1] = .text(before.lowerBound..<range.upperBound)
            } else if case .binary(let range) = piece, case .binary(let before)? = result.last {
                result[result.count - 1] = .binary(before.lowerBound..<range.upperBound)
            } else {
                result.append(piece)
            }
        }
    }
}
