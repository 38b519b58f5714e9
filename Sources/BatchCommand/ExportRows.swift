internal import ArgumentParser
package import BatchProcessing
internal import BinaryPrimitives
internal import CommandSupport
internal import Console

extension ExportWriter.Format: ExpressibleByArgument {}
extension ExportContent: ExpressibleByArgument {}

/// `cairn batch export`: the store's tables for other programs.
struct ExportRows: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write groups, reports or frames as JSON, CSV or JSON lines (for data frames and Parquet).",
        usage: "cairn batch export [--format json|csv|ndjson] [--what groups|reports|frames] [--group GROUP] [-o FILE] [--store FILE]",
        discussion: """
            Every row has the same columns of plain types: text, integers, Booleans. Timestamps are ISO 8601 in UTC, and also nanoseconds since 1970 (…_ns). Addresses are hexadecimal text. In CSV \
            text that a spreadsheet would run as a formula begins with an apostrophe. Frames are those of the stack that identifies the bug, innermost first, each inlined frame on its own.

            cairn batch export --format csv --what reports -o reports.csv
            cairn batch export --format ndjson --what frames | duckdb -c "COPY (FROM read_json('/dev/stdin')) TO 'frames.parquet'"
            """)

    @Option(name: [.customLong("format"), .customShort("f")], help: "json (one array), csv (RFC 4180), ndjson (an object a line).")
    var format = ExportWriter.Format.json

    @Option(help: "groups, reports or frames.")
    var what = ExportContent.groups

    @Option(help: ArgumentHelp("Only this group: its identifier, or its first digits.", valueName: "group"))
    var group: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Output file, written completely or not at all (default: standard output).", valueName: "file"))
    var output: String?

    @OptionGroup var filter: FilterOptions
    @OptionGroup var storeOption: StoreOption

    func validate() throws {
        if let group { try ShowGroup.check(group) }
        if let output, FileReplacement.isSameFile(output, storeOption.store) {
            throw ValidationError("-o \(output): it is the store. Choose another file")
        }
    }

    func run() {
        query(storeOption.store, filter: filter.filter) { (store) throws(StoreError) in
            let id = try group.map { (group) throws(StoreError) in try ShowGroup.find(group, store, at: storeOption.store).id }
            var writer = ExportWriter(what, format: format)
            let sink: ExportSink
            do throws(FileError) { sink = try ExportSink(path: output) } catch { throw Self.failure(error) }
            sink.append(writer.head)
            try store.forEachRow(of: what, ofGroup: id) { row in
                var bytes: [UInt8] = []
                writer.append(row, to: &bytes)
                return sink.append(bytes)
            }
            sink.append(writer.end)
            do throws(FileError) { try sink.finish() } catch { throw Self.failure(error) }
            return .done
        }
    }

    private static func failure(_ error: FileError) -> StoreError { StoreError(path: error.path, problem: error.problem) }
}

/// Destination of an export: a file that gets its name at the end, or standard output.
private final class ExportSink {
    private var file: FileReplacement?
    private var buffer: [UInt8] = []
    private var failure: FileError?
    private var output = StandardOutput()

    init(path: String?) throws(FileError) { if let path { file = try FileReplacement(path: path, isNamed: true) } }

    /// - Returns: whether more can be taken.
    @discardableResult func append(_ bytes: [UInt8]) -> Bool {
        guard file != nil else {
            output.append(bytes)
            return true
        }
        buffer += bytes
        if buffer.count >= 1 << 16 { flush() }
        return failure == nil
    }

    private func flush() {
        guard failure == nil else { return }
        do throws(FileError) { try file?.append(buffer) } catch { failure = error }
        buffer.removeAll(keepingCapacity: true)
    }

    func finish() throws(FileError) {
        output.flush()
        flush()
        if let failure { throw failure }
        try file?.finish()
    }
}
