internal import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import SymbolFiles

extension Symbols {
    /// `cairn symbols prune`: old builds' files leave a store.
    struct Prune: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove files from a store that were added long ago.",
            discussion: """
                cairn symbols prune /srv/symbols --days 365 --dry-run

                Only files in the store's own layout are removed.
                """)

        @Argument(help: "The store.", completion: .directory)
        var store: String

        @Option(help: ArgumentHelp("Remove what was added more than this many days ago.", valueName: "number"))
        var days: Int

        @Flag(help: "Print what would be removed, and remove nothing.")
        var dryRun = false

        func validate() throws {
            guard (0...100_000).contains(days) else { throw ValidationError("--days \(days): expected 0 to 100000") }
        }

        func run() {
            guard PathKind(path: store) == .directory else {
                printDiagnostic("\(store): no such directory: expected a symbol store")
                endProcess(.failed)
            }
            var output = StandardOutput()
            var status = ExitStatus.done
            var (count, bytes) = (0, UInt64(0))
            let limit = WallClock.nanoseconds - Int64(days) * 86_400_000_000_000
            for (path, size) in SymbolStore(root: store).files(addedBefore: limit) {
                do throws(FileError) {
                    if !dryRun { try FileReplacement.remove(path) }
                    output.append("\(dryRun ? "would remove" : "removed") \(PlainText.line(path))\n")
                    count += 1
                    bytes += size
                } catch {
                    printDiagnostic(error.description)
                    status = .failed
                }
            }
            do throws(FileError) {
                if !dryRun, count > 0 { try SymbolStore(root: store).removeOrphanedNames() }
            } catch {
                printDiagnostic(error.description)
                status = .failed
            }
            output.append("\(count) file\(count == 1 ? "" : "s"), \(bytes) bytes\n")
            output.flush()
            endProcess(status)
        }
    }
}
