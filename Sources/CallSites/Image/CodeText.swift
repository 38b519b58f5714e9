internal import BinaryPrimitives
internal import ObjectFiles

/// The executable sections of an image, as one file has them.
struct CodeText: Sendable {
    struct Part: Sendable {
        var name: String
        var addresses: Range<LinkAddress>
        /// Range in the file; as many bytes as there are addresses.
        var bytes: Range<Int>

        var base: UInt64 { addresses.lowerBound.value }
        var isStubs: Bool { CodeText.isStubSection(name) }
    }

    let file: MappedFile
    /// Ascending.
    let parts: [Part]

    /// - Returns: `nil` if the file has no bytes of code.
    init?(_ object: ObjectFile) {
        file = object.file
        var parts: [Part] = []
        func add(_ name: String, _ address: LinkAddress, _ size: UInt64, _ bytes: Range<Int>) {
            let count = Int(clamping: min(size, UInt64(bytes.count)))
            guard count > 0, let end = address.advanced(by: UInt64(count)) else { return }
            parts.append(Part(name: name, addresses: address..<end, bytes: bytes.lowerBound..<bytes.lowerBound + count))
        }
        for section in object.description.sections where section.isExecutable && section.isLoaded {
            guard section.compression == nil, section.problem == nil else { continue }
            add(section.name, section.address, section.size, section.fileRange)
        }
        // Without section headers, what is mapped for execution: headers and data may be among it.
        if object.description.sections.isEmpty, object.description.kind != .debugCompanion {
            for segment in object.description.segments where segment.isExecutable {
                add("", segment.address, segment.size, segment.fileRange)
            }
        }
        parts.sort { $0.addresses.lowerBound < $1.addresses.lowerBound }
        // Sections overlap neither in memory nor in the file, so together they are not larger than the file.
        // If headers say otherwise, bytes would be read again and again.
        var (end, left) = (LinkAddress(0), object.file.size)
        parts.removeAll { part in
            guard part.addresses.lowerBound >= end, part.bytes.count <= left else { return true }
            end = part.addresses.upperBound
            left -= part.bytes.count
            return false
        }
        guard !parts.isEmpty else { return nil }
        self.parts = parts
    }

    func part(holding address: LinkAddress) -> Part? {
        let low = parts.partitionPoint { $0.addresses.lowerBound > address }
        guard low > 0, parts[low - 1].addresses.contains(address) else { return nil }
        return parts[low - 1]
    }

    /// Calls `body` with the bytes of a part.
    func withBytes<Result>(of part: Part, _ body: (RawSpan) -> Result) -> Result {
        file.withBytes { body($0.clamped(to: part.bytes)) }
    }

    /// Sections of jumps to functions of other images.
    static func isStubSection(_ name: String) -> Bool {
        switch name {
        case ".plt", ".plt.got", ".plt.sec", ".plt.bnd", ".iplt", ".glink", ".MIPS.stubs": true
        case "__stubs", "__auth_stubs", "__symbol_stub", "__symbol_stub1", "__symbol_stub4", "__picsymbolstub1", "__picsymbolstub4",
            "__jump_table", "__stub_helper", "__objc_stubs":
            true
        default: false
        }
    }
}
