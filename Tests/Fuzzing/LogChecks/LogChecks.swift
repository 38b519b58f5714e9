internal import BinaryPrimitives
package import CrashLogFormats
package import CrashLogModel
package import CrashReports

/// Properties of every log, for all bytes: each byte is in exactly one piece, in order; each frame
/// is in a piece; results are written at their frames.
package enum LogChecks {
    /// - Parameter input: bytes that `log` was read from.
    package static func check(_ log: CrashLog, _ input: [UInt8]) {
        var input = input
        if case .utf16(let order) = log.encoding {
            // Positions count in the log as UTF-8, and the decoder gives the original bytes.
            var text: [UInt8] = []
            var decoder = UTF16Decoder(order)
            decoder.decode(input.span, to: &text)
            let odd = decoder.finish(to: &text)
            var back: [UInt8] = []
            var encoder = UTF16Encoder(order)
            encoder.encode(text.span, to: &back)
            precondition(back + (odd.map { [$0] } ?? []) == input, "UTF-16 does not come back")
            input = text
        }
        checkPieces(log.pieces, count: input.count)
        // Each parse of a symbolicated log takes as long as the first of this one: if there are
        // many reports, some are enough.
        for (index, report) in log.reports.enumerated() { check(report, input, parsesAgain: index < 4) }
    }

    private static func check(_ report: CrashReport, _ input: [UInt8], parsesAgain: Bool) {
        let frames = report.stacks.flatMap(\.frames).sorted { $0.range.lowerBound < $1.range.lowerBound }
        precondition(frames.allSatisfy { $0.range.lowerBound >= 0 && $0.range.upperBound <= input.count })
        precondition(frames.allSatisfy { $0.image.map { report.images.indices.contains($0) } ?? true })
        precondition(frames.count <= Limits.standard.framesPerThread * max(1, report.stacks.count))
        let edits = FormatRegistry.standard.edits(of: report, results: frames.map { ($0, result) }, in: input.span)
        var end = 0
        for edit in edits {
            precondition(edit.range.lowerBound >= end && edit.range.upperBound <= input.count, "edits out of order")
            end = edit.range.upperBound
        }
        if parsesAgain { _ = CrashLog.parse(TextEdit.apply(edits, to: input.span).span) }
    }

    /// The pieces of a log that comes in parts: every byte comes out again, once and in order.
    /// - Parameter step: how many bytes come at a time.
    package static func pieces(of log: [UInt8], _ registry: FormatRegistry = .standard, step: Int) -> [LogStream.Piece] {
        var stream = LogStream(registry: registry)
        var pieces: [LogStream.Piece] = []
        var bytes: [UInt8] = []
        func append(_ piece: LogStream.Piece, _ text: Span<UInt8>) {
            pieces.append(piece)
            bytes += text.copied()
        }
        for start in Swift.stride(from: 0, to: log.count, by: step) {
            stream.feed(log.span.clamped(to: start..<start + step)) { append($0, $1) }
        }
        stream.finish { append($0, $1) }
        precondition(bytes == log, "the pieces' bytes are not the log's")
        checkPieces(pieces, count: log.count)
        return pieces
    }

    /// - Parameter count: how many bytes the pieces are to cover.
    package static func checkPieces(_ pieces: [LogStream.Piece], count: Int) {
        var end = 0
        for piece in pieces {
            precondition(piece.range.lowerBound == end && !piece.range.isEmpty, "pieces do not follow one another")
            end = piece.range.upperBound
        }
        precondition(end == count, "pieces do not cover the log")
    }

    /// Compares two divisions of one log: text may come in other pieces, reports and their frames
    /// may not.
    package static func checkSame(_ one: [LogStream.Piece], _ other: [LogStream.Piece]) {
        let (reports, others) = (one.flatMap(\.reports), other.flatMap(\.reports))
        precondition(reports.count == others.count, "as many reports: \(reports.count), \(others.count)")
        for (report, other) in zip(reports, others) {
            precondition(report.format == other.format && report.images.count == other.images.count, "\(report.format) is \(other.format)")
            let (frames, others) = (report.stacks.flatMap(\.frames), other.stacks.flatMap(\.frames))
            precondition(frames.map(\.range) == others.map(\.range), "\(report.format): the frames lie elsewhere")
            precondition(frames.map(\.address) == others.map(\.address), "\(report.format): the frames have other addresses")
        }
    }

    private static let result = FrameResult(
        functions: [
            .init(
                name: "inlined", mangledName: "_inlined", offset: nil, isInlined: true, location: SourceLocation(file: "/src/a.c", line: 7)),
            .init(
                name: "outer", mangledName: "_outer", offset: 12, isInlined: false,
                location: SourceLocation(file: "/src/b.c", line: 94, column: 3)),
        ], imageName: "image")
}
