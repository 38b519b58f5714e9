internal import BatchProcessing
internal import CommandSupport
internal import Console

/// Opens a store to be read and ends the program with what `body` makes of it.
func query(
    _ store: String, filter: ReportFilter = ReportFilter(), _ body: (any StoreQuestions) throws(StoreError) -> ExitStatus
) -> Never {
    do throws(StoreError) { endProcess(try body(try openStore(store, filter))) } catch {
        complain("batch: \(error.description)")
        endProcess(.failed)
    }
}

/// A store that is queried and never changed.
func openStore(_ store: String, _ filter: ReportFilter = ReportFilter()) throws(StoreError) -> any StoreQuestions {
    return try DatabaseQuestions(path: store, filter: filter)
}

func printResult(_ bytes: [UInt8]) {
    var output = StandardOutput(keepsColors: true)
    output.append(bytes)
    output.flush()
}
