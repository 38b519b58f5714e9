internal import ArgumentParser
internal import CommandSupport
internal import Console
internal import Personalities

/// A shell's completion script, made from the declarations of the commands: cairn's own, those of the
/// programs beside it, and the tools whose place it takes, as commands of cairn and by links to it.
struct CompletionScript {
    enum Shell: String, CaseIterable, ExpressibleByArgument { case bash, zsh, fish }

    let shell: Shell
    /// `cairn` itself, with every command that can be its first word.
    private let root: DeclaredCommand
    /// Commands that `CommandTree` parses.
    private let own: [DeclaredCommand]
    private let tools: [DeclaredCommand]
    private let links = Personality.names
    /// First words other than the name of a log: after a log, and after an option, the command is
    /// `cairn symbolicate`.
    private let firstWords: String

    init(_ shell: Shell, _ commands: DeclaredCommands) {
        self.shell = shell
        tools = commands.personalities + commands.neighbours
        own = commands.cairn.pages
        var root = commands.cairn
        root.subcommands += tools
        self.root = root
        firstWords = (["help"] + root.subcommands.map(\.commandPath)).joined(separator: " ")
    }

    var text: String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    // MARK: bash

    /// Three tables, of options, of commands and of values, and functions that offer what is in them.
    private var bash: String {
        let commands = root.pages
        let options = commands.map { command in
            (patterns: [command.commandPath], body: "printf '%s\\n' " + bashOptions(command).map(quoted).joined(separator: " "))
        }
        let subcommands = commands.filter { !$0.subcommands.isEmpty }.map { command in
            (patterns: [command.commandPath], body: "printf '%s\\n' " + wordsBelow(command).map { quoted($0.name) }.joined(separator: " "))
        }
        let values = commands.flatMap { command in
            command.arguments.filter { $0.value != nil && !$0.isValueOptional && !$0.names.isEmpty }.map { argument in
                (patterns: argument.names.map { command.commandPath + " " + $0 }, body: bashOffer(argument.completion))
            } + (operands(of: command).map { [(patterns: [command.commandPath], body: bashOffer($0))] } ?? [])
        }
        return """
            # The options of a command. A star is before those that can be repeated.
            __cairn_options() {
            \(cases(options))
            }

            # The commands below a command.
            __cairn_commands() {
            \(cases(subcommands))
            }

            # Offers values of an option ("symbolicate --format"), or a command's arguments that are not options.
            __cairn_values() {
            \(cases(values))
            }

            # Offers what compgen has for the word.
            __cairn_offer() {
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$@" -- "${COMP_WORDS[COMP_CWORD]}")
            }

            __cairn_offer_options() {
                local option
                while IFS='' read -r option; do
                    if [[ "${option}" == '*'* ]]; then
                        option="${option#?}"
                    elif [[ " ${COMP_WORDS[*]:0:COMP_CWORD} " == *" ${option} "* ]]; then
                        continue
                    fi
                    [[ "${option}" == "${COMP_WORDS[COMP_CWORD]}"* ]] && COMPREPLY+=("${option}")
                done < <(__cairn_options "$1")
            }

            # The index of the command that cairn ci and cairn run start; 0 where it has not begun. $1 and $2 as below.
            __cairn_started() {
                local -i index=$2
                while ((index <= COMP_CWORD)); do
                    local word="${COMP_WORDS[index]}"
                    if ((index < COMP_CWORD)) && [[ "${word}" == -- ]]; then
                        echo $((index + 1))
                        return
                    elif [[ "$1" == run && "${word}" != -* ]]; then
                        echo "${index}"
                        return
                    elif [[ "$1" == run ]] && __cairn_values "run ${word}"; then
                        index+=1
                    fi
                    index+=1
                done
                echo 0
            }

            # Completes a word of the command $1, whose words begin at the index $2.
            __cairn_complete() {
                local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
                COMPREPLY=()
                if [[ "$1" == ci || "$1" == run ]]; then
                    local -i start
                    start="$(__cairn_started "$1" "$2")"
                    if ((start == COMP_CWORD)); then
                        __cairn_offer -c
                        __cairn_offer -f
                        return
                    elif ((start > 0 && start < COMP_CWORD)); then
                        # The command's own completion, from the package bash-completion.
                        if declare -F _command_offset >/dev/null; then _command_offset "${start}"; else __cairn_offer -f; fi
                        return
                    fi
                fi
                [[ "${previous}" == -* ]] && __cairn_values "$1 ${previous}" && return
                if [[ "${word}" == -* ]]; then
                    __cairn_offer_options "$1"
                    return
                fi
                ((COMP_CWORD == $2)) && __cairn_offer -W "$(__cairn_commands "$1")"
                __cairn_values "$1" || [[ -n "${word}" ]] || __cairn_offer_options "$1"
            }

            _cairn() {
                local first="${COMP_WORDS[1]}"
                # cairn LOG..., and cairn --symbols ...
                if [[ "${first}" == -* ]] || { ((COMP_CWORD > 1)) && [[ " \(firstWords) " != *" ${first} "* ]]; }; then
                    __cairn_complete symbolicate 1
                elif ((COMP_CWORD == 1)); then
                    __cairn_complete '' 1
                elif ((COMP_CWORD > 2)) && __cairn_options "${first} ${COMP_WORDS[2]}" >/dev/null; then
                    __cairn_complete "${first} ${COMP_WORDS[2]}" 3
                else
                    __cairn_complete "${first}" 2
                fi
            }

            __cairn_link() {
                __cairn_complete "${1##*/}" 1
            }

            complete -o filenames -F _cairn cairn
            for __cairn_name in \(links.joined(separator: " ")); do
                case "$(readlink "$(type -P "${__cairn_name}")" 2>/dev/null)" in
                */cairn | cairn)
                    complete -o filenames -F __cairn_link "${__cairn_name}"
                    ;;
                esac
            done
            unset __cairn_name

            """
    }

