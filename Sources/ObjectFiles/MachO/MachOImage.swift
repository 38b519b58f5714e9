internal import BinaryPrimitives

/// A Mach-O object as its load commands describe it, one after the other.
struct MachOImage {
    let file: MappedFile
    let slice: Range<Int>
    /// Offset of the header in the file.
    private let start: Int
    let header: MachOHeader
    private var description: ObjectFile.Description
    private var functionStarts: Range<Int>?
    private(set) var symbols = MachOSymbolTable()
    /// Positions of addresses in an image whose parts are in several files; `nil`: file offsets count.
    private let addresses: AddressMap?
    /// File offset and address of `__LINKEDIT`, from which its tables count in such an image.
    private var linkEdit: (offset: UInt64, address: UInt64)?

    private var layout: MachOLayout { header.layout }

    /// - Parameters:
    ///   - entry: the identifier of an entry of a kernel cache.
    ///   - addresses: where the bytes of an image of a shared cache are.
    init(_ commands: MachOCommands, entry: String?, addresses: AddressMap? = nil) {
        self.addresses = addresses
        file = commands.file
        slice = commands.slice
        start = commands.start
        header = commands.header
        description = ObjectFile.Description(
            container: .machO, kind: Self.kind(header.fileType), architecture: header.architecture, byteOrder: header.layout.byteOrder,
            addressSize: header.layout.addressSize)
        description.entryName = entry
    }

    private static func kind(_ fileType: UInt32) -> ObjectFile.Kind {
        switch fileType {
        case MachOFileType.object: .relocatable
        case MachOFileType.execute, MachOFileType.preload: .executable
        case MachOFileType.core: .core
        case MachOFileType.dynamicLibrary, MachOFileType.dynamicLinker, MachOFileType.bundle, MachOFileType.dynamicLibraryStub:
            .sharedLibrary
        case MachOFileType.dSYM: .debugCompanion
        default: .other
        }
    }

    /// Reads one load command; those without sections, symbols or identity are skipped.
    /// - Parameter body: the command without `cmd` and `cmdsize`.
    mutating func read(_ command: UInt32, _ body: RawSpan) throws(ReadError) {
        var body = body
        switch command {
        case 0x1, 0x19: try readSegment(&body, isWide: command == 0x19)  // LC_SEGMENT, LC_SEGMENT_64
        case 0x2: try readSymbolTable(&body)  // LC_SYMTAB
        case 0xb: try readDynamicSymbolTable(&body)  // LC_DYSYMTAB
        case 0x1b: try readUUID(&body)  // LC_UUID
        case 0x26: try readFunctionStarts(&body)  // LC_FUNCTION_STARTS
        case 0x29: try readDataInCode(&body)  // LC_DATA_IN_CODE
        case 0x8000_0033: try readExports(&body)  // LC_DYLD_EXPORTS_TRIE
        case 0x22, 0x8000_0022:  // LC_DYLD_INFO, LC_DYLD_INFO_ONLY: four other tables come first
            try body.skip(32)
            try readExports(&body)
        case 0x32: try readBuildVersion(&body)  // LC_BUILD_VERSION
        case 0x24: try readMinimumVersion(&body, "macOS")  // LC_VERSION_MIN_MACOSX
        case 0x25: try readMinimumVersion(&body, "iOS")  // LC_VERSION_MIN_IPHONEOS
        case 0x2f: try readMinimumVersion(&body, "tvOS")  // LC_VERSION_MIN_TVOS
        case 0x30: try readMinimumVersion(&body, "watchOS")  // LC_VERSION_MIN_WATCHOS
        default: break
        }
    }

    /// The object, after all load commands.
    /// - Parameter allowance: bytes that the symbol table and the function starts may have;
    ///   lowered by those that they do.
    func object(allowance: inout Int, _ limits: Limits) -> ObjectFile {
        let (description, symbols) = finished(allowance: &allowance)
        return ObjectFile(file: file, slice: slice, description: description, symbolReader: symbols, limits: limits)
    }

