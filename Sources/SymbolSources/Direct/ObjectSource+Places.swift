package import BinaryPrimitives
internal import ObjectFiles

extension ObjectSource {
    package func locate(_ places: [ImageLocation]) -> [LocateResult] {
        var symbols = SymbolLocator(
            places.compactMap { place in
                guard case .symbol(let symbol) = place else { return nil }
                return symbol
            })
        // Every file of the image is searched: the binary's table may be stripped, and a debug file may have no
        // table.
        for object in objects where symbols.hasUnknown {
            symbols.look(in: object)
            if !object.hasFullSymbolTable, let packed = (try? object.miniDebugInformation()) ?? nil { symbols.look(in: packed) }
        }
        if let change { return places.map { _ in .unresolved(.changedFile(change)) } }
        return places.map { locate($0, symbols) }
    }

    private func locate(_ place: ImageLocation, _ symbols: SymbolLocator) -> LocateResult {
        switch place {
        case .offset(let offset):
            guard case .address(let address)? = objects.first?.place(of: offset) else { return .unresolved(.outsideImage) }
            return .found([address])
        case .linkAddress(let address): return .found([address])
        case .fileOffset(let offset):
            let address = objects.lazy.compactMap { $0.linkAddress(ofFileOffset: offset) }.first
            return address.map { .found([$0]) } ?? .unresolved(.fileOffsetNotMapped)
        case .relativePC(let value):
            guard let beginsWithCode = objects.lazy.compactMap({ $0.beginsWithCode }).first else {
                return .unresolved(.fileOffsetNotMapped)
            }
            return beginsWithCode ? .found([LinkAddress(value)]) : locate(.fileOffset(value), symbols)
        case .textOffset(let distance):
            let text = objects.lazy.compactMap { $0.section(named: ".text") ?? $0.section(named: "__text") }.first
            guard let text else { return .unresolved(.noTextSection) }
            return .found([LinkAddress(text.address.value &+ UInt64(bitPattern: distance))])
        case .symbol(let symbol): return symbols.locate(symbol)
        case .mapping(let mapping): return locate(mapping)
        }
    }
}

extension ObjectSource {
    /// The kernel maps a segment from the page on that it begins in to the page's end that it ends
    /// in (`elf_map` of `fs/binfmt_elf.c`, `_dl_map_segments` of glibc): of the segments with code,
    /// the one whose pages are as many as the log's mapping has.
    private func locate(_ mapping: MappingLocation) -> LocateResult {
        var sizes: [UInt64] = []
        for object in objects {
            let segments = object.description.segments.filter {
                $0.isExecutable && $0.size > 0 && $0.address.value.addingReportingOverflow($0.size).overflow == false
            }
            // x86's pages, and the larger ones of arm64 and PowerPC.
            for page: UInt64 in [4096, 16384, 65536] {
                let found = segments.filter { $0.pages(of: page).size == mapping.size }
                if found.count == 1 { return .found([LinkAddress(found[0].pages(of: page).start &+ mapping.offset)]) }
            }
            sizes += segments.map { $0.pages(of: 4096).size }
        }
        return .unresolved(.mappingSizeDiffers(log: mapping.size, file: sizes))
    }
}

extension Segment {
    /// The pages that hold the segment.
    fileprivate func pages(of page: UInt64) -> (start: UInt64, size: UInt64) {
        let start = address.value & ~(page - 1)
        let (end, overflow) = (address.value + size).addingReportingOverflow(page - 1)
        return (start, overflow ? 0 : (end & ~(page - 1)) - start)
    }
}

extension ObjectFile {
    /// Whether the first executable segment holds the file's first byte; `nil` where the file does
    /// not show it: debug files have lost their segments' file offsets. Theirs begins with code
    /// where no segment is linked below the code.
    fileprivate var beginsWithCode: Bool? {
        guard let code = description.segments.first(where: \.isExecutable) else { return nil }
        if !code.fileRange.isEmpty { return code.fileRange.lowerBound == slice.lowerBound }
        return description.segments.contains { $0.address < code.address } ? nil : true
    }

    /// The address that the byte at `offset` of the file (of the slice, in a universal file) is
    /// mapped to; `nil` where no segment holds it: debug files' segments are empty.
    fileprivate func linkAddress(ofFileOffset offset: UInt64) -> LinkAddress? {
        for segment in description.segments {
            guard let start = UInt64(exactly: segment.fileRange.lowerBound - slice.lowerBound), offset >= start,
                offset - start < UInt64(segment.fileRange.count)
            else { continue }
            return segment.address.advanced(by: offset - start)
        }
        return nil
    }
}
