internal import BinaryPrimitives

extension SymbolOptions {
    /// The options that decide which symbols are found, as words of a shell command that is printed
    /// to be pasted: `-s build/ --no-local `. Options that only change what is printed are left
    /// out.
    package var searchArguments: String {
        var arguments: [String] = []
        for path in symbols { arguments += ["-s", ShellWord.quoted(path)] }
        for text in image { arguments += ["--image", ShellWord.quoted(text)] }
        for path in sysroot { arguments += ["--sysroot", ShellWord.quoted(path)] }
        if noLocal { arguments.append("--no-local") }
        if force { arguments.append("--force") }
        if let logFormat { arguments += ["--log-format", ShellWord.quoted(logFormat)] }
        if let arch { arguments += ["--arch", ShellWord.quoted(arch)] }
        if debuginfod.isRequested {
            arguments.append("--debuginfod")
            arguments += debuginfod.urls.map { ShellWord.quoted($0, isPath: false) }
        }
        if debuginfod.isForbidden { arguments.append("--no-debuginfod") }
        return arguments.map { $0 + " " }.joined()
    }
}
