package import BinaryPrimitives
internal import Synchronization

/// One object file, one slice of a universal file or one entry of a kernel cache: its container,
/// its identity, and the locations of its parts.
///
/// A value made by `ELFReader`, `MachOReader`, `PEReader` or `WasmReader`; immutable, so that any number of tasks may read
/// it.
package final class ObjectFile: Sendable {
    package enum Container: String, Sendable { case elf = "ELF", machO = "Mach-O", pe = "PE", webAssembly = "WebAssembly" }
    package enum Kind: String, Sendable {
        case executable
        case sharedLibrary = "shared library"
        case relocatable
        /// A file that holds debug information for another: a dSYM's member, or an ELF file whose
        /// code sections are `SHT_NOBITS`.
        case debugCompanion = "debug companion"
        case core
        case other
    }

    /// Everything that a container's reader fills in.
    package struct Description: Sendable {
        package var container: Container
        package var kind: Kind
        package var architecture: Architecture
        package var byteOrder: ByteOrder
        /// Bytes of an address: 4 or 8.
        package var addressSize: Int
        package var identity: ImageID?
        /// PE: GUID and age of the debug information, as in the folders of symbol stores.
        package var debugIdentifier: String?
        /// PE: timestamp and size, as symbol servers name the image; `nil` if it has no timestamp.
        package var codeIdentifier: String?
        /// The identifier of an entry of a kernel cache, `com.apple.kernel`, or the path of an image of a shared cache. `nil` for any
        /// other object.
        package var entryName: String?
        /// Link address of the image's first mapped byte. ELF: the lowest `PT_LOAD` `p_vaddr`,
        /// rounded down to its page; Mach-O: the `vmaddr` of `__TEXT`; PE: the preferred address. Zero
        /// for a relocatable file.
        package var baseAddress: LinkAddress
        /// The file is relocatable and its sections have no addresses (all are written as 0): cairn
        /// assigns addresses to `sections` and symbols. No two sections overlap, so that an address
        /// belongs to one section only. Offsets count from a section (`ObjectFile.resolve(_:)`).
        package var sectionsArePlaced = false
        /// The ELF file has no section headers: `sections` has its segments, without names.
        package var sectionsAreSegments = false
        package var segments: [Segment]
        package var sections: [Section]
        /// `.gnu_debuglink`: the file name and CRC-32 of the companion.
        package var debugLink: (name: String, checksum: UInt32)?
        /// Mach-O's `LC_FUNCTION_STARTS`, ascending. Empty where there is none.
        package var functionStarts: [LinkAddress]
        /// ELF's `PT_GNU_EH_FRAME`: the header with the binary-search table of `.eh_frame`. `nil`
        /// where there is none, or not in this file.
        package var exceptionFrameHeader: Segment?
        /// 32-bit ARM's `PT_ARM_EXIDX`: unwinding rules of each function, sorted by address. `nil`
        /// where there is none, or not in this file.
        package var armExceptionIndex: Segment?
        /// ELF's `e_flags` (gABI, chapter 4); 0 in other files.
        package var elfFlags: UInt32 = 0
        /// ELF's `e_entry`; `nil` in other files.
        package var entryPoint: UInt64?
        /// ELF's `e_phoff`: the file's offset of the program headers; `nil` in other files.
        package var programHeaders: UInt64?
        /// ELF's `PT_DYNAMIC`: the dynamic section, as a range of the file's bytes. `nil` where
        /// there is none, or not in this file.
        package var dynamicTable: Range<Int>?
        /// PE's exception directory (`.pdata`), which `FunctionTable` reads. `nil` where there is none, or
        /// not in this file.
        package var exceptionDirectory: Segment?
        /// Debug sections are a part of the image in memory (PE): `strip` makes the image smaller.
        package var mapsDebugSections = false
        /// A symbol's name may end where its range does, without a zero byte: PE's names of eight bytes, and
        /// WebAssembly's, whose length is given.
        package var namesMayFillRange = false
        /// WebAssembly's `external_debug_info`: the path or URL of the file with the debug information, as the
        /// file has it.
        package var externalDebugFile: String?
        /// Mach-O's `LC_BUILD_VERSION` or `LC_VERSION_MIN_…`.
        package var buildVersion: BuildVersion?
        /// The object is an image of a shared cache, whose parts are anywhere in the cache's files: `file` has all of them.
        package var isInSharedCache = false
        /// Why functions of the image that have a name have none in this file, in one sentence: a file beside it is missing. `nil`
        /// if none is.
        package var missingNames: String?
        /// Odd but recoverable things, one sentence each.
        package var notes: [String]

        package init(container: Container, kind: Kind, architecture: Architecture, byteOrder: ByteOrder, addressSize: Int) {
            self.container = container
            self.kind = kind
            self.architecture = architecture
            self.byteOrder = byteOrder
            self.addressSize = addressSize
            baseAddress = LinkAddress(0)
            segments = []
            sections = []
            functionStarts = []
            notes = []
        }
    }

    package let file: MappedFile
    /// The bytes of the file that are this object: all of it, or one slice of a universal file. An
    /// entry of a kernel cache has its parts anywhere in the whole.
    package let slice: Range<Int>
    package let description: Description
    /// Reads the symbols; kept apart because most lookups need few of them and some need none.
    let symbolReader: any SymbolReader
    /// Relocations that a relocatable file's linker would apply; `nil` where none are left.
    let relocations: (any Relocations)?
    /// Base addresses of offsets, in a file whose sections were placed.
    let placed: PlacedSections?
    /// Limits that the file was opened with; they apply to all reading of it.
    package let limits: Limits
    /// Budget for the bytes of inflated sections.
    let inflation: InflationAllowance
    /// Object in `.gnu_debugdata`, after the first request; a failure is kept too.
    let packed = Mutex<Result<ObjectFile?, ObjectFileError>?>(nil)
    /// Go's line table, or that there is none, after the first request; see `goLineTable()` for its
    /// type.
    let goTable = Mutex<(any Sendable)?>(nil)

    init(
        file: MappedFile, slice: Range<Int>, description: Description, symbolReader: any SymbolReader,
        relocations: (any Relocations)? = nil, limits: Limits
    ) {
        self.file = file
        self.slice = slice
        self.description = description
        self.symbolReader = symbolReader
        self.relocations = relocations
        self.limits = limits
        inflation = InflationAllowance(fileSize: file.size, limits)
        placed = description.sectionsArePlaced ? PlacedSections(description.sections) : nil
    }

    package var path: String { file.path }
    package var identity: ImageID? { description.identity }
    package var architecture: Architecture { description.architecture }
    package var baseAddress: LinkAddress { description.baseAddress }

    /// The section of that name: ELF's `.debug_info`, or Mach-O's `__debug_info` (in whichever
    /// segment). The first, if there are several.
    package func section(named name: String) -> Section? { description.sections.first { $0.name == name } }

    /// Address ranges of the sections with code, in the order of the file.
    package var codeRanges: [Range<UInt64>] {
        description.sections.compactMap { section in
            guard section.isLoaded, section.isExecutable, let end = section.address.advanced(by: section.size) else { return nil }
            return section.address.value..<end.value
        }
    }

    /// The section whose mapped addresses hold `address`; `nil` outside all of them. Sections that
    /// are not loaded do not count.
    package func section(containing address: LinkAddress) -> Section? {
        description.sections.first { $0.isLoaded && $0.contains(address) }
    }

    /// Gives every defined symbol to `body`, in table order (`.symtab`, or `.dynsym` where there is
    /// none; Mach-O: the symbol table without stabs).
    /// - Parameters:
    ///   - window: addresses to look up. Only to save time: symbols of other addresses may be
    ///     passed too.
    ///   - body: returns `false` to stop.
    /// - Throws: `ObjectFileError` if the table is corrupt.
    package func forEachSymbol(
        around window: SymbolWindow = .everywhere, _ body: (Symbol) -> Bool
    ) throws(ObjectFileError) {
        try symbolReader.forEachSymbol(in: self, around: window, body)
    }

    /// Whether the symbol table is the full one, so that the gap between two symbols belongs to the
    /// first. `false` for a stripped file, whose table holds only exported symbols.
    package var hasFullSymbolTable: Bool { symbolReader.isFull }

    /// Meaning of an offset into the image.
    package enum ResolvedOffset: Sendable, Hashable {
        case address(LinkAddress)
        /// No address of the image has this offset.
        case outside
        /// Several sections of a relocatable file contain the offset, with their names.
        case ambiguous([String])
    }

    /// The address that an offset means.
    ///
    /// In a relocatable file, an offset counts from the beginning of a section, because no section
    /// has an address before it is linked: of `.text` if it is long enough, else of the only code
    /// section that is, else of the only data section that is. (llvm-symbolizer uses the first code
    /// section that is long enough, and so resolves to one of several functions that each have a
    /// section.)
    package func resolve(_ offset: ImageOffset) -> ResolvedOffset {
        guard let placed else {
            return offset.linkAddress(imageBase: baseAddress).map { .address($0) } ?? .outside
        }
        return placed.resolve(offset)
    }

    /// The address that the byte at `offset` of the file (of the slice, in a universal file) is
    /// mapped to; `nil` where no segment holds it: debug files' segments are empty.
    package func linkAddress(ofFileOffset offset: UInt64) -> LinkAddress? {
        for segment in description.segments {
            guard let start = UInt64(exactly: segment.fileRange.lowerBound - slice.lowerBound), offset >= start,
                offset - start < UInt64(segment.fileRange.count)
            else { continue }
            return segment.address.advanced(by: offset - start)
        }
        return nil
    }

    /// The offset that a position in the image means, as reports have it: bytes from the image's first; of WebAssembly
    /// bytes from the file's first, where engines count from. `nil` where the file maps nothing there.
    package func offset(atPosition position: UInt64) -> ImageOffset? {
        guard description.container == .webAssembly else { return ImageOffset(position) }
        return linkAddress(ofFileOffset: position).flatMap { offset(of: $0) }
    }

    /// Offset of an address from the image's base; in a relocatable file, from the beginning of its
    /// section. `nil` for addresses before it.
    package func offset(of address: LinkAddress) -> ImageOffset? {
        guard placed != nil else { return address.offset(fromImageBase: baseAddress) }
        return section(containing: address).flatMap { address.offset(fromImageBase: $0.address) }
    }

    /// The stub around an address: the few instructions that jump to a function of another image.
    ///
    /// It is called as the system's tools call it: on Linux `strcpy@plt`, of Mach-O
    /// `DYLD-STUB$$printf` for the stub of `_printf`.
    /// - Returns: `nil` outside of the stubs, and where the file does not say whose stub it is.
    package func stub(containing address: LinkAddress) -> LinkedName? { symbolReader.stub(containing: address, in: self) }

    /// Address ranges of the stubs, by address.
    package var stubRanges: [Range<UInt64>] { symbolReader.stubRanges(in: self) }

    /// Names that the image exports, in the order of the table; also available for a binary without
    /// a symbol table. Names that it re-exports from other images are left out.
    /// - Throws: `ObjectFileError` if the table is damaged.
    package func exports() throws(ObjectFileError) -> [LinkedName] { try symbolReader.exports(of: self) }

    /// Whether Objective-C's tables name functions that the symbol tables do not.
    package var namesMethods: Bool { symbolReader.namesMethods }

    /// The name of Objective-C's method whose function begins at an address: `-[Boat row:with:]`. `nil` if there is none, or several
    /// methods share the function.
    package func methodName(ofFunctionAt address: LinkAddress) -> String? { symbolReader.methodName(ofFunctionAt: address) }

    /// WebAssembly: the functions around addresses, by their numbers among all of the module, imported ones
    /// first, and their names as the file has them.
    /// - Returns: for each address its function, `nil` outside of all; `nil` for a file whose functions have no
    ///   numbers, or that is damaged.
    package func numberedFunctions(at addresses: [LinkAddress]) -> [NumberedFunction?]? {
        (try? symbolReader.numberedFunctions(at: addresses, in: self)) ?? nil
    }

    /// The marks of the file, ascending. Empty where the file has none, or its tables are damaged.
    ///
    /// ELF: mapping symbols (`$a`, `$t`, `$x`, `$d`), else the Thumb bit of functions. Mach-O:
    /// `N_ARM_THUMB_DEF`, the Thumb bit of function starts, and `LC_DATA_IN_CODE`. Reads the symbol
    /// table.
    package func codeMarks() -> [CodeMark] {
        ((try? symbolReader.codeMarks(in: self)) ?? []).sorted { $0.address < $1.address }
    }
}

