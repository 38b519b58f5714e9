import TestSupport
import Testing

/// Debian's own debuginfod, serving a folder on a loopback port until the value goes.
final class DebuginfodServer {
    let url: String
    private let process: String

    /// Starts it and waits until it has the file with this build ID, which the real client
    /// requests.
    init(serving folder: String, until id: String, kind: String = "debuginfo") throws {
        let port = try LoopbackListener.freePort()
        url = "http://127.0.0.1:\(port)"
        // The shell ends at once; the server goes on, and its number is what the shell prints.
        let script = "debuginfod -F -p \(port) -d :memory: \"$1\" >/dev/null 2>&1 & echo $!"
        process = try #require(try run("sh", ["-c", script, "sh", folder]).lines.first)
        let end = ContinuousClock.now + .seconds(60)
        try withTemporaryFolder { cache in
            try writeFile(cache + "/cache_miss_s", Array("0\n".utf8))
            while try run("debuginfod-find", [kind, id], environment: Self.environment(url, cache: cache)).status != 0 {
                try #require(ContinuousClock.now < end, "debuginfod does not answer on port \(port)")
                _ = try run("sleep", ["0.2"])
            }
        }
    }

    deinit { stop() }

    /// Tests run in threads that hold signals back, and a program that they start does so too: only
    /// `SIGKILL` comes through.
    func stop() { _ = try? run("kill", ["-KILL", process]) }

    /// Variables that elfutils' client needs, and no others of its variables.
    static func environment(_ url: String?, cache: String) -> [String: String?] {
        [
            "DEBUGINFOD_URLS": url, "DEBUGINFOD_CACHE_PATH": cache, "DEBUGINFOD_TIMEOUT": nil as String?,
            "DEBUGINFOD_MAXSIZE": nil as String?,
        ]
    }
}
