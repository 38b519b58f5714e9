internal import BinaryPrimitives
internal import CommandSupport
internal import CrashCapture

/// Variables that a command's environment lacks for its crashes to be worth reading. Variables that
/// the user has set stay as they are.
struct ChildEnvironment {
    /// Each as `NAME=value`.
    private(set) var variables: [String]
    /// The variables that were added or extended, in words for `--verbose`.
    private(set) var changes: [String] = []

    /// - Parameters:
    ///   - variables: this process's own.
    ///   - symbolizer: the path of cairn under the name of llvm-symbolizer; `nil` where there is
    ///     none.
    init(_ variables: [String], symbolizer: String?) {
        self.variables = variables
        // Swift's backtracer finds the stack; names and lines are resolved here, which is several
        // times as fast and knows more places for debug information. Every thread: a hang's cause
        // is in any of them, and is shown as long as nothing is said about threads (Swift 6.3 takes
        // `threads=all` for `threads=crashed`). Rows with addresses and identities are the `full`
        // preset's.
        extend(
            "SWIFT_BACKTRACE",
            [
                ("enable", "yes"), ("symbolicate", "off"), ("preset", "full"), ("registers", "none"),
                ("images", "mentioned"),
                ("color", "no"), ("interactive", "no"), ("limit", "128"),
            ], separator: ",")
        // The sanitizers' runtimes call it by themselves. They choose its grammar by its name.
        if let symbolizer {
            for name in ["ASAN", "HWASAN", "LSAN", "MSAN", "TSAN", "UBSAN"] { add(name + "_SYMBOLIZER_PATH", symbolizer) }
            add("LLVM_SYMBOLIZER_PATH", symbolizer)
        }
        // Undefined behaviour is one line without a stack otherwise.
        extend("UBSAN_OPTIONS", [("print_stacktrace", "1")], separator: ":")
        add("RUST_BACKTRACE", RuntimeVariables.rustBacktrace)
    }

    private func value(of name: String) -> String? {
        variables.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.utf8.count + 1)) }
    }

    private mutating func add(_ name: String, _ value: String) {
        guard self.value(of: name) == nil else { return }
        variables.append("\(name)=\(value)")
        changes.append("\(name)=\(value)")
    }

    /// Adds what a list of `key=value` lacks. Of a value of another form nothing is known, and
    /// nothing is added.
    private mutating func extend(_ name: String, _ wanted: [(key: String, value: String)], separator: Character) {
        let present = value(of: name) ?? ""
        let parts = present.split(separator: separator)
        guard parts.allSatisfy({ $0.contains("=") }) else { return }
        let keys = parts.map { $0.prefix { $0 != "=" } }
        // A backtracer that is switched off stays so, and without a word about the rest.
        if parts.contains("enable=no") { return }
        let missing = wanted.filter { wanted in !keys.contains { $0 == wanted.key } }
        let added = missing.map { "\($0.key)=\($0.value)" }.joined(separator: String(separator))
        guard !added.isEmpty else { return }
        variables.removeAll { $0.hasPrefix(name + "=") }
        variables.append("\(name)=\(present)\(present.isEmpty ? "" : String(separator))\(added)")
        changes.append("\(name): \(added)")
    }
}

/// cairn under the name of llvm-symbolizer, by which the sanitizers' runtimes know how to talk with
/// it: a link in a folder of its own.
struct SymbolizerLink {
    let path: String
    private let folder: String

    /// - Returns: `nil` where there is no cairn beside this program, or no folder can be made.
    init?() {
        guard let cairn = SiblingPrograms().find("cairn") else { return nil }
        let parent = environmentVariable("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        guard let folder = Directory.makeTemporary(in: parent) else { return nil }
        self.folder = folder
        path = Path.join(folder, "llvm-symbolizer")
        do throws(FileError) { try SymbolicLink.replace(path, target: cairn) } catch {
            remove()
            return nil
        }
    }

    func remove() {
        FileUse.remove(path)
        Directory.removeEmpty(folder)
    }
}
