internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import CrashLogModel

/// Prints a log's problem as an error, with the command that helps.
/// - Parameter path: the log's; `-` is standard input.
func printLogError(_ error: LogError, of path: String) {
    printDiagnostic("\(LogArguments.shown(path)): \(error)\(advice(error, path))")
}

private func advice(_ error: LogError, _ path: String) -> String {
    switch error.kind {
    case .empty: ". To run a program and show where it crashes: cairn run PROGRAM"
    case .noReport: ". Supported formats: cairn formats. To run a program and show where it crashes: cairn run PROGRAM"
    case .otherFile where isProgram(path):
        ". To run it and show where it crashes: cairn run \(ShellWord.quoted(path.utf8.contains(UInt8(ascii: "/")) ? path : "./" + path))"
    case .otherFile where !error.problem.contains(": "): ". Supported formats: cairn formats"
    case .otherFile, .missing, .unreadable, .noStack, .damaged, .tooLarge: ""
    }
}

/// Whether a file is an ELF program that this user may run, by its name no library.
private func isProgram(_ path: String) -> Bool {
    path != "-" && Program.isRunnable(path) && !Path.name(of: path).contains(".so")
        && FileDescriptor.head(of: path, count: 4) == [0x7f, 0x45, 0x4c, 0x46]
}
