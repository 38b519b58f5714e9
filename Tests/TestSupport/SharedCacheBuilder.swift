/// Makes small shared caches of Apple's systems, as dyld's `cache_builder` lays them out, from linked libraries
/// (`include/mach-o/dyld_cache_format.h` of dyld): code, data and `__LINKEDIT` of all libraries next to each other, one pool of names
/// for all, and local symbols apart from the others.
///
///     base   header, code of libraries      main file
///            header, code of libraries      a subcache, from iOS 15 and macOS 12 on
///            data                           the same, or a subcache of its own
///            tables of __LINKEDIT           the same
///
/// The libraries must export functions alone: an export trie is copied as it is, and data moves otherwise than code.
package struct SharedCacheBuilder {
    package enum Version: Sendable, CaseIterable {
        /// iOS 4 to 9: one file, and a list of images without UUIDs.
        case images
        /// iOS 10 to 14, macOS 10.12 to 11: one file.
        case imagesText
        /// iOS 15, macOS 12: `.1`, `.2` and `.symbols`.
        case numbered
        /// From iOS 16 and macOS 13 on: the header has the endings of the files' names.
        case named

        /// `mappingOffset`, the header's size.
        var headerSize: Int {
            switch self {
            case .images: 0x70
            case .imagesText: 0x140
            case .numbered: 0x1c8
            case .named: 0x200
            }
        }

        var isSplit: Bool { self == .numbered || self == .named }
    }

    package var version = Version.named
    /// As in the magic: `arm64e`.
    package var architecture = "arm64e"
    package var base: UInt64 = 0x1_8000_0000
    package var page = 0x4000
    /// Path in the system, and the linked file.
    package var libraries: [(path: String, file: [UInt8])] = []
    package var hasLocals = true
    /// Local symbols stay in the libraries' own tables, and are all called `<redacted>`.
    package var redacts = false
    /// Addresses of pointers in the library with that path: they are stored as the version's slide information says.
    package var pointers: [String: [UInt64]] = [:]
    /// Lists of Objective-C's methods count selectors from one base.
    package var countsSelectorsFromBase = false
    /// Class `Harbour` has lists of methods: an image's that is not there, its category `Tide`'s, and its own.
    package var attachesCategories = false
    /// First byte of the UUIDs of the cache's files.
    package var seed: UInt8 = 0x10

    package init() {}

    /// Addresses at which the libraries begin.
    package var addresses: [UInt64] { layout().libraries.map(\.text) }

    /// UUID of the file with that number: of the main file, of the subcaches, and last of `.symbols`.
    package func uuid(_ file: Int) -> [UInt8] { (0..<16).map { seed &+ UInt8(file * 16 + $0) } }

    // MARK: Layout

    private struct Library {
        var source: MachOFile
        /// File and address of `__TEXT`; addresses of the other segments.
        var file = 0
        var text: UInt64 = 0
        var addresses: [UInt64] = []
    }

    private struct Region {
        var file: Int
        var address: UInt64
        var bytes: [UInt8]
    }

    private struct Layout {
        var libraries: [Library]
        /// Addresses of the mappings: of each file's code, then data and tables.
        var codeStarts: [UInt64]
        var codeEnds: [UInt64]
        var data: UInt64
        var dataEnd: UInt64
        var linkEdit: UInt64
        var dataFile: Int
        var linkEditFile: Int
    }

    private func aligned(_ value: UInt64) -> UInt64 { (value + UInt64(page) - 1) / UInt64(page) * UInt64(page) }

    /// Endings of the files' names; the first is the main file's.
    private var suffixes: [String] {
        switch version {
        case .images, .imagesText: [""]
        case .numbered: ["", ".1", ".2"]
        case .named: ["", ".01", ".02.dylddata", ".03.dyldlinkedit"]
        }
    }

    private func layout() -> Layout {
        var libraries = libraries.map { Library(source: MachOFile($0.file)) }
        let codeFiles = version.isSplit ? 2 : 1
        var (starts, ends): ([UInt64], [UInt64]) = ([], [])
        var cursor = base
        for file in 0..<codeFiles {
            starts.append(cursor)
            cursor += UInt64(headerSpace)
            for index in libraries.indices where index * codeFiles / libraries.count == file {
                libraries[index].file = file
                libraries[index].text = cursor
                cursor = aligned(cursor + (libraries[index].source.segments.first { $0.name == "__TEXT" }?.size ?? 0))
            }
            ends.append(cursor)
            // Subcaches are apart from each other.
            cursor += UInt64(page) * 16
        }
        let data = cursor + (version == .named ? UInt64(headerSpace) : 0)
        cursor = data
        for index in libraries.indices {
            libraries[index].addresses = libraries[index].source.segments.map { segment in
                if segment.name == "__TEXT" { return libraries[index].text }
                if segment.name == "__LINKEDIT" { return 0 }
                defer { cursor = aligned(cursor + segment.size) }
                return cursor
            }
        }
        let dataEnd = cursor
        let last = suffixes.count - 1
        cursor += UInt64(page) * 16
        return Layout(
            libraries: libraries, codeStarts: starts, codeEnds: ends, data: data, dataEnd: dataEnd,
            linkEdit: cursor + (version.isSplit ? UInt64(headerSpace) : 0), dataFile: version == .named ? 2 : version.isSplit ? 1 : 0,
            linkEditFile: last)
    }

    /// Bytes before the code in each file.
    private var headerSpace: Int {
        Int(aligned(UInt64(version.headerSize + 0x400 + libraries.reduce(0) { $0 + 128 + $1.path.utf8.count })))
    }

    // MARK: Bytes

    /// The files' endings and bytes; the first is the main file.
    package func files() -> [(suffix: String, bytes: [UInt8])] {
        let layout = layout()
        var pool: [UInt8] = [0]
        var localPool: [UInt8] = [0]
        var linkEdit: [UInt8] = []
        var localRecords: [UInt8] = []
        var localEntries: [(address: UInt64, first: Int, count: Int)] = []
        var tables: [Tables] = []
        if redacts { pool += Array("<redacted>".utf8) + [0] }
        func append(_ bytes: [UInt8]) -> Int {
            while linkEdit.count % 8 != 0 { linkEdit.append(0) }
            linkEdit += bytes
            return linkEdit.count - bytes.count
        }
        for library in layout.libraries {
            let file = library.source
            var own: [UInt8] = []
            var kept = 0
            let first = localRecords.count / file.recordSize
            var numbers: [Int] = []
            for symbol in file.symbols {
                numbers.append(kept)
                let moved = symbol.moved(by: file.delta(ofSection: symbol.section, library.addresses))
                if symbol.isLocal {
                    var record = moved
                    record.name = UInt32(localPool.count)
                    localPool += Array(symbol.text.utf8) + [0]
                    localRecords += record.bytes(file)
                    guard redacts else { continue }
                    record.name = 1
                    own += record.bytes(file)
                } else {
                    var record = moved
                    record.name = UInt32(pool.count)
                    pool += Array(symbol.text.utf8) + [0]
                    own += record.bytes(file)
                }
                kept += 1
            }
            localEntries.append((library.text, first, localRecords.count / file.recordSize - first))
            var table = Tables(records: append(own), count: kept, removed: file.symbols.count - kept)
            table.starts = append(file.functionStarts)
            table.exports = append(file.exports)
            table.indirect = append(
                file.indirectSymbols.flatMap { number -> [UInt8] in
                    littleEndian(number & 0xc000_0000 != 0 || Int(number) >= numbers.count ? number : UInt32(numbers[Int(number)]))
                })
            tables.append(table)
        }
        let poolStart = append(pool)
        var files = suffixes.map { _ in [UInt8]() }
        let linkEditEnd = aligned(layout.linkEdit + UInt64(linkEdit.count))

        // Code.
        var mappings = suffixes.map { _ in [(address: UInt64, size: UInt64, offset: Int)]() }
        for (file, (start, end)) in zip(layout.codeStarts, layout.codeEnds).enumerated() {
            files[file] = [UInt8](repeating: 0, count: Int(end - start))
            mappings[file].append((start, end - start, 0))
        }
        if version == .named { files[2] = [UInt8](repeating: 0, count: headerSpace) }
        let dataOffset = files[layout.dataFile].count
        files[layout.dataFile] += [UInt8](repeating: 0, count: Int(layout.dataEnd - layout.data))
        let slideOffset = files[layout.dataFile].count
        let slide = slideInformation
        if !slide.isEmpty { files[layout.dataFile] += slide + [UInt8](repeating: 0, count: page - slide.count) }
        if version == .named {
            mappings[2].append((layout.data - UInt64(headerSpace), layout.dataEnd - layout.data + UInt64(headerSpace), 0))
        } else if layout.dataEnd > layout.data {
            mappings[layout.dataFile].append((layout.data, layout.dataEnd - layout.data, dataOffset))
        }
        if version.isSplit { files[layout.linkEditFile] = [UInt8](repeating: 0, count: headerSpace) }
        let linkEditOffset = files[layout.linkEditFile].count
        files[layout.linkEditFile] += linkEdit + [UInt8](repeating: 0, count: Int(linkEditEnd - layout.linkEdit) - linkEdit.count)
        if version.isSplit {
            mappings[layout.linkEditFile].append(
                (layout.linkEdit - UInt64(headerSpace), linkEditEnd - layout.linkEdit + UInt64(headerSpace), 0))
        } else {
            mappings[0].append((layout.linkEdit, linkEditEnd - layout.linkEdit, linkEditOffset))
        }

        // Libraries.
        for ((library, table), (path, _)) in zip(zip(layout.libraries, tables), libraries) {
            let position = Int(library.text - layout.codeStarts[library.file])
            var text = library.source.text
            library.source.moveMethodLists(&text, library.addresses, selectorBase: selectorBase(layout))
            library.source.patch(
                &text, library.addresses,
                fileOffset: { segment, address in
                    switch segment {
                    case "__TEXT": position
                    case "__LINKEDIT": linkEditOffset
                    default: dataOffset + Int(address - layout.data)
                    }
                }, linkEdit: (layout.linkEdit, linkEditEnd - layout.linkEdit),
                tables: (
                    linkEditOffset + table.records, table.count, linkEditOffset + poolStart, pool.count,
                    linkEditOffset + table.starts, linkEditOffset + table.exports, linkEditOffset + table.indirect, table.removed
                ))
            files[library.file].replaceSubrange(position..<position + text.count, with: text)
            for (segment, address) in zip(library.source.segments, library.addresses)
            where address >= layout.data && address < layout.dataEnd {
                let start = dataOffset + Int(address - layout.data)
                var bytes = segment.bytes
                if attachesCategories { library.source.attachCategories(&bytes, of: segment) }
                for pointer in pointers[path] ?? [] where pointer >= segment.address && pointer < segment.address + UInt64(bytes.count) {
                    let at = Int(pointer - segment.address)
                    let target = library.source.isWide ? bytes.long(at) : UInt64(bytes.word(at))
                    let moved = stored(target &+ library.source.delta(of: target, library.addresses), number: Int(pointer) / 8)
                    let new = library.source.isWide ? littleEndian(moved) : littleEndian(UInt32(truncatingIfNeeded: moved))
                    bytes.replaceSubrange(at..<at + new.count, with: new)
                }
                files[layout.dataFile].replaceSubrange(start..<start + bytes.count, with: bytes)
            }
        }

        // Local symbols.
        let isWide = version.isSplit
        var locals: [UInt8] = []
        let entriesStart = 24
        let recordsStart = (entriesStart + localEntries.count * (isWide ? 16 : 12) + 7) & ~7
        let recordSize = layout.libraries.first?.source.recordSize ?? 16
        for number in [
            recordsStart, localRecords.count / recordSize, recordsStart + localRecords.count, localPool.count, entriesStart,
            localEntries.count,
        ] {
            locals += littleEndian(UInt32(number))
        }
        for entry in localEntries {
            locals += isWide ? littleEndian(entry.address - base) : littleEndian(UInt32(entry.address - base))
            locals += littleEndian(UInt32(entry.first)) + littleEndian(UInt32(entry.count))
        }
        locals += [UInt8](repeating: 0, count: recordsStart - locals.count) + localRecords + localPool
        var localSymbols: (offset: Int, size: Int) = (0, 0)
        if hasLocals, !version.isSplit {
            localSymbols = (files[0].count, locals.count)
            files[0] += locals
        }

        var result = files.indices.map { file in
            let header = header(
                file, mappings[file], layout, localSymbols: file == 0 ? localSymbols : (0, 0),
                slide: slide.isEmpty || file != layout.dataFile
                    ? nil : (mappings[file].last { $0.address <= layout.data }?.address ?? 0, slideOffset))
            files[file].replaceSubrange(0..<header.count, with: header)
            if file == 0, version == .named {
                files[0].replaceSubrange(
                    optimizationOffset..<optimizationOffset + 56,
                    with: [UInt8](repeating: 0, count: 48) + littleEndian((selectorBase(layout) ?? base) - base))
            }
            return (suffix: suffixes[file], bytes: files[file])
        }
        if hasLocals, version.isSplit {
            let header = header(files.count, [], layout, localSymbols: (page, locals.count))
            result.append((".symbols", header + [UInt8](repeating: 0, count: page - header.count) + locals))
        }
        return result
    }

    // MARK: Pointers

    private var isWide: Bool { libraries.first.map { MachOFile($0.file).isWide } ?? true }

    /// Bits of the chain of versions 2 and 4.
    private var chain: UInt64 { isWide ? 0x00ff_ff00_0000_0000 : 0xc000_0000 }

    /// `dyld_cache_slide_info2` of iOS 10 to 13 (`4` in 32 bits), `3` of arm64e, and `5` since iOS 17.4: the fields before the lists of
    /// pages. Empty for version 1, and without pointers.
    private var slideInformation: [UInt8] {
        guard !pointers.isEmpty else { return [] }
        switch (version, isWide) {
        case (.images, _): return []
        case (.imagesText, _), (_, false):
            return littleEndian(UInt32(isWide ? 2 : 4)) + [UInt8](repeating: 0, count: 20) + littleEndian(chain) + littleEndian(base)
        case (.numbered, true), (.named, true):
            return littleEndian(UInt32(version == .numbered ? 3 : 5)) + littleEndian(UInt32(4096)) + littleEndian(UInt32(0))
                + littleEndian(UInt32(0))
                + littleEndian(base)
        }
    }

    /// A pointer as a mapping of the version has it, with the distance 3 to the next; some are signed.
    private func stored(_ address: UInt64, number: Int) -> UInt64 {
        let isSigned = number % 3 == 0
        switch (version, isWide) {
        case (.images, _): return address
        case (.imagesText, true): return address - base | 3 << 40
        case (_, false): return address - base | 1 << 30
        case (.numbered, true): return isSigned ? address - base | 0x1234 << 32 | 3 << 51 | 1 << 63 : address | 3 << 51
        case (.named, true): return address - base | 3 << 52 | (isSigned ? 0x1234 << 34 | 1 << 63 : 0)
        }
    }

    /// Where `objc_optimization` is in the main file.
    private var optimizationOffset: Int { headerSpace - 64 }

    /// From where on selectors are counted: what the main file says, or 0x40 bytes behind libobjc's section `__objc_opt_ro`, which has that number.
    private func selectorBase(_ layout: Layout) -> UInt64? {
        guard countsSelectorsFromBase else { return nil }
        if version == .named { return base + 0x1234 }
        return layout.libraries.lazy.compactMap { library in
            library.source.section("__objc_opt_ro").map { $0.address &+ library.source.delta(of: $0.address, library.addresses) &+ 0x40 }
        }.first
    }

    private struct Tables {
        var records: Int
        var count: Int
        var removed: Int
        var starts = 0
        var exports = 0
        var indirect = 0
    }

    private func header(
        _ file: Int, _ mappings: [(address: UInt64, size: UInt64, offset: Int)], _ layout: Layout, localSymbols: (offset: Int, size: Int),
        slide: (address: UInt64, offset: Int)? = nil
    ) -> [UInt8] {
        let size = version.headerSize
        var header = [UInt8](repeating: 0, count: size)
        func put<Value: FixedWidthInteger>(_ value: Value, _ offset: Int) {
            guard offset + MemoryLayout<Value>.size <= size else { return }
            header.replaceSubrange(offset..<offset + MemoryLayout<Value>.size, with: littleEndian(value))
        }
        let name = Array(architecture.utf8)
        let magic = Array("dyld_v1".utf8) + [UInt8](repeating: 0x20, count: 8 - name.count) + name + [0]
        header.replaceSubrange(0..<16, with: magic)
        put(UInt32(size), 0x10)
        put(UInt32(mappings.count), 0x14)
        put(UInt64(localSymbols.offset), 0x48)
        put(UInt64(localSymbols.size), 0x50)
        header.replaceSubrange(0x58..<0x68, with: uuid(file))
        put(UInt32(1), 0xd8)  // PLATFORM_MACOS
        if file == 0, version == .named, countsSelectorsFromBase { put(UInt64(optimizationOffset), 0x1d0) }
        put(base, 0xe0)
        put(UInt32(0x000e_0000), 0x16c)
        var rest: [UInt8] = []
        for mapping in mappings {
            rest += littleEndian(mapping.address) + littleEndian(mapping.size) + littleEndian(UInt64(mapping.offset))
            rest += littleEndian(UInt32(5)) + littleEndian(UInt32(5))
        }
        // gimli reads the mappings with their slide information from the version on that has it.
        put(UInt32(size + rest.count), 0x138)
        put(UInt32(mappings.count), 0x13c)
        if size >= 0x140 {
            for mapping in mappings {
                rest += littleEndian(mapping.address) + littleEndian(mapping.size) + littleEndian(UInt64(mapping.offset))
                rest += littleEndian(UInt64(slide?.address == mapping.address ? slide?.offset ?? 0 : 0))
                rest += [UInt8](repeating: 0, count: 16) + littleEndian(UInt32(5)) + littleEndian(UInt32(5))
            }
        }
        guard file == 0 else { return header + rest }
        let isMoved = size >= 0x1c8
        let imagesStart = size + rest.count
        let count = layout.libraries.count
        let textStart = imagesStart + count * 32
        let hasText = version != .images
        let subcaches = Array(suffixes.dropFirst().enumerated())
        let subcachesStart = textStart + (hasText ? count * 32 : 0)
        let entrySize = version == .named ? 56 : 24
        var path = subcachesStart + subcaches.count * entrySize
        let paths = libraries.map { library in
            defer { path += library.path.utf8.count + 1 }
            return path
        }
        put(UInt32(imagesStart), isMoved ? 0x1c0 : 0x18)
        put(UInt32(count), isMoved ? 0x1c4 : 0x1c)
        if hasText {
            put(UInt64(textStart), 0x88)
            put(UInt64(count), 0x90)
        }
        for (library, path) in zip(layout.libraries, paths) {
            rest += littleEndian(library.text) + [UInt8](repeating: 0, count: 16) + littleEndian(UInt32(path)) + littleEndian(UInt32(0))
        }
        if hasText {
            for (library, path) in zip(layout.libraries, paths) {
                let size = library.source.segments.first { $0.name == "__TEXT" }?.size ?? 0
                rest += library.source.uuid + littleEndian(library.text) + littleEndian(UInt32(size)) + littleEndian(UInt32(path))
            }
        }
        if !subcaches.isEmpty {
            put(UInt32(subcachesStart), 0x188)
            put(UInt32(subcaches.count), 0x18c)
            if hasLocals { header.replaceSubrange(0x190..<0x1a0, with: uuid(suffixes.count)) }
            for (index, suffix) in subcaches {
                rest += uuid(index + 1) + littleEndian(UInt64(page * (index + 1)))
                if version == .named { rest += Array(suffix.utf8) + [UInt8](repeating: 0, count: 32 - suffix.utf8.count) }
            }
        }
        for library in libraries { rest += Array(library.path.utf8) + [0] }
        return header + rest
    }
}