extension [ObjectFile] {
    /// The address that a position in the file that ran is mapped to, by the files of one image. A debug file may have the code, too, at
    /// another position: `emcc -gseparate-dwarf` leaves a module that names it (`external_debug_info`), with longer heads of sections.
    package func linkAddress(ofFileOffset offset: UInt64) -> LinkAddress? {
        if let module = first(where: { $0.description.externalDebugFile != nil }) { return module.linkAddress(ofFileOffset: offset) }
        return lazy.filter(\.holdsCode).compactMap { $0.linkAddress(ofFileOffset: offset) }.first
    }
}

/// Reads one container's symbol table.
protocol SymbolReader: Sendable {
    var isFull: Bool { get }
    func forEachSymbol(in object: ObjectFile, around window: SymbolWindow, _ body: (Symbol) -> Bool) throws(ObjectFileError)
    func stub(containing address: LinkAddress, in object: ObjectFile) -> LinkedName?
    func stubRanges(in object: ObjectFile) -> [Range<UInt64>]
    func exports(of object: ObjectFile) throws(ObjectFileError) -> [LinkedName]
    var namesMethods: Bool { get }
    func methodName(ofFunctionAt address: LinkAddress) -> String?
    func codeMarks(in object: ObjectFile) throws(ObjectFileError) -> [CodeMark]
    func numberedFunctions(at addresses: [LinkAddress], in object: ObjectFile) throws(ObjectFileError) -> [NumberedFunction?]?
}

