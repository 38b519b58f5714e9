import BinaryPrimitives
import ObjectFiles

/// Opens the bytes as an ELF file and asks for everything that an ELF file can be asked for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe UnsafeRawBufferPointer(start: start, count: count)
    guard let file = try? MappedFile(bytes: unsafe RawSpan(_unsafeBytes: input), name: "input"),
        let object = try? ObjectFiles.openAll(file).first, object.description.container == .elf
    else { return 0 }
    for section in object.description.sections {
        _ = try? object.contents(of: section).withBytes { $0.byteCount }
        try? object.inflateStreaming(section) { $0.byteCount > 0 }
        if case .address(let address) = object.place(of: ImageOffset(section.size / 2)) { _ = object.offset(of: address) }
    }
    _ = try? object.contents(joining: object.description.sections.filter { $0.name == ".debug_info" }).withBytes { $0.byteCount }
    _ = try? object.miniDebugInformation()?.forEachSymbol { $0.size >= 0 }
    var names = 0
    try? object.forEachSymbol { symbol in
        names += symbol.name.text(in: object).utf8.count
        _ = object.section(containing: symbol.address)
        return true
    }
    return 0
}