    private func bashOptions(_ command: DeclaredCommand) -> [String] {
        command.arguments.flatMap { argument in argument.names.map { argument.isRepeating ? "*" + $0 : $0 } }
    }

    private func bashOffer(_ completion: DeclaredCommand.Completion) -> String {
        switch completion {
        case .any: ":"
        case .files: "__cairn_offer -f"
        case .directories: "__cairn_offer -d"
        case .list(let values): "__cairn_offer -W " + quoted(values.joined(separator: " "))
        }
    }

    // MARK: zsh

    /// One function file, `_cairn`. Own commands have a table for `_arguments`; the tools' options are not of
    /// the grammar that it knows, and are offered by name.
    private var zsh: String {
        let arguments = own.dropFirst().map { command in
            let specs = zshSpecifications(of: command).map { " \\\n            " + $0 }.joined()
            return (patterns: [command.commandPath], body: "_arguments -w -s -S :" + specs)
        }
        let parents = root.pages.filter { !$0.subcommands.isEmpty }
        let subcommands = parents.map { command in
            let rows = wordsBelow(command).map { quoted($0.name + ":" + $0.summary) }
            return (patterns: [command.commandPath], body: "reply=(\(rows.joined(separator: " ")))")
        }
        let options = tools.flatMap(\.pages).map { tool in
            (patterns: [tool.commandPath], body: "reply=(\(tool.arguments.flatMap(\.names).map(quoted).joined(separator: " ")))")
        }
        let nested = own.map(\.commandPath).filter { $0.contains(" ") }.map(quoted).joined(separator: " | ")
        return """
            #compdef cairn

            # Completes a word of a command of cairn.
            __cairn_arguments() {
            \(cases(arguments))
            }

            # Offers the commands below a command.
            __cairn_commands() {
                local -a reply
            \(cases(subcommands))
                _describe -V command reply
            }

            # The options of the tools that cairn replaces, and of the separate programs.
            __cairn_tool_options() {
            \(cases(options))
            }

            __cairn_complete_tool() {
                local -a reply
                __cairn_tool_options "$1" || return 1
                # The command that cairn ci starts.
                local -i dashes="${words[(i)--]}"
                if [[ "$1" == ci ]] && (( dashes < CURRENT )); then
                    shift "${dashes}" words
                    (( CURRENT -= dashes ))
                    _normal
                    return
                fi
                if [[ "${words[CURRENT]}" == -* ]]; then
                    compadd -- "${reply[@]}"
                else
                    (( CURRENT == 3 )) && __cairn_commands "$1"
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
                    __cairn_commands ''
                    _files
                    return
                fi
                # _arguments has the command as the first word.
                shift words
                (( CURRENT-- ))
                local command="${words[1]}"
                if (( CURRENT > 2 )); then
                    case "${command} ${words[2]}" in
                    \(nested))
                        command+=" ${words[2]}"
                        shift words
                        (( CURRENT-- ))
                        ;;
                    esac
                fi
                __cairn_arguments "${command}"
            }

            for __cairn_name in \(links.joined(separator: " ")); do
                case "${${__cairn_name:c}:A:t}" in
                cairn)
                    compdef _cairn "${__cairn_name}"
                    ;;
                esac
            done
            unset __cairn_name

            if [[ "${funcstack[1]}" = _cairn ]]; then
                _cairn "${@}"
            else
                compdef _cairn cairn
            fi

            """
    }

