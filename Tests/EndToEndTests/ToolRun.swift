import Console
import Personalities
import TestSupport

/// Runs a tool whose place cairn takes within this process, as `cairn NAME ARGUMENTS` would.
/// - Parameter variables: its whole environment.
func runTool(_ name: String, _ arguments: [String], input: String = "", variables: [String: String] = [:]) throws -> RunResult {
    guard case .here(let tool)? = Personality(named: name)?.work else { throw RunError(description: "\(name): not a tool of cairn") }
    return try withStandardStreams(input: Array(input.utf8)) { streams in
        tool(arguments, ToolContext(input: streams[0], output: streams[1], errors: streams[2], variables: variables)).rawValue
    }
}