private func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

/// A linked library, as far as the builder changes it.
private struct MachOFile {
    struct Segment {
        var name: String
        var address: UInt64
        var size: UInt64
        var bytes: [UInt8]
        var sections: Int
    }

    struct SymbolRecord {
        var name: UInt32
        var type: UInt8
        var section: UInt8
        var description: UInt16
        var value: UInt64
        var text: String

        /// Neither debugging nor external, and defined.
        var isLocal: Bool { type & 0xe0 == 0 && type & 0x11 == 0 && type & 0x0e == 0x0e }

        func moved(by delta: UInt64) -> SymbolRecord {
            var record = self
            if section > 0 { record.value &+= delta }
            return record
        }

        func bytes(_ file: MachOFile) -> [UInt8] {
            littleEndian(name) + [type, section] + littleEndian(description)
                + (file.isWide ? littleEndian(value) : littleEndian(UInt32(truncatingIfNeeded: value)))
        }
    }

    let bytes: [UInt8]
    let isWide: Bool
    var segments: [Segment] = []
    var symbols: [SymbolRecord] = []
    var uuid = [UInt8](repeating: 0, count: 16)
    var functionStarts: [UInt8] = []
    var exports: [UInt8] = []
    var indirectSymbols: [UInt32] = []

    var recordSize: Int { isWide ? 16 : 12 }
    var text: [UInt8] { segments.first { $0.name == "__TEXT" }?.bytes ?? [] }

