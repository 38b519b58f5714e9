internal import BinaryPrimitives

/// The folders of users and installations in paths, as Unix, Windows and JSON write them.
enum UserFolder {
    /// Names of no user, and the texts that reporters themselves write instead of names.
    private static let nobody = [
        "root", "shared", "public", "default", "default user", "all users", "guest", "nobody", "system", "user", "username", "users",
        "localhost", "localhost.localdomain", "redacted", "null",
        "none", "unknown", "true", "false",
    ]

    static func isNobody(_ name: Span<UInt8>) -> Bool {
        if name.count <= 24, nobody.contains(where: { FieldName.equalsIgnoringCase(name, $0) }) { return true }
        // `*`, `<user>`, `$USER`, `%USERNAME%`, `?`.
        guard let first = name.at(0) else { return true }
        return !isWordByte(first)
    }

    /// Length of the separator at an index: `/`, `\`, and JSON's `\/` and `\\`; 0 for none.
    private static func separator(_ log: Span<UInt8>, _ index: Int) -> Int {
        switch log.at(index) {
        case UInt8(ascii: "/"): 1
        case UInt8(ascii: "\\"):
            switch log.at(index + 1) {
            case UInt8(ascii: "/"), UInt8(ascii: "\\"): 2
            default: 1
            }
        default: 0
        }
    }

    /// The part of a path after a separator.
    private static func part(_ log: Span<UInt8>, from start: Int, isWindows: Bool) -> Range<Int> {
        var end = start
        var blank: Int?
        while let byte = log.at(end), byte >= 0x20 {
            // No system has longer names.
            guard end - start < 256 else { return start..<start }
            if separator(log, end) > 0 { return start..<end }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
                || byte == UInt8(ascii: ",")
                || byte == UInt8(ascii: ";") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]")
                || byte == UInt8(ascii: "|")
            {
                break
            }
            if isBlank(byte) {
                // Windows' users have blanks in their names; the folder ends at the next separator
                // of the same path.
                guard isWindows else { break }
                if blank == nil { blank = end }
            }
            end += 1
        }
        return start..<(blank ?? end)
    }

    /// Finds the text that identifies a user or an installation in the path that goes on at this
    /// separator.
    static func personalText(in log: Span<UInt8>, at index: Int) -> PersonalText? {
        let length = separator(log, index)
        let rest = log.from(index + length)
        guard let first = rest.at(0) else { return nil }
        // Bazel's and the Java machine's folders of a user.
        for beginning in ["_bazel_", "hsperfdata_"] where rest.hasPrefix(beginning) {
            let name = part(log, from: index + length + beginning.utf8.count, isWindows: false)
            return name.isEmpty || isNobody(log.clamped(to: name)) ? nil : PersonalText(range: name, kind: .user)
        }
        switch first | 0x20 {
        case UInt8(ascii: "u"):
            return user(rest, index, "Users", isWindows: log[index] == UInt8(ascii: "\\"), log) ?? userNumber(rest, log, "user")
        case UInt8(ascii: "h"): return user(rest, index, "home", isWindows: false, log)
        case UInt8(ascii: "d"):
            return user(rest, index, "Documents and Settings", isWindows: true, log) ?? identifier(rest, log, ["Devices"])
        case UInt8(ascii: "a"): return identifier(rest, log, ["Application", "Applications", "AppGroup"])
        case UInt8(ascii: "p"): return identifier(rest, log, ["PluginKitPlugin"])
        case UInt8(ascii: "x"): return identifier(rest, log, ["XCTestDevices"])
        case UInt8(ascii: "f"): return temporary(rest, log)
        default: return nil
        }
    }

    /// `/Users/jane/`, `/home/jane/`, `C:\Users\Jane Doe\`. A path's first folder or one after a
    /// mounted disk: not a page of a web site, not a package of a program.
    private static func user(_ rest: Span<UInt8>, _ index: Int, _ folder: String, isWindows: Bool, _ log: Span<UInt8>) -> PersonalText? {
        guard isWindows ? FieldName.equalsIgnoringCase(rest.upTo(folder.utf8.count), folder.lowercased()) : rest.hasPrefix(folder) else {
            return nil
        }
        let behind = log.count - rest.count + folder.utf8.count
        let next = separator(log, behind)
        guard next > 0, isBeginning(log, index) else { return nil }
        let name = part(log, from: behind + next, isWindows: log[behind] == UInt8(ascii: "\\"))
        guard !name.isEmpty, !isNobody(log.clamped(to: name)) else { return nil }
        return PersonalText(range: name, kind: .user)
    }

    private static func isBeginning(_ log: Span<UInt8>, _ index: Int) -> Bool {
        guard let byte = log.at(index - 1), isWordByte(byte) else { return true }
        var before = log.upTo(index)
        for folder in ["var", "export", "usr", "Data", "private", "net"] where before.hasSuffix(folder) {
            before = before.upTo(before.count - folder.utf8.count)
            return before.hasSuffix("/")
        }
        // /c/Users, /mnt/c/Users
        return before.count < 2 || separator(before, before.count - 2) > 0
    }

    /// `/run/user/1000`, `/data/user/10`, `/data/user_de/0`.
    private static func userNumber(_ rest: Span<UInt8>, _ log: Span<UInt8>, _ folder: String) -> PersonalText? {
        var behind = rest
        guard behind.consume("user_de/") || behind.consume("user/") || behind.consume("user\\/") else { return nil }
        let start = log.count - behind.count
        var end = start
        while let byte = log.at(end), isDigit(byte) { end += 1 }
        guard end > start, separator(log, end) > 0 || end == log.count || !isWordByte(log[end]) else { return nil }
        return PersonalText(range: start..<end, kind: end - start > 3 ? .userNumber : .key)
    }

    /// The UUID of an installation or a simulator after the name of the folder that contains all of
    /// them.
    private static func identifier(_ rest: Span<UInt8>, _ log: Span<UInt8>, _ folders: [String]) -> PersonalText? {
        for folder in folders where rest.hasPrefix(folder) {
            let behind = log.count - rest.count + folder.utf8.count
            let next = separator(log, behind)
            let start = behind + next
            guard next > 0, start + 36 <= log.count else { continue }
            for offset in 0..<36 {
                let byte = log[start + offset]
                let isHyphen = offset == 8 || offset == 13 || offset == 18 || offset == 23
                guard isHyphen ? byte == UInt8(ascii: "-") : isHexadecimal(byte) else { return nil }
            }
            return PersonalText(range: start..<start + 36, kind: .key)
        }
        return nil
    }

    /// `/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/`: macOS's folder of a user.
    private static func temporary(_ rest: Span<UInt8>, _ log: Span<UInt8>) -> PersonalText? {
        guard rest.hasPrefix("folders") else { return nil }
        let behind = log.count - rest.count + 7
        let next = separator(log, behind)
        guard next > 0 else { return nil }
        let first = part(log, from: behind + next, isWindows: false)
        let second = separator(log, first.upperBound)
        guard first.count == 2, second > 0 else { return nil }
        let whole = part(log, from: first.upperBound + second, isWindows: false)
        // The two parts are one name; the separator between them stays in either spelling.
        guard whole.count >= 16 else { return nil }
        return PersonalText(range: whole, kind: .key)
    }

    static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f"))
    }
}
