import TestSupport
import Testing

/// Manual pages and completion scripts, which are made from the declarations of the commands.
struct ManualTests {
    /// Whether a program is installed; where it is not, the test says so.
    private func has(_ program: String) -> Bool {
        let isThere = Installed.has(program)
        if !isThere { print("\(program) is not installed: what it would check is not checked") }
        return isThere
    }

    private static let commands = [
        "symbolicate", "explain", "anonymize", "info symbol", "formats", "inspect", "index", "symbols add", "install-links", "manual",
    ]
    private static let questions = ["batch", "batch top", "batch show", "batch diff", "batch search", "batch export"]
    private static let tools = ["addr2line", "atos", "eu-addr2line", "llvm-symbolizer", "llvm-addr2line"]

    @Test func `every command and every tool has a page that the formatters take without a word`() throws {
        try withTemporaryFolder { folder in
            let made = try cairn("manual", "--to", folder + "/share/man/man1").requireSuccess()
            let pages = try run("ls", [folder + "/share/man/man1"]).lines
            #expect(pages.count == made.lines.count)
            for command in Self.commands + Self.questions + Self.tools {
                #expect(pages.contains("cairn-" + command.replacing(" ", with: "-") + ".1"), "\(command)")
            }
            #expect(pages.contains("cairn.1"))
            // The options of `cairn batch` without a command are on its own page.
            #expect(!pages.contains("cairn-batch-run.1"))
            let (hasGroff, hasMandoc) = (has("groff"), has("mandoc"))
            for page in pages {
                let path = folder + "/share/man/man1/" + page
                if hasGroff {
                    let result = try run("groff", ["-man", "-ww", "-Tascii", "-z", path])
                    #expect(result.errors.isEmpty && result.status == 0, "\(page): \(result.errors)")
                }
                if hasMandoc {
                    let result = try run("mandoc", ["-Tlint", "-Wwarning", path])
                    #expect(result.output.isEmpty, "\(page): \(result.output)")
                }
            }
            if has("man") {
                let page = folder + "/share/man/man1/cairn-addr2line.1"
                let text = try run("man", ["-l", page], environment: ["MANPAGER": "cat", "MANWIDTH": "100"]).output
                #expect(text.contains("--section=NAME"))
                #expect(text.contains("cairn addr2line"))
            }
        }
    }

    /// A page lists every option that the command's own help lists.
    @Test func `a page has the options of the help`() throws {
        for command in [["symbolicate"], ["index"], ["symbols", "add"]] {
            let page = try cairn(["manual"] + command).output
            for line in try cairn(command + ["--help"]).lines {
                guard let option = line.split(separator: " ").first(where: { $0.hasPrefix("--") }), line.hasPrefix("  ") else { continue }
                let name = String(option.prefix { $0 != "," && $0 != "/" && $0 != "=" })
                #expect(page.contains(name.replacing("-", with: "\\-")), "\(command): \(name)")
            }
        }
        #expect(try cairn("manual", "nothing").status == 64)
    }

    @Test func `the page of a program with commands tells what it does without one`() throws {
        let page = try cairn("manual", "batch")
        #expect(page.output.contains("\n.B cairn batch\n[OPTION...] PATHS...\n.br\n.B cairn batch\nCOMMAND\n"))
        #expect(page.output.contains("\\-\\-jobs") && page.output.contains(".BR cairn\\-batch\\-top (1)"))
        let top = try cairn("manual", "batch", "top")
        #expect(top.output.contains("\n.B cairn batch top\n[OPTION...]\n") && top.output.contains("\\-\\-since"))
    }

    @Test(arguments: [
        (["cairn", "batch", "to"], "top"), (["cairn", "batch", "top", "--si"], "--since"), (["cairn", "batch", "--job"], "--jobs"),
        (["cairn", "ci", "--annotations", "gi"], "github"),
        (["cairn", "batch", "top", "--job"], ""),
    ])
    func `bash and fish offer the commands of a program and their options`(arguments: [String], offered: String) throws {
        try withTemporaryFolder { folder in
            try run("ln", ["-s", TestPaths.cairn, folder + "/cairn"]).requireSuccess()
            let path = folder + ":" + (TestPaths.environment("PATH") ?? "/usr/bin:/bin")
            try writeFile(folder + "/script", try Self.script("bash").standardOutput)
            let ask = """
                source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
                _cairn "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; printf '%s\\n' "${COMPREPLY[@]}"
                """
            let bash = try run("bash", ["-c", ask, folder + "/script"] + arguments, environment: ["PATH": path], directory: folder)
            #expect(bash.output == offered + "\n", "\(bash.errors)")
            guard has("fish") else { return }
            try writeFile(folder + "/script", try Self.script("fish").standardOutput)
            let command = "source \(folder)/script; complete -C '\(arguments.joined(separator: " "))'"
            let fish = try run("fish", ["-N", "-c", command], environment: ["HOME": folder], directory: folder)
            let names = fish.lines.compactMap { $0.split(separator: "\t").first.map(String.init) }
            #expect(offered.isEmpty ? names.isEmpty : names.contains(offered), "\(fish.output) \(fish.errors)")
        }
    }