    /// Bytes by which a section moves, by its number in symbols.
    func delta(ofSection number: UInt8, _ addresses: [UInt64]) -> UInt64 {
        var last = 0
        for (segment, address) in zip(segments, addresses) {
            last += segment.sections
            if Int(number) <= last { return address &- segment.address }
        }
        return 0
    }

    /// Bytes by which an address moves.
    func delta(of address: UInt64, _ addresses: [UInt64]) -> UInt64 {
        for (segment, new) in zip(segments, addresses) where address >= segment.address && address < segment.address + segment.size {
            return new &- segment.address
        }
        return 0
    }

    func section(_ name: String) -> (address: UInt64, size: UInt64)? {
        for (command, at) in commands where command == 0x1 || command == 0x19 {
            let wide = command == 0x19
            for number in 0..<Int(bytes.word(at + (wide ? 64 : 48))) {
                let start = at + (wide ? 72 + number * 80 : 56 + number * 68)
                guard bytes.name(start) == name else { continue }
                return wide
                    ? (bytes.long(start + 32), bytes.long(start + 40)) : (UInt64(bytes.word(start + 32)), UInt64(bytes.word(start + 36)))
            }
        }
        return nil
    }

    private func content(at address: UInt64) -> UInt64 {
        for segment in segments where address >= segment.address && address < segment.address + segment.size {
            return isWide ? segment.bytes.long(Int(address - segment.address)) : UInt64(segment.bytes.word(Int(address - segment.address)))
        }
        return 0
    }

