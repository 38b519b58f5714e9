internal import BinaryPrimitives
internal import ObjectFiles

extension IndexContents {
    private typealias Table = SymbolIndexLayout.Table

    private func size(_ table: Table) -> Int {
        switch table {
        case .segments: object.description.segments.count * 16
        case .buckets: (bucketCount + 1) * 4
        case .blockStarts: blocks.count * 4
        case .blockPlaces: (blocks.count + 1) * 4
        case .blocks: blocksSize
        case .unitStarts: unitStarts.count * 4
        case .unitFiles: unitFiles.count
        case .pathPlaces: pathPlaces.count * 4
        case .pathTexts: pathTexts.count
        case .symbolStarts: shared.coverage.starts.count * 8
        case .symbolNames: symbolNames.count * 4
        case .symbolEntries: symbolEntries.count * 16
        case .sharedCode: sharedCode.count * 16
        case .nameKeys: nameKeys.count * 4
        case .namePlaces: namePlaces.count * 4
        case .nameTexts: nameTexts.count
        case .checksums: (Table.allCases.count - 1) * 8
        }
    }

    /// Gives the file's bytes to `append`, from the first to the last.
    func write(_ append: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
        var places: [(offset: Int, size: Int)] = []
        var offset = SymbolIndexLayout.headerSize
        for table in Table.allCases {
            places.append((offset, size(table)))
            offset = (offset + size(table) + 7) & ~7
        }
        try append(header(places, fileSize: offset))
        var checksums: [UInt64] = []
        for table in Table.allCases {
            var writer = TableWriter()
            try write(table, checksums, &writer, append)
            checksums.append(try writer.finish(append))
        }
    }

    private func header(_ places: [(offset: Int, size: Int)], fileSize: Int) -> [UInt8] {
        var header = SymbolIndexLayout.magic
        func add<Number: FixedWidthInteger>(_ number: Number) {
            for byte in 0..<Number.bitWidth / 8 { header.append(UInt8(truncatingIfNeeded: number >> Number(byte * 8))) }
        }
        let identity = object.identity?.bytes ?? []
        add(SymbolIndexLayout.version)
        add(UInt32(Table.allCases.count))
        add(UInt64(fileSize))
        add(object.baseAddress.value)
        add(codeStart)
        add(UInt32(bucketShift))
        add(UInt32(unitWidth))
        add(UInt32(pathWidth))
        add(UInt32(identity.count))
        header += identity + [UInt8](repeating: 0, count: SymbolIndexLayout.identitySize - identity.count)
        add(ImageFingerprint.of(object))
        let checksumAt = header.count
        add(UInt64(0))
        for place in places {
            add(UInt64(place.offset))
            add(UInt64(place.size))
        }
        let checksum = SymbolIndexLayout.checksum(of: header.span.rawBytes)
        for byte in 0..<8 { header[checksumAt + byte] = UInt8(truncatingIfNeeded: checksum >> UInt64(byte * 8)) }
        return header
    }

    private func write(
        _ table: Table, _ checksums: [UInt64], _ writer: inout TableWriter, _ append: ([UInt8]) throws(FileError) -> Void
    ) throws(FileError) {
        switch table {
        case .segments:
            for segment in object.description.segments {
                try writer.add(segment.address.value, append)
                try writer.add(segment.address.advanced(by: segment.size)?.value ?? .max, append)
            }
        case .buckets:
            var next = 0
            for bucket in 0...bucketCount {
                while next < blocks.count, bucket == bucketCount || (blocks[next].start - codeStart) >> UInt64(bucketShift) < UInt64(bucket)
                { next += 1 }
                try writer.add(UInt32(next), append)
            }
        case .blockStarts: for block in blocks { try writer.add(UInt32(block.start - codeStart), append) }
        case .blockPlaces:
            var place: UInt32 = 0
            for block in blocks {
                try writer.add(place, append)
                place += block.size
            }
            try writer.add(place, append)
        case .blocks: try writeBlocks(&writer, append)
        case .unitStarts: for start in unitStarts { try writer.add(start, append) }
        case .unitFiles: try writer.add(unitFiles, append)
        case .pathPlaces: for place in pathPlaces { try writer.add(place, append) }
        case .pathTexts: try writer.add(pathTexts, append)
        case .symbolStarts: for start in shared.coverage.starts { try writer.add(start, append) }
        case .symbolNames: for name in symbolNames { try writer.add(name, append) }
        case .symbolEntries:
            for (key, entry) in symbolEntries {
                try writer.add(UInt64(key), append)
                try writer.add(entry, append)
            }
        case .sharedCode:
            for (address, key) in sharedCode {
                try writer.add(address, append)
                try writer.add(UInt64(key), append)
            }
        case .nameKeys: for key in nameKeys { try writer.add(key, append) }
        case .namePlaces: for place in namePlaces { try writer.add(place, append) }
        case .nameTexts: try writer.add(nameTexts, append)
        case .checksums: for checksum in checksums { try writer.add(checksum, append) }
        }
    }

    /// From the order of the units into that of the addresses.
    private func writeBlocks(_ writer: inout TableWriter, _ append: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
        var touched = 0
        for block in blocks {
            let range = block.position..<block.position + Int(block.size)
            try files[Int(block.file)]?.withBytes { (whole: RawSpan) throws(FileError) in try writer.add(whole.clamped(to: range), append) }
            touched += 1
            if touched % 1024 == 0 { for file in files { file?.releasePages() } }
        }
    }
}
