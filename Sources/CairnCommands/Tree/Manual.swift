internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console

/// `cairn manual`: manual pages, made from the declarations of the commands.
struct Manual: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write manual pages.",
        discussion: """
            cairn manual symbolicate | man -l -

            cairn manual --to share/man/man1
            """)

    @Argument(
        help: ArgumentHelp("The command: symbolicate, symbols add, addr2line. Without one, the page of cairn itself.", valueName: "command")
    )
    var words: [String] = []

    @Option(help: ArgumentHelp("Write the pages of all commands into this directory, which is created if needed.", valueName: "dir"))
    var to: String?

    func run() {
        guard let commands = DeclaredCommands() else {
            printDiagnostic("manual: the declarations of the commands cannot be read")
            endProcess(.failed)
        }
        if let to { write(commands, to: to) }
        let wanted = words.flatMap { $0.split(separator: " ") }.joined(separator: " ")
        guard let command = commands.pages.first(where: { $0.commandPath == wanted || $0.pageName == wanted }) else {
            let suggestion = SimilarNames.suggestion(for: wanted, among: commands.pages.dropFirst().map(\.commandPath))
            printUsageError("manual: \(wanted): no such command." + suggestion, of: "cairn")
            endProcess(.usage)
        }
        let page = ManualPage(command, of: commands).text
        // Somebody reads it; `man -l -` gets roff.
        show(FileDescriptor.isTerminal(1) ? ManualText(page).text : page)
    }

    private func write(_ commands: DeclaredCommands, to folder: String) -> Never {
        var output = StandardOutput()
        do throws(FileError) {
            try FileReplacement.makeDirectories(folder)
            for command in commands.pages {
                let path = Path.join(folder, command.pageName + ".1")
                try FileReplacement.write(Array(ManualPage(command, of: commands).text.utf8), to: path)
                output.append(path + "\n")
            }
        } catch {
            output.flush()
            printDiagnostic(error.description)
            endProcess(.failed)
        }
        output.flush()
        endProcess(.done)
    }
}
