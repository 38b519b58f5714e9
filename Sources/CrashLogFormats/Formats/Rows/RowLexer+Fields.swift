internal import BinaryPrimitives
internal import CrashLogModel

/// What each kind of field looks like.
extension RowLexer {
    /// `+0x18`, ` + 24`, `/0x40`, `-0x8`.
    static func offset(_ text: Span<UInt8>) -> (value: UInt64, length: Int, isSize: Bool, isNegative: Bool)? {
        var rest = text
        guard let sign = text.at(0), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "/") || sign == UInt8(ascii: "-") else { return nil }
        rest = rest.from(1)
        let isSpaced = rest.at(0) == UInt8(ascii: " ")
        if isSpaced {
            guard sign == UInt8(ascii: "+") else { return nil }
            rest = rest.from(1)
        }
        let isHexadecimal = rest.hasPrefix("0x")
        guard isHexadecimal || sign == UInt8(ascii: "+"), let value = isHexadecimal ? rest.takeAddress() : rest.takeDecimal(),
            endsToken(rest)
        else { return nil }
        return (value, text.count - rest.count, sign == UInt8(ascii: "/"), sign == UInt8(ascii: "-"))
    }

    static func endsToken(_ rest: Span<UInt8>) -> Bool {
        guard let byte = rest.at(0) else { return true }
        return isBlank(byte) || tokenEnds.contains(byte)
    }

    private static let tokenEnds = ByteSet(")]>,/:;\"'")

    static func hexadecimal(_ text: Span<UInt8>) -> (value: UInt64, length: Int, hasPrefix: Bool)? {
        guard let first = text.at(0), hexadecimalValue(first) != nil else { return nil }
        var rest = text
        let hasPrefix = rest.take("0x") || rest.take("0X")
        let digits = rest.count
        guard let value = rest.takeHexadecimal() else { return nil }
        let length = digits - rest.count
        // `(0x7f5325509000+0x1ac9a9)`
        guard length <= 16, endsToken(rest) || hasPrefix && rest.hasPrefix("+0x"), hasPrefix || length == 16 || length == 12 || length == 8
        else { return nil }
        // `deadbeef` may be a word, `20230101` a date: bare digits of an address are padded, or at
        // least mixed.
        if !hasPrefix, length < 16 {
            let digits = text.upTo(length)
            guard (0..<length).contains(where: { isDigit(digits[$0]) }) else { return nil }
        }
        return (value, text.count - rest.count, hasPrefix)
    }

    /// HAProxy shows the bytes before the address: `<fc ff ff e8 30 94 e5 ff]` (src/debug.c,
    /// `dump_hex`).
    static func byteList(_ text: Span<UInt8>) -> Int? {
        guard let first = text.at(0), first == UInt8(ascii: "<") || first == UInt8(ascii: "[") else { return nil }
        var length = 1
        while let high = text.at(length), let low = text.at(length + 1), hexadecimalValue(high) != nil, hexadecimalValue(low) != nil {
            guard let mark = text.at(length + 2) else { return nil }
            length += 3
            if mark == UInt8(ascii: "]") || mark == UInt8(ascii: ">") { return length > 6 ? length : nil }
            guard mark == UInt8(ascii: " ") else { return nil }
        }
        return nil
    }

    /// How many hexadecimal digits the text begins with, up to a token's end.
    static func digits(_ text: Span<UInt8>) -> Int? {
        var length = 0
        while let byte = text.at(length), hexadecimalValue(byte) != nil { length += 1 }
        return length > 0 && endsToken(text.from(length)) ? length : nil
    }

    /// `4C4C44F6-5555-3144-A1C7-8F23AF66DDA8`
    static func uuid(_ text: Span<UInt8>) -> Int? {
        guard text.at(8) == UInt8(ascii: "-"), text.at(13) == UInt8(ascii: "-"), text.count >= 36 else { return nil }
        for index in 0..<36 {
            let isDash = index == 8 || index == 13 || index == 18 || index == 23
            guard isDash ? text[index] == UInt8(ascii: "-") : hexadecimalValue(text[index]) != nil else { return nil }
        }
        return endsToken(text.from(36)) ? 36 : nil
    }

    /// What writers put where they know no name. Each with the program that does.
    static let unknowns = [
        "<symbol not found>",  // Greenplum
        "<unknown function>",  // PyTorch
        "<unknown symbol>", "<unknown>",  // Rust, Godot
        "<redacted>",  // iOS
        "<deduplicated_symbol>",  // Xcode
        "<null sym>",  // bcc
        "<unavailable>",  // Swift
        "(unknown)",  // glog, Abseil
        "(Unknown)",  // Unity
        "(Missing)", "Missing",  // Crashlytics
        "[unknown]",  // bcc, perf
        "???", "??", "n/a",  // valgrind and libbacktrace; gdb and addr2line; systemd
        "(below main)",  // valgrind
        "()",  // glibc without a symbol
    ]

    static func unknown(_ text: Span<UInt8>) -> Int? {
        guard let first = text.at(0) else { return nil }
        switch first {
        case UInt8(ascii: "<"), UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "?"), UInt8(ascii: "n"), UInt8(ascii: "M"),
            UInt8(ascii: "U"):
            break
        default: return nil
        }
        // Crashlytics: `(Missing UUID 4c4c44f6…)` has the image's identity.
        if text.hasPrefix("Missing UUID ") { return nil }
        for word in unknowns where text.hasPrefix(word) {
            let rest = text.from(word.utf8.count)
            if endsToken(rest) || rest.at(0) == UInt8(ascii: "[") || rest.at(0) == UInt8(ascii: "+") {
                return rest.at(0) == UInt8(ascii: ":") ? nil : word.utf8.count
            }
        }
        if first == UInt8(ascii: "?"), endsToken(text.from(1)) || text.at(1) == UInt8(ascii: "+"), text.at(1) != UInt8(ascii: ":") {
            return 1
        }
        // Intel Fortran's columns.
        if text.hasPrefix("Unknown"), endsToken(text.from(7)) { return 7 }
        // lldb's names for functions without a symbol: `___lldb_unnamed_symbol696$$harbour`.
        if text.hasPrefix("___lldb_unnamed_symbol") {
            var length = 22
            while let byte = text.at(length), !isBlank(byte) { length += 1 }
            return length
        }
        return nil
    }

    /// `/src/a.c:12:3`, `a.c:12`, `??:0`: a file's name with an ending or a folder, and one or two
    /// numbers.
    static func location(_ text: Span<UInt8>) -> (line: Int, column: Int, length: Int)? {
        var length = 0
        var depth = 0
        while let byte = text.at(length), !isBlank(byte), byte != UInt8(ascii: ","), byte != UInt8(ascii: "\"") {
            // MariaDB: `sql/main.cc:34(main)[0x5570e8512345]`
            if depth == 0, byte == UInt8(ascii: "("), endsInLine(text.upTo(length)) { break }
            if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") { depth += 1 }
            if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]") {
                if depth == 0 { break }
                depth -= 1
            }
            length += 1
        }
        while length > 0, text[length - 1] == UInt8(ascii: ":") { length -= 1 }
        var token = text.upTo(length)
        if token.takeLast(":?") { return token.hasPrefix("??") ? (-1, 0, length) : nil }
        let numbers = SourceLocationText.takeNumbers(&token)
        guard let line = numbers.first, token.count > 0 else { return nil }
        if token.equals("??") || token.equals("???") { return (-1, 0, length) }
        guard isFile(token) else { return nil }
        return (line, numbers.count > 1 ? numbers[1] : 0, length)
    }

    /// `a.c:34`
    static func endsInLine(_ text: Span<UInt8>) -> Bool {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon + 1 < text.count else { return false }
        return (colon + 1..<text.count).allSatisfy { isDigit(text[$0]) }
    }

    /// `at /app/my sources/a.c:12`: after `at` the rest of the row is one place.
    static func locationToTheEnd(_ text: Span<UInt8>) -> (line: Int, column: Int, length: Int)? {
        guard path(text) != nil, !text.contains("0x"), text.firstIndex(of: UInt8(ascii: "(")) == nil,
            let found = SourceLocationText.read(text)
        else { return nil }
        return (found.line, found.column, text.count)
    }

    /// A file of source: it has an ending that begins with a letter, and no name of C++ in it.
    static func isFile(_ token: Span<UInt8>) -> Bool {
        if token.equals("<compiler-generated>") { return true }
        guard token.firstIndex(of: UInt8(ascii: "(")) == nil else { return false }
        // `ERROR:harbour.crash:0:` is a log's prefix; a colon is after a drive of Windows.
        if let colon = token.lastIndex(of: UInt8(ascii: ":")) { guard colon == 1, isDrive(token) else { return false } }
        guard let dot = token.lastIndex(of: UInt8(ascii: ".")), dot > 0 || token.count > 1 else { return token.hasPrefix("/") }
        guard let letter = token.at(dot + 1), !isDigit(letter), letter != UInt8(ascii: "/"), token.count - dot <= 8 else {
            return token.hasPrefix("/")
        }
        return true
    }

    /// Endings of files of source, where the file's name alone must say that it is one.
    private static let sourceEndings: Set<String> = [
        "adb", "asm", "c", "C", "cc", "cpp", "cu", "cuh", "cxx", "d", "f", "F", "f03", "f08", "f90", "F90", "f95", "for", "go", "h", "hh",
        "hpp",
        "hxx", "inc", "inl", "ipp", "java", "jl", "kt", "m", "mm", "nim", "pas", "py", "rs", "s", "S", "swift", "y", "zig",
    ]

    static func isSource(_ token: Span<UInt8>) -> Bool {
        token.lastIndex(of: UInt8(ascii: ".")).map { sourceEndings.contains(token.from($0 + 1).text) } ?? false
    }

    /// `C:\`: how paths of Windows begin.
    static func isDrive(_ text: Span<UInt8>) -> Bool {
        guard let letter = text.at(0), (letter | 0x20) &- UInt8(ascii: "a") < 26, text.at(1) == UInt8(ascii: ":") else { return false }
        return text.at(2) == UInt8(ascii: "\\") || text.at(2) == UInt8(ascii: "/")
    }

    /// `/usr/lib/libc.so.6`, `./a`, `../bin/a`, `C:\bin\a.exe`. Blanks are in a path where a folder
    /// follows them.
    static func path(_ text: Span<UInt8>) -> Int? {
        let isDrive = isDrive(text)
        guard isDrive || text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../"), let second = text.at(1), !isBlank(second),
            !text.hasPrefix("//")
        else { return nil }
        var length = 1
        while let byte = text.at(length), byte >= 0x20, !pathEnds.contains(byte), byte != UInt8(ascii: "\t") {
            if byte == UInt8(ascii: ":"), !isDrive || length > 1 { break }
            if byte == UInt8(ascii: "]") { break }
            if byte == UInt8(ascii: "["), text.from(length).hasPrefix("[0x") { break }
            if byte == UInt8(ascii: "+"), offset(text.from(length)) != nil { break }
            if byte == UInt8(ascii: " ") {
                guard let slash = text.firstIndex(of: UInt8(ascii: "/"), from: length + 1), text.at(slash + 1) != UInt8(ascii: "/"),
                    slash > length + 1, isOneName(text.clamped(to: length + 1..<slash)),
                    !isModule(text.clamped(to: (text.lastIndex(of: UInt8(ascii: "/"), before: length, from: 0) ?? 0) + 1..<length))
                else { break }
            }
            length += 1
        }
        return length
    }

    private static let pathEnds = ByteSet("()<>\",;")

    /// A folder's name with blanks, as in `/Applications/My App.app/Contents`: letters, and nothing
    /// else that rows have.
    static func isOneName(_ text: Span<UInt8>) -> Bool {
        (0..<text.count).allSatisfy { text[$0] >= 0x20 && !noNames.contains(text[$0]) } && !text.contains(" in ")
            && !text.contains("- ")
            && !text.hasSuffix(" ") && !text.contains("0x") && !text.contains("  ")
    }

    private static let noNames = ByteSet("()[]<>:@#+=\"")

    private static let words: [(text: String, word: Word)] = [
        ("in", .at), ("from", .from), ("at", .location), ("by", .location), ("pc", .programCounter), ("ip", .programCounter),
        ("abs", .programCounter), ("virt", .linkAddress), ("sp", .stackPointer), ("fp", .stackPointer), ("bp", .stackPointer),
        ("offset", .fileOffset), ("BuildId", .buildID), ("BuildID", .buildID), ("build id", .buildID), ("Missing UUID", .buildID),
        ("Object", .from), ("Source", .location), ("line", .none),
    ]

    /// What keys of `key=value` and `key:value` say of the value. The values of other keys are no
    /// part of the row.
    private static let keys: [(text: String, word: Word)] = [
        ("addr", .programCounter), ("address", .programCounter), ("pc", .programCounter), ("ip", .programCounter), ("rip", .programCounter),
        ("eip", .programCounter), ("sp", .stackPointer), ("fp", .stackPointer), ("bp", .stackPointer), ("rsp", .stackPointer),
        ("rbp", .stackPointer),
        ("off", .moduleOffset), ("offset", .moduleOffset), ("module", .module), ("lib", .module), ("image", .module), ("object", .module),
        ("binary", .module), ("dso", .module), ("so", .module), ("func", .symbol), ("function", .symbol), ("fn", .symbol), ("sym", .symbol),
        ("symbol", .symbol), ("name", .symbol), ("file", .location), ("line", .line), ("buildid", .buildID), ("build_id", .buildID),
    ]

    /// Words before a value without a mark: `module /lib/libc.so.6`.
    private static let labels: [(text: String, word: Word)] = [
        ("module ", .module), ("library ", .module), ("image ", .module), ("function ", .symbol), ("symbol ", .symbol),
    ]

    /// All of them by their first letters: most words of a row are none of these.
    private static let table = LetterTable(
        words.map { ($0.text, Opening(word: $0.word, kind: .word)) } + keys.map { ($0.text, Opening(word: $0.word, kind: .key)) }
            + labels.map { ($0.text, Opening(word: $0.word, kind: .label)) })

    private struct Opening {
        enum Kind { case word, key, label }

        var word: Word
        var kind: Kind
    }

    /// A word between two fields: `in `, `pc `, `ip=`, `BuildId: `.
    static func word(_ text: Span<UInt8>) -> (Word, Int)? {
        var candidate = table.first(for: text)
        while let place = candidate {
            let (length, opening) = table[place]
            if let end = end(of: opening, in: text, length) { return (opening.word, end) }
            candidate = table.next(after: place, for: text)
        }
        return nil
    }

    /// Where the word ends with its mark; `nil` if it is no such word.
    private static func end(of opening: Opening, in text: Span<UInt8>, _ length: Int) -> Int? {
        var rest = text.from(length)
        switch opening.kind {
        case .word:
            // libunwind's users: `ip = 5b, sp = 7ffd`
            let hasMark = rest.take("=") || rest.take(":") || rest.take(" = ")
            guard hasMark || rest.at(0).map(isBlank) ?? true else { return nil }
            // `at::Tensor` is a name.
            if hasMark, rest.at(0) == UInt8(ascii: ":") { return nil }
            if opening.word == .none, !hasMark { guard rest.trimmed().at(0).map(isDigit) == true else { return nil } }
        case .key:
            guard rest.take("=") || rest.take(":"), let value = rest.at(0), !isBlank(value), value != UInt8(ascii: ":") else { return nil }
        case .label: break
        }
        return text.count - rest.count
    }
}