    /// The parts of the object, after all load commands.
    /// - Parameter allowance: as `object(allowance:_:)`.
    func finished(allowance: inout Int) -> (description: ObjectFile.Description, symbols: MachOSymbolTable) {
        var description = description
        description.baseAddress = baseAddress
        if let functionStarts, functionStarts.count > allowance {
            description.notes.append("the function starts are another entry's as well, so they are not used")
        } else if let functionStarts {
            allowance -= functionStarts.count
            let bytes = file.bytes(in: functionStarts)
            let starts = FunctionStarts.decode(
                bytes.span.rawBytes, from: description.baseAddress, clearingThumbBit: header.architecture.hasThumbBit)
            description.functionStarts = starts.addresses
            if let problem = starts.problem { description.notes.append(problem) }
        }
        var symbols = symbols
        if let records = symbols.records, records.count > allowance {
            symbols.records = nil
            symbols.problem = "the symbol table is another entry's as well, so it is not used"
        } else {
            allowance -= symbols.records?.count ?? 0
        }
        symbols.finish(description, fileType: header.fileType)
        return (description, symbols)
    }

    /// Address of `__TEXT`, whose first byte is the header. If there is no `__TEXT` (as in some
    /// kernels' parts), address of the segment that maps the header.
    private var baseAddress: LinkAddress {
        if description.kind == .relocatable { return LinkAddress(0) }
        let text = description.segments.first { $0.name == "__TEXT" }
        let first = description.segments.first { $0.fileRange.lowerBound == start && !$0.fileRange.isEmpty }
        return (text ?? first)?.address ?? LinkAddress(0)
    }

    /// Bytes of the file, from an offset in the slice; `nil` if they do not all lie in the slice.
    private func range(_ offset: UInt64, _ size: UInt64) -> Range<Int>? {
        let total = UInt64(slice.count)
        guard offset <= total, size <= total - offset else { return nil }
        return slice.lowerBound + Int(offset)..<slice.lowerBound + Int(offset + size)
    }

    /// Bytes of a table in `__LINKEDIT`, from a file offset; `nil` if they do not all lie in it.
    private func linkEditRange(_ offset: UInt64, _ size: UInt64) -> Range<Int>? {
        guard let addresses else { return range(offset, size) }
        guard size > 0 else { return 0..<0 }
        guard let linkEdit, offset >= linkEdit.offset else { return nil }
        let (address, isOutside) = linkEdit.address.addingReportingOverflow(offset - linkEdit.offset)
        return isOutside ? nil : addresses.range(address, size)
    }

    // MARK: Segments and sections

    /// `segment_command`, `segment_command_64`, and the sections after it.
    private mutating func readSegment(_ body: inout RawSpan, isWide: Bool) throws(ReadError) {
        let order = layout.byteOrder
        let width = isWide ? 8 : 4
        let name = try body.readName()
        let address = try body.readUnsigned(size: width, order)
        let size = try body.readUnsigned(size: width, order)
        let fileOffset = try body.readUnsigned(size: width, order)
        let fileSize = try body.readUnsigned(size: width, order)
        try body.skip(4)  // maxprot
        let protection = try body.readUInt32(layout)
        let count = Int(try body.readUInt32(layout))
        try body.skip(4)  // flags
        let sectionSize = isWide ? 80 : 68
        guard count <= body.byteCount / sectionSize else {
            throw ReadError(.outOfBytes(needed: count * sectionSize), bytesLeft: body.byteCount)
        }

        if name == "__LINKEDIT" { linkEdit = (fileOffset, address) }
        let own = addresses.map { $0.range(address, fileSize) } ?? range(fileOffset, fileSize)
        let bytes = hasBytes(segment: name) ? own : 0..<0
        if bytes == nil, addresses != nil {
            description.notes.append("segment \(name) of \(fileSize) bytes is in a file of the shared cache that is missing or cut short")
        } else if bytes == nil {
            description.notes.append(
                "segment \(name) of \(fileSize) bytes should be at byte \(fileOffset), the object ends at byte \(slice.count): it is cut short"
            )
        }
        let isExecutable = protection & 4 != 0  // VM_PROT_EXECUTE
        description.segments.append(
            Segment(name: name, address: LinkAddress(address), size: size, fileRange: bytes ?? 0..<0, isExecutable: isExecutable))
        for _ in 0..<count {
            var section = try body.read(bytes: sectionSize)
            try readSection(&section, width: width)
        }
    }

