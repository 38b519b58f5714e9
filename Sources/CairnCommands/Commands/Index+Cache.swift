internal import BinaryPrimitives
internal import Console
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources

extension Index {
    static let noCache = "no cache directory: expected --index-cache, CAIRN_CACHE or HOME"

    /// Cache of the indexes; `nil` without a home.
    var cache: IndexCache? {
        (indexCache ?? CacheFolder.standard()).map { IndexCache(cacheFolder: $0, cap: cap << 20) }
    }

    /// `--list` and `--prune`.
    func manage() -> ExitStatus {
        guard let cache else {
            complain(Self.noCache)
            return .failed
        }
        var output = StandardOutput()
        for entry in prune ? cache.prune() : cache.entries() {
            output.append("\(prune ? "removed " : "")\(entry.size) \(PlainText.line(entry.path))\n")
        }
        output.flush()
        return .done
    }

    /// Makes the index of an image, and prints where it is.
    func makeIndex(of image: Image, isOnly: Bool, _ names: inout Set<String>) throws(ObjectFileError) {
        let given = output == nil ? nil : try target(of: image, ending: ".cairnidx", isOnly: isOnly, &names)
        guard let path = given ?? cache?.path(for: image.object) ?? cache?.folder else {
            throw ObjectFileError(.unsupported, path: image.path, Self.noCache)
        }
        do throws(IndexRefusal) {
            if given == nil { _ = try cache?.make(image.object) } else { try IndexWriter.write(image.object, to: path, isNamed: true) }
        } catch {
            throw ObjectFileError(.unsupported, path: image.object.path, "no index was built, so the file itself is used: \(error.reason)")
        }
        var output = StandardOutput()
        output.append(PlainText.line("\(path): \(FileStamp(path: path)?.size ?? 0) bytes") + "\n")
        output.flush()
    }

    /// `--verify`: whether the index of an image, the one at `-o` or the one in the cache, agrees
    /// with the file.
    func isTrue(_ image: Image) throws(ObjectFileError) -> Bool {
        let found: SymbolIndex?
        do throws(SymbolIndex.Failure) {
            found = if let output { try SymbolIndex(path: output) } else { cache?.index(for: image.object) }
            try found?.verify()
        } catch { throw ObjectFileError(.corrupt, path: error.path, error.problem) }
        guard let index = found else {
            throw ObjectFileError(.unsupported, path: image.path, "no index in the cache. Run: cairn index \(ShellWord.quoted(image.path))")
        }
        guard index.isMade(of: image.object) else {
            throw ObjectFileError(.unsupported, path: index.file.path, "it is the index of another file than \(image.object.path)")
        }
        let result = IndexComparison(index, image.object)
        var output = StandardOutput()
        output.append(PlainText.line("\(index.file.path): \(result.compared) lookups compared, \(result.differing.count) differ") + "\n")
        for address in result.differing.prefix(10) { output.append("  \(address)\n") }
        output.flush()
        return result.differing.isEmpty
    }
}
