internal import BinaryPrimitives
internal import ObjectFiles

/// Opens the bytes as an ELF file and looks up everything that an ELF file can have; then reads
/// them as the parts that only some files have: exception frames, Go's line table, stubs.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    if let file = try? MappedFile(bytes: bytes, name: "input"), let object = try? ObjectFiles.openAll(file).first,
        object.description.container == .elf
    {
        ask(object)
    }
    askFrames(bytes)
    askGoTable(bytes)
    askStubs(bytes)
    return 0
}

private func ask(_ object: ObjectFile) {
    for section in object.description.sections {
        _ = try? object.contents(of: section).withBytes { $0.byteCount }
        try? object.inflateStreaming(section) { $0.byteCount > 0 }
        if case .address(let address) = object.resolve(ImageOffset(section.size / 2)) { _ = object.offset(of: address) }
    }
    askStubs(object)
    _ = try? object.contents(joining: object.description.sections.filter { $0.name == ".debug_info" }).withBytes { $0.byteCount }
    _ = try? object.miniDebugInformation()?.forEachSymbol { $0.size >= 0 }
    var names = 0
    try? object.forEachSymbol { symbol in
        names += symbol.name.text(in: object).utf8.count
        _ = object.section(containing: symbol.address)
        return true
    }
}
