internal import BinaryPrimitives
package import Console

/// The programs beside `cairn` that bring commands of their own. `cairn ci …` runs
/// `cairn-tools ci …`; any other `cairn NAME …` runs `cairn-NAME …`, as git and cargo have it, so
/// that users can add theirs.
///
/// Commands that need more than the core's few libraries are in `cairn-tools`, so that `cairn`
/// stays small. The neighbour replaces this process: its streams and its exit status are the
/// command's.
package struct SiblingPrograms {
    /// The program of this project's own commands.
    private static let program = "cairn-tools"

    /// Those commands, and what each does.
    private static let known = [
        "batch": "Symbolicate directories of crash logs, store the results, and group them by bug.",
        "ci": "Run a command, symbolicate its output live, and report crashes to your CI service.",
        "dwarfdump": "Dump debug information in llvm-dwarfdump's format.",
        "fetch": "Download debug files from symbol servers into a cache, and print their paths.",
        "groups": "Group crashes that another engine has collected, as cairn batch does.",
        "serve": "Serve symbols over HTTP: to profilers, crash pipelines, debuggers, and people with a log.",
        "stream": "Symbolicate a stream of records: JSON lines in, JSON lines out, for data pipelines.",
        "verify": "Cross-check cairn against libdwarf and print every difference.",
    ]

    /// The commands of this project's neighbours.
    package static let names = known.keys.sorted()

    /// Summary of such a command, as its own help has it: that program may not be installed.
    package static func summary(of name: String) -> String? { known[name] }

    /// The folders that are searched, in this order: the one that `cairn` is in, `libexec/cairn`
    /// beside that (where packages put programs that are not run by name), and those of `PATH`.
    private let folders: [String]
    private let ownFolders: [String]

    package init() { self.init(ownPath: Program.ownPath, path: environmentVariable("PATH")) }

    /// - Parameters:
    ///   - ownPath: of the program that runs.
    ///   - path: the value of `PATH`.
    init(ownPath: String?, path: String?) {
        let own = ownPath.map { Path.directory(of: $0) }
        ownFolders = own.map { [$0, Path.join(Path.directory(of: $0), "libexec/cairn")] } ?? []
        // An empty part of `PATH` means the working directory, and a program is not run because it
        // happens to be there.
        let others = path?.split(separator: ":").map { String($0) } ?? []
        folders = ownFolders + others.filter { $0.hasPrefix("/") }
    }

    /// Runs the command if a neighbour brings it, and then does not return.
    /// - Returns: `nil` if no neighbour has that name: it may be a log's.
    package func run(_ name: String, _ arguments: [String]) -> ExitStatus? {
        if Self.known[name] != nil { return runTools(name, arguments) }
        guard Self.isCommandName(name), PathKind(path: name) == nil, let path = find("cairn-" + name) else { return nil }
        return become(path, arguments)
    }

    /// Runs a command of this project's own neighbour, and then does not return.
    /// - Parameter name: one of `names`, or the part of a command of `cairn` that needs more than
    ///   the core: `push` of `cairn symbols push`.
    package func runTools(_ name: String, _ arguments: [String]) -> ExitStatus {
        guard let path = tools else {
            let folders = (ownFolders + ["PATH"]).joined(separator: ", ")
            printDiagnostic("\(name): the program \(Self.program) was not found (searched: \(folders)). Install it beside cairn")
            return .failed
        }
        return become(path, [name] + arguments)
    }

    /// The path of `cairn-tools`, whose first argument is the command; `nil` where it is not
    /// installed.
    package var tools: String? { find(Self.program) }

    /// The path of a neighbour; `nil` where it is in none of the folders.
    package func find(_ program: String) -> String? {
        folders.lazy.map { Path.join($0, program) }.first { Program.isRunnable($0) }
    }

    private func become(_ path: String, _ arguments: [String]) -> ExitStatus {
        do throws(FileError) { try Program.execute(path, arguments) } catch {
            printDiagnostic(error.description)
            return .failed
        }
    }

    /// Lower-case letters, digits and hyphens, beginning with a letter: neither an option nor a
    /// path.
    static func isCommandName(_ name: String) -> Bool {
        let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        return name.utf8.first.map(isLetter) ?? false && name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
    }
}
