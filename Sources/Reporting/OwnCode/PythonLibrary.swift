internal import BinaryPrimitives

/// Python's standard library, by the folders in which interpreters keep it. What is in
/// `site-packages` and `dist-packages` is a package (`DependencyFolders`).
///
///     /usr/local/lib/python3.12/json/decoder.py                 images of Docker, pyenv, conda, Lambda's /var/lang
///     /opt/pypy/lib-python/3/json/decoder.py                    PyPy before 3.8
///     C:\Python311\Lib\json\decoder.py                          Windows: installers, conda, pyenv-win, the Store
///     C:\app\python311.zip\json\decoder.py                      zipped: the embeddable package
///
/// Frozen modules have no path: `<frozen importlib._bootstrap>`.
enum PythonLibrary {
    /// - Parameter path: with `/` between its parts.
    static func contains(_ path: String) -> Bool {
        // By bytes: this is called for every frame of thousands of logs.
        guard Array(path.utf8.suffix(4096)).span.contains(".py") else { return false }
        let parts = path.split(separator: "/").dropLast()
        if parts.contains("site-packages") || parts.contains("dist-packages") { return false }
        let hasDrive = path.utf8.dropFirst().first == UInt8(ascii: ":")
        for index in parts.indices {
            let part = parts[index]
            if part == "lib-python" || isZip(part) { return true }
            if ["lib", "lib64"].contains(part), let next = parts[(index + 1)...].first, isVersioned(next) { return true }
            if hasDrive, part == "Lib" || part == "lib", isHome(parts[..<index]) { return true }
        }
        return false
    }

    /// `python3.12`, `python3.13t`, `pypy3.10`
    private static func isVersioned(_ folder: Substring) -> Bool {
        for name in ["python", "pypy"] where folder.hasPrefix(name) {
            let version = folder.utf8.dropFirst(name.utf8.count)
            return version.first.map(isDigit) == true && version.contains(UInt8(ascii: "."))
        }
        return false
    }

    /// `python311.zip`
    private static func isZip(_ name: Substring) -> Bool {
        guard name.hasPrefix("python"), name.hasSuffix(".zip") else { return false }
        let version = name.utf8.dropFirst(6).dropLast(4)
        return !version.isEmpty && version.allSatisfy { isDigit($0) || $0 == UInt8(ascii: ".") }
    }

    /// Whether the last folder is one that an interpreter for Windows is installed in.
    private static func isHome(_ folders: ArraySlice<Substring>) -> Bool {
        guard let name = folders.last?.lowercased() else { return false }
        let parent = folders.dropLast().last?.lowercased()
        if name.hasPrefix("pythonsoftwarefoundation.python.") || name.hasPrefix("cpython-") || name.hasPrefix("pypy3") { return true }
        // `envs\NAME` is conda's, `versions\3.11.4` is pyenv-win's, `python.3.11.4\tools` is NuGet's.
        if parent == "envs" || parent == "versions" && name.utf8.first.map(isDigit) == true { return true }
        if name == "tools", parent?.hasPrefix("python.") == true { return true }
        for distribution in ["anaconda", "miniconda", "miniforge", "mambaforge", "python"] where name.hasPrefix(distribution) {
            // `Python311`, `Python312-32`, `Python 3.8`, `miniconda3`: nothing but a version, and no `PythonProject`.
            return name.utf8.dropFirst(distribution.utf8.count).allSatisfy { isDigit($0) || isOne($0, of: " .-") }
                || name.hasSuffix("-arm64")
        }
        return false
    }
}
