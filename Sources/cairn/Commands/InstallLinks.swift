internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import Personalities

/// `cairn install-links DIR`: links to this program by the names of the tools whose place it takes.
struct InstallLinks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install-links",
        abstract: "Make links to cairn by the names of the tools whose place it takes.",
        discussion: """
            With the folder first in PATH, programs that call these tools call cairn: \(Personality.names.joined(separator: ", ")).

            What is there and is no link to cairn stays, and then no link is made at all, unless --force is given.
            """)

    @Argument(help: ArgumentHelp("The folder for the links; it must exist.", valueName: "dir"))
    var folder: String

    @Argument(help: ArgumentHelp("The tools to make links for; all of them if none is named.", valueName: "name"))
    var names: [String] = []

    @Flag(help: "Replace what is there and is no link to cairn; folders stay.")
    var force = false

    func validate() throws {
        for name in names where !Personality.names.contains(name) {
            throw ValidationError("\(name): cairn is no such tool: expected \(Personality.names.joined(separator: ", "))")
        }
    }

    func run() {
        guard PathKind(path: folder) == .directory else {
            complain("\(folder): it is no folder: expected one for the links")
            endProcess(.failed)
        }
        guard let program = Program.ownPath else {
            complain("install-links: the system does not tell where cairn is")
            endProcess(.failed)
        }
        let tools = names.isEmpty ? Personality.names : names
        let links = tools.map { ToolLink(path: Path.join(folder, $0), program: program) }
        let refusals = links.compactMap { $0.refusal(isForced: force) }
        guard refusals.isEmpty else {
            for refusal in refusals { complain(refusal) }
            endProcess(.failed)
        }
        var output = StandardOutput()
        for link in links {
            do throws(FileError) {
                output.append(try link.make() + "\n")
            } catch {
                output.flush()
                complain(error.description)
                endProcess(.failed)
            }
        }
        output.flush()
        let missing = Set(tools.compactMap { Personality(named: $0)?.neighbour }.filter { Neighbours().find("cairn-" + $0) == nil })
        for name in missing { complain("no program cairn-\(name) is there yet: the links for it need it beside cairn, or in PATH") }
        endProcess(.done)
    }
}

extension Personality {
    fileprivate var neighbour: String? {
        if case .neighbour(let name) = work { name } else { nil }
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
        switch SymbolicLink.occupant(of: path) {
        case .nothing: nil
        // One to a cairn that has moved or gone is one still.
        case .link(let old) where Path.name(of: old) == "cairn" || FileReplacement.isSameFile(path, program): nil
        case .directory: "\(path): it is a folder: no link can take its place"
        case .link(let old): isForced ? nil : "\(path): it is a link to \(old): expected nothing or a link to cairn (--force replaces it)"
        // A second name of the program itself must not become a link to its first.
        case .other where FileReplacement.isSameFile(path, program): "\(path): it is cairn itself: expected nothing or a link to it"
        case .other: isForced ? nil : "\(path): it is another program: expected nothing or a link to cairn (--force replaces it)"
        }
    }

    /// - Returns: what was done.
    func make() throws(FileError) -> String {
        let old = SymbolicLink.occupant(of: path)
        if old == .link(to: target) { return "\(path) -> \(target) (was there)" }
        try SymbolicLink.replace(path, target: target)
        return "\(path) -> \(target)" + (old == .nothing ? "" : " (replaced)")
    }
}
