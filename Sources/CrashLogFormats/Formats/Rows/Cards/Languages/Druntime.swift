internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Uncaught exceptions of programs in D:
    ///
    ///     core.exception.ArrayIndexError@harbour.d(2): index [6] is out of bounds for array of length 3
    ///     ----------------
    ///     ??:? onArrayIndexError [0x7f8889d6639d]
    ///     source/harbour.d:17 void harbour.moor(int) [0x555d7294b3bc]
    ///
    /// Addresses are moved back into the calls (measured with LDC 1.30: the row of libc ends in 249
    /// where gdb has the return address 24a; druntime's `core/runtime.d`, `CALL_INSTRUCTION_SIZE`).
    static let druntime = StackCard(
        name: "druntime",
        summary: "uncaught exceptions of D: rows “FILE:LINE name [0x…]” below a line of dashes",
        openings: [.start("core.exception."), .start("object.Exception@"), .start("object.Error@")],
        rule: .movedBack,
        maxUnrecognizedLines: 2,
        claimsLine: { $0.hasPrefix("??:? ") && $0.hasSuffix("]") && $0.contains("[0x") },
        read: { line in
            let text = line.trimmed()
            if text.equals("----------------") { return .skipped }
            guard text.hasPrefix("core.exception.") || text.hasPrefix("object."), let at = text.firstIndex(of: UInt8(ascii: "@")),
                let end = text.firstRange(of: "): ")
            else { return nil }
            return .cause(CrashCause(kind: .languageException, type: text.upTo(at).text, message: text.from(end.upperBound).text))
        })
}