extension SymbolReader {
    func stub(containing address: LinkAddress, in object: ObjectFile) -> LinkedName? { nil }
    func stubRanges(in object: ObjectFile) -> [Range<UInt64>] { [] }
    func exports(of object: ObjectFile) throws(ObjectFileError) -> [LinkedName] { [] }
    var namesMethods: Bool { false }
    func methodName(ofFunctionAt address: LinkAddress) -> String? { nil }
    func codeMarks(in object: ObjectFile) throws(ObjectFileError) -> [CodeMark] { [] }
    func numberedFunctions(at addresses: [LinkAddress], in object: ObjectFile) throws(ObjectFileError) -> [NumberedFunction?]? { nil }
}

/// Platform and versions that a Mach-O file was built for. Versions are in their usual notation
/// (`12.0`, `10.15.4`).
package struct BuildVersion: Sendable, Hashable {
    /// `macOS`, `iOS`, `iOS simulator`, …; `platform N` for a number that is not known.
    package var platform: String
    package var minimumSystem: String
    package var sdk: String

    package init(platform: String, minimumSystem: String, sdk: String) {
        self.platform = platform
        self.minimumSystem = minimumSystem
        self.sdk = sdk
    }
}

/// A range of addresses that is mapped from the file: ELF's `PT_LOAD`, Mach-O's `LC_SEGMENT`, PE's
/// sections.
package struct Segment: Sendable, Hashable {
    /// Mach-O's name (`__TEXT`); empty for ELF.
    package var name: String
    package var address: LinkAddress
    /// Bytes in memory.
    package var size: UInt64
    /// The file's bytes that are mapped, from the file's first byte; empty where none are.
    package var fileRange: Range<Int>
    package var isExecutable: Bool

    package init(name: String, address: LinkAddress, size: UInt64, fileRange: Range<Int>, isExecutable: Bool) {
        self.name = name
        self.address = address
        self.size = size
        self.fileRange = fileRange
        self.isExecutable = isExecutable
    }
}