    /// Moves the lists of methods that have distances, which the linker puts in `__TEXT`.
    /// - Parameter base: from where on they are to count selectors; `nil` for pointers to selectors.
    func moveMethodLists(_ text: inout [UInt8], _ addresses: [UInt64], selectorBase base: UInt64?) {
        guard let section = section("__objc_methlist") else { return }
        var at = Int(section.address)
        while at + 8 <= Int(section.address + section.size) {
            guard text.word(at) == 0x8000_000c else {
                at += 4
                continue
            }
            let count = Int(text.word(at + 4))
            if base != nil { text.replaceSubrange(at..<at + 4, with: littleEndian(UInt32(0xc000_000c))) }
            for entry in stride(from: at + 8, to: at + 8 + count * 12, by: 12) {
                let reference = UInt64(entry) &+ UInt64(bitPattern: Int64(Int32(bitPattern: text.word(entry))))
                let here = UInt64(entry) &+ delta(of: UInt64(entry), addresses)
                let selector = content(at: reference)
                let distance =
                    base.map { selector &+ delta(of: selector, addresses) &- $0 } ?? reference &+ delta(of: reference, addresses) &- here
                text.replaceSubrange(entry..<entry + 4, with: littleEndian(UInt32(truncatingIfNeeded: distance)))
            }
            at += 8 + count * 12
        }
    }

