internal import BinaryPrimitives
internal import DWARF
package import ObjectFiles

/// Resolves addresses of a Mach-O program from the DWARF of the object files that it was linked
/// from, where its debug map says they are.
///
/// The linker gave each function of an object file another address; its name connects the two. An address is
/// translated into the object file, and the result is translated back.
struct DebugMapSource {
    let program: ObjectFile
    private let map: DebugMap

    /// - Returns: `nil` if the program has no debug map.
    init?(_ program: ObjectFile) {
        guard let map = (try? program.debugMap()) ?? nil else { return nil }
        self.program = program
        self.map = map
    }

    /// Each object file of the map, and why it is not used; `nil` for one that is.
    func objects() -> [(recorded: DebugMap.Object, refusal: DebugMapObjects.Refusal?)] {
        map.objects.map { object in
            do throws(DebugMapObjects.Refusal) {
                _ = try DebugMapObjects(program: program).open(object)
                return (object, nil)
            } catch {
                return (object, error)
            }
        }
    }

    /// An address of the program in one of its object files.
    private struct Translation {
        /// Index into the wanted addresses.
        var index: Int
        /// The function's address in the program.
        var linked: LinkAddress
        /// The function's addresses in the object file.
        var extent: Range<LinkAddress>
        /// The address in the object file.
        var address: LinkAddress
    }

    /// Result of the debug map for one address.
    struct AddressResult {
        /// `nil` where no function of the map covers the address, or its object file is not used.
        var dwarf: DWARFResult?
        /// Why the object file is not used.
        var refusal: String?
    }

    /// The results for some addresses of the program, in their order.
    func results(for wanted: [LinkAddress], details: DWARFDetails = .none) -> [AddressResult] {
        var results = [AddressResult](repeating: AddressResult(), count: wanted.count)
        var groups: [Int: [(index: Int, function: DebugMap.Function)]] = [:]
        for (index, address) in wanted.enumerated() {
            guard let function = map.function(containing: address) else { continue }
            groups[function.object, default: []].append((index, function))
        }
        for (object, group) in groups {
            let file: ObjectFile
            let reader: DWARFReader
            do throws(DebugMapObjects.Refusal) {
                (file, reader) = try open(object)
            } catch {
                for part in group { results[part.index].refusal = error.reason }
                continue
            }
            let translations = translations(group, wanted, file)
            for index in Set(group.map(\.index)).subtracting(translations.map(\.index)) {
                results[index].refusal = "\(file.path) does not have the function that was linked from it"
            }
            // The functions' first addresses are looked up too: they show whether the debug
            // information has the functions.
            let addresses = Set(translations.flatMap { [$0.address, $0.extent.lowerBound] }).sorted()
            let known = Dictionary(uniqueKeysWithValues: zip(addresses, reader.results(for: addresses, details: details)))
            for translation in translations {
                guard let result = known[translation.address] else { continue }
                // The bytes that fill up the space to the next function belong to the function for
                // the linker, and not for the compiler: the line table's row before them reaches
                // over them. Code without any function is assembly, which has lines alone.
                if result.functions.isEmpty, known[translation.extent.lowerBound]?.functions.isEmpty == false { continue }
                results[translation.index].dwarf = linked(result, translation)
            }
        }
        return results
    }

    /// An object file of the map that is still what was linked, and has debug information.
    private func open(_ index: Int) throws(DebugMapObjects.Refusal) -> (ObjectFile, DWARFReader) {
        let file = try DebugMapObjects(program: program).open(map.objects[index])
        guard let reader = DWARFReader(file) else { throw DebugMapObjects.Refusal(reason: "\(file.path) has no debug information") }
        return (file, reader)
    }

    /// The addresses of one line, as the object file's line table has them, cut to the function:
    /// what follows it there is elsewhere in the program.
    /// - Parameter find: returns the line's file, number and addresses in the object file.
    func lineRange(
        at address: LinkAddress, _ find: (_ object: ObjectFile, _ address: LinkAddress) -> LinkedLine?
    ) -> LinkedLine? {
        guard let function = map.function(containing: address), let (file, reader) = try? open(function.object),
            let translation = translations([(0, function)], [address], file).first, var line = find(file, translation.address)
        else { return nil }
        var range = line.range.clamped(to: translation.extent)
        let hasFunction = { (address: LinkAddress) in reader.results(for: [address]).first?.functions.isEmpty == false }
        if hasFunction(translation.extent.lowerBound) {
            // The row extends over the padding after the function.
            guard hasFunction(translation.address) else { return nil }
            var (last, end) = (translation.address.value, range.upperBound.value)
            while end - last > 1 {
                let middle = last + (end - last) / 2
                if hasFunction(LinkAddress(middle)) { last = middle } else { end = middle }
            }
            range = range.lowerBound..<LinkAddress(end)
        }
        guard let low = range.lowerBound.distance(from: translation.extent.lowerBound).flatMap(translation.linked.advanced),
            let high = range.upperBound.distance(from: translation.extent.lowerBound).flatMap(translation.linked.advanced), low < high
        else { return nil }
        line.range = low..<high
        return line
    }

    private func translations(
        _ group: [(index: Int, function: DebugMap.Function)], _ wanted: [LinkAddress], _ file: ObjectFile
    ) -> [Translation] {
        let names = group.map { $0.function.name.text(in: program) }
        var starts = Dictionary(names.map { ($0, LinkAddress?.none) }) { first, _ in first }
        try? file.forEachSymbol { symbol in
            guard symbol.kind == .function else { return true }
            let name = symbol.name.text(in: file)
            if case .some(nil) = starts[name] { starts[name] = symbol.address }
            return true
        }
        return zip(group, names).compactMap { part, name in
            guard let start = starts[name] ?? nil, let distance = wanted[part.index].distance(from: part.function.address),
                let address = start.advanced(by: distance), let end = start.advanced(by: part.function.size)
            else { return nil }
            return Translation(index: part.index, linked: part.function.address, extent: start..<end, address: address)
        }
    }

    private func linked(_ result: DWARFResult, _ translation: Translation) -> DWARFResult {
        var result = result
        for index in result.functions.indices {
            let entry = result.functions[index].entry
            let distance = translation.extent.contains(entry) ? entry.distance(from: translation.extent.lowerBound) : nil
            // A part that was split off (`f.cold.1`) is a function of the map of its own, and its
            // DWARF begins in the main part: the part's own start serves.
            result.functions[index].entry = distance.flatMap { translation.linked.advanced(by: $0) } ?? translation.linked
        }
        return result
    }
}

/// The object files that a Mach-O program without a dSYM gets its lines from, for display to users.
package struct DebugMapSummary: Sendable {
    /// How many object files the program was linked from.
    package let objects: Int
    /// Why some of them are not used, one sentence each, in the order of the map.
    package let refusals: [String]

    /// Opens each of the object files.
    /// - Returns: `nil` if the program has no debug map.
    package init?(_ program: ObjectFile) {
        guard let source = DebugMapSource(program) else { return nil }
        let all = source.objects()
        objects = all.count
        refusals = all.compactMap(\.refusal?.reason)
    }
}
