internal import CommandSupport

/// The text of `cairn -h` and `cairn symbolicate -h`.
extension ShortHelp {
    private static let options: [OptionName] = [
        .symbols, .format, .output, .sourceRoot, .pathMap, .debuginfod, .logFormat, .threads, .strict, .quiet,
    ]

    /// The options are those of `cairn LOG…`: most users need no other command.
    static var root: ShortHelp {
        ShortHelp(
            of: Symbolicate.self, summary: "cairn symbolicates crash logs: it turns their addresses into functions, files and lines.",
            usage: ["cairn LOG... [options]", "cairn COMMAND ..."],
            examples: ["cairn run ./a.out", "cairn crash.ips --symbols App.dSYM", "./server 2>&1 | cairn --symbols build/"],
            options: options,
            more: [
                ("cairn --help", "All commands: run, explain, filter, ci, batch, serve ..."),
                ("cairn symbolicate --help", "All options."),
            ])
    }

    static var symbolicate: ShortHelp {
        ShortHelp(
            of: Symbolicate.self, usage: ["cairn LOG... [options]"],
            examples: [
                "cairn crash.ips --symbols App.dSYM", "cairn crash.log --symbols build/ --format text",
                "./server 2>&1 | cairn --symbols build/",
            ],
            options: options,
            more: [
                ("cairn symbolicate --help", "All options."), ("cairn explain LOG...", "Why frames are unresolved."),
                ("cairn formats", "The supported log formats."),
            ])
    }
}
