package import ArgumentParser
internal import BatchProcessing
internal import BinaryPrimitives
internal import CommandSupport
internal import Console

/// `cairn groups`: groups of what another engine has collected.
package struct CairnGroups: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "groups",
        _superCommandName: "cairn",
        abstract: "Group crashes that another engine has collected, as cairn batch does.",
        usage: "cairn groups merge < SIGNATURES > GROUPS",
        discussion: """
            cairn stream --with stack < logs.ndjson > crashes.ndjson
            cairn groups merge < crashes.ndjson > groups.ndjson

            A stage sees one log at a time; stacks that are similar are found when all are there. Send each distinct stack once: they fit on one machine.
            """,
        version: "cairn-groups \(cairnVersion)", subcommands: [Merge.self])

    package init() {}

    /// - Parameter arguments: The arguments after `cairn groups`.
    package static func start(_ arguments: [String]) -> Never {
        FileChanges.survive()
        do {
            var command = try parseAsRoot(arguments)
            try command.run()
            endProcess(.done)
        } catch {
            guard exitCode(for: error) != .success else { exit(withError: error) }
            printUsageError(
                usageProblem(error, arguments, root: "cairn groups"), of: named(by: arguments, root: "cairn groups"), prefix: "groups: ")
            endProcess(.usage)
        }
    }

    private struct Merge: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge", abstract: "Assign each signature to the group of similar stacks.",
            usage: "cairn groups merge < SIGNATURES > GROUPS",
            discussion: """
                cairn stream --with stack < logs.ndjson | cairn groups merge

                A line of the input has the columns of cairn stream --with stack; key and id are copied. For each, one line is written, in the order of the input, with the group's name and title; \"more\" has those of a log's other reports. \
                The groups are those of cairn batch over the same reports, whatever the order.
                """)

        @Option(help: ArgumentHelp("Maximum size of one record, in megabytes.", valueName: "MB"))
        var recordLimit = 64

        func validate() throws {
            guard (1...1024).contains(recordLimit) else { throw ValidationError("--record-limit \(recordLimit): expected 1 to 1024") }
        }

        func run() throws {
            do throws(FileError) {
                var reader = StreamReader(.ndjson, largest: recordLimit << 20)
                var groups = MergedGroups()
                while let record = try reader.next({ () throws(FileError) in try FileDescriptor.readSome(from: 0, limit: 1 << 18) }) {
                    groups.add(record)
                }
                var output: [UInt8] = []
                for reply in groups.replies() {
                    output += reply.line
                    guard output.count >= 1 << 18 else { continue }
                    try FileDescriptor.write(output, to: 1)
                    output = []
                }
                try FileDescriptor.write(output, to: 1)
            } catch {
                printDiagnostic("groups: \(error.description)")
                endProcess(.failed)
            }
        }
    }
}
