import TestSupport

/// The field's own demanglers, run on many names at once.
enum Peers {
    /// The toolchain's `llvm-nm`, to list symbols.
    static let nm = Toolchain.path("llvm-nm")
    static let swiftDemangle = Toolchain.path("swift-demangle")

    static let cxxfilt = "/usr/bin/llvm-cxxfilt-19"
    static var hasCxxfilt: Bool { TestPaths.isReadable(cxxfilt) }

    /// One line for each name.
    static func filter(_ names: [String], _ program: String, _ arguments: [String] = []) throws -> [String] {
        try run(program, arguments, input: Array((names.joined(separator: "\n") + "\n").utf8)).lines
    }

    /// Whether gcc's `c++filt` gives the same as `plain` for each name, in any spelling; `nil`
    /// without it or Python.
    static func saysTheSame(_ plain: [String], as names: [String]) throws -> [Bool]? {
        guard Installed.has("c++filt", "python3") else { return nil }
        let gnu = try filter(names, "c++filt")
        let pairs = zip(plain, gnu).map { $0 + "\t" + $1 }
        return try filter(pairs, "python3", ["-B", TestPaths.root + "/Tests/Benchmarks/spelling.py"]).map { $0 == "same" }
    }

    /// The names of a library's symbols, without the versions that `llvm-nm` hangs on them.
    static func symbols(of path: String, _ nm: String) throws -> [String] {
        try run(nm, ["--dynamic", "--no-sort", "--format=just-symbols", path]).lines.map { String($0.prefix { $0 != "@" }) }
    }

    /// Shared libraries that every machine with a Swift toolchain has, as far as they are there:
    /// much C++ of gcc and of clang, and Swift.
    static let libraries: [String] = {
        let swift = Toolchain.folder.map { [$0 + "/../lib/libclang.so", $0 + "/../lib/swift/linux/libswiftCore.so"] } ?? []
        return (["/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib/aarch64-linux-gnu/libstdc++.so.6"] + swift).filter(
            TestPaths.isReadable)
    }()
}
