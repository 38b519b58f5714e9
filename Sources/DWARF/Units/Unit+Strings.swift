internal import BinaryPrimitives
internal import ObjectFiles

extension Unit {
    /// The text of a value of class string; `nil` for other values and where the text is outside
    /// its section.
    /// - Parameter unitBytes: the unit's bytes, from its header to its end, for strings in the
    ///   entry itself.
    func string(_ value: AttributeValue?, _ unitBytes: RawSpan) -> String? {
        switch value {
        case .inlineString(let bytesBeforeEnd):
            return unitBytes.cString(at: UInt64(max(0, unitBytes.byteCount - bytesBeforeEnd)))
        case .stringOffset(let offset): return sections.text(.str, at: offset)
        case .lineStringOffset(let offset): return sections.text(.lineStr, at: offset)
        case .supplementaryString(let offset): return sections.supplementary?.text(.str, at: offset)
        case .stringIndex(let index): return stringOffset(at: index).flatMap { sections.text(.str, at: $0) }
        default: return nil
        }
    }

    /// Entry `index` of the unit's part of `.debug_str_offsets`.
    func stringOffset(at index: UInt64) -> UInt64? {
        guard let table = try? sections.contents(.strOffsets) else { return nil }
        let size = UInt64(header.offsetSize)
        // Without the attribute: GNU's tables of DWARF 4 have no header, those of DWARF 5 one of 8
        // or 16 bytes.
        let headerSize: UInt64 = header.version >= 5 ? (size == 8 ? 16 : 8) : 0
        let base = root.stringOffsetsBase ?? contribution.stringOffsets + headerSize
        let (distance, overflow) = index.multipliedReportingOverflow(by: size)
        let (offset, overflow2) = base.addingReportingOverflow(distance)
        guard !overflow, !overflow2 else { return nil }
        let order = header.byteOrder
        return table.withBytes { bytes in
            guard var entry = try? bytes.slice(at: offset, count: size) else { return nil }
            return try? entry.readUnsigned(size: Int(size), order)
        }
    }
}

extension DWARFSections {
    /// Why texts cannot be read: a section or a file that holds them cannot.
    var textProblem: DWARFError? {
        for name in [Name.str, .lineStr, .strOffsets] {
            do throws(DWARFError) { _ = try contents(name) } catch { return error }
        }
        guard let link = SupplementaryFile.link(of: self), supplementary == nil else { return nil }
        let identity = link.identity.map { " (build ID \($0.hexadecimal))" } ?? ""
        return DWARFError(.info, at: 0, "its supplementary file, \(link.path)\(identity), is not found")
    }

    /// The zero-terminated text at `offset` of a string section; `nil` outside it.
    func text(_ section: Name, at offset: UInt64) -> String? {
        if section == .str, let texts = spooledTexts { return texts.text(at: offset) }
        guard let contents = try? contents(section) else { return nil }
        // Through the mapping a text of a large section makes 64 KB of it resident, which are given
        // back and made resident again.
        if case .stored(let file, let range) = contents, range.count >= Self.largeTexts {
            guard offset < UInt64(range.count) else { return nil }
            return file.string(
                from: FileOffset(UInt64(range.lowerBound) + offset), before: FileOffset(UInt64(range.upperBound)),
                limit: Limits.standard.nameLength)
        }
        return contents.withBytes { $0.cString(at: offset) }
    }

    /// Bytes of a section from which on its texts are read one by one.
    private static var largeTexts: Int { 1 << 20 }
}
