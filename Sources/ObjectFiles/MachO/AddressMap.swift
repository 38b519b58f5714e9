internal import BinaryPrimitives

/// A table from addresses to positions in a file, for images of a shared cache: their segments are in several files, so that their
/// file offsets count in none.
struct AddressMap: Sendable {
    struct Mapping: Sendable {
        var address: UInt64
        /// Bytes of the file from `position` on; all of them are in it.
        var size: UInt64
        var position: Int
        var encoding = PointerEncoding.address
    }

    /// Ascending by address.
    private let mappings: [Mapping]

    init(_ mappings: [Mapping]) { self.mappings = mappings.filter { $0.size > 0 }.sorted { $0.address < $1.address } }

    /// - Returns: `nil` if no mapping has all of the bytes.
    func range(_ address: UInt64, _ size: UInt64) -> Range<Int>? {
        let next = mappings.partitionPoint { $0.address > address }
        guard next > 0 else { return nil }
        let mapping = mappings[next - 1]
        let offset = address - mapping.address
        guard offset < mapping.size, size <= mapping.size - offset else { return nil }
        let start = mapping.position + Int(offset)
        return start..<start + Int(size)
    }

    /// How pointers at an address are stored.
    func encoding(at address: UInt64) -> PointerEncoding {
        let next = mappings.partitionPoint { $0.address > address }
        return next > 0 ? mappings[next - 1].encoding : .address
    }

    /// The bytes from an address to the end of its mapping; `nil` if no mapping has it.
    func range(from address: UInt64) -> Range<Int>? {
        let next = mappings.partitionPoint { $0.address > address }
        guard next > 0, address - mappings[next - 1].address < mappings[next - 1].size else { return nil }
        return range(address, mappings[next - 1].size - (address - mappings[next - 1].address))
    }
}
