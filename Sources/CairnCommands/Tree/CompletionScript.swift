internal import ArgumentParser
internal import Console
internal import Personalities

/// A shell's completion script: ArgumentParser's for cairn's own commands, and after it what
/// completes the tools whose place cairn takes and the programs beside it, as commands of cairn and
/// by links to it.
struct CompletionScript {
    enum Shell: String, CaseIterable, ExpressibleByArgument { case bash, zsh, fish }

    let shell: Shell
    private let tools: [DeclaredCommand]
    /// Programs beside cairn whose commands are its words, too: `cairn batch top`.
    private var parents: [DeclaredCommand] { tools.filter { !$0.subcommands.isEmpty } }
    private let links: [String]
    /// First words other than the name of a log: after a log, and after an option, the command is
    /// `cairn symbolicate`.
    private let firstWords: String

    init(_ shell: Shell, _ commands: DeclaredCommands) {
        self.shell = shell
        firstWords = (["help"] + (commands.cairn.subcommands + commands.personalities + commands.neighbours).map(\.commandPath)).joined(
            separator: " ")
        tools = commands.personalities + commands.neighbours
        links = Personality.names
    }

    var text: String {
        switch shell {
        case .bash: CommandTree.completionScript(for: .bash) + "\n" + bash
        case .zsh: zsh
        case .fish: shortForm(inFish: CommandTree.completionScript(for: .fish)) + "\n" + fish
        }
    }

    /// Script for bash. The commands of cairn are completed by the function that ArgumentParser's
    /// script registers.
    private var bash: String {
        var text = """

            # The tools that cairn replaces, and the separate programs.
            __cairn_tool_words() {
                case "$1" in

            """
        for tool in tools.flatMap(\.pages) {
            text +=
                "    \(quoted(tool.commandPath)))\n        printf '%s\\n' \(names(of: tool).map(quoted).joined(separator: " "))\n        ;;\n"
        }
        text += """
                *)
                    return 1
                    ;;
                esac
            }

            __cairn_tool_commands() {
                case "$1" in

            """
        for tool in parents { text += "    \(quoted(tool.commandPath)))\n        printf '%s\\n' \(commands(of: tool))\n        ;;\n" }
        text += """
                *) ;;
                esac
            }

            __cairn_complete_tool() {
                local word="${COMP_WORDS[COMP_CWORD]}"
                COMPREPLY=()
                if [[ "${word}" == -* ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "$(__cairn_tool_words "$1")" -- "${word}")
                else
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(
                        compgen -f -- "${word}"
                        [[ "${COMP_CWORD}" -eq 2 ]] && compgen -W "$(__cairn_tool_commands "$1")" -- "${word}"
                    )
                fi
            }

            __cairn_or_tool() {
                if [[ "${COMP_CWORD}" -gt 1 ]] && __cairn_tool_words "${COMP_WORDS[1]}" >/dev/null; then
                    if [[ "${COMP_CWORD}" -gt 2 ]] && __cairn_tool_words "${COMP_WORDS[1]} ${COMP_WORDS[2]}" >/dev/null; then
                        __cairn_complete_tool "${COMP_WORDS[1]} ${COMP_WORDS[2]}"
                    else
                        __cairn_complete_tool "${COMP_WORDS[1]}"
                    fi
                    return
                fi
                if __cairn_is_short; then
                    local -a COMP_WORDS=("${COMP_WORDS[0]}" symbolicate "${COMP_WORDS[@]:1}")
                    local -i COMP_CWORD=COMP_CWORD+1
                    local COMP_LINE="${COMP_LINE/ / symbolicate }"
                    local -i COMP_POINT=COMP_POINT+12
                    _cairn "$@"
                    return
                fi
                _cairn "$@"
                if [[ "${COMP_CWORD}" -eq 1 && "${COMP_WORDS[1]}" != -* ]]; then
                    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${COMP_WORDS[1]}")
                    local tool
                    for tool in \(tools.map { quoted($0.commandPath) }.joined(separator: " ")); do
                        [[ "${tool}" == "${COMP_WORDS[1]}"* ]] && COMPREPLY+=("${tool}")
                    done
                fi
            }

            # cairn LOG..., and cairn --symbols ...
            __cairn_is_short() {
                [[ "${COMP_WORDS[1]}" == -* ]] && return 0
                [[ "${COMP_CWORD}" -gt 1 && " \(firstWords) " != *" ${COMP_WORDS[1]} "* ]]
            }

            __cairn_link() {
                __cairn_complete_tool "${1##*/}"
            }

            complete -o filenames -F __cairn_or_tool cairn
            for __cairn_name in \(links.joined(separator: " ")); do
                case "$(readlink "$(type -P "${__cairn_name}")" 2>/dev/null)" in
                */cairn | cairn)
                    complete -o filenames -F __cairn_link "${__cairn_name}"
                    ;;
                esac
            done
            unset __cairn_name

            """
        return text
    }