    /// The arguments of a command as `_arguments` of zsh takes them (zshcompsys(1)).
    private func zshSpecifications(of command: DeclaredCommand) -> [String] {
        let below = command.subcommands.isEmpty ? [] : [quoted(": :{__cairn_commands \(command.commandPath)}")]
        // The program that cairn run starts, and its own arguments.
        let started = command.commandPath == "run" ? [quoted("(-):program:_command_names -e"), quoted("*::arguments:_normal")] : []
        return below + started
            + command.arguments.filter { started.isEmpty || !$0.names.isEmpty }.map { argument in
                let value = argument.value.map { ":" + zshText($0) + ":" + zshAction(argument.completion) } ?? ""
                guard !argument.names.isEmpty else { return quoted((argument.isRepeating ? "*" : "") + value) }
                let help = "[" + zshText(argument.summary) + "]" + value
                guard argument.names.count > 1 else { return quoted((argument.isRepeating ? "*" : "") + argument.names[0] + help) }
                // Without repetition one of the names excludes the others.
                let start = argument.isRepeating ? "*" : "(" + argument.names.joined(separator: " ") + ")"
                return quoted(start) + "{" + argument.names.joined(separator: ",") + "}" + quoted(help)
            }
    }

    private func zshAction(_ completion: DeclaredCommand.Completion) -> String {
        switch completion {
        case .any: ""
        case .files: "_files"
        case .directories: "_files -/"
        case .list(let values): "(" + values.joined(separator: " ") + ")"
        }
    }

