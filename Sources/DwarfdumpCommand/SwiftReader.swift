internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles
internal import SecondOpinion

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
    func answers(for addresses: [LinkAddress]) -> [(answer: AddressResult, problem: String?)] {
        reader.answers(for: addresses).map { answer in
            let functions = answer.functions.map { function in
                AddressResult.Function(
                    name: function.name, isInlined: function.isInlined, entry: function.isInlined ? nil : function.entry,
                    callSite: function.callSite)
            }
            return (AddressResult(functions: functions, location: answer.location), answer.problem?.description)
        }
    }
}
