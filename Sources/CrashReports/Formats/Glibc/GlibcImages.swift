internal import BinaryPrimitives

/// The files that the rows of a stack without a memory map name, and where in them the frames lie.
///
/// `(+0x1390)` counts from the load bias (`l_addr`; `debug/backtracesyms.c` says why: so that it can be looked up in the file), so it is the address as linked. Where one row of a file tells the bias so, it holds
/// for the others of that file: `(harbour_berth+0x11)[0x7ffff7fbc171]` is then 0x7ffff7fbc171 less the bias, and the name need not be looked for. A row without parentheses, or with empty
/// ones, is of a program that was linked where it lies: its address is as linked.
struct GlibcImages {
    private(set) var images: [BinaryImage] = []

    init(_ frames: inout [Frame], _ rows: [GlibcBacktraceRow]) {
        var known: [String: Int] = [:]
        var biases: [String: Set<UInt64>] = [:]
        for row in rows {
            guard let module = row.module, row.symbol == nil, let offset = row.offset, offset <= row.address else { continue }
            biases[module, default: []].insert(row.address - offset)
        }
        for index in frames.indices {
            let row = rows[index]
            guard let module = row.module else { continue }
            if known[module] == nil, images.count < Limits.standard.images {
                known[module] = images.count
                images.append(BinaryImage(file: module))
            }
            frames[index].image = known[module]
            frames[index].imagePlace = GlibcImages.place(row, biases[module] ?? [])
        }
    }

    /// Where several processes have written, a file has several biases: then only what the row itself tells is used.
    private static func place(_ row: GlibcBacktraceRow, _ biases: Set<UInt64>) -> ImagePlace? {
        guard !row.isBeforeSymbol else { return nil }
        guard let symbol = row.symbol else { return .linkAddress(LinkAddress(row.offset ?? row.address)) }
        if biases.count == 1, let bias = biases.first, bias <= row.address { return .linkAddress(LinkAddress(row.address - bias)) }
        return row.offset.map { .symbol(SymbolPlace(name: symbol, offset: $0)) }
    }
}
