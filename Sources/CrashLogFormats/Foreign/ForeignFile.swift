internal import BinaryPrimitives
package import CrashLogModel

/// A file about a crash that is not a log, or that contains one: its kind, and the program that
/// makes a log of it.
package struct ForeignFile: Sendable, Hashable {
    /// Name in the list of `cairn formats`.
    package var name: String
    /// Description for people: `a core file`.
    package var kind: String
    /// A command that shows what is in it, without its last argument, which is the file. Words in
    /// capitals are for what only the user knows.
    package var command: String
    /// The command's output is a log that can be read; otherwise the command resolves addresses
    /// itself.
    package var printsLog = true
    /// The file may be a log inside: it is compressed.
    package var isCompressed = false
    /// Text before the command, if the command neither makes a log nor resolves addresses.
    package var advice: String?

    /// The problem of a log that is such a file.
    /// - Parameter path: path of the file; `-` is standard input.
    package func problem(path: String = "FILE") -> LogError { problem(path: path, in: nil) }

    /// - Parameter container: compression format of the file, if it is compressed.
    package func problem(path: String, in container: LogCompression?) -> LogError {
        let path = path == "-" ? "FILE" : path
        let reading = advice ?? (printsLog ? "Symbolicate it with" : "Read it with")
        guard let container else {
            return LogError("this is \(kind), not a log", commands: ". \(reading): \(pipeline(path: path))", kind: .otherFile)
        }
        let problem = "this is \(kind), compressed with \(container.name), not a log"
        // tar decompresses by itself.
        if name == "tar" { return LogError(problem, commands: ". \(reading): \(pipeline(path: path))", kind: .otherFile) }
        // The file of standard input has no name: `gzip -dc FILE > FILE` would empty it.
        let unpacked = path == "FILE" ? "UNPACKED" : "FILE"
        let unpacking = "\(container.command) \(ShellWord.quoted(path)) > \(unpacked)"
        return LogError(problem, commands: ". Decompress it first: \(unpacking) && \(pipeline(path: unpacked))", kind: .otherFile)
    }

    /// The commands that read it, for a shell.
    package func pipeline(path: String) -> String { command + " " + ShellWord.quoted(path) + (printsLog ? " | cairn -" : "") }

    /// - Parameter start: the file's first bytes, as many as are there. More than a few help with
    ///   core files alone.
    /// - Returns: `nil` for everything that may be a log.
    package static func recognise(_ start: Span<UInt8>) -> ForeignFile? {
        if let container = LogCompression(start) { return compressed(container) }
        if let found = magics.first(where: { start.has($0.bytes, at: $0.position) }) { return found.file }
        return MemoryFormat(start)?.asForeignFile ?? ProgramFile.recognise(start)
    }

    /// Such a log is read by `LogInput`. Here it is one whose bytes came otherwise, or a container
    /// in a container.
    private static func compressed(_ container: LogCompression) -> ForeignFile {
        let name = container == .zstandard ? "zstd" : container.name
        // Unreal's crash reporter sends such containers, the game's log in them.
        let kind = container == .zlib ? "zlib, as Unreal Engine's crash containers are" : container.name
        return ForeignFile(name: name, kind: "compressed (\(kind))", command: container.command, isCompressed: true)
    }

    private struct Magic {
        var bytes: [UInt8]
        var position = 0
        var file: ForeignFile
    }

    /// File formats by the bytes that they begin with, as their documents give them.
    private static let magics: [Magic] = [
        // perf.data-file-format.txt, `PERF_MAGIC`.
        Magic(
            bytes: Array("PERFILE2".utf8), file: ForeignFile(name: "perf-data", kind: "a recording of perf", command: "perf script -i")),
        // Journal File Format, `HEADER_SIGNATURE`.
        Magic(
            bytes: Array("LPKSHHRH".utf8),
            file: ForeignFile(name: "systemd-journal", kind: "a journal of systemd", command: "journalctl --file")),
        // APPNOTE.TXT.
        Magic(bytes: [0x50, 0x4B, 0x03, 0x04], file: ForeignFile(name: "zip", kind: "an archive (zip)", command: "unzip -p")),
        // POSIX' ustar.
        Magic(
            bytes: Array("ustar".utf8), position: 257, file: ForeignFile(name: "tar", kind: "an archive (tar)", command: "tar -xOf")),
    ]
}

extension Span where Element == UInt8 {
    fileprivate func has(_ bytes: [UInt8], at position: Int) -> Bool {
        count - position >= bytes.count && bytes.indices.allSatisfy { self[position + $0] == bytes[$0] }
    }
}

/// A program, a library or an object file instead of a log: the arguments were mixed up, or a
/// shell's pattern matched more than logs.
package enum ProgramFile {
    package static func recognise(_ start: Span<UInt8>) -> ForeignFile? {
        guard let kind = isELF(start) ? "an ELF file" : isMachO(start) ? "a Mach-O file" : isPE(start) ? "a PE file" : nil else {
            return nil
        }
        return ForeignFile(
            name: "program", kind: "\(kind) (a program, a library or debug information)", command: "cairn LOG --symbols", printsLog: false,
            advice: "To use it for symbols")
    }

    /// `e_ident` and `e_type` (gABI 4.1): relocatable, executable or shared; a core file is
    /// something else.
    private static func isELF(_ start: Span<UInt8>) -> Bool {
        guard start.hasPrefix("\u{7F}ELF"), start.count >= 20, let order = start.at(5), order == 1 || order == 2 else { return false }
        let type = order == 1 ? (start[16], start[17]) : (start[17], start[16])
        return (1...3).contains(type.0) && type.1 == 0
    }

    /// `MH_MAGIC`, `MH_MAGIC_64` in both byte orders (mach-o/loader.h). A universal file begins as
    /// a Java class does, and is recognised by its control characters alone.
    private static func isMachO(_ start: Span<UInt8>) -> Bool {
        guard start.count >= 28 else { return false }
        switch (start[0], start[1], start[2], start[3]) {
        case (0xCE, 0xFA, 0xED, 0xFE), (0xCF, 0xFA, 0xED, 0xFE), (0xFE, 0xED, 0xFA, 0xCE), (0xFE, 0xED, 0xFA, 0xCF): return true
        default: return false
        }
    }

    /// `MZ`, and `PE\0\0` where the four bytes at 60 say (Microsoft, "PE Format").
    private static func isPE(_ start: Span<UInt8>) -> Bool {
        guard start.hasPrefix("MZ"), start.count >= 64 else { return false }
        let offset = (60..<64).reversed().reduce(0) { $0 << 8 | Int(start[$1]) }
        return start.has(Array("PE\0\0".utf8), at: offset)
    }
}
