package import BinaryPrimitives

/// One function at an address, as an index has it. The index gives the meaning of its numbers
/// (`name(_:)`, `path(_:)`), which may be kept by number.
package struct IndexFrame: Sendable, Hashable {
    /// A name's key; 0: the function is not known.
    package var name: UInt32
    /// A file's number; 0: the location is not known.
    package var file: UInt32
    /// Zero: the compiler attributes the code to no line.
    package var line: UInt32
    /// Zero: unknown.
    package var column: UInt32
    /// DWARF discriminator of the innermost frame: which block of the line the address is in (DWARF 5, section
    /// 6.2.2); zero: not given, or the index is of an older version (`SymbolIndex.hasDiscriminators`).
    package var discriminator: UInt32
    package var isInlined: Bool
    /// The function's entry; `nil` for inlined calls, and where it is not known.
    package var entry: LinkAddress?
}

/// The kind of result that an index has for an address, in addition to the frames.
package enum IndexResult: Sendable, Hashable {
    /// Debug information covers the address.
    case debugInformation
    /// Only the symbol table does: one frame without a location.
    case symbolTable
    case unresolved(Unresolved)
}

extension SymbolIndex {
    /// Looks addresses up without allocating for each.
    /// - Parameters:
    ///   - addresses: in any order.
    ///   - body: receives each address's index in `addresses`, the kind of result, and the frames, innermost
    ///     inlined call first; no frames if the address is unresolved.
    package func forEachAnswer(at addresses: [LinkAddress], _ body: (Int, IndexResult, borrowing [IndexFrame]) -> Void) {
        // A block that is read through the mapping makes 64 KB resident, a hundred times its size. If few
        // blocks are needed, each is copied. If most are, the mapping is used.
        let blocks = addresses.count < count(of: .blockStarts) / Self.blocksPerCopy ? CopiedBlocks(file) : nil
        file.withBytes { bytes in
            let search = IndexSearch(self, blocks)
            var frames: [IndexFrame] = []
            frames.reserveCapacity(64)
            for (index, address) in addresses.enumerated() {
                frames.removeAll(keepingCapacity: true)
                let answer = search.answer(at: address.value, bytes, &frames)
                body(index, answer, frames)
            }
        }
    }

    /// How many blocks an index has for each address, where the blocks are copied.
    private static var blocksPerCopy: Int { 8 }

    /// The text of a name's key; empty for what is no key.
    package func name(_ key: UInt32) -> String {
        let position: UInt32? = file.withBytes { bytes in
            let keys = tableOffset(.nameKeys)
            let low = (0..<count(of: .nameKeys)).partitionPoint { bytes.word32(at: keys + $0 * 4) >= key }
            guard low < count(of: .nameKeys), bytes.word32(at: keys + low * 4) == key else { return nil }
            return bytes.word32(at: tableOffset(.nameOffsets) + low * 4)
        }
        guard let position else { return "" }
        let texts = tables[SymbolIndexLayout.Table.nameTexts.rawValue]
        let start = FileOffset(UInt64(texts.lowerBound) + UInt64(position))
        return file.string(from: start, before: FileOffset(UInt64(texts.upperBound)), limit: texts.count) ?? ""
    }

    /// The functions that begin at an address if there are several, the preferred first; empty if fewer than
    /// two begin there.
    func functions(sharingCodeAt address: LinkAddress) -> [String] {
        let last = count(of: .sharedCode)
        guard last > 0 else { return [] }
        let keys: [UInt32] = file.withBytes { bytes in
            let table = tableOffset(.sharedCode)
            var low = (0..<last).partitionPoint { bytes.word64(at: table + $0 * 16) >= address.value }
            var keys: [UInt32] = []
            while low < last, keys.count < SharedCode.maxFunctions, bytes.word64(at: table + low * 16) == address.value {
                keys.append(bytes.word32(at: table + low * 16 + 8))
                low += 1
            }
            return keys
        }
        return keys.map { name($0) }
    }

    /// The path of a file's number; `nil` for what is no number.
    package func path(_ file: UInt32) -> String? {
        self.file.withBytes { bytes in
            let files = tables[SymbolIndexLayout.Table.unitFiles.rawValue]
            let bit = (Int(file) - 1) * pathWidth
            guard file > 0, bit + pathWidth <= files.count * 8 else { return nil }
            let number = Int(bytes.clamped(to: files).bits(at: bit, pathWidth))
            guard number + 1 < count(of: .pathOffsets) else { return nil }
            let start = Int(bytes.word32(at: tableOffset(.pathOffsets) + number * 4))
            let end = Int(bytes.word32(at: tableOffset(.pathOffsets) + number * 4 + 4))
            let texts = bytes.clamped(to: tables[SymbolIndexLayout.Table.pathTexts.rawValue])
            guard start <= end, end <= texts.byteCount else { return nil }
            return texts.clamped(to: start..<end).string()
        }
    }
}
