import LibC

/// Paths of the files that tests use. They are derived from this file's own path, so that tests run
/// from any directory.
package enum TestPaths {
    /// The package's root folder.
    package static let root: String = String(#filePath.dropLast("/Tests/TestSupport/TestPaths.swift".count))

    /// `Fixtures`: what this project made and committed.
    package static func fixture(_ path: String) -> String { root + "/Fixtures/" + path }

    /// The folder with real logs and objects that nobody here wrote: `CAIRN_CORPUS`, or `corpus` in
    /// a folder `shared` beside the package. `nil` when it is absent; tests that need it then say
    /// so and stop.
    package static let corpus: String? = {
        let candidates = [environment("CAIRN_CORPUS"), root + "/../shared/corpus"].compactMap { $0 }
        return candidates.first { isReadable($0 + "/MANIFEST.tsv") }
    }()

    /// A schema of the folder `schemas` beside the corpus; `nil` when it is absent.
    package static func schema(_ name: String) -> String? {
        corpus.map { $0 + "/../schemas/" + name }.flatMap { isReadable($0) ? $0 : nil }
    }

    /// The built `cairn` that end-to-end tests run: `CAIRN_BINARY`, else the debug build.
    package static let cairn: String = environment("CAIRN_BINARY") ?? root + "/.build/debug/cairn"

    package static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    package static func isReadable(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }
}
