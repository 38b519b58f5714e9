internal import BinaryPrimitives

/// A file that tells of a crash and is no log, or that a log is packed in: what it is, and the program that makes a log of it today.
public struct ForeignFile: Sendable, Hashable {
    /// The name that `cairn formats` says.
    public var name: String
    /// What it is, for people.
    public var kind: String
    /// A command that shows what is in it, without its last argument, which is the file. Words in capitals are for what only the user knows.
    public var command: String
    /// The command's output is a log that can be read; otherwise the command answers addresses itself.
    public var makesLog = true

    /// The problem of a log that is such a file.
    /// - Parameter path: where it is.
    public func problem(path: String = "FILE") -> LogError {
        LogError("this is \(kind) and no log", expected: "what this prints: \(pipeline(path: path))")
    }

    /// The commands that read it, for a shell.
    public func pipeline(path: String) -> String { command + " " + ShellWord.quoted(path) + (makesLog ? " | cairn -" : "") }

    /// - Parameter start: the file's first bytes, as many as are there. More than a few help with core files alone.
    /// - Returns: `nil` for everything that may be a log.
    static func recognise(_ start: Span<UInt8>) -> ForeignFile? {
        if let found = magics.first(where: { start.has($0.bytes, at: $0.position) }) { return found.file }
        return ELFCore.recognise(start) ?? ProtobufTombstone.recognise(start)
    }

    private struct Magic {
        var bytes: [UInt8]
        var position = 0
        var file: ForeignFile
    }

    /// File formats by the bytes that they begin with, as their documents give them.
    private static let magics: [Magic] = [
        // MINIDUMP_HEADER.Signature (minidumpapiset.h). The program is Mozilla's; Breakpad's is called almost alike. What it prints has its names already.
        Magic(
            bytes: Array("MDMP".utf8),
            file: ForeignFile(
                name: "minidump", kind: "a minidump", command: "minidump-stackwalk --human --symbols-path SYMBOLS", makesLog: false)),
        // perf.data-file-format.txt, `PERF_MAGIC`.
        Magic(
            bytes: Array("PERFILE2".utf8), file: ForeignFile(name: "perf-data", kind: "a recording of perf", command: "perf script -i")),
        // Journal File Format, `HEADER_SIGNATURE`.
        Magic(
            bytes: Array("LPKSHHRH".utf8),
            file: ForeignFile(name: "systemd-journal", kind: "a journal of systemd", command: "journalctl --file")),
        // RFC 1952; RFC 8878; the .xz File Format; bzip2; APPNOTE.TXT.
        Magic(bytes: [0x1F, 0x8B, 0x08], file: ForeignFile(name: "gzip", kind: "compressed (gzip)", command: "gzip -dc")),
        // RFC 1950, deflated with the usual effort. Unreal's crash reporter sends such containers, the game's log in them.
        Magic(
            bytes: [0x78, 0x9C],
            file: ForeignFile(
                name: "zlib", kind: "compressed (zlib, as Unreal Engine's crash containers are)",
                command: #"python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.decompress(open(sys.argv[1], "rb").read()))'"#)),
        Magic(bytes: [0x28, 0xB5, 0x2F, 0xFD], file: ForeignFile(name: "zstd", kind: "compressed (Zstandard)", command: "zstd -dc")),
        Magic(bytes: [0xFD] + Array("7zXZ".utf8) + [0], file: ForeignFile(name: "xz", kind: "compressed (xz)", command: "xz -dc")),
        // Behind the block size, the first block begins with π's digits.
        Magic(
            bytes: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59], position: 4,
            file: ForeignFile(name: "bzip2", kind: "compressed (bzip2)", command: "bzip2 -dc")),
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
