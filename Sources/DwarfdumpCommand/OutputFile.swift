internal import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import LibC

/// Output of the dump: standard output, or a file.
final class OutputFile {
    private let descriptor: Int32
    private let path: String?
    private let isTerminal: Bool
    private var terminal = TerminalText(keepsColors: false)

    /// - Parameter path: `nil` or `-` for standard output.
    init(_ path: String?) throws {
        self.path = path == "-" ? nil : path
        guard let path = self.path else {
            descriptor = 1
            isTerminal = FileDescriptor.isTerminal(1)
            return
        }
        isTerminal = false
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            printDiagnostic("\(path): \(FileError.systemText(errno))")
            throw ExitCode.failure
        }
    }

    /// Writes, or ends the process: without a message if the reader has gone. By default `SIGPIPE` ends it;
    /// if that is ignored, the status is llvm-dwarfdump's (`EX_IOERR`).
    func write(_ bytes: [UInt8]) {
        var bytes = bytes
        // Names are written unchanged to programs and files, but must not be commands to a terminal.
        if isTerminal {
            var shown: [UInt8] = []
            terminal.append(bytes, isEnd: false, to: &shown)
            bytes = shown
        }
        do throws(FileError) { try FileDescriptor.write(bytes, to: descriptor, path: path ?? "standard output") } catch {
            if error.errorNumber == EPIPE { endProcessImmediately(74) }
            printDiagnostic(error.description)
            endProcessImmediately(1)
        }
    }

    /// Discards the output so far; the next output replaces it.
    func startAnew() {
        guard path != nil else { return }
        _ = ftruncate(descriptor, 0)
        lseek(descriptor, 0, SEEK_SET)
    }

    func finish() {
        guard path != nil, close(descriptor) != 0 else { return }
        printDiagnostic("\(path ?? ""): \(FileError.systemText(errno))")
        endProcessImmediately(1)
    }
}
