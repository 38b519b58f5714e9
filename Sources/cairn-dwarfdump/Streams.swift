internal import BinaryPrimitives

/// Writes one line to standard error, in the name of the command that users call.
func complain(_ message: String) {
    let line = message.split(separator: "\n", omittingEmptySubsequences: true).joined(separator: " ")
    try? FileDescriptor.write(Array("cairn: \(line)\n".utf8), to: 2)
}
