internal import BinaryPrimitives
internal import ObjectFiles

/// Opens the bytes as a Mach-O file, thin, universal or in a static library, and looks up
/// everything that one can have.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe UnsafeRawBufferPointer(start: start, count: count)
    guard let file = try? MappedFile(bytes: unsafe RawSpan(_unsafeBytes: input), name: "input") else { return 0 }
    for member in (try? ObjectFiles.open(member: "pool.o", of: file)) ?? [] {
        precondition(member.object.slice.upperBound <= file.size)
    }
    guard let objects = try? ObjectFiles.openAll(file), objects.first?.description.container == .machO
    else { return 0 }
    for object in objects {
        for section in object.description.sections { _ = try? object.contents(of: section).withBytes { $0.byteCount } }
        var names = 0
        try? object.forEachSymbol { symbol in
            names += symbol.name.text(in: object).utf8.count
            return true
        }
        _ = object.section(containing: object.baseAddress)
        for section in object.description.sections { names += object.stub(containing: section.address)?.name.utf8.count ?? 0 }
        names += (try? object.exports())?.count ?? 0
        let map = (try? object.debugMap()) ?? nil
        for function in map?.functions ?? [] {
            names += function.name.text(in: object).utf8.count
            // A function that the map has is found by its address, or another at the same address
            // is.
            precondition(map?.function(containing: function.address)?.address == function.address)
        }
    }
    return 0
}
