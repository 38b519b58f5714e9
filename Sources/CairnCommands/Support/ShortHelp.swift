internal import BinaryPrimitives
internal import Console

/// Text that `cairn` prints on a terminal without arguments. A user who types that wants to learn
/// what it is: it is no error.
enum ShortHelp {
    /// The arguments name no log and no option.
    static func isWanted(_ arguments: [String]) -> Bool {
        arguments.isEmpty || arguments == ["symbolicate"]
    }

    static func show() -> Never {
        var output = StandardOutput()
        output.append(text)
        output.flush()
        endProcess(.done)
    }

    static let text = """
        cairn symbolicates crash logs: it turns their addresses into functions, files and lines.

        usage: cairn LOG... [--symbols PATH]...

          cairn crash.log --symbols build/
              Symbolicate a log in its own format. PATH is a binary, a debug file, a dSYM,
              an archive or a directory of them.
          ./server 2>&1 | cairn --symbols build/
              Symbolicate standard input.
          cairn explain crash.log --symbols build/
              Show why frames are unresolved, and what to do.

        Logs can be compressed with gzip, zstd, xz, bzip2 or zlib.

          cairn --help               all commands
          cairn symbolicate --help   all options
          cairn formats              the supported log formats

        """
}