    /// Puts a list of lists at the end of the segment that has `Harbour`'s description, and a pointer to it in that.
    func attachCategories(_ bytes: inout [UInt8], of segment: Segment) {
        func address(_ name: String) -> UInt64? {
            symbols.first { $0.text == name }.map(\.value).flatMap {
                $0 >= segment.address && $0 < segment.address + segment.size ? $0 : nil
            }
        }
        guard let description = address("__OBJC_CLASS_RO_$_Harbour"), let own = address("__OBJC_$_INSTANCE_METHODS_Harbour"),
            let category = address("__OBJC_$_CATEGORY_INSTANCE_METHODS_Harbour_$_Tide")
        else { return }
        let lists = segment.address + UInt64(bytes.count) - 64
        var made = littleEndian(UInt32(8)) + littleEndian(UInt32(3))
        for (index, list) in [(9, segment.address &- 0x10_0000), (0, category), (0, own)] {
            made += littleEndian((list &- lists &- UInt64(made.count)) << 16 | UInt64(index))
        }
        bytes.replaceSubrange(Int(lists - segment.address)..<Int(lists - segment.address) + made.count, with: made)
        let pointer = Int(description - segment.address) + 32
        bytes.replaceSubrange(pointer..<pointer + 8, with: littleEndian(lists | 1))
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        isWide = bytes.word(0) == 0xfeed_facf
        for (command, at) in commands {
            switch command {
            case 0x1, 0x19:
                let wide = command == 0x19
                func field(_ index: Int) -> UInt64 { wide ? bytes.long(at + 24 + index * 8) : UInt64(bytes.word(at + 24 + index * 4)) }
                let offset = Int(field(2))
                segments.append(
                    Segment(
                        name: bytes.name(at + 8), address: field(0), size: field(1), bytes: Array(bytes[offset..<offset + Int(field(3))]),
                        sections: Int(bytes.word(at + (wide ? 64 : 48)))))
            case 0x1b: uuid = Array(bytes[at + 8..<at + 24])
            case 0x26: functionStarts = table(at + 8)
            case 0x8000_0033: exports = table(at + 8)
            case 0x22, 0x8000_0022: exports = table(at + 40)
            case 0x2:
                let (offset, count, strings) = (Int(bytes.word(at + 8)), Int(bytes.word(at + 12)), Int(bytes.word(at + 16)))
                for index in 0..<count {
                    let record = offset + index * recordSize
                    let name = Int(bytes.word(record))
                    let text = bytes[(strings + name)...].prefix { $0 != 0 }
                    symbols.append(
                        SymbolRecord(
                            name: UInt32(name), type: bytes[record + 4], section: bytes[record + 5],
                            description: UInt16(bytes[record + 6]) | UInt16(bytes[record + 7]) << 8,
                            value: isWide ? bytes.long(record + 8) : UInt64(bytes.word(record + 8)),
                            text: String(decoding: text, as: UTF8.self)))
                }
            case 0xb: for index in 0..<Int(bytes.word(at + 60)) { indirectSymbols.append(bytes.word(Int(bytes.word(at + 56)) + index * 4)) }
            default: break
            }
        }
    }

