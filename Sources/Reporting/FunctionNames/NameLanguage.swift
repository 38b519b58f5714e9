internal import Demangling

/// The language that a function was written in, as far as its name, its file and the log's format
/// show: it selects the normalisation rules.
package enum NameLanguage: String, Sendable, CaseIterable {
    case cPlusPlus, rust, swift, objectiveC, d, go, java, javaScript, python
    /// Languages whose names have neither arguments nor types: they stay as they are.
    case other

    /// - Parameters:
    ///   - mangled: the name as the binary has it; the same as `name` where it is not mangled.
    ///   - file: the source file, if known.
    ///   - format: the log's format.
    init(name: String, mangled: String, file: String?, format: String) {
        switch ManglingScheme(of: mangled) {
        case .swift, .swiftBefore4: self = .swift
        case .rustLegacy, .rustV0: self = .rust
        case .itanium: self = .cPlusPlus
        case .d: self = .d
        case .gnuObjectiveC: self = .objectiveC
        case .ocaml, .gfortran, .flang, .haskell, .pascal, .ada, .nim: self = .other
        case .plain: self = Self.plain(name, file, format)
        }
    }

    private static let suffixes: [(String, NameLanguage)] = [
        (".rs", .rust), (".swift", .swift), (".go", .go), (".java", .java), (".kt", .java), (".scala", .java), (".py", .python),
        (".js", .javaScript), (".mjs", .javaScript),
        (".ts", .javaScript), (".cpp", .cPlusPlus), (".cc", .cPlusPlus), (".h", .cPlusPlus), (".c", .cPlusPlus),
        (".adb", .other), (".ads", .other), (".nim", .other),
    ]
    private static let formats: [String: NameLanguage] = [
        "go-panic": .go, "rust-panic": .rust, "java-trace": .java, "python-trace": .python, "jvm-javacore": .java,
        "javascript-error": .javaScript, "dotnet-exception": .other, "swift-backtrace": .swift,
        "swift-runtime-trace": .swift, "swift-server-backtrace": .swift,
    ]

    /// `core::slice::sort`, without arguments, which C++'s names have where no debug information is
    /// known: a module of Rust's library in one of its crates.
    private static func isRustLibrary(_ name: NameText) -> Bool {
        guard !name.contains("("), let crate = ["core::", "alloc::"].first(where: name.hasPrefix),
            let colons = name.first("::", from: crate.utf8.count)
        else { return false }
        return rustModules.contains(String(decoding: name.bytes[crate.utf8.count..<colons], as: UTF8.self))
    }

    private static let rustModules: Set<String> = [
        "alloc", "any", "array", "ascii", "borrow", "boxed", "bstr", "cell", "char", "clone", "cmp", "collections", "convert", "core_arch",
        "default", "error", "escape", "ffi", "fmt", "future", "hash", "hint", "intrinsics", "io", "iter", "macros", "marker", "mem", "net",
        "num", "ops", "option", "panic", "panicking", "pin", "ptr", "raw_vec", "rc", "result", "slice", "str", "string", "sync", "task",
        "time", "unicode", "vec",
    ]

    private static func plain(_ name: String, _ file: String?, _ format: String) -> NameLanguage {
        if name.hasPrefix("-[") || name.hasPrefix("+[") || name.contains("_block_invoke") { return .objectiveC }
        if let file, let found = suffixes.first(where: { file.hasSuffix($0.0) }) { return found.1 }
        let text = NameText(name)
        if text.contains("{{closure}}") || text.contains("{closure#") || text.contains("<impl ") || text.contains(" as core::")
            || text.contains(" as alloc::")
        {
            return .rust
        }
        if [
            "closure #", "specialized ", "partial apply ", "protocol witness ", "implicit closure #", "outlined ", "merged ", "thunk for ",
            "reabstraction thunk ", "@objc ", "Swift runtime failure: ",
        ].contains(where: name.hasPrefix)
            // A result's type after the arguments: Xcode 8's logs spell `Boiler.heat() -> ()`. In
            // C++ it is in front, and nothing is left of such a name.
            || text.contains(") -> ")
            || text.contains("(_:") || text.contains(":)") || text.contains(" resume partial function for ")
        {
            return .swift
        }
        if text.contains(".(*") || text.contains(".func1") { return .go }
        if text.contains("lambda$") || text.contains("$$Lambda") { return .java }
        // Formats hold frames of several languages; their own counts for what has no marks of
        // another. Rows of scripts have a file, and Java's names a class.
        if let own = formats[format], !text.contains("::") || own == .rust {
            switch own {
            case .python where file == nil, .java where !text.contains(".") && !text.contains("/"): break
            default: return own
            }
        }
        if format == "node-native" && (file != nil || text.contains(".")) && !text.contains("::") || name.contains(".<anonymous>") {
            return .javaScript
        }
        if file == nil, isRustLibrary(text) { return .rust }
        if format.hasPrefix("android") || format.hasPrefix("jvm"), text.contains("."), !text.contains("::") {
            // A method with its descriptor, `Sieve.sift([I)V`, or alone; C++ has arguments with
            // spaces or no dot before them.
            if let open = text.first("(") {
                if text.first(".").map({ $0 < open }) == true, text.first(" ").map({ $0 > open }) ?? true { return .java }
            } else {
                return .java
            }
        }
        return .cPlusPlus
    }
}
