internal import BinaryPrimitives

extension SymbolOptions {
    /// The options that decide which symbols are found, as words of a shell command that is printed
    /// to be pasted: `-s build/ --no-local `. Options that only change what is printed are left
    /// out.
    package var searchWords: String {
        var words: [String] = []
        for path in symbols { words += ["-s", ShellWord.quoted(path)] }
        for text in image { words += ["--image", ShellWord.quoted(text)] }
        for path in sysroot { words += ["--sysroot", ShellWord.quoted(path)] }
        if noLocal { words.append("--no-local") }
        if force { words.append("--force") }
        if let logFormat { words += ["--log-format", ShellWord.quoted(logFormat)] }
        if let arch { words += ["--arch", ShellWord.quoted(arch)] }
        if debuginfod.isRequested {
            words.append("--debuginfod")
            words += debuginfod.urls.map { ShellWord.quoted($0, isPath: false) }
        }
        if debuginfod.isForbidden { words.append("--no-debuginfod") }
        return words.map { $0 + " " }.joined()
    }
}
