internal import BinaryPrimitives
internal import CrashLogModel

/// `func+0x10/0x40`, as `sprint_symbol` of the kernel's `kernel/kallsyms.c` writes an address in
/// its code: name, offset, and the distance to the next symbol.
///
/// The name is the symbol table's, with what compilers add to it (`.isra.0`, `.constprop.3`,
/// `.cold`). The size is not `st_size`: it reaches to the next symbol, padding included.
struct KernelSymbol {
    var name: String
    var offset: UInt64
    /// `nil` where it is not printed.
    var size: UInt64?
    /// Number of bytes read; the rest of the text follows.
    let length: Int

    /// Reads a symbol at the beginning of `text`.
    /// - Parameter needsSize: requires a size. Without one it is not a kernel's symbol, unless an
    ///   address shows that it is.
    init?(_ text: Span<UInt8>, needsSize: Bool = true) {
        var end = 0
        while let byte = text.at(end), KernelSymbol.isNameByte(byte), end < 1024 { end += 1 }
        guard end > 0, let first = text.at(0), !isDigit(first) else { return nil }
        var rest = text.from(end)
        guard rest.consume("+"), let offset = rest.readAddress() else { return nil }
        if rest.consume("/") {
            guard let size = rest.readAddress() else { return nil }
            self.size = size
        } else if needsSize {
            return nil
        }
        name = text.upTo(end).text
        self.offset = offset
        length = text.count - rest.count
    }

    /// Letters, digits and what compilers and linkers put into names (C's, and Rust's mangled
    /// ones).
    static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "@")
    }
}

/// The text after a kernel symbol: file and line if a script has looked them up, the module, notes
/// in parentheses.
struct KernelSymbolTail {
    var location: SourceLocation?
    /// The module's name, and its build ID where the kernel prints them
    /// (`CONFIG_STACKTRACE_BUILD_ID`).
    var module: String?
    var buildID: ImageID?
    var isInlined = false
    /// The row has arm64's mark `(P)`: the address is an exception's program counter and not a
    /// return address (`dump_backtrace` of `arch/arm64/kernel/stacktrace.c`).
    var isProgramCounter = false
    var isUnreliable = false

    init() {}

    init(_ text: Span<UInt8>) {
        var rest = text
        while true {
            rest.skipBlanks()
            guard let first = rest.at(0) else { return }
            switch first {
            case UInt8(ascii: "["):
                guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else { return }
                readBracket(rest.clamped(to: 1..<close))
                rest = rest.from(close + 1)
            case UInt8(ascii: "("):
                guard let close = rest.firstIndex(of: UInt8(ascii: ")")) else { return }
                let note = rest.clamped(to: 1..<close)
                if note.equals("unreliable") { isUnreliable = true }
                if note.at(0) == UInt8(ascii: "P"), note.count <= 3 { isProgramCounter = true }
                rest = rest.from(close + 1)
            default:
                let token = rest.readToken()
                if location == nil, let found = KernelSymbolTail.location(token) { location = found } else { return }
            }
        }
    }

    private mutating func readBracket(_ text: Span<UInt8>) {
        var rest = text
        let name = rest.readToken()
        if name.equals("inline") {
            isInlined = true
            return
        }
        guard module == nil, name.count > 0, name.count <= 128 else { return }
        for index in 0..<name.count where !KernelSymbol.isNameByte(name[index]) && name[index] != UInt8(ascii: "-") { return }
        module = name.text
        buildID = ImageID(text: rest.trimmed().text)
    }

    /// `mm/slab.c:3485`, `./include/linux/skbuff.h:2069`; a trailing parenthesis or comma is not
    /// the line's.
    static func location(_ token: Span<UInt8>) -> SourceLocation? {
        var token = token
        while token.hasSuffix(")") || token.hasSuffix(",") { token = token.upTo(token.count - 1) }
        guard let colon = token.lastIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        guard let line = token.from(colon + 1).decimal.flatMap({ Int(exactly: $0) }) else { return nil }
        let file = token.upTo(colon)
        guard file.firstIndex(of: UInt8(ascii: ".")) != nil || file.firstIndex(of: UInt8(ascii: "/")) != nil else { return nil }
        return SourceLocation(file: file.text, line: line)
    }
}

/// A source file's path as kernel people write it: from the top of the source tree,
/// `net/core/sock.c`, wherever the tree was when it was built.
///
/// decode_stacktrace.sh and syzkaller remove what comes before `init/main.c` in the path of a
/// function that is known to be there. One frame's result does not have that function; so the path
/// begins at its first folder that the tree has at its top. It is a suffix of the compiler's path
/// in any case.
enum KernelSourcePath {
    private static let top: Set<String> = [
        "arch", "block", "certs", "crypto", "drivers", "fs", "include", "init", "io_uring", "ipc", "kernel", "lib", "mm", "net", "rust",
        "samples",
        "scripts", "security", "sound", "tools", "usr", "virt",
    ]

    static func shortened(_ path: String) -> String {
        let parts = path.split(separator: "/")
        // Only of a path with a root the first folder may be the machine's own:
        // `/usr/src/linux/mm/slab.c`.
        let skipped = path.hasPrefix("/") ? 1 : 0
        guard let start = parts.dropLast().dropFirst(skipped).firstIndex(where: { top.contains(String($0)) }) else {
            return path.hasPrefix("/") ? Path.foreignName(of: path) : path
        }
        return parts[start...].joined(separator: "/")
    }

    /// ` net/core/sock.c:12`, after a blank; nothing without a location.
    static func text(_ location: SourceLocation?) -> String {
        guard let location else { return "" }
        return " " + PlainText.line(shortened(location.file)) + ":\(location.line)"
    }
}
