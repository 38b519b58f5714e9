internal import BinaryPrimitives
internal import ObjectFiles

/// Images of Apple's shared caches have no debug information, and no index; their symbols are kept by address instead, beside the
/// indexes, under the UUIDs of the cache and of the image.
extension IndexPolicy {
    /// The image with the list of its symbols that is kept, or that is made and kept now; itself if it needs none, or none can be kept.
    func withSymbolList(_ image: ObjectFile) -> ObjectFile {
        guard image.description.isInSharedCache, let name = image.symbolListName else { return image }
        return cache.image(image, withListNamed: name, makes: making != .never) ?? image
    }
}

extension IndexCache {
    fileprivate func image(_ image: ObjectFile, withListNamed name: String, makes: Bool) -> ObjectFile? {
        let path = Path.join(folder, name + Self.ending)
        if let file = try? MappedFile(path: path) {
            if let listed = image.reading(symbolList: file, named: name) {
                FileUse.touch(path)
                return listed
            }
            FileUse.remove(path)
        }
        guard makes, let bytes = try? image.makeSymbolList(named: name), image.file.change == nil, (try? makeFolder()) != nil,
            (try? FileReplacement.write(bytes, to: path)) != nil
        else { return nil }
        prune(keeping: path)
        return (try? MappedFile(path: path)).flatMap { image.reading(symbolList: $0, named: name) }
    }
}
