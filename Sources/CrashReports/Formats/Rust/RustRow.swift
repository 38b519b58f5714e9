internal import BinaryPrimitives

/// A row of a Rust backtrace (`BacktraceFrameFmt::print_raw_generic` of the backtrace crate, which std holds a copy of), short and full:
///
///        0: core::panicking::panic_fmt
///                  at /rustc/59807616e1/library/core/src/panicking.rs:80:14
///        4:     0x55da17244bca - <core[c1f1a4ba060b9bfa]::fmt::rt::Argument>::fmt
///                                    at /rustc/59807616e1/library/core/src/fmt/rt.rs:152:76
///                                outer::function                         the frame goes on: what the call above was inlined into
///       23:           0x211281 - <unknown>
///       [... omitted 1 frame ...]
struct RustRow {
    var index: Int
    /// Of the full form.
    var address: UInt64?
    var name: String?
    /// Where the name begins.
    var nameStart: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        guard rest.count < row.count, let number = rest.takeDecimal(), let index = Int(exactly: number), rest.take(":"), rest.take(" ")
        else {
            return nil
        }
        self.index = index
        var full = rest
        full.skipBlanks()
        if let value = full.takeAddress(), full.take(" - ") {
            address = value
            rest = full
        }
        guard rest.count > 0, !isBlank(rest[0]) else { return nil }
        nameStart = row.count - rest.count
        name = RustRow.name(rest)
    }

    static func name(_ text: Span<UInt8>) -> String? { text.trimmed().equals("<unknown>") ? nil : text.trimmed().text }

    /// Bytes of the address's column; 0 in the short form. (`HEX_WIDTH`: 18, or 10 on 32-bit machines.)
    var width: Int { address == nil ? 0 : max(0, nameStart - 9) }

    /// `at ./src/main.rs:3:5`
    static func location(_ row: Span<UInt8>) -> SourceLocation? {
        var rest = row
        rest.skipBlanks()
        guard row.count - rest.count >= 9, rest.take("at ") else { return nil }
        return SourcePlaceText.read(rest.trimmed())
    }

    /// `[... omitted 3 frames ...]`
    static func omitted(_ row: Span<UInt8>) -> Int? {
        var rest = row.trimmed()
        guard rest.take("[... omitted "), let count = rest.takeDecimal(), rest.hasPrefix(" frame") else { return nil }
        return Int(exactly: count)
    }
}
