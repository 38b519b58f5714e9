/// Names without information: what replaces a name that was removed, and what tools invent for code
/// without one. Two of them are not the same function.
///
/// `<redacted>` and `<hidden>` are Apple's; `__hidden#123_` is the name in bitcode builds before
/// their symbol map is applied; `<deduplicated_symbol>` means several functions with the same code;
/// `___lldb_unnamed_symbol12`, `sub_401000` and `FUN_00401000` are names that LLDB, IDA and Ghidra
/// make from addresses.
enum HiddenName {
    private static let placeholders: Set<String> = [
        "", "?", "??", "???", "<redacted>", "<hidden>", "<private>", "<unknown>", "<unknown function>", "(unknown)", "unknown",
        "<deduplicated_symbol>",
        "<name omitted>", "<compiler-generated>", "_mh_execute_header", "__mh_execute_header", "_mh_dylib_header", "<no symbol>", "(null)",
        "nullptr", "<frozen>", "n/a",
    ]
    private static let prefixes = ["__hidden#", "_hidden#", "___lldb_unnamed_symbol", "___unnamed_", "symbol stub for: <redacted>"]
    /// Prefixes that are followed by hexadecimal digits only.
    private static let invented = ["sub_", "FUN_", "fcn.", "func_0x", "0x", "loc_"]

    static func hides(_ name: String) -> Bool {
        if placeholders.contains(name) || prefixes.contains(where: name.hasPrefix) { return true }
        return invented.contains { prefix in
            name.hasPrefix(prefix) && name.utf8.count >= prefix.utf8.count + 3
                && name.utf8.dropFirst(prefix.utf8.count).allSatisfy { byte in
                    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6
                }
        }
    }

    /// Whether a name was shortened by a shrinker of Java programs: every part has one or two
    /// letters (`a.b.c`). The next build gives such names to other functions.
    static func isShrunkJava(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count >= 2 && parts.allSatisfy { part in (1...2).contains(part.count) && part.allSatisfy { ($0 | 0x20) &- 0x61 < 26 } }
    }
}