extension [Segment] {
    /// The bytes of the file from an address to the end of its segment; `nil` if the file has no byte of that address.
    package func fileRange(from address: LinkAddress) -> Range<Int>? {
        for segment in self {
            guard let offset = address.distance(from: segment.address), offset < UInt64(segment.fileRange.count) else { continue }
            return segment.fileRange.lowerBound + Int(offset)..<segment.fileRange.upperBound
        }
        return nil
    }
}

/// A section of an object file.
package struct Section: Sendable, Hashable {
    package enum Compression: Sendable, Hashable, CustomStringConvertible {
        /// ELF's `SHF_COMPRESSED` with `ELFCOMPRESS_ZLIB`, or the older `.zdebug_…` and
        /// `__zdebug_…`.
        case zlib
        /// ELF's `SHF_COMPRESSED` with `ELFCOMPRESS_ZSTD`.
        case zstd
        /// A type that is not known: its number.
        case unsupported(UInt32)

        /// As Swift prints the case, but without reflection: kept indexes have a checksum of it.
        package var description: String {
            switch self {
            case .zlib: "zlib"
            case .zstd: "zstd"
            case .unsupported(let type): "unsupported(\(type))"
            }
        }
    }

    /// ELF: `.text`; Mach-O: `__text`.
    package var name: String
    /// Mach-O's segment (`__TEXT`); empty for ELF.
    package var segmentName: String
    /// The section's number in the file: ELF's from 0 (the null section), Mach-O's `n_sect` and PE's
    /// from 1.
    package var number: Int
    /// Link address. In a relocatable file the address that was assigned
    /// (`Description.sectionsArePlaced`); a debug section there begins after the others of its
    /// name.
    package var address: LinkAddress
    /// Bytes in memory, or after inflating.
    package var size: UInt64
    /// Its bytes in the file, from the file's first byte: compressed ones without the compression
    /// header. Empty for `SHT_NOBITS` and zero-fill.
    package var fileRange: Range<Int>
    package var compression: Compression?
    /// Part of the image in memory (ELF's `SHF_ALLOC`, but not `.tbss`, which occupies no
    /// addresses; Mach-O: not in `__DWARF`).
    package var isLoaded: Bool
    package var isExecutable: Bool
    /// Why its bytes cannot be used, where its header contradicts the file; `contents(of:)` throws
    /// it. `nil` for a sound section.
    package var problem: String?

    package init(
        name: String, segmentName: String = "", number: Int, address: LinkAddress, size: UInt64, fileRange: Range<Int>,
        compression: Compression? = nil, isLoaded: Bool, isExecutable: Bool
    ) {
        self.name = name
        self.segmentName = segmentName
        self.number = number
        self.address = address
        self.size = size
        self.fileRange = fileRange
        self.compression = compression
        self.isLoaded = isLoaded
        self.isExecutable = isExecutable
    }

    package func contains(_ address: LinkAddress) -> Bool {
        address.distance(from: self.address).map { $0 < size } ?? false
    }
}

