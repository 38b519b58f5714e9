package import BinaryPrimitives
package import ObjectFiles

/// A GSYM file (`GSYMLayout`). Opening it checks that each table is in the file; the content of the tables is
/// checked when it is read.
package final class GSYMFile: SymbolFile {
    package let file: MappedFile
    package let identity: ImageID?
    /// The header's: what the functions' addresses count from. `imageBase` shows whether the image
    /// begins there.
    package let baseAddress: LinkAddress
    /// How many functions the file has.
    package let count: Int
    let byteOrder: ByteOrder
    let offsetSize: Int
    /// In bytes from the file's first.
    private let addresses: Range<Int>
    private let descriptionOffsets: Range<Int>
    private let files: Range<Int>
    private let texts: Range<Int>

    /// - Returns: `nil` if the file does not begin like one.
    /// - Throws: `ObjectFileError` for another version, or if the tables do not fit into the file.
    package init?(_ file: MappedFile) throws(ObjectFileError) {
        let head = file.bytes(in: 0..<GSYMLayout.headerSize)
        var bytes = head.span.rawBytes
        guard let magic = try? bytes.read(UInt32.self) else { return nil }
        switch magic {
        case GSYMLayout.magic: byteOrder = .littleEndian
        case GSYMLayout.magic.byteSwapped: byteOrder = .bigEndian
        default: return nil
        }
        let order = byteOrder
        func corrupt(_ problem: String) -> ObjectFileError { ObjectFileError(.corrupt, path: file.path, problem) }
        do throws(ReadError) {
            let version = try bytes.read(UInt16.self, order)
            guard version == GSYMLayout.version else { throw ReadError(.unknownVersion(UInt64(version)), bytesLeft: bytes.byteCount) }
            offsetSize = Int(try bytes.read(UInt8.self))
            let identitySize = Int(try bytes.read(UInt8.self))
            baseAddress = LinkAddress(try bytes.read(UInt64.self, order))
            count = Int(try bytes.read(UInt32.self, order))
            let textsStart = Int(try bytes.read(UInt32.self, order))
            let textsSize = Int(try bytes.read(UInt32.self, order))
            identity = ImageID(bytes: Array(head[28...].prefix(identitySize)))
            texts = textsStart..<textsStart + textsSize
        } catch {
            if case .unknownVersion(let version) = error.kind {
                throw ObjectFileError(.unsupported, path: file.path, "GSYM of version \(version): expected version 1")
            }
            throw corrupt("the GSYM header ends early: expected 48 bytes, there are \(file.size)")
        }
        guard [1, 2, 4, 8].contains(offsetSize) else {
            throw corrupt("the GSYM header has addresses of \(offsetSize) bytes: expected 1, 2, 4 or 8")
        }
        // Numbers of 32 bits times at most 8: no sum overflows.
        let first = GSYMLayout.aligned(GSYMLayout.headerSize, to: offsetSize)
        addresses = first..<first + count * offsetSize
        let second = GSYMLayout.aligned(addresses.upperBound, to: 4)
        descriptionOffsets = second..<second + count * 4
        var fileCount = file.bytes(in: descriptionOffsets.upperBound..<descriptionOffsets.upperBound + 4).span.rawBytes
        let files = Int((try? fileCount.read(UInt32.self, order)) ?? 0)
        self.files = descriptionOffsets.upperBound + 4..<descriptionOffsets.upperBound + 4 + files * 8
        guard self.files.upperBound <= file.size, texts.upperBound <= file.size else {
            throw corrupt(
                "GSYM's tables of \(count) functions, \(files) files and \(texts.count) bytes of texts reach beyond the file's \(file.size) bytes"
            )
        }
        self.file = file
    }

    package var path: String { file.path }
    /// The format does not give the machine.
    package var machine: Architecture? { nil }
    /// Whether there are files besides the empty entry 0.
    package var hasDebugInformation: Bool { files.count > 8 }
    package var imageSize: UInt64? { nil }
    package var holdsCode: Bool { false }

    /// The start of the function with that index, as it was linked.
    /// - Parameter bytes: the whole file.
    func address(at index: Int, _ bytes: RawSpan) -> UInt64? {
        guard index >= 0, index < count else { return nil }
        var entry = bytes.clamped(to: addresses.lowerBound + index * offsetSize..<addresses.upperBound)
        guard let offset = try? entry.readUnsigned(size: offsetSize, byteOrder) else { return nil }
        let (sum, overflow) = baseAddress.value.addingReportingOverflow(offset)
        return overflow ? nil : sum
    }

    /// Offset of the description of the function with that index.
    private func descriptionOffset(at index: Int, _ bytes: RawSpan) -> Int? {
        guard index >= 0, index < count else { return nil }
        var entry = bytes.clamped(to: descriptionOffsets.lowerBound + index * 4..<descriptionOffsets.upperBound)
        return (try? entry.read(UInt32.self, byteOrder)).map { Int($0) }
    }

    /// A text; `nil` outside the texts.
    func text(_ offset: UInt32, _ bytes: RawSpan) -> String? { bytes.clamped(to: texts).cString(at: UInt64(offset)) }

    /// The path of a file; `nil` for the empty entry 0, and outside the table.
    func filePath(_ index: UInt64, _ bytes: RawSpan) -> String? {
        guard index < UInt64(files.count / 8) else { return nil }
        var entry = bytes.clamped(to: files.lowerBound + Int(index) * 8..<files.upperBound)
        guard let folder = try? entry.read(UInt32.self, byteOrder), let name = try? entry.read(UInt32.self, byteOrder),
            let folderText = text(folder, bytes), let nameText = text(name, bytes), !(folderText.isEmpty && nameText.isEmpty)
        else { return nil }
        if folderText.isEmpty { return nameText }
        // The folder's own separator: paths from Windows keep theirs.
        if folderText.utf8.contains(UInt8(ascii: "\\")), !folderText.utf8.contains(UInt8(ascii: "/")) {
            return folderText.hasSuffix("\\") ? folderText + nameText : folderText + "\\" + nameText
        }
        return Path.join(folderText, nameText)
    }

    enum FunctionResult {
        case found(GSYMFunction)
        case unresolved(Unresolved)
    }

    /// Finds the function of an address: of those that begin last at or before it, the first that holds it
    /// (`GsymReader::getFunctionInfoDataForAddress`).
    ///
    /// A function without a size, which Mach-O's symbol tables produce, reaches to the next one:
    /// the table has all functions of the image. After the last one nothing is known.
    func function(containing address: UInt64, _ bytes: RawSpan) throws(ReadError) -> FunctionResult {
        let end = count(startingAtOrBefore: address, bytes)
        guard end > 0, let start = self.address(at: end - 1, bytes) else { return .unresolved(.noSymbol) }
        let first = start == 0 ? 0 : count(startingAtOrBefore: start - 1, bytes)
        for index in first..<end {
            guard let offset = descriptionOffset(at: index, bytes) else { break }
            let function = try GSYMFunction(at: offset, start: start, bytes, byteOrder)
            if function.size == 0 { return end < count ? .found(function) : .unresolved(.unboundedSymbol) }
            if address - start < UInt64(function.size) { return .found(function) }
        }
        return .unresolved(.betweenSymbols)
    }

    /// How many functions start at or before an address.
    private func count(startingAtOrBefore address: UInt64, _ bytes: RawSpan) -> Int {
        (0..<count).partitionPoint { index in self.address(at: index, bytes).map { $0 > address } ?? true }
    }

    /// Link address of the image's first mapped byte, and how it is known.
    package enum ImageBase: Sendable, Hashable {
        case known(LinkAddress)
        /// The header leaves it open, and no other address is possible on the systems that cairn supports.
        case assumed(LinkAddress)
        case unknown
    }

    /// Offsets into an image count from its first mapped byte. A GSYM file has link addresses, and
    /// its header a base address, which may be either of two things:
    ///
    /// - where the image is linked: `llvm-gsymutil` writes ELF's first `PT_LOAD`, or Mach-O's
    ///   `__TEXT`, and so does cairn. No function begins there, because the image's own headers do.
    /// - where the first function begins: what LLVM's library writes for callers that do not pass
    ///   it the image (`GsymCreator::getBaseAddress`).
    ///
    /// So a base address at which no function begins is the image's. If a function begins at it,
    /// the image base is not known: the image may begin below. It is used only where it must be
    /// right. A first function below 64 KB is in an image that is linked at 0: no system maps a
    /// program there (`vm.mmap_min_addr`, `__PAGEZERO`), so it is moved when it is loaded, and such
    /// images are linked at 0. For any other, say a Mach-O program with its first function at
    /// 0x100003f00 or an ELF one with it at 0x401000, the image's start is a guess, and a wrong one
    /// would resolve to the neighbour's name: no offset is resolved unless another file of the
    /// image gives it. Link addresses, where the log gives them, are always resolved.
    package var imageBase: ImageBase {
        guard let first = file.withBytes({ address(at: 0, $0) }) else { return .unknown }
        if first != baseAddress.value { return .known(baseAddress) }
        return first < 0x10000 && first > 0 ? .assumed(LinkAddress(0)) : .unknown
    }
}
