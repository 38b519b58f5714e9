package import BinaryPrimitives
internal import ObjectFiles

extension ObjectSource {
    /// Each table is read; a function that several of them have comes several times. If the table
    /// does not give its size, it is as long as the file bounds it, or else one byte.
    package func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) {
        for object in objects {
            visit(object, bounds: object, body)
            if !object.hasFullSymbolTable, let packed = (try? object.miniDebugInformation()) ?? nil { visit(packed, bounds: object, body) }
        }
    }

    private func visit(_ object: ObjectFile, bounds: ObjectFile, _ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) {
        var extents = FunctionExtents(bounds)
        try? object.forEachSymbol { symbol in
            guard symbol.kind == .function else { return true }
            var extent: Range<LinkAddress>?
            if symbol.size > 0, let end = symbol.address.advanced(by: symbol.size) { extent = symbol.address..<end }
            if symbol.size == 0 {
                extent = extents.extent(containing: symbol.address) ?? symbol.address.advanced(by: 1).map { symbol.address..<$0 }
            }
            if let extent { body(object.sourceName(symbol.name.text(in: object)), extent) }
            return true
        }
    }
}
