internal import BinaryPrimitives

/// Reads the headers of a PE image of Windows (Microsoft, "PE Format") into an `ObjectFile`. Only they, the names of sections
/// and the debug directory are touched.
enum PEReader {
    /// - Returns: `nil` if the file does not begin as a PE image does.
    static func open(_ file: MappedFile, _ limits: Limits) throws(ObjectFileError) -> ObjectFile? {
        guard let headers = try PEHeaders(file) else { return nil }
        let reader = PESections(file: file, header: headers.coff, offset: headers.sectionsOffset, imageBase: headers.imageBase)
        var description = ObjectFile.Description(
            container: .pe, kind: headers.isLibrary ? .sharedLibrary : .executable, architecture: headers.coff.architecture,
            byteOrder: .littleEndian, addressSize: headers.isWide ? 8 : 4)
        description.baseAddress = LinkAddress(headers.imageBase)
        description.sections = try reader.read()
        description.segments = segments(headers, description.sections, file)
        if hasOnlyDebugInformation(description.sections) { description.kind = .debugCompanion }
        description.exceptionDirectory = headers.directory(.exceptions).flatMap { segment(at: $0.address, count: $0.size, description) }
        description.debugLink = DebugLink.read(description, file)
        description.namesMayFillRange = true
        description.mapsDebugSections = true
        identify(&description, headers, file)
        return ObjectFile(
            file: file, slice: 0..<file.size, description: description,
            symbolReader: PESymbolTable(
                records: reader.symbolRecords, strings: reader.stringTable, layout: headers.coff.symbolLayout,
                exportDirectory: headers.directory(.exports).flatMap { segment(at: $0.address, count: $0.size, description) }),
            limits: limits)
    }

    /// The mapped ranges: the headers, and each section.
    private static func segments(_ headers: PEHeaders, _ sections: [Section], _ file: MappedFile) -> [Segment] {
        let first = Segment(
            name: "", address: LinkAddress(headers.imageBase), size: UInt64(headers.headersSize),
            fileRange: 0..<min(Int(headers.headersSize), file.size), isExecutable: false)
        return [first]
            + sections.map {
                Segment(
                    name: $0.name, address: $0.address, size: $0.size, fileRange: $0.compression == nil ? $0.fileRange : 0..<0,
                    isExecutable: $0.isExecutable)
            }
    }

    /// `objcopy --only-keep-debug` keeps the headers of all sections, and the bytes of debug information alone.
    private static func hasOnlyDebugInformation(_ sections: [Section]) -> Bool {
        let hasCode = sections.contains { $0.isExecutable && (!$0.fileRange.isEmpty || $0.problem != nil) }
        return !hasCode && sections.contains { !$0.isLoaded && !$0.fileRange.isEmpty }
    }

    /// A directory's bytes; `nil` if they are not all in the file.
    private static func segment(at address: UInt64, count: Int, _ description: ObjectFile.Description) -> Segment? {
        guard let range = description.segments.fileRange(from: LinkAddress(address)), range.count >= count else { return nil }
        return Segment(
            name: "", address: LinkAddress(address), size: UInt64(count), fileRange: range.lowerBound..<range.lowerBound + count,
            isExecutable: false)
    }

    // MARK: Identity

    /// Maximum number of entries of the debug directory; linkers write up to six.
    private static let maxDebugEntries = 64

    /// Reads the identities that a linker writes: the GUID and the age of the debug information (`RSDS`), and the timestamp, which
    /// is a hash in reproducible builds, or zero.
    private static func identify(_ description: inout ObjectFile.Description, _ headers: PEHeaders, _ file: MappedFile) {
        if headers.coff.timestamp != 0 {
            description.codeIdentifier = CodeIdentifier.text(timestamp: headers.coff.timestamp, size: headers.imageSize)
        }
        guard let directory = headers.directory(.debug),
            let range = description.segments.fileRange(from: LinkAddress(directory.address))
        else { return }
        let entries = file.bytes(in: range.lowerBound..<range.lowerBound + min(range.count, directory.size, Self.maxDebugEntries * 28))
        for start in stride(from: 0, through: entries.count - 28, by: 28) {
            func word(_ offset: Int) -> Int { Int((try? entries.span.rawBytes.value(UInt32.self, at: start + offset, .littleEndian)) ?? 0) }
            // IMAGE_DEBUG_TYPE_CODEVIEW; its size and its offset in the file.
            guard word(12) == 2, word(16) >= 24, let range = PESections.range(word(24), 24, in: file) else { continue }
            let record = file.bytes(in: range)
            guard record.starts(with: "RSDS".utf8), let age = try? record.span.rawBytes.value(UInt32.self, at: 20, .littleEndian),
                let id = ImageID(bytes: BreakpadID.printed(Array(record[4..<20])))
            else { continue }
            description.identity = id
            description.debugIdentifier = id.hexadecimal.uppercased() + String(age, radix: 16)
            return
        }
    }
}
