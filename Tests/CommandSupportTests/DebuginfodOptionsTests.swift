import ArgumentParser
import Testing

@testable import CommandSupport

/// Whether the network is used: `--debuginfod URL…`, `--no-debuginfod`, `--time-budget SECONDS`.
struct DebuginfodOptionsTests {
    private static let one = "http://one.example"
    private static let two = "https://two.example:8002/buildid"

    private func parse(_ arguments: [String]) throws -> DebuginfodOptions {
        try DebuginfodOptions.parse(DebuginfodOptions.separated(arguments))
    }

    private func refusal(_ arguments: [String]) -> String? {
        do { _ = try parse(arguments) } catch { return DebuginfodOptions.message(for: error) }
        return nil
    }

    /// The option takes any number of URLs, and what follows them is the log's:
    /// `--debuginfod URL URL LOG`.
    @Test(arguments: [
        (["--debuginfod", one, two, "LOG"], ["--debuginfod", "--debuginfod-server", one, "--debuginfod-server", two, "LOG"]),
        (["--debuginfod=" + one, two], ["--debuginfod", "--debuginfod-server", one, "--debuginfod-server", two]),
        (["--debuginfod", "file:///srv/debug"], ["--debuginfod", "--debuginfod-server", "file:///srv/debug"]),
        // No URL follows: what is there is a log.
        (["--debuginfod", "LOG", one], ["--debuginfod", "LOG", one]),
        (["--debuginfod", "file://srv"], ["--debuginfod", "file://srv"]),
        // A URL in another place is no server.
        ([one, "--debuginfod"], [one, "--debuginfod"]), (["-s", one], ["-s", one]),
        (["--strict=lines", "--debuginfod", one], ["--strict-lines", "--debuginfod", "--debuginfod-server", one]),
        // After `--` nothing is an option.
        (["--", "--debuginfod", one], ["--", "--debuginfod", one]), (["--", "--debuginfod=" + one], ["--", "--debuginfod=" + one]),
    ])
    func `URLs after the option are its servers`(arguments: [String], separated: [String]) {
        #expect(DebuginfodOptions.separated(arguments) == separated)
    }

    @Test func `only servers that the user names are used`() throws {
        #expect(try parse(["--debuginfod", Self.two, Self.one]).servers == [Self.two, Self.one])
        #expect(try parse(["--no-debuginfod"]).servers.isEmpty)
        #expect(try parse(["--no-debuginfod"]).makeServers(quiet: true) == nil)
    }

    @Test(arguments: [
        (["--debuginfod", one, "--no-debuginfod"], "--debuginfod and --no-debuginfod cannot be combined"),
        (["--debuginfod-server", "ftp://x"], "ftp://x: not a debuginfod server: expected http://…, https://… or file:///…"),
        (["--debuginfod-server", "http://a b"], "http://a b: not a debuginfod server: expected http://…, https://… or file:///…"),
        (["--time-budget", "0"], "--time-budget 0.0: expected more than 0, up to 86400"),
        (["--time-budget", "86400.5"], "--time-budget 86400.5: expected more than 0, up to 86400"),
        (["--time-budget", "nan"], "--time-budget nan: expected more than 0, up to 86400"),
    ])
    func `what cannot be meant is refused in a line`(arguments: [String], message: String) {
        #expect(refusal(arguments) == message)
    }

    /// A day is the most.
    @Test(arguments: [("0.25", 0.25), ("86400", 86_400.0)])
    func `a budget is seconds, whole or not`(text: String, seconds: Double) throws {
        #expect(try parse(["--time-budget", text]).timeBudget == seconds)
    }
}