    /// Whether the bytes of a segment, or of one of its sections, are in this file. `dsymutil`
    /// copies the program's segments and sections into a dSYM without their bytes (their offsets
    /// become zero); it writes `__DWARF` and `__LINKEDIT`, and copies `__TEXT,__eh_frame`.
    private func hasBytes(segment: String, section: String? = nil) -> Bool {
        description.kind != .debugCompanion || segment == "__DWARF" || segment == "__LINKEDIT" || section == "__eh_frame"
    }

    /// `section`, `section_64`.
    private mutating func readSection(_ body: inout RawSpan, width: Int) throws(ReadError) {
        let name = try body.readName()
        let segment = try body.readName()
        let address = try body.readUnsigned(size: width, layout.byteOrder)
        let size = try body.readUnsigned(size: width, layout.byteOrder)
        let offset = try body.readUInt32(layout)
        try body.skip(12)  // align, reloff, nreloc
        let flags = try body.readUInt32(layout)
        let firstEntry = try body.readUInt32(layout)  // reserved1
        let stubSize = try body.readUInt32(layout)  // reserved2
        if flags & 0xff == 0x8 {  // S_SYMBOL_STUBS
            symbols.dynamic.stubSections.append(
                .init(address: LinkAddress(address), size: size, stubSize: UInt64(stubSize), firstEntry: UInt64(firstEntry)))
        }

        // S_ZEROFILL, S_GB_ZEROFILL, S_THREAD_LOCAL_ZEROFILL. Nothing else may lie at offset 0,
        // where the header is.
        let isZeroFill = [0x1, 0xc, 0x12].contains(flags & 0xff)
        let hasNoBytes = isZeroFill || offset == 0 || !hasBytes(segment: segment, section: name)
        let bytes = hasNoBytes ? 0..<0 : addresses.map { $0.range(address, size) } ?? range(UInt64(offset), size)
        var section = Section(
            name: name, segmentName: segment, number: description.sections.count + 1, address: LinkAddress(address), size: size,
            fileRange: bytes ?? 0..<0,
            // S_ATTR_DEBUG, which assemblers give to debug sections.
            isLoaded: segment != "__DWARF" && flags & 0x0200_0000 == 0,
            // S_ATTR_PURE_INSTRUCTIONS, S_ATTR_SOME_INSTRUCTIONS.
            isExecutable: flags & 0x8000_0400 != 0)
        if bytes == nil {
            section.problem =
                "section \(segment),\(name) of \(size) bytes should be at byte \(offset), the object ends at byte \(slice.count)"
        }
        GNUCompression.mark(&section, in: file)
        description.sections.append(section)
    }

    // MARK: Identity

    private mutating func readUUID(_ body: inout RawSpan) throws(ReadError) {
        var bytes: [UInt8] = []
        for _ in 0..<16 { bytes.append(try body.read(UInt8.self)) }
        description.identity = ImageID(bytes: bytes)
    }

    /// `build_version_command`: `platform`, `minos`, `sdk`.
    private mutating func readBuildVersion(_ body: inout RawSpan) throws(ReadError) {
        let platform = try body.readUInt32(layout)
        try readVersions(&body, Self.platformName(platform))
    }

    private mutating func readMinimumVersion(_ body: inout RawSpan, _ platform: String) throws(ReadError) {
        try readVersions(&body, platform)
    }

    private mutating func readVersions(_ body: inout RawSpan, _ platform: String) throws(ReadError) {
        let minimum = try body.readUInt32(layout)
        let sdk = try body.readUInt32(layout)
        description.buildVersion = BuildVersion(platform: platform, minimumSystem: Self.version(minimum), sdk: Self.version(sdk))
    }

