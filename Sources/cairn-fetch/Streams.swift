internal import BinaryPrimitives

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Writes one line to standard error, in the name of the command that users call. What a file's name or contents put into it stays in that line.
func complain(_ message: String) {
    try? FileDescriptor.write(Array("cairn: \(PlainText.line(message))\n".utf8), to: 2)
}

/// Ends the process at once, whatever its other threads do.
func endProcess(_ status: Int32) -> Never { _exit(status) }
