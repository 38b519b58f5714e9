import TestSupport

/// The committed files that a family of parsers is fuzzed with.
enum HostileFiles {
    /// Gives each file to `fuzz`; for a process that ends with the test.
    static func read(_ family: String, _ fuzz: (UnsafePointer<UInt8>, Int) -> CInt) {
        for path in seeds(of: family) {
            let bytes = TestPaths.bytes(of: path)
            // If a file crashes the process, the last line of its output names the file.
            print(path)
            // The pointer is valid for empty input, too.
            unsafe (bytes + [0]).withUnsafeBufferPointer { buffer in
                if let start = buffer.baseAddress { unsafe _ = fuzz(start, bytes.count) }
            }
        }
    }

    /// The files that `Tests/Fuzzing/FAMILY.seeds` names in this project.
    static func seeds(of family: String) -> [String] {
        let lines = String(decoding: TestPaths.bytes(of: TestPaths.root + "/Tests/Fuzzing/\(family).seeds"), as: UTF8.self).split(
            separator: "\n")
        return lines.filter { !$0.contains(" ") && !$0.hasPrefix("corpus/") }.flatMap { line -> [String] in
            let path = TestPaths.root + "/" + line
            let below = TestPaths.files(under: path)
            return below.isEmpty && TestPaths.isReadable(path) ? [path] : below
        }.filter { TestPaths.bytes(of: $0).count < 256 << 10 }
    }
}
