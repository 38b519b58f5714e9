internal import BinaryPrimitives

/// The standard streams of a tool, by descriptor, and its environment variables. Tests give files
/// of their own in place of the process's streams, and run a tool without starting a process.
package struct ToolContext: Sendable {
    let input: Int32
    let output: Int32
    let errors: Int32
    let variable: @Sendable (String) -> String?
    /// The run is the whole process: it may end the process itself.
    let endsProcess: Bool

    /// The process's own streams and environment.
    package static var process: ToolContext {
        ToolContext(input: 0, output: 1, errors: 2, endsProcess: true, variable: environmentVariable)
    }

    package init(input: Int32, output: Int32, errors: Int32, variables: [String: String]) {
        self.init(input: input, output: output, errors: errors, endsProcess: false) { variables[$0] }
    }

    private init(input: Int32, output: Int32, errors: Int32, endsProcess: Bool, variable: @escaping @Sendable (String) -> String?) {
        self.input = input
        self.output = output
        self.errors = errors
        self.endsProcess = endsProcess
        self.variable = variable
    }

    /// Whether a tool prints its original's output even where cairn differs on purpose.
    var isStrict: Bool { variable("CAIRN_STRICT_COMPAT") == "1" }

    func writeOutput(_ text: String) { try? FileDescriptor.write(Array(text.utf8), to: output) }
}
