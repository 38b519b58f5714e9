internal import BinaryPrimitives
internal import ObjectFiles

/// Opens the bytes as a WebAssembly module or component, and looks up everything that one can have.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    guard let file = try? MappedFile(bytes: bytes, name: "input"), let objects = try? ObjectFiles.openAll(file) else { return 0 }
    for object in objects.prefix(16) where object.description.container == .webAssembly {
        for section in object.description.sections {
            precondition(section.fileRange.upperBound <= count)
            _ = try? object.contents(of: section).withBytes { $0.byteCount }
        }
        var symbols: [(start: LinkAddress, size: UInt64)] = []
        var names = 0
        try? object.forEachSymbol { symbol in
            names += symbol.name.text(in: object).utf8.count
            symbols.append((symbol.address, symbol.size))
            return names < 1 << 20
        }
        precondition(zip(symbols, symbols.dropFirst()).allSatisfy { $0.start < $1.start })
        // A window of one address has the function around it, and its number is one.
        for symbol in symbols.prefix(8) where symbol.size > 0 {
            var isThere = false
            try? object.forEachSymbol(around: SymbolWindow(SortedAddresses([symbol.start.value]))) { found in
                isThere = isThere || found.address == symbol.start
                return true
            }
            precondition(isThere)
            precondition(object.numberedFunctions(at: [symbol.start]).map { $0.count == 1 && $0[0] != nil } ?? true)
        }
    }
    return 0
}
