internal import BinaryPrimitives
internal import Console
internal import DWARF
internal import ObjectFiles
internal import SecondOpinion
internal import Synchronization

/// Compares objects one after the other, and can be stopped from another thread at any time. The comparisons
/// until then are reported.
final class ComparisonRun: Sendable {
    /// An object to compare, and its symbol files.
    struct Subject {
        /// Name for users.
        var name: String
        /// The file with the debug information.
        var object: ObjectFile
        /// Files whose symbols give the starts of functions.
        var symbols: [ObjectFile]

        /// Bytes of all of them.
        var size: Int { symbols.reduce(object.slice.count) { $0 + $1.slice.count } }
    }

    /// Selects the addresses to look up.
    struct Choice {
        /// If empty: every function start, and `sample` others.
        var given: [LinkAddress]
        var sample: Int
        var seed: UInt64
    }

    /// Both readers of an object, with its companion files open.
    struct Readers {
        var ours: SwiftReader
        var theirs: ReferenceSource
        var hasSplitUnits: Bool
        /// Total size of its companion files in bytes.
        var companionSize: Int

        /// - Returns: `nil` if it has no debug information.
        init?(_ object: ObjectFile) {
            guard let ours = SwiftReader(object) else { return nil }
            self.ours = ours
            let files = ours.companionFiles()
            theirs = ReferenceSource(object, files: files)
            hasSplitUnits = !files.splitUnits.isEmpty
            // A package holds many units.
            var sizes: [String: Int] = [:]
            for file in Array(files.splitUnits.values) + [files.supplementary].compactMap(\.self) {
                sizes[file.path] = file.slice.count
            }
            companionSize = sizes.values.reduce(0, +)
        }
    }

    private struct State {
        var name: String
        /// `nil` until both readers have listed the addresses to look up.
        var comparison: Comparison?
    }

    private let state: Mutex<State>

    /// - Parameter name: the first object's name.
    init(_ name: String) { state = Mutex(State(name: name)) }

    /// Compares both readers' results for one object.
    /// - Throws: `InspectionError` if there is no debug information, or libdwarf cannot open it.
    func compare(_ subject: Subject, _ readers: Readers?, _ choice: Choice) throws(InspectionError) -> Comparison {
        state.withLock { $0 = State(name: subject.name) }
        guard let readers else {
            throw InspectionError("it has no debug information: expected a file with DWARF, such as the debug companion")
        }
        let source = readers.theirs
        let sample: AddressSample
        if choice.given.isEmpty {
            let known = try source.functionStarts()
            sample = AddressSample(
                of: subject.object, symbols: subject.symbols, known: known, interior: choice.sample, seed: choice.seed)
        } else {
            sample = AddressSample(choice.given)
        }
        InspectionPhase.answering.begin()
        let ours = readers.ours.results(for: sample.addresses)
        state.withLock { $0.comparison = Comparison(sample) }
        try source.forEachResult(for: sample.addresses) { index, reference in
            InspectionPhase.comparing.begin()
            state.withLock { $0.comparison?.add(index, ours[index].result, problem: ours[index].problem, reference) }
        }
        return state.withLock { $0.comparison ?? Comparison(sample) }
    }

    /// Writes the result for the last object.
    func write() {
        state.withLock {
            Self.write($0)
            $0.comparison = nil
        }
    }

    /// Writes the comparisons so far, and the reason why they are incomplete, and ends the process with the
    /// status for incomplete work.
    func stop(_ limit: Watchdog.Limit) -> Never {
        // The holder of the lock adds one result, and does nothing that takes long.
        state.withLock { state in
            Self.write(state)
            let done = state.comparison.map { "\($0.summary.total) of \($0.sample.addresses.count) addresses were compared" }
            printDiagnostic("\(state.name): \(done ?? "nothing was compared"), then \(limit.message)")
            endProcessImmediately(1)
        }
    }

    private static func write(_ state: State) {
        guard let comparison = state.comparison else { return }
        do throws(FileError) {
            try FileDescriptor.write(Array(comparison.text(state.name).utf8), to: 1)
        } catch { printDiagnostic(error.description) }
    }
}

/// cairn's own reader, with results in the form in which they are compared.
struct SwiftReader {
    private let reader: DWARFReader

    /// - Returns: `nil` if the object has no debug information.
    init?(_ object: ObjectFile) {
        guard let reader = DWARFReader(object) else { return nil }
        self.reader = reader
    }

    /// Returns the files that its results use in addition to the object itself.
    func companionFiles() -> ReferenceFiles {
        let files = reader.companionFiles()
        return ReferenceFiles(splitUnits: files.splitUnits, supplementary: files.supplementary)
    }

    /// Returns the results for some addresses, in their order, and for each the damage that the reader found,
    /// if any.
    /// - Parameter addresses: ascending.
    func results(for addresses: [LinkAddress]) -> [(result: AddressResult, problem: String?)] {
        reader.results(for: addresses).map { result in
            let functions = result.functions.map { function in
                AddressResult.Function(
                    name: function.name, isInlined: function.isInlined, entry: function.isInlined ? nil : function.entry,
                    callSite: function.callSite)
            }
            return (AddressResult(functions: functions, location: result.location), result.problem?.description)
        }
    }
}
