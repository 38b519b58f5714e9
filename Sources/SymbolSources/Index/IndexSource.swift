package import BinaryPrimitives
package import DWARF
package import ObjectFiles

/// Resolves addresses of one image from the index of its file with debug information, with the results of that
/// file, and from its other files what that one does not resolve.
package struct IndexSource: SymbolSource {
    private let index: SymbolIndex
    /// All files, for lookups that an index does not support: positions by name, the list of functions.
    private let files: ObjectSource
    /// Those that the index was not made of.
    private let others: ObjectSource

    /// - Parameter objects: the files of one image, the one that the index was made of first.
    package init(_ index: SymbolIndex, _ objects: [ObjectFile] = []) {
        self.index = index
        files = ObjectSource(objects)
        others = ObjectSource(Array(objects.dropFirst()))
    }

    package func frames(at offsets: [ImageOffset]) -> [SymbolResult] {
        let base = index.baseAddress
        return results(offsets, of: offsets.map { $0.linkAddress(imageBase: base) }) { $0.frames(at: $1) }
    }

    package func frames(at addresses: [LinkAddress]) -> [SymbolResult] {
        results(addresses, of: addresses.map { $0 }) { $0.frames(at: $1) }
    }

    package func frames(at addresses: [LinkAddress], collecting calls: CollectedCallSites?) -> [SymbolResult] {
        results(addresses, of: addresses.map { $0 }) { $0.frames(at: $1, collecting: calls) }
    }

    package var recordedCallSites: (any RecordedCallSites)? { index.holdsCalls ? index : nil }

    package func locate(_ locations: [ImageLocation]) -> [LocateResult] {
        if !files.objects.isEmpty { return files.locate(locations) }
        return locations.map { location in
            switch location {
            case .offset(let offset): offset.linkAddress(imageBase: index.baseAddress).map { .found([$0]) } ?? .unresolved(.outsideImage)
            case .linkAddress(let address): .found([address])
            default: .unresolved(.needsImageOffset)
            }
        }
    }

    package func offset(of address: LinkAddress) -> ImageOffset? { address.offset(fromImageBase: index.baseAddress) }

    package func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) { files.forEachFunction(body) }

    private func results<Key>(
        _ keys: [Key], of addresses: [LinkAddress?], _ lookUp: (ObjectSource, [Key]) -> [SymbolResult]
    ) -> [SymbolResult] {
        var results = [SymbolResult](repeating: .unresolved(.outsideImage), count: keys.count)
        let known = addresses.indices.filter { addresses[$0] != nil }
        var texts = IndexTexts(index)
        index.forEachResult(at: known.compactMap { addresses[$0] }) { number, result, frames in
            switch result {
            case .unresolved(let reason): results[known[number]] = .unresolved(reason)
            case .debugInformation: results[known[number]] = .found(frames.map { texts.frame($0, .debugInformation) })
            case .symbolTable: results[known[number]] = .found(frames.map { texts.frame($0, .symbolTable) })
            }
        }
        // The modification time is not compared: it is the time of the last use, and the file is never written
        // in place.
        if let change = index.file.change(checksTime: false) {
            return files.objects.isEmpty ? results.map { _ in .unresolved(.changedFile(change)) } : lookUp(files, keys)
        }
        guard !others.objects.isEmpty else { return results }
        let open = results.indices.filter { !results[$0].isComplete }
        if open.isEmpty { return results }
        for (number, result) in zip(open, lookUp(others, open.map { keys[$0] })) { results[number] = result.better(than: results[number]) }
        return results
    }
}

/// The texts that an index's numbers mean, each read once.
private struct IndexTexts {
    private let index: SymbolIndex
    private var names: [UInt32: String] = [:]
    private var paths: [UInt32: String?] = [:]

    init(_ index: SymbolIndex) { self.index = index }

    mutating func frame(_ frame: IndexFrame, _ origin: SourceFrame.Origin) -> SourceFrame {
        let location = path(frame.file).map { SourceLocation(file: $0, line: Int(frame.line), column: Int(frame.column)) }
        let name = name(frame.name)
        return SourceFrame(
            name: name, entry: frame.entry?.offset(fromImageBase: index.baseAddress), isInlined: frame.isInlined,
            location: location, origin: origin, alsoAt: frame.entry.map { others(than: name, at: $0) } ?? [])
    }

    private func others(than name: String, at entry: LinkAddress) -> [String] {
        let functions = index.functions(sharingCodeAt: entry)
        return functions.isEmpty ? [] : SharedCode.others(than: name, among: functions.map { ($0, false) })
    }

    private mutating func name(_ key: UInt32) -> String {
        if key == 0 { return "" }
        if let known = names[key] { return known }
        let text = index.name(key)
        names[key] = text
        return text
    }

    private mutating func path(_ file: UInt32) -> String? {
        if file == 0 { return nil }
        if let known = paths[file] { return known }
        let text = index.path(file)
        paths[file] = .some(text)
        return text
    }
}