    /// Output of `cairn completions`, cached for all tests: each call starts every program to read its options.
    private static func script(_ shell: String) throws -> RunResult {
        try scripts[shell, default: .failure(RunError(description: shell))].get()
    }

    private static let scripts = Dictionary(
        uniqueKeysWithValues: ["bash", "zsh", "fish"].map { shell in (shell, Result { try cairn("completions", shell) }) })

    @Test(arguments: ["bash", "zsh", "fish"])
    func `the shell reads its script`(shell: String) throws {
        guard has(shell) else { return }
        try withTemporaryFolder { folder in
            let script = try Self.script(shell)
            #expect(script.status == 0)
            try writeFile(folder + "/script", script.standardOutput)
            let result = try run(shell, ["-n", folder + "/script"])
            #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        }
    }

    /// Runs bash's own machinery to get what it would offer.
    @Test(arguments: [
        (["cairn", "symb"], ["symbolicate", "symbols"]), (["cairn", "eu"], ["eu-addr2line"]),
        (["cairn", "symbolicate", "--log-"], ["--log-format"]),
        (["cairn", "addr2line", "--sec"], ["--section"]), (["cairn", "atos", "-full"], ["-fullPath"]),
        (["cairn", "eu-addr2line", "--symbols"], ["--symbols", "--symbols-sections"]), (["addr2line", "--pre"], ["--pretty-print"]),
        (["cairn", "llvm-symbolizer", "--output-"], ["--output-style"]),
    ])
    func `bash offers what there is`(arguments: [String], offered: [String]) throws {
        try withTemporaryFolder { folder in
            try run("ln", ["-s", TestPaths.cairn, folder + "/cairn"]).requireSuccess()
            try run("ln", ["-s", folder + "/cairn", folder + "/addr2line"]).requireSuccess()
            try writeFile(folder + "/script", try Self.script("bash").standardOutput)
            let ask = """
                source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
                function=$(complete -p "$1" | sed 's/.*-F \\([^ ]*\\).*/\\1/')
                "${function}" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; printf '%s\\n' "${COMPREPLY[@]}" | sed 's/ *$//' | sort -u
                """
            let path = folder + ":" + (TestPaths.environment("PATH") ?? "/usr/bin:/bin")
            let result = try run("bash", ["-c", ask, folder + "/script"] + arguments, environment: ["PATH": path])
            #expect(result.lines == offered.sorted(), "\(result.errors)")
        }
    }

    @Test(arguments: [("cairn addr2line --sec", "--section"), ("cairn eu-", "eu-addr2line"), ("cairn atos -full", "-fullPath")])
    func `fish offers what there is`(line: String, offered: String) throws {
        guard has("fish") else { return }
        try withTemporaryFolder { folder in
            try writeFile(folder + "/script", try Self.script("fish").standardOutput)
            let result = try run("fish", ["-N", "-c", "source \(folder)/script; complete -C '\(line)'"], environment: ["HOME": folder])
            #expect(
                result.lines.contains { $0.split(separator: "\t").first.map(String.init) == offered }, "\(result.output) \(result.errors)")
        }
    }

    /// `cairn LOG...` and `cairn --symbols ...`, which are `cairn symbolicate`.
    @Test(arguments: [
        ("cairn cra", ["crash.log"]), ("cairn crash.log --log-f", ["--log-format"]), ("cairn --sysr", ["--sysroot"]),
        ("cairn -s cra", ["crash.log"]), ("cairn crash.log --format apple", ["apple-crash"]), ("cairn crash.log -s cra", ["crash.log"]),
        ("cairn crash.log --log-format sanitizer-h", ["sanitizer-hwasan"]), ("cairn expl", ["explain"]),
    ])
    func `the short form is completed`(line: String, offered: [String]) throws {
        try withTemporaryFolder { folder in
            try run("ln", ["-s", TestPaths.cairn, folder + "/cairn"]).requireSuccess()
            try writeFile(folder + "/crash.log", [])
            try writeFile(folder + "/bash", try Self.script("bash").standardOutput)
            let arguments = line.split(separator: " ").map(String.init)
            let ask = """
                source ./bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
                _cairn "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; printf '%s\\n' "${COMPREPLY[@]}" | sed 's/ *$//' | sort -u
                """
            let path = folder + ":" + (TestPaths.environment("PATH") ?? "/usr/bin:/bin")
            let bash = try run("bash", ["-c", ask, "bash"] + arguments, environment: ["PATH": path], directory: folder)
            #expect(bash.lines == offered, "\(bash.errors)")
            guard has("fish") else { return }
            try writeFile(folder + "/fish", try Self.script("fish").standardOutput)
            let fish = try run(
                "fish", ["-N", "-c", "source ./fish; complete -C '\(line)'"], environment: ["HOME": folder], directory: folder)
            #expect(fish.lines.compactMap { $0.split(separator: "\t").first.map(String.init) } == offered, "\(fish.output)\(fish.errors)")
        }
    }

