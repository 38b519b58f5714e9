internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolSources

/// Rows whose own function contradicts the result at their address.
///
/// If a row prints `first + 12` and its address is not 12 bytes into `first`, the address has another
/// meaning than the format says, for example the start of a symbol. The printed function is right, and
/// the result at the address would replace it by a wrong one.
extension ReportLookup {
    /// Returns a reason for each row that contradicts its result, by the row's index in `wanted`.
    func contradictions(
        _ wanted: [Lookup], _ answers: [PlaceLookup.Found], image: Int?, _ source: any SymbolSource
    ) -> [Int: String] {
        var rows: [(index: Int, own: SymbolLocation, result: SourceFrame)] = []
        for (index, (lookup, found)) in zip(wanted, answers).enumerated() {
            guard let own = printedSymbol(lookup, image), case .found(let frames) = found.answer, let holder = frames.last,
                !frames.contains(where: { $0.name == own.name || $0.alsoAt.contains(own.name) })
            else { continue }
            rows.append((index, own, holder))
        }
        guard !rows.isEmpty else { return [:] }
        var reasons: [Int: String] = [:]
        for ((index, own, result), located) in zip(rows, source.locate(rows.map { .symbol($0.own) })) {
            guard case .found(let addresses) = located, let raw = answers[index].raw,
                !addresses.contains(where: { source.offset(of: $0) == raw })
            else { continue }
            reasons[index] =
                "the log names \(own.name) + \(own.offset), and that is not where this address is: it is in \(result.name). The row stays as the log has it"
        }
        return reasons
    }

    /// Function and offset printed in a row beside its address.
    private func printedSymbol(_ lookup: Lookup, _ image: Int?) -> SymbolLocation? {
        let frame = thread(lookup.position.stack).frames[lookup.position.frame]
        guard !frame.isInlined, frame.address != nil, frame.symbolLocation == nil, let name = frame.printed?.name,
            let offset = frame.printed?.offset
        else { return nil }
        return SymbolLocation(name: name, offset: image.map(isThumb) ?? false ? offset & ~1 : offset)
    }
}