    private func zshText(_ text: String) -> String {
        text.map { "\\:[]".contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    // MARK: fish

    /// A line for each option and each command, and the condition under which it is offered.
    private var fish: String {
        let runOptions = root.pages.first { $0.commandPath == "run" }?.arguments.filter { $0.value != nil && !$0.isValueOptional } ?? []
        let runValues = runOptions.flatMap(\.names).map { " " + $0 }.joined()
        let nested = root.pages.map(\.commandPath).filter { $0.contains(" ") }.map { " " + quoted($0) }.joined()
        var text = """
            function __cairn_tokens
                if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
                    commandline --tokens-raw $argv
                else
                    commandline -o $argv
                end
            end

            # Whether the words before the cursor name this command.
            function __cairn_is -a command
                set -l tokens (__cairn_tokens -pc)
                set -e tokens[1]
                # cairn LOG..., and cairn --symbols ...
                if set -q tokens[1]
                    contains -- $tokens[1] \(firstWords)
                    or set tokens symbolicate
                else if string match -q -- '-*' (commandline -ct)
                    set tokens symbolicate
                end
                if set -q tokens[2]; and contains -- "$tokens[1] $tokens[2]"\(nested)
                    test "$tokens[1] $tokens[2]" = "$command"
                else
                    test "$tokens[1]" = "$command"; and not __cairn_started >/dev/null
                end
            end

            # The command that cairn ci and cairn run start, as far as it is written; fails where it has not begun.
            function __cairn_started
                set -l tokens (__cairn_tokens -pc)
                switch "$tokens[2]"
                    case ci
                        set -l dashes (contains -i -- -- $tokens); or return 1
                        for index in (seq $dashes)
                            set -e tokens[1]
                        end
                    case run
                        set -e tokens[1..2]
                        while set -q tokens[1]; and string match -q -- '-*' $tokens[1]
                            set -l option $tokens[1]
                            set -e tokens[1]
                            test "$option" = --; and break
                            if contains -- $option\(runValues)
                                # Its value is being written.
                                set -q tokens[1]; or return 1
                                set -e tokens[1]
                            end
                        end
                        if not set -q tokens[1]; and string match -q -- '-*' (commandline -ct)
                            return 1
                        end
                    case '*'
                        return 1
                end
                echo (string escape -- $tokens) (commandline -ct)
            end

            # Whether an option is given already, by one of its names. The word before the cursor is the option
            # itself while its value is completed, so that the last $last words do not count.
            function __cairn_has -a last
                set -l tokens (string replace -r '=.*' '' -- (__cairn_tokens -pc))
                test $last -gt 0; and set -e tokens[-1]
                for token in $tokens
                    contains -- $token $argv[2..]; and return 0
                end
                return 1
            end

            function __cairn_complete_directories
                set -l token (commandline -t)
                string match -- '*/' $token
                set -l subdirs $token*/
                printf %s\\n $subdirs
            end

            complete -c cairn -f

            """
        for command in root.pages {
            let condition = "__cairn_is \"\(command.commandPath)\""
            for (name, summary) in wordsBelow(command) {
                text += "complete -c cairn -n \(quoted(condition)) -a \(quoted(name)) -d \(quoted(summary))\n"
            }
            if let operands = operands(of: command) { text += "complete -c cairn -n \(quoted(condition))\(fishValues(operands))\n" }
            text += fishOptions(of: command, "-c cairn", condition)
            if links.contains(command.commandPath) {
                let isLink = "string match -q -r \"(^|/)cairn\\$\" -- (readlink (command -s \(command.commandPath)))"
                text += fishOptions(of: command, "-c \(command.commandPath)", isLink)
            }
        }
        // The command that cairn ci and cairn run start.
        text += "complete -c cairn -n '__cairn_started >/dev/null' -a '(complete -C (__cairn_started))'\n"
        return text
    }

    private func fishOptions(of command: DeclaredCommand, _ program: String, _ condition: String) -> String {
        // A tool with long names after one dash has no letters that can be joined.
        let isOld =
            tools.contains { $0.commandPath == command.commandPath }
            && command.arguments.flatMap(\.names).contains { !$0.hasPrefix("--") && $0.unicodeScalars.count > 2 }
        var text = ""
        for argument in command.arguments where !argument.names.isEmpty {
            let isGiven = "__cairn_has \(argument.value == nil ? 0 : 1) \(argument.names.joined(separator: " "))"
            let again = argument.isRepeating ? "" : "; and not " + isGiven
            text += "complete \(program) -n \(quoted(condition + again))"
            for name in argument.names {
                if name.hasPrefix("--") {
                    text += " -l \(name.dropFirst(2))"
                } else {
                    text += (name.unicodeScalars.count == 2 && !isOld ? " -s " : " -o ") + quoted(String(name.dropFirst()))
                }
            }
            if argument.value != nil, !argument.isValueOptional { text += " -r" + fishValues(argument.completion) }
            text += " -d \(quoted(argument.summary))\n"
        }
        return text
    }

    private func fishValues(_ completion: DeclaredCommand.Completion) -> String {
        switch completion {
        case .any: " -fka ''"
        case .files: " -F"
        case .directories: " -fa '(__cairn_complete_directories)'"
        case .list(let values): " -fka " + quoted(values.joined(separator: " "))
        }
    }

    // MARK: All shells

    /// Completion of the arguments of a command that are not options; a log may be the first word of all.
    private func operands(of command: DeclaredCommand) -> DeclaredCommand.Completion? {
        command.commandPath.isEmpty ? .files : command.operands
    }

    /// The commands that may follow a command: of `cairn batch`, `top` and `show`. `cairn help` is
    /// ArgumentParser's, and has no page.
    private func wordsBelow(_ command: DeclaredCommand) -> [(name: String, summary: String)] {
        let below = command.subcommands.map {
            (name: $0.commandPath.split(separator: " ").last.map(String.init) ?? "", summary: $0.summary)
        }
        return below + (command.commandPath.isEmpty ? [("help", "Show subcommand help information")] : [])
    }

    /// The `case` of a function of bash or zsh that looks its first argument up, and fails for any other.
    private func cases(_ rows: [(patterns: [String], body: String)]) -> String {
        var text = "    case \"$1\" in\n"
        for row in rows { text += "    \(row.patterns.map(quoted).joined(separator: " | ")))\n        \(row.body)\n        ;;\n" }
        return text + "    *)\n        return 1\n        ;;\n    esac"
    }

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
            printDiagnostic("completions: the declarations of the commands cannot be read")
            endProcess(.failed)
        }
        show(CompletionScript(shell, commands).text)
    }
}
