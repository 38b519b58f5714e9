import LibC

/// The programs of the Swift toolchain, by where they are: beside `swift`. A plain `clang` or
/// `llvm-nm` in `PATH` may be a distribution's, of any version.
package enum Toolchain {
    /// The folder of the first `swift` in `PATH`, with symbolic links resolved.
    package static let folder: String? = Installed.path("swift").flatMap(realPath).map {
        String($0.prefix(upTo: $0.lastIndex(of: "/") ?? $0.startIndex))
    }

    /// - Returns: the path of a program of the toolchain; `nil` where it has none of this name.
    package static func path(_ name: String) -> String? {
        guard let path = folder.map({ $0 + "/" + name }), Installed.isRunnable(path) else { return nil }
        return path
    }

    package static func has(_ names: String...) -> Bool { names.allSatisfy { path($0) != nil } }

    /// Runs a program of the toolchain.
    /// - Throws: `RunError` where the toolchain has none of this name.
    package static func run(_ name: String, _ arguments: [String], input: [UInt8] = [], directory: String? = nil) throws -> RunResult {
        guard let path = path(name) else { throw RunError(description: "\(name) is not beside swift") }
        return try TestSupport.run(path, arguments, input: input, directory: directory)
    }

    /// Runs a script of the shell that finds the toolchain's programs before others of their names.
    package static func shell(_ script: String, _ arguments: [String] = [], directory: String? = nil) throws -> RunResult {
        let path = [folder, TestPaths.environment("PATH")].compactMap { $0 }.joined(separator: ":")
        return try TestSupport.run("sh", ["-c", script] + arguments, environment: ["PATH": path], directory: directory)
    }

    /// Links resolved (`realpath(3)`).
    private static func realPath(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

/// Other programs, by the name that their package gives them: with the version where that matters
/// (`llvm-nm-19`).
package enum Installed {
    /// - Returns: the path of the first program of this name in `PATH`.
    package static func path(_ name: String) -> String? {
        (TestPaths.environment("PATH") ?? "").split(separator: ":").lazy.map { "\($0)/\(name)" }.first(where: isRunnable)
    }

    package static func has(_ names: String...) -> Bool { names.allSatisfy { path($0) != nil } }

    static func isRunnable(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}

/// Programs of Python, with the first interpreter that has a module.
package enum Python {
    package static func interpreter(with module: String) -> String? {
        ["python3", "/usr/bin/python3"].first { (try? run($0, ["-c", "import \(module)"]).status) == 0 }
    }
}
