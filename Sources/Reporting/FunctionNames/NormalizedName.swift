internal import BinaryPrimitives
internal import Demangling

/// A function's name without what differs between builds and between those who print it: the same
/// for every log of one crash.
///
/// It is text for comparison and for titles; nothing is looked up by it.
package struct NormalizedName: Sendable, Hashable {
    /// Empty where the name says nothing (`isHidden`).
    package var text: String
    /// Whose rules made `text`.
    package var language = NameLanguage.cPlusPlus
    /// The code was in a closure, lambda or block of the function that `text` names.
    package var isClosure = false
    /// Which of the closures in the function, as the name counts them: `1.2` for the second in the
    /// first. Empty if the name does not have it.
    package var closure = ""
    /// Types of a C++ function's parameters (`ParameterList`); empty if they are not known.
    package var parameters = ""
    /// The code is a library's that calls the closure, into which an optimiser may have put the
    /// closure itself: whose file it is says nothing.
    package var isInvoker = false
    /// The name was replaced by text without information: `<redacted>`, `__hidden#12_`.
    package var isHidden = false

    /// - Parameters:
    ///   - name: as a report shows it, demangled in any style or not at all.
    ///   - mangled: as the binary has it, where known.
    ///   - file: the source file's path, where known: it may show the language.
    ///   - format: the log's format, for the same.
    package init(_ name: String, mangled: String = "", file: String? = nil, format: String = "") {
        text = ""
        var name = Self.cut(name, Self.maxNameBytes)
        // `DYLD-STUB$$f` is the way to `f`; one underscore more is Mach-O's.
        if name.hasPrefix("DYLD-STUB$$") { name.removeFirst(11) }
        if HiddenName.hides(name) {
            isHidden = true
            return
        }
        var linked = mangled.isEmpty ? name : Self.cut(mangled, Self.maxNameBytes)
        // A log's own spelling and the binary's become the same through the mangled name, where
        // there is one. The debug information of gcc and clang has Rust's and C++'s with other
        // spaces.
        if ManglingScheme(of: linked) != .plain {
            let read = Demangler(style: .simplified).read(linked)
            if !read.staysMangled { name = Self.cut(read.text, Self.maxNameBytes) }
        } else {
            linked = name
        }
        language = NameLanguage(name: name, mangled: linked, file: file, format: format)
        if language == .java, HiddenName.isShrunkJava(name) { isHidden = true }
        var result = NameText(name)
        let wasClosure =
            switch language {
            case .cPlusPlus: CPlusPlusName.normalize(&result)
            case .rust: RustName.normalize(&result)
            case .swift: SwiftName.normalize(&result)
            case .objectiveC: ObjectiveCName.normalize(&result)
            case .d: DName.normalize(&result)
            case .go: GoName.normalize(&result)
            case .java: JavaName.normalize(&result)
            case .javaScript: ScriptName.normalizeJavaScript(&result)
            case .python: ScriptName.normalizePython(&result)
            case .other: format == "dotnet-exception" && DotNetName.normalize(&result)
            }
        isClosure = wasClosure
        if language == .cPlusPlus, !wasClosure { parameters = ParameterList.text(of: name) }
        if wasClosure { closure = Self.ordinals(name) }
        isInvoker = wasClosure && language == .cPlusPlus && CPlusPlusName.isInvoker(NameText(name))
        // A lambda without what it is in is left empty: then nothing is known but that it was one.
        if result.isEmpty, !wasClosure { result = NameText(name) }
        if language == .javaScript, let file { ScriptName.nameAnonymous(&result, of: name, in: file) }
        if language == .python, let file, !result.isEmpty { result = NameText(Path.foreignName(of: file) + ":" + result.string) }
        text = Self.cut(result.string, Self.maxBytes)
        // A name may contain a hidden name: `closure #1 in <redacted>`.
        if HiddenName.hides(text) && !text.isEmpty || text.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) && !wasClosure {
            text = ""
            isHidden = true
        }
    }

    /// The numbers after the marks of closures: `add::{closure#0}`, `closure #1 in f()`,
    /// `main.add.func1.2`, and C++'s three spellings of one, `add(Jobs&)::{lambda(Job&)#3}` (GNU),
    /// `add(Jobs&)::'lambda1'(Job&)` (LLVM, whose first has no number and the second 0) and
    /// `add(Jobs&)::$_2` (clang's symbols, counted from 0), which are made the same.
    private static func ordinals(_ name: String) -> String {
        let text = Array(name.utf8)
        let marks: [(text: [UInt8], shift: Int)] = [
            (Array("'lambda".utf8), 2), (Array("$_".utf8), 1), (Array("#".utf8), 0), (Array(".func".utf8), 0),
        ]
        var numbers: [String] = []
        var index = 0
        while index < text.count, numbers.count < 8 {
            guard let mark = marks.first(where: { text[index] == $0.text[0] && text[index...].starts(with: $0.text) }) else {
                index += 1
                continue
            }
            index += mark.text.count
            let digits = text[index...].prefix { isDigit($0) || mark.text[0] == UInt8(ascii: ".") && $0 == UInt8(ascii: ".") }
            index += digits.count
            let word = String(decoding: Array(digits.prefix(16)), as: UTF8.self)
            if let number = Int(word) {
                numbers.append(String(number &+ mark.shift))
            } else if mark.shift == 2 {
                numbers.append("1")
            } else if !word.isEmpty {
                numbers.append(word)
            }
        }
        return numbers.joined(separator: ".")
    }

    /// Bytes of a name that are examined; the rest is cut off. C++ has names of 60 KB, which differ long before.
    package static let maxNameBytes = 4096
    /// Maximum number of bytes of `text`.
    package static let maxBytes = 512

    private static func cut(_ name: String, _ count: Int) -> String {
        name.utf8.count <= count ? name : String(decoding: Array(name.utf8.prefix(count)), as: UTF8.self)
    }
}

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
