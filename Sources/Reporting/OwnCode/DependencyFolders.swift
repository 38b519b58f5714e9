/// Folders in which package managers and build systems put code that others wrote, by their names.
package enum DependencyFolders {
    /// Directories that are recognized by their names alone.
    private static let names: [String: String] = [
        "node_modules": "npm’s packages", "Pods": "CocoaPods’ packages", "Carthage": "Carthage’s packages", "vendor": "vendored code",
        "third_party": "third-party code", "third-party": "third-party code", "thirdparty": "third-party code",
        "3rdparty": "third-party code",
        "ThirdParty": "third-party code", "_deps": "what CMake’s FetchContent brought", "site-packages": "Python’s packages",
        "dist-packages": "Python’s packages", ".venv": "a virtual environment of Python", ".tox": "an environment of tox",
        ".eggs": "Python’s packages",
        "DerivedData": "what Xcode built or fetched", ".build": "what SwiftPM built or fetched", ".swiftpm": "SwiftPM’s own",
        ".cargo": "Cargo’s packages",
        ".rustup": "Rust’s toolchain", ".gradle": "Gradle’s packages", ".m2": "Maven’s packages", ".conan": "Conan’s packages",
        ".conan2": "Conan’s packages",
        "vcpkg_installed": "vcpkg’s packages", "googletest": "GoogleTest’s own", "googlemock": "GoogleTest’s own",
        "googletest-src": "GoogleTest’s own",
        "Catch2": "Catch2’s own", "bazel-out": "what Bazel built", "CMakeFiles": "what CMake built",
    ]
    /// Directories that are recognized by their names and their parents' names.
    private static let pairs: [String: [String: String]] = [
        "pkg": ["mod": "Go’s modules"], "rustlib": ["src": "Rust’s standard library"],
        "SourcePackages": ["checkouts": "packages that Xcode fetched"],
    ]

    /// Description of a directory's owner; `nil` if its name does not show it.
    package static func reason(folder: String, behind parent: String) -> String? {
        // Builds of another kind often have directories of their own: `--scratch-path .build-asan`,
        // `cmake-build-debug`.
        if folder.hasPrefix(".build-") { return names[".build"] }
        if folder.hasPrefix("cmake-build-") { return names["CMakeFiles"] }
        return pairs[parent]?[folder] ?? names[folder]
    }

    /// Owner of a file, by the first directory on its path that shows it.
    static func reason(path: String) -> (folder: String, reason: String)? {
        var parent = ""
        for part in path.split(separator: "/").dropLast() {
            let folder = String(part)
            if let reason = reason(folder: folder, behind: parent) { return (folder, reason) }
            parent = folder
        }
        return nil
    }
}
