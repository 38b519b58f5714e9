internal import BinaryPrimitives
internal import CrashReports
internal import LogChecks

/// Any bytes as a log that was copied, mailed or published, in a way that the first byte says, and
/// that comes in parts, whose length the second says: every byte comes out again, once and in
/// order, the parts make no difference, and results are written into the log's own bytes.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard input.count > 2 else { return 0 }
    let log = damaged(Array(input.dropFirst(2)), kind: Int(input[0]))
    let parts = LogChecks.pieces(of: log, step: 1 + Int(input[1]) % 61)
    LogChecks.checkSame(parts, LogChecks.pieces(of: log, step: max(1, log.count)))
    LogChecks.check(CrashLog.parse(log.span), log)
    return 0
}

/// Two kinds, one inside the other.
private func damaged(_ log: [UInt8], kind: Int) -> [UInt8] { wrapped(wrapped(log, kind: kind % 16), kind: kind / 16) }

private func wrapped(_ log: [UInt8], kind: Int) -> [UInt8] {
    func lines(_ before: String, _ after: String) -> [UInt8] {
        log.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array(before.utf8) + $0 }
            .joined(separator: after.utf8).map { $0 }
    }
    func replaced(_ bytes: [UInt8: String]) -> [UInt8] { log.flatMap { byte in bytes[byte].map { Array($0.utf8) } ?? [byte] } }
    let escaped: [UInt8: String] = [UInt8(ascii: "<"): "&lt;", UInt8(ascii: ">"): "&gt;", UInt8(ascii: "&"): "&amp;"]
    switch kind {
    case 1: return lines("    ", "\n")
    case 2: return lines("\t", "\r\n")
    case 3: return lines("> ", "\n")
    case 4: return lines("info:  ", "\n")
    case 5: return lines("<div>", "</div>\n")
    case 6: return lines("", "<br>\n")
    case 7: return Array("<pre><code>".utf8) + replaced(escaped) + Array("</code></pre>\n".utf8)
    case 8: return Array("[code]".utf8) + log + Array("[/code]\n".utf8)
    case 9: return lines("", "\n\n")
    case 10: return replaced([UInt8(ascii: " "): "\u{A0}"])
    case 11: return replaced([UInt8(ascii: "-"): "\u{2013}", UInt8(ascii: "\""): "\u{201C}"])
    case 12: return replaced([UInt8(ascii: "="): "=3D", UInt8(ascii: "0"): "=\n0"])
    case 13:
        let escapes = [UInt8(ascii: "\n"): "\\n", UInt8(ascii: "\t"): "\\t", UInt8(ascii: "\""): "\\\"", UInt8(ascii: "\\"): "\\\\"]
        return Array("{\"log\":\"".utf8) + replaced(escapes) + Array("\"}\n".utf8)
    case 14: return replaced([UInt8(ascii: "\n"): " ", UInt8(ascii: "\t"): " "])
    case 15: return Array(log.prefix(log.count * 3 / 4))
    default: return log
    }
}
