internal import BinaryPrimitives

/// Folder of cairn's caches. Results never depend on its contents: cairn can recreate all of them.
package enum CacheFolder {
    /// This user's: `CAIRN_CACHE`, else `cairn` in the user's cache folder (`XDG_CACHE_HOME`, or
    /// `~/.cache`).
    /// - Returns: `nil` without a home.
    package static func standard() -> String? { standard(environment: environmentVariable) }

    static func standard(environment: (String) -> String?) -> String? {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        return value("CAIRN_CACHE") ?? value("XDG_CACHE_HOME").map { Path.join($0, "cairn") }
            ?? value("HOME").map { Path.join($0, ".cache/cairn") }
    }
}
