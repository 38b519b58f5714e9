/// Suffixes that compilers add to names of Rust and D: LLVM's `.cold`, `.llvm.123` and the like.
enum CompilerSuffix {
    /// The suffix as it is shown after the plain name; `nil` if it is not a suffix.
    ///
    /// `.llvm.<number>` says only where ThinLTO found a function, and is left out as in Rust's own
    /// backtraces; others are shown as LLVM's demangler shows them: ` (.cold)`.
    static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        if bytes.isEmpty { return "" }
        guard bytes.first == UInt8(ascii: "."), bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
        var shown: [Substring] = []
        var parts = String(decoding: bytes.dropFirst(), as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)[...]
        while let part = parts.popFirst() {
            if part == "llvm", let number = parts.first, number.utf8.allSatisfy(isHexadecimal) {
                parts.removeFirst()
            } else {
                shown.append(part)
            }
        }
        return shown.isEmpty ? "" : " (." + shown.joined(separator: ".") + ")"
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
        default: false
        }
    }
}
