internal import BinaryPrimitives
internal import ObjectFiles

/// Opens the bytes as the files of a shared cache, each from one magic to the next, and looks up everything that its images can have.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    var starts: [Int] = []
    for position in input.indices where input[position...].starts(with: "dyld_v1".utf8) { starts.append(position) }
    guard starts.first == 0 else { return 0 }
    let files = zip(starts, starts.dropFirst() + [input.count]).compactMap { first, end in
        try? MappedFile(bytes: input[first..<end].span.rawBytes, name: "cache\(first)")
    }
    // Files are opened in their order.
    var next = 0
    guard let main = files.first,
        let cache =
            (try? SharedCache(
                main,
                beside: { _ throws(FileError) in
                    next += 1
                    return files.indices.contains(next) ? files[next] : nil
                })) ?? nil
    else { return 0 }
    for index in cache.images.indices.prefix(64) {
        if let id = cache.identity(of: index) { precondition(cache.image(id: id) != nil) }
        if let found = cache.image(containing: cache.images[index].address) {
            precondition(cache.images[found].address == cache.images[index].address)
        }
        guard let object = try? cache.open(index) else { continue }
        precondition(object.slice.upperBound <= object.file.size)
        for section in object.description.sections.prefix(256) {
            precondition(section.fileRange.upperBound <= object.file.size)
            _ = try? object.contents(of: section).withBytes { $0.byteCount }
        }
        var names = 0
        try? object.forEachSymbol { symbol in
            names += symbol.name.text(in: object).utf8.count
            return names < 1 << 20
        }
        for section in object.description.sections.prefix(256) {
            names += object.stub(containing: section.address)?.name.utf8.count ?? 0
        }
        names += (try? object.exports())?.count ?? 0
        for start in object.description.functionStarts.prefix(64) { names += object.methodName(ofFunctionAt: start)?.utf8.count ?? 0 }
        _ = object.codeMarks()
    }
    return 0
}
