internal import BinaryPrimitives

/// JavaScript and Python, whose functions' names often say little: `async Object.load [as handler]`
/// is `Object.load`; `run` in `tank/pump.py` is `pump.py:run`, because every file has a `run`.
enum ScriptName {
    static func normalizeJavaScript(_ name: inout NameText) -> Bool {
        for word in ["async ", "new ", "get ", "set "] where name.drop(prefix: word) {}
        if let alias = name.first(" [as "), alias > 0 { name.keep(first: alias) }
        // `load.<anonymous>`, `Object.<anonymous>`: a function in the one that is named, or the
        // module itself.
        var isClosure = false
        while name.count > 12, name.drop(suffix: ".<anonymous>") || name.drop(suffix: "/<") { isClosure = true }
        return isClosure
    }

    /// Names code without a name by its file: `mail.js:<anonymous>`. `Object.<anonymous>` is a module's own code, which
    /// every file has. Node's own loader has nameless functions at the end of most stacks, which say nothing.
    static func nameAnonymous(_ result: inout NameText, of name: String, in file: String) {
        guard name == "<anonymous>" || name == "Object.<anonymous>" else { return }
        result = NameText(file.hasPrefix("node:") ? "" : Path.foreignName(of: file) + ":<anonymous>")
    }

    static func normalizePython(_ name: inout NameText) -> Bool {
        var isClosure = false
        for part in [".<locals>.<lambda>", ".<locals>.<listcomp>", ".<locals>.<genexpr>", ".<locals>.<dictcomp>", ".<locals>.<setcomp>"] {
            while name.drop(suffix: part) { isClosure = true }
        }
        name.replace(".<locals>")
        return isClosure
    }
}