    /// Versions are written xxxx.yy.zz in the nibbles of a number.
    static func version(_ number: UInt32) -> String {
        let patch = number & 0xff
        return "\(number >> 16).\(number >> 8 & 0xff)" + (patch == 0 ? "" : ".\(patch)")
    }

    static func platformName(_ number: UInt32) -> String { platforms[number] ?? "platform \(number)" }

    /// `PLATFORM_MACOS` and so on.
    private static let platforms: [UInt32: String] = [
        1: "macOS", 2: "iOS", 3: "tvOS", 4: "watchOS", 5: "bridgeOS", 6: "Mac Catalyst", 7: "iOS simulator", 8: "tvOS simulator",
        9: "watchOS simulator", 10: "DriverKit", 11: "visionOS", 12: "visionOS simulator",
    ]

    // MARK: Link-edit data

    /// `linkedit_data_command`: `dataoff`, `datasize`.
    private mutating func readFunctionStarts(_ body: inout RawSpan) throws(ReadError) {
        let offset = try body.readUInt32(layout)
        let size = try body.readUInt32(layout)
        functionStarts = linkEditRange(UInt64(offset), UInt64(size))
        symbols.functionStarts = functionStarts ?? 0..<0
        if functionStarts == nil { description.notes.append("the function starts are outside of the object, so they are not used") }
    }

    /// Reads a `linkedit_data_command`. If the table is damaged, data in code is treated as
    /// instructions.
    private mutating func readDataInCode(_ body: inout RawSpan) throws(ReadError) {
        let offset = try body.readUInt32(layout)
        let size = try body.readUInt32(layout)
        symbols.dataInCode = linkEditRange(UInt64(offset), UInt64(size)) ?? 0..<0
    }

    /// `symtab_command`: `symoff`, `nsyms`, `stroff`, `strsize`.
    private mutating func readSymbolTable(_ body: inout RawSpan) throws(ReadError) {
        let offset = try body.readUInt32(layout)
        let count = try body.readUInt32(layout)
        let stringsOffset = try body.readUInt32(layout)
        let stringsSize = try body.readUInt32(layout)
        let size = UInt64(count) * UInt64(layout.symbolSize)
        symbols.layout = layout
        symbols.records = linkEditRange(UInt64(offset), size)
        symbols.strings = linkEditRange(UInt64(stringsOffset), UInt64(stringsSize)) ?? 0..<0
        if symbols.records == nil {
            symbols.problem = "the symbol table of \(count) symbols should be at byte \(offset), the object ends at byte \(slice.count)"
        }
    }

    /// `dysymtab_command`: `ilocalsym`, `nlocalsym`, `iextdefsym`, `nextdefsym`, …; `indirectsymoff` and `nindirectsyms` are
    /// its thirteenth and fourteenth numbers.
    private mutating func readDynamicSymbolTable(_ body: inout RawSpan) throws(ReadError) {
        let firstLocal = Int(try body.readUInt32(layout))
        symbols.locals = firstLocal..<firstLocal + Int(try body.readUInt32(layout))
        let firstExternal = Int(try body.readUInt32(layout))
        symbols.externals = firstExternal..<firstExternal + Int(try body.readUInt32(layout))
        try body.skip(32)
        let offset = try body.readUInt32(layout)
        let count = try body.readUInt32(layout)
        if let table = linkEditRange(UInt64(offset), UInt64(count) * 4) {
            symbols.dynamic.indirectSymbols = table
        } else {
            description.notes.append("the indirect symbols are outside of the object, so stubs have no names")
        }
    }

    /// `linkedit_data_command`, or the last two numbers of `dyld_info_command`.
    private mutating func readExports(_ body: inout RawSpan) throws(ReadError) {
        let offset = try body.readUInt32(layout)
        let size = try body.readUInt32(layout)
        if let trie = linkEditRange(UInt64(offset), UInt64(size)) {
            symbols.dynamic.exports = trie
        } else {
            description.notes.append("the exports are outside of the object, so they are not used")
        }
    }
}
