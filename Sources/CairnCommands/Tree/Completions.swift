internal import ArgumentParser
internal import Console

/// `cairn completions SHELL`: the script that completes cairn's commands and options.
struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a shell's completion script.",
        discussion: """
            cairn completions bash > ~/.local/share/bash-completion/completions/cairn

            cairn completions zsh > ~/.zfunc/_cairn, where fpath has ~/.zfunc

            cairn completions fish > ~/.config/fish/completions/cairn.fish
            """)

    @Argument(help: "bash, zsh or fish.")
    var shell: CompletionScript.Shell

    func run() {
        guard let commands = DeclaredCommands() else {
            complain("completions: the declarations of the commands cannot be read")
            endProcess(.failed)
        }
        var output = StandardOutput()
        output.append(CompletionScript(shell, commands).text)
        output.flush()
        endProcess(.done)
    }
}
