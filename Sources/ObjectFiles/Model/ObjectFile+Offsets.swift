package import BinaryPrimitives

extension ObjectFile {
    /// Meaning of an offset into the image.
    package enum Place: Sendable, Hashable {
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
    package func place(of offset: ImageOffset) -> Place {
        guard let placed else {
            return offset.linkAddress(imageBase: baseAddress).map { .address($0) } ?? .outside
        }
        return placed.place(of: offset)
    }

    /// Offset of an address from the image's base; in a relocatable file, from the beginning of its
    /// section. `nil` for addresses before it.
    package func offset(of address: LinkAddress) -> ImageOffset? {
        guard placed != nil else { return address.offset(fromImageBase: baseAddress) }
        return section(containing: address).flatMap { address.offset(fromImageBase: $0.address) }
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

    func place(of offset: ImageOffset) -> ObjectFile.Place {
        if let text, offset.value < text.size { return place(of: offset, in: text) }
        for sections in [code, data] {
            guard let first = sections.first, offset.value < first.size else { continue }
            guard sections.count > 1, offset.value < sections[1].size else { return place(of: offset, in: first) }
            let names = sections.prefix { offset.value < $0.size }.sorted { $0.number < $1.number }.map(\.name)
            return .ambiguous(names)
        }
        return .outside
    }

    private func place(of offset: ImageOffset, in section: Section) -> ObjectFile.Place {
        section.address.advanced(by: offset.value).map { .address($0) } ?? .outside
    }
}
