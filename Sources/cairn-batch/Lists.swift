internal import ArgumentParser
internal import BatchProcessing
internal import BinaryPrimitives
internal import Console

/// `cairn batch lists`: what signatures leave out, for people who want other lists.
struct Lists: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Name or print the lists of functions that say nothing about bugs.",
        discussion: """
            A list is a text that can be changed and given to a run, where it takes the place of the list of its name:

            cairn batch lists swift > swift.txt
            cairn batch crashes --frame-list swift.txt

            Its lines say what a function is to a signature: sentinel (the stack begins behind it), irrelevant (left out), prefix (kept, and its caller is needed too), library (never own code); then a \
            pattern of the function's name, where * is any text, with the image's in front of an exclamation mark: irrelevant libc.so*!__libc_start_*
            """)

    @Argument(help: "The list to print; all their names without it.")
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
            complain("batch: lists: \(name): there is no such list: expected one of \(lists.map(\.name).joined(separator: ", "))")
            endProcess(.failed)
        }
        output.append(list.text + (list.text.hasSuffix("\n") ? "" : "\n"))
        output.flush()
    }
}
