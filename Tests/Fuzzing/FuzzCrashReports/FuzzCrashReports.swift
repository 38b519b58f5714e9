import BinaryPrimitives
import CrashReports

/// Any bytes: read as a log whose format is to be found out, in parts, and as a log of one format, which the first byte picks; then answered.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    check(CrashLog.parse(input.span), input)

    let pick = Int(input.first ?? 0)
    var stream = LogStream()
    var pieces: [LogStream.Piece] = []
    var bytes: [UInt8] = []
    var position = 0
    while position < input.count {
        let end = min(input.count, position + 1 + pick % 61)
        stream.feed(input.span.clamped(to: position..<end)) { piece, text in
            pieces.append(piece)
            bytes += text.copied()
        }
        position = end
    }
    stream.finish { piece, text in
        pieces.append(piece)
        bytes += text.copied()
    }
    precondition(bytes == input, "the pieces' bytes are not the log's")
    checkPieces(pieces, count: input.count)

    let names = FormatRegistry.standard.names
    check(CrashLog.parse(input.span, formatName: names[pick % names.count]), input)
    return 0
}

/// Every piece in order, every byte once; every answer written where it belongs.
private func check(_ log: CrashLog, _ input: [UInt8]) {
    var input = input
    if case .utf16(let order) = log.encoding {
        // Places count in the log as UTF-8, and what comes back is what was there.
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
    for report in log.reports {
        let stacks = report.stacks.map(\.frames)
        let frames = stacks.flatMap { $0 }.sorted { $0.place.lowerBound < $1.place.lowerBound }
        precondition(frames.allSatisfy { $0.place.lowerBound >= 0 && $0.place.upperBound <= input.count })
        precondition(frames.allSatisfy { $0.image.map { report.images.indices.contains($0) } ?? true })
        let edits = FormatRegistry.standard.edits(of: report, answers: frames.map { ($0, answer) }, in: input.span)
        var end = 0
        for edit in edits {
            precondition(edit.range.lowerBound >= end && edit.range.upperBound <= input.count, "edits out of order")
            end = edit.range.upperBound
        }
        _ = CrashLog.parse(TextEdit.apply(edits, to: input.span).span)
    }
}

private func checkPieces(_ pieces: [LogStream.Piece], count: Int) {
    var end = 0
    for piece in pieces {
        precondition(piece.range.lowerBound == end && !piece.range.isEmpty, "pieces do not follow one another")
        end = piece.range.upperBound
    }
    precondition(end == count, "pieces do not cover the log")
}

private let answer = FrameAnswer(
    functions: [
        .init(name: "inlined", mangledName: "_inlined", offset: nil, isInlined: true, location: SourceLocation(file: "/src/a.c", line: 7)),
        .init(
            name: "outer", mangledName: "_outer", offset: 12, isInlined: false,
            location: SourceLocation(file: "/src/b.c", line: 94, column: 3)),
    ], imageName: "image")
