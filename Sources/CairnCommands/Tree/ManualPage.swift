internal import CommandSupport
internal import Console

/// A manual page: roff with the macros of `man(7)`, made from a command's declaration.
struct ManualPage {
    private let command: DeclaredCommand
    /// Other commands that the page names: name and summary.
    private let others: [(heading: String, rows: [(page: String, summary: String)])]
    private var lines: [String] = []

    /// The day in the foot of each page: the version's, so that a page made twice is the same.
    private static let date = "2026-11-22"

    init(_ command: DeclaredCommand, of all: DeclaredCommands) {
        self.command = command
        if command.commandPath.isEmpty {
            others = [
                ("COMMANDS", command.subcommands.map { ($0.pageName, $0.summary) }),
                ("SEPARATE PROGRAMS", all.neighbours.map { ($0.pageName, $0.summary) }),
                ("DROP-IN TOOLS", all.personalities.map { ($0.pageName, $0.summary) }),
            ]
        } else {
            others = [("COMMANDS", command.subcommands.map { ($0.pageName, $0.summary) })]
        }
    }

    var text: String {
        var page = self
        page.write()
        return page.lines.joined(separator: "\n") + "\n"
    }

    private mutating func write() {
        lines = [".TH \(Self.escaped(command.pageName.uppercased())) 1 \(Self.date) \"cairn \(cairnVersion)\" \"cairn\""]
        lines += [".SH NAME", "\(Self.escaped(command.pageName)) \\- \(Self.text(lowered(command.summary)))"]
        lines.append(".SH SYNOPSIS")
        writeSynopsis()
        if !command.paragraphs.isEmpty {
            lines.append(".SH DESCRIPTION")
            for (index, paragraph) in command.paragraphs.enumerated() {
                if index > 0 { lines.append(".PP") }
                lines.append(Self.text(paragraph))
            }
        }
        write("ARGUMENTS", command.arguments.filter { $0.names.isEmpty })
        write("OPTIONS", command.arguments.filter { !$0.names.isEmpty })
        for (heading, rows) in others where !rows.isEmpty {
            lines.append(".SH \"\(heading)\"")
            for (page, summary) in rows { lines += [".TP", ".BR \(Self.escaped(page)) (1)", Self.text(summary) + "."] }
        }
        lines.append(".SH \"EXIT STATUS\"")
        let isTool = command.synopsis != nil
        lines.append(Self.text(isTool ? "0: success; otherwise as the tool that it replaces." : Self.exitStatus))
        if !command.commandPath.isEmpty { lines += [".SH \"SEE ALSO\"", ".BR cairn (1)"] }
    }

    private static let exitStatus =
        "0: success. 1: error. 3: unresolved frames, with --strict or in cairn explain. 64: invalid usage. Each error is one line on standard error."

    private mutating func writeSynopsis() {
        lines.append(".B cairn" + (command.commandPath.isEmpty ? "" : " " + Self.escaped(command.commandPath)))
        if let synopsis = command.synopsis { return lines.append(Self.text(synopsis)) }
        let options = command.arguments.contains { !$0.names.isEmpty } ? ["[OPTION...]"] : []
        let operands = command.arguments.filter(\.names.isEmpty).map { argument in
            let word = (argument.value ?? "").uppercased() + (argument.isRepeating ? "..." : "")
            return argument.isOptional ? "[\(word)]" : word
        }
        if command.subcommands.isEmpty || operands.isEmpty {
            return lines.append(Self.text((options + (command.subcommands.isEmpty ? [] : ["COMMAND"]) + operands).joined(separator: " ")))
        }
        // It does something of its own, and has commands.
        lines.append(Self.text((options + operands).joined(separator: " ")))
        lines += [".br", ".B cairn " + Self.escaped(command.commandPath), "COMMAND"]
    }

    private mutating func write(_ heading: String, _ arguments: [DeclaredCommand.Argument]) {
        guard !arguments.isEmpty else { return }
        lines.append(".SH \(heading)")
        for argument in arguments {
            lines.append(".TP")
            let word = argument.value.map { "\\fI\(Self.escaped($0.uppercased()))\\fR" }
            guard !argument.names.isEmpty else {
                lines += [word ?? "", Self.text(argument.help)]
                continue
            }
            let names = argument.names.map { name -> String in
                let bold = "\\fB\(Self.escaped(name))\\fR"
                guard let word else { return bold }
                if argument.isValueOptional { return name.hasPrefix("--") ? "\(bold)[=\(word)]" : bold }
                return bold + (argument.joinsValue && name.hasPrefix("--") ? "=" : " ") + word
            }
            lines.append(names.joined(separator: ", "))
            lines.append(argument.help.isEmpty ? "\\&" : Self.text(argument.help))
        }
    }

    /// `Answer logs` is `answer logs` after the name; names of formats keep their capitals.
    private func lowered(_ text: String) -> String {
        let second = text.dropFirst().first
        return second?.isUppercase ?? false ? text : text.prefix(1).lowercased() + text.dropFirst()
    }

    /// A line of running text: one that begins with a control character of roff's is kept from
    /// being one.
    private static func text(_ text: String) -> String {
        let trimmed = String(text.drop { $0 == " " })
        let line = escaped(trimmed)
        return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "\n": result += " "
            case "“": result += "\\(lq"
            case "”": result += "\\(rq"
            case "’": result += "\\(cq"
            case "…": result += "..."
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default: result += "\\[u\(hexadecimal(scalar))]"
            }
        }
        return result
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String { UInt64(scalar.value).hexadecimal(width: 4).uppercased() }
}