    private func table(_ at: Int) -> [UInt8] {
        let start = Int(bytes.word(at))
        return Array(bytes[start..<start + Int(bytes.word(at + 4))])
    }

    /// Load commands and where they begin.
    private var commands: [(command: UInt32, at: Int)] {
        var found: [(UInt32, Int)] = []
        var position = bytes.word(0) == 0xfeed_facf ? 32 : 28
        for _ in 0..<Int(bytes.word(16)) {
            found.append((bytes.word(position), position))
            position += Int(bytes.word(position + 4))
        }
        return found
    }

    /// Changes the load commands in the bytes of `__TEXT`.
    func patch(
        _ text: inout [UInt8], _ addresses: [UInt64], fileOffset: (String, UInt64) -> Int, linkEdit: (address: UInt64, size: UInt64),
        tables: (records: Int, count: Int, pool: Int, poolSize: Int, starts: Int, exports: Int, indirect: Int, removed: Int)
    ) {
        func put(_ value: some FixedWidthInteger, _ at: Int) {
            let new = littleEndian(value)
            text.replaceSubrange(at..<at + new.count, with: new)
        }
        func putWord(_ value: UInt64, _ at: Int) { if isWide { put(value, at) } else { put(UInt32(truncatingIfNeeded: value), at) } }
        let width = isWide ? 8 : 4
        put(bytes.word(isWide ? 24 : 24) | 0x8000_0000, 24)  // MH_DYLIB_IN_CACHE
        var number = 0
        for (command, at) in commands {
            switch command {
            case 0x1, 0x19:
                let segment = segments[number]
                let isLinkEdit = segment.name == "__LINKEDIT"
                let address = isLinkEdit ? linkEdit.address : addresses[number]
                let offset = fileOffset(segment.name, address)
                putWord(address, at + 24)
                putWord(UInt64(offset), at + 24 + width * 2)
                if isLinkEdit {
                    putWord(linkEdit.size, at + 24 + width)
                    putWord(linkEdit.size, at + 24 + width * 3)
                }
                for section in 0..<segment.sections {
                    let start = at + (isWide ? 72 + section * 80 : 56 + section * 68)
                    let old = isWide ? bytes.long(start + 32) : UInt64(bytes.word(start + 32))
                    putWord(old &+ (address &- segment.address), start + 32)
                    let sectionOffset = start + (isWide ? 48 : 40)
                    if bytes.word(sectionOffset) != 0 { put(UInt32(UInt64(offset) + old - segment.address), sectionOffset) }
                }
                number += 1
            case 0x2:
                for (index, value) in [tables.records, tables.count, tables.pool, tables.poolSize].enumerated() {
                    put(UInt32(value), at + 8 + index * 4)
                }
            case 0xb:
                let locals = bytes.word(at + 12)
                let kept = locals - min(locals, UInt32(tables.removed))
                put(kept, at + 12)
                put(kept, at + 16)
                put(bytes.word(at + 24) - UInt32(tables.removed), at + 24)
                put(UInt32(tables.indirect), at + 56)
            case 0x26: put(UInt32(tables.starts), at + 8)
            case 0x8000_0033: put(UInt32(tables.exports), at + 8)
            case 0x22, 0x8000_0022: put(UInt32(tables.exports), at + 40)
            // LC_DATA_IN_CODE, LC_DYLD_CHAINED_FIXUPS: dyld's builder applies or drops them.
            case 0x29, 0x8000_0034:
                put(UInt32(tables.records), at + 8)
                put(UInt32(0), at + 12)
            default: break
            }
        }
    }
}

extension [UInt8] {
    fileprivate func word(_ at: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(self[at + $1]) << (8 * UInt32($1)) } }
    fileprivate func long(_ at: Int) -> UInt64 { UInt64(word(at)) | UInt64(word(at + 4)) << 32 }
    fileprivate func name(_ at: Int) -> String { String(decoding: self[at..<at + 16].prefix { $0 != 0 }, as: UTF8.self) }
}