    /// ArgumentParser's script for zsh is one function file: `#compdef cairn`, its functions,
    /// `_cairn` among them, and a block that calls or registers it. That function gets another
    /// name, and the one that decides between it and the tools has its own.
    private var zsh: String {
        var text = "# The tools that cairn replaces, and the separate programs.\n__cairn_tool_words() {\n    case \"$1\" in\n"
        for tool in tools.flatMap(\.pages) {
            text += "    \(quoted(tool.commandPath)))\n        reply=(\(names(of: tool).map(quoted).joined(separator: " ")))\n        ;;\n"
        }
        text += """
                *)
                    return 1
                    ;;
                esac
            }

            __cairn_tool_commands() {
                case "$1" in

            """
        for tool in parents { text += "    \(quoted(tool.commandPath)))\n        reply=(\(commands(of: tool)))\n        ;;\n" }
        text += """
                *)
                    reply=()
                    ;;
                esac
            }

            __cairn_complete_tool() {
                local -a reply
                __cairn_tool_words "$1" || return 1
                if [[ "${words[CURRENT]}" == -* ]]; then
                    compadd -- "${reply[@]}"
                else
                    if (( CURRENT == 3 )); then
                        __cairn_tool_commands "$1"
                        (( ${#reply} )) && compadd -- "${reply[@]}"
                    fi
                    _files
                fi
            }

            _cairn() {
                local name="${service:-cairn}"
                if [[ "${name}" != cairn ]]; then
                    __cairn_complete_tool "${name}"
                    return
                fi
                if (( CURRENT > 3 )) && __cairn_complete_tool "${words[2]} ${words[3]}"; then
                    return
                fi
                if (( CURRENT > 2 )) && __cairn_complete_tool "${words[2]}"; then
                    return
                fi
                # cairn LOG..., and cairn --symbols ...
                if [[ "${words[2]}" == -* ]] || { (( CURRENT > 2 )) && [[ " \(firstWords) " != *" ${words[2]} "* ]] }; then
                    words=("${words[1]}" symbolicate "${words[@]:1}")
                    (( CURRENT++ ))
                elif (( CURRENT == 2 )); then
                    compadd -- \(tools.map { quoted($0.commandPath) }.joined(separator: " "))
                    _files
                fi
                __cairn_commands "$@"
            }

            for __cairn_name in \(links.joined(separator: " ")); do
                case "${${__cairn_name:c}:A:t}" in
                cairn)
                    compdef _cairn "${__cairn_name}"
                    ;;
                esac
            done
            unset __cairn_name


            """
        let own = CommandTree.completionScript(for: .zsh).replacing("\n_cairn() {", with: "\n__cairn_commands() {")
        let block = "if [[ \"${funcstack[1]}\" = _cairn ]]; then"
        guard let end = own.firstRange(of: block) else { return own }
        return own[..<end.lowerBound] + text + own[end.lowerBound...]
    }

