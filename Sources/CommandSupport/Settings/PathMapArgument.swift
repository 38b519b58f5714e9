internal import ArgumentParser
internal import SymbolFiles

/// `OLD=NEW`, as `--path-map` has it.
enum PathMapArgument {
    /// - Throws: `ValidationError` with what is wrong and what was expected.
    static func read(_ text: String) throws -> PathMap.Entry {
        guard let equals = text.firstIndex(of: "=") else { throw ValidationError("--path-map \(text): no = in it: expected OLD=NEW") }
        guard equals > text.startIndex else { throw ValidationError("--path-map \(text): the old path is empty: expected OLD=NEW") }
        return PathMap.Entry(old: String(text[..<equals]), new: String(text[text.index(after: equals)...]))
    }
}