    /// After `cairn ci --` and `cairn run` comes another program, with its own arguments.
    private static let started = [
        ("cairn ci -- shopt", "ool"), ("cairn ci --timeout 5 -- ./shopp", "rogram"), ("cairn ci -- ./shopprogram cra", "sh.log"),
        ("cairn run shopt", "ool"), ("cairn run ./shopp", "rogram"), ("cairn run -s . ./shopp", "rogram"),
        ("cairn run ./shopprogram cra", "sh.log"), ("cairn run -s cra", "sh.log"), ("cairn run --sysr", "oot"),
    ]

    @Test(arguments: started) func `bash and fish complete a program that is started`(line: String, rest: String) throws {
        try withTemporaryFolder { folder in
            try makeStarted(folder)
            let path = folder + "/bin:" + (TestPaths.environment("PATH") ?? "/usr/bin:/bin")
            let arguments = line.split(separator: " ").map(String.init)
            let whole = (arguments.last ?? "") + rest
            try writeFile(folder + "/bash", try Self.script("bash").standardOutput)
            let ask = """
                source ./bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
                _cairn "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; printf '%s\\n' "${COMPREPLY[@]}"
                """
            let bash = try run("bash", ["-c", ask, "bash"] + arguments, environment: ["PATH": path], directory: folder)
            // bash has a command of its own, shopt.
            #expect(Set(bash.lines).subtracting(["shopt"]) == [whole], "\(bash.output)\(bash.errors)")
            guard has("fish") else { return }
            try writeFile(folder + "/fish", try Self.script("fish").standardOutput)
            let fish = try run(
                "fish", ["-N", "-c", "source ./fish; complete -C '\(line)'"], environment: ["HOME": folder, "PATH": path],
                directory: folder)
            let offered = fish.lines.compactMap { $0.split(separator: "\t").first.map(String.init) }
            #expect(offered == [whole], "\(fish.output)\(fish.errors)")
        }
    }

    @Test func `zsh completes a program that is started`() throws {
        guard has("zsh") else { return }
        try withTemporaryFolder { folder in
            try makeStarted(folder)
            try zsh(folder, Self.started)
        }
    }

    /// A program in the folder, another in a folder of PATH, and a file.
    private func makeStarted(_ folder: String) throws {
        try makeFolders(folder + "/bin")
        for path in ["/shopprogram", "/bin/shoptool"] {
            try writeFile(folder + path, Array("#!/bin/sh\n".utf8))
            try run("chmod", ["+x", folder + path]).requireSuccess()
        }
        try writeFile(folder + "/crash.log", [])
    }

    @Test func `zsh completes the short form`() throws {
        guard has("zsh") else { return }
        try withTemporaryFolder { folder in
            try writeFile(folder + "/crash.log", [])
            try zsh(
                folder,
                [("cairn cra", "sh.log"), ("cairn crash.log --log-f", "ormat"), ("cairn -s cra", "sh.log"), ("cairn --sysr", "oot")])
        }
    }

    /// zsh's completion works in its line editor alone: a pseudo-terminal types each line and a tab.
    /// - Parameter lines: each with the text that the tab adds.
    private func zsh(_ folder: String, _ lines: [(String, String)]) throws {
        try makeFolders(folder + "/functions")
        try writeFile(folder + "/functions/_cairn", try Self.script("zsh").standardOutput)
        let script = """
            zmodload zsh/zpty; zpty -b z zsh -f -i
            read_until() { local part; while [[ "$all" != *"$1"* ]] && (( SECONDS < 60 )); do zpty -r -t z part && all+="$part" || sleep 0.1; done }
            zpty -w z 'fpath=('"$PWD"'/functions $fpath); path=('"$PWD"'/bin $path); autoload -U compinit; compinit -u -D; print ready${:--now}'
            all=''; read_until ready-now
            while (( $# )); do
                all=''; zpty -w -n z "$1"$'\\t'; read_until "$2"; print -r -- "$1 $(( SECONDS < 60 ))"; shift 2; zpty -w -n z $'\\x15'
            done
            zpty -d z
            """
        let result = try run(
            "zsh", ["-f", "-c", script, "zsh"] + lines.flatMap { [$0.0, $0.1] }, environment: ["HOME": folder, "TERM": "xterm"],
            directory: folder)
        #expect(result.lines == lines.map { $0.0 + " 1" }, "\(result.output)\(result.errors)")
    }
}