/// The sections of a relocatable file that an offset may count from.
struct PlacedSections: Sendable {
    private let text: Section?
    /// Largest first, so that those which reach far enough come first; of one size in the file's
    /// order.
    private let code: [Section]
    private let data: [Section]

    init(_ sections: [Section]) {
        let loaded = sections.filter { $0.isLoaded && $0.size > 0 }.sorted { ($1.size, $0.number) < ($0.size, $1.number) }
        code = loaded.filter(\.isExecutable)
        data = loaded.filter { !$0.isExecutable }
        text = code.filter { $0.name == ".text" }.min { $0.number < $1.number }
    }

    func resolve(_ offset: ImageOffset) -> ObjectFile.ResolvedOffset {
        if let text, offset.value < text.size { return resolve(offset, in: text) }
        for sections in [code, data] {
            guard let first = sections.first, offset.value < first.size else { continue }
            guard sections.count > 1, offset.value < sections[1].size else { return resolve(offset, in: first) }
            let names = sections.prefix { offset.value < $0.size }.sorted { $0.number < $1.number }.map(\.name)
            return .ambiguous(names)
        }
        return .outside
    }

    private func resolve(_ offset: ImageOffset, in section: Section) -> ObjectFile.ResolvedOffset {
        section.address.advanced(by: offset.value).map { .address($0) } ?? .outside
    }
}

/// A name that the dynamic linker's tables give to an address, whether or not the symbol table has
/// one.
package struct LinkedName: Sendable, Hashable {
    /// As the file has it: Mach-O's with its leading underscore, a stub's as `stub(containing:)`
    /// says.
    package var name: String
    package var address: LinkAddress
    /// Bytes; zero where the tables do not give the size.
    package var size: UInt64

    package init(name: String, address: LinkAddress, size: UInt64) {
        self.name = name
        self.address = address
        self.size = size
    }
}

/// A function of a WebAssembly module.
package struct NumberedFunction: Sendable, Hashable {
    /// Among all functions of the module, imported ones first.
    package var number: Int
    /// As the file has it; `nil` if it has none.
    package var name: String?
}

/// Start of code of one kind, or of data between code, as assemblers, linkers and symbol tables
/// mark it.
package struct CodeMark: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case code
        /// 32-bit ARM's two instruction sets.
        case arm
        case thumb
        case data
    }

    package var address: LinkAddress
    package var kind: Kind
    /// Bytes that it is true of; `nil` up to the next mark.
    package var size: UInt64?

    package init(address: LinkAddress, kind: Kind, size: UInt64? = nil) {
        self.address = address
        self.kind = kind
        self.size = size
    }
}
