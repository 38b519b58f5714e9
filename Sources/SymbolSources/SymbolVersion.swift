internal import BinaryPrimitives

extension String {
    /// Without the version that GNU's linkers put after the names of shared libraries' symbols
    /// (`__libc_start_main@GLIBC_2.2.5`, `memcpy@@GLIBC_2.14`), which is no part of what the
    /// function is called; `puts@plt` is the name of something else.
    package var withoutSymbolVersion: String {
        guard let mark = versionMark else { return self }
        return String(self[..<mark])
    }

    /// The version alone: `GLIBC_2.2.5`; `nil` for a name that has none.
    package var symbolVersion: String? {
        guard let mark = versionMark else { return nil }
        return String(self[mark...].drop { $0 == "@" })
    }

    private var versionMark: String.Index? {
        // Nearly no name has a version: the bytes themselves are searched, ten times as fast as the string's view of them.
        let found = unsafe utf8.withContiguousStorageIfAvailable { unsafe $0.span.firstIndex(of: UInt8(ascii: "@")) }
        guard let offset = found ?? Array(utf8).span.firstIndex(of: UInt8(ascii: "@")), offset > 0 else { return nil }
        let at = utf8.index(startIndex, offsetBy: offset)
        let version = utf8[utf8.index(after: at)...].drop { $0 == UInt8(ascii: "@") }
        let isVersion =
            !version.isEmpty && !version.elementsEqual("plt".utf8)
            && version.allSatisfy { byte in
                isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || [UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-")].contains(byte)
            }
        return isVersion ? at : nil
    }
}
