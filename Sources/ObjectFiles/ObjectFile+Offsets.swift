public import BinaryPrimitives

extension ObjectFile {
    /// What an offset into the image means.
    public enum Place: Sendable, Hashable {
        case address(LinkAddress)
        /// No address is so far from the image's base.
        case outside
        /// Several sections of a relocatable file hold such an offset: their names.
        case ambiguous([String])
    }

    /// The address that an offset means.
    ///
    /// In a relocatable file, an offset counts from the beginning of a section, because no section has an address before it is linked: that of `.text` where it
    /// reaches so far, else that of the only code that does, else that of the only data. (llvm-symbolizer takes the first code section that is long enough, and so
    /// answers for one of several functions that each have a section.)
    public func place(of offset: ImageOffset) -> Place {
        guard description.sectionsArePlaced else {
            return offset.linkAddress(imageBase: baseAddress).map { .address($0) } ?? .outside
        }
        let fitting = description.sections.filter { $0.isLoaded && offset.value < $0.size }
        let code = fitting.filter(\.isExecutable)
        let chosen = code.filter { $0.name == ".text" && $0.address.value == 0 }.first.map { [$0] } ?? (code.isEmpty ? fitting : code)
        guard let section = chosen.first, let address = section.address.advanced(by: offset.value) else { return .outside }
        return chosen.count == 1 ? .address(address) : .ambiguous(chosen.map(\.name))
    }

    /// How far an address is from the image's base; in a relocatable file, from the beginning of its section. `nil` before it.
    public func offset(of address: LinkAddress) -> ImageOffset? {
        guard description.sectionsArePlaced else { return address.offset(fromImageBase: baseAddress) }
        return section(containing: address).flatMap { address.offset(fromImageBase: $0.address) }
    }
}
