internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import Personalities

/// `cairn install-links DIR`: links to this program by the names of the tools whose place it takes.
struct InstallLinks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install-links",
        abstract: "Install drop-in links named addr2line, atos, llvm-symbolizer and so on.",
        discussion: """
            With the directory first in PATH, programs that run these tools run cairn: \(Personality.names.joined(separator: ", ")).

            If a file in the way is not a link to cairn, nothing is changed and no link is made, unless --force is given.
            """)

    @Argument(help: ArgumentHelp("Directory for the links. It must exist.", valueName: "dir"))
    var folder: String

    @Argument(help: ArgumentHelp("Tools to make links for (default: all).", valueName: "name"))
    var names: [String] = []

    @Flag(help: "Replace files that are not links to cairn. Directories are never replaced.")
    var force = false

    func validate() throws {
        for name in names where !Personality.names.contains(name) {
            throw ValidationError("\(name): not a tool that cairn replaces: expected \(Personality.names.joined(separator: ", "))")
        }
    }

    func run() {
        guard PathKind(path: folder) == .directory else {
            printDiagnostic("\(folder): no such directory. Run: mkdir -p \(ShellWord.quoted(folder))")
            endProcess(.failed)
        }
        guard let program = Program.ownPath else {
            printDiagnostic("install-links: the path of the program cairn is unknown")
            endProcess(.failed)
        }
        let tools = names.isEmpty ? Personality.names : names
        let links = tools.map { ToolLink(path: Path.join(folder, $0), program: program) }
        let refusals = links.compactMap { $0.refusal(isForced: force) }
        guard refusals.isEmpty else {
            for refusal in refusals { printDiagnostic(refusal) }
            endProcess(.failed)
        }
        var output = StandardOutput()
        for link in links {
            do throws(FileError) {
                output.append(try link.make() + "\n")
            } catch {
                output.flush()
                printDiagnostic(error.description)
                endProcess(.failed)
            }
        }
        output.flush()
        if tools.contains(where: { Personality(named: $0)?.isOfNeighbour ?? false }), SiblingPrograms().tools == nil {
            printDiagnostic("the program cairn-tools was not found: links to dwarfdump need it next to cairn, or in PATH", as: .warning)
        }
        endProcess(.done)
    }
}

extension Personality {
    fileprivate var isOfNeighbour: Bool {
        if case .neighbour = work { true } else { false }
    }
}

/// A link to this program, as it is to be made.
private struct ToolLink {
    let path: String
    let program: String

    /// In the program's own folder its name alone, so that both can be moved together.
    private var target: String {
        FileReplacement.isSameFile(Path.directory(of: path), Path.directory(of: program)) ? Path.name(of: program) : program
    }

    /// Why the link must not be made; `nil` where it may.
    func refusal(isForced: Bool) -> String? {
        switch SymbolicLink.entryKind(at: path) {
        case .nothing: nil
        // One to a cairn that has moved or gone is one still.
        case .link(let old) where Path.name(of: old) == "cairn" || FileReplacement.isSameFile(path, program): nil
        case .directory: "\(path): it is a directory, and cannot be replaced with a link"
        case .link(let old): isForced ? nil : "\(path): it is a link to \(old). To replace it: --force"
        // A second name of the program itself must not become a link to its first.
        case .other where FileReplacement.isSameFile(path, program): "\(path): it is cairn itself, and cannot be replaced with a link"
        case .other: isForced ? nil : "\(path): it is another program. To replace it: --force"
        }
    }

    /// - Returns: a line that says what was done.
    func make() throws(FileError) -> String {
        let old = SymbolicLink.entryKind(at: path)
        if old == .link(to: target) { return "\(path) -> \(target) (already there)" }
        try SymbolicLink.replace(path, target: target)
        return "\(path) -> \(target)" + (old == .nothing ? "" : " (replaced)")
    }
}