    /// ArgumentParser's function looks up which command the words are of.
    private func shortForm(inFish script: String) -> String {
        let tokens = "    set -l unparsed_tokens (__cairn_tokens -pc)\n"
        return script.replacing(
            tokens,
            with: tokens + """
                    # cairn LOG..., and cairn --symbols ...
                    if set -q unparsed_tokens[2]
                        contains -- $unparsed_tokens[2] \(firstWords)
                        or set unparsed_tokens $unparsed_tokens[1] symbolicate $unparsed_tokens[2..]
                    else if string match -q -- '-*' (commandline -ct)
                        set unparsed_tokens $unparsed_tokens symbolicate
                    end

                """)
    }

    private var fish: String {
        var text = "# The tools that cairn replaces, and the separate programs.\n"
        // A log may be first.
        text += "complete -c cairn -n '__fish_is_first_arg' -F\n"
        for tool in tools {
            text += "complete -c cairn -n '__fish_is_first_arg' -f -a \(quoted(tool.commandPath)) -d \(quoted(tool.summary))\n"
            let isItself = "__fish_seen_subcommand_from " + tool.commandPath
            // After a subcommand of the tool only the options of the subcommand count.
            let below = tool.subcommands.isEmpty ? "" : "; and not __fish_seen_subcommand_from " + commands(of: tool)
            text += describe(tool, isItself)
            let conditions =
                ["-c cairn -n \(quoted(isItself + below))"]
                + (links.contains(tool.commandPath)
                    ? ["-c \(tool.commandPath) -n 'string match -q -r \"(^|/)cairn\\$\" -- (readlink (command -s \(tool.commandPath)))'"]
                    : [])
            for condition in conditions { text += options(of: tool, condition) }
        }
        return text
    }

    /// The commands of a program beside cairn, and their options.
    private func describe(_ tool: DeclaredCommand, _ isTool: String) -> String {
        var text = ""
        for command in tool.subcommands {
            let name = String(command.commandPath.dropFirst(tool.commandPath.count + 1))
            let condition = quoted("\(isTool); and not __fish_seen_subcommand_from \(commands(of: tool))")
            text += "complete -c cairn -n \(condition) -a \(quoted(name)) -d \(quoted(command.summary))\n"
            text += options(of: command, "-c cairn -n \(quoted("\(isTool); and __fish_seen_subcommand_from \(name)"))")
        }
        return text
    }

    private func options(of tool: DeclaredCommand, _ condition: String) -> String {
        let hasLongNamesWithOneDash = names(of: tool).contains { !$0.hasPrefix("--") && $0.unicodeScalars.count > 2 }
        var text = ""
        for argument in tool.arguments where !argument.names.isEmpty {
            text += "complete \(condition)"
            for name in argument.names {
                if name.hasPrefix("--") {
                    text += " -l \(name.dropFirst(2))"
                } else {
                    text +=
                        (name.unicodeScalars.count == 2 && !hasLongNamesWithOneDash ? " -s " : " -o ")
                        + quoted(String(name.dropFirst()))
                }
            }
            if argument.value != nil, !argument.isValueOptional { text += " -r" }
            text += " -d \(quoted(argument.help))\n"
        }
        return text
    }

    /// Names of the commands of a tool; of `cairn batch`: `top show`.
    private func commands(of tool: DeclaredCommand) -> String {
        tool.subcommands.map { String($0.commandPath.dropFirst(tool.commandPath.count + 1)) }.joined(separator: " ")
    }

    private func names(of tool: DeclaredCommand) -> [String] { tool.arguments.flatMap(\.names) }

    private func quoted(_ text: String) -> String {
        switch shell {
        // In fish a backslash keeps a quote; the others end the quotes for it.
        case .fish: "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
        case .bash, .zsh: "'" + text.replacing("'", with: "'\\''") + "'"
        }
    }
}

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
        show(CompletionScript(shell, commands).text)
    }
}
