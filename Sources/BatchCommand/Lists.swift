internal import ArgumentParser
internal import BatchProcessing
internal import BinaryPrimitives
internal import Console
internal import Reporting

/// `cairn batch lists`: what signatures leave out, for people who want other lists.
struct Lists: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List or print the lists of functions that do not distinguish bugs.", usage: "cairn batch lists [NAME]",
        discussion: """
            A list is a text file. A changed copy replaces the built-in list of the same name:

            cairn batch lists swift > swift.txt
            cairn batch crashes --frame-list swift.txt

            Each line has a kind: sentinel (the stack begins after it), irrelevant (left out), prefix (kept, and its caller is needed too) or library (never your code). Then a \
            pattern of the function name, where * is any text. IMAGE! in front limits it to an image: irrelevant libc.so*!__libc_start_*
            """)

    @Argument(help: "List to print (default: the names of all lists).")
    var name: String?

    func run() {
        var output = StandardOutput()
        let lists = FrameLists.standard.lists
        guard let name else {
            for list in lists { output.append(list.name + "\n") }
            output.flush()
            return
        }
        guard let list = lists.first(where: { $0.name == name }) else {
            printDiagnostic("batch: lists: \(name): no such list: expected one of \(lists.map(\.name).joined(separator: ", "))")
            endProcess(.failed)
        }
        output.append(list.text + (list.text.hasSuffix("\n") ? "" : "\n"))
        output.flush()
    }
}
