/// Text in commands that are printed to be copied.
package enum ShellWord {
    /// A path or a name as one word of a POSIX shell: `'it'\\''s here.dmp'`. A path that begins
    /// like an option begins with its folder.
    package static func quoted(_ text: String, isPath: Bool = true) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || [0x2E, 0x2F, 0x5F, 0x2D, 0x2B].contains(byte)
        }
        let isOption = isPath && text.hasPrefix("-")
        if isPlain, !text.isEmpty, !isOption { return text }
        let quoted = text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        return (isOption ? "./" : "") + "'" + quoted + "'"
    }
}
