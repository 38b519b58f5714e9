internal import BinaryPrimitives
internal import ObjectFiles

/// Distinguishes files with the same identifier: a stripped binary, its debug file and the whole
/// program share a build ID and give different results.
enum ImageFingerprint {
    /// A checksum of the file's headers: container, architecture, addresses, and each section's name, position,
    /// size and compression.
    static func of(_ object: ObjectFile) -> UInt64 {
        let description = object.description
        var bytes: [UInt8] = []
        func add(_ text: String) { bytes += Array(text.utf8) + [0] }
        func add(_ value: UInt64) {
            for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        add("\(description.container.rawValue) \(description.kind.rawValue) \(description.architecture)")
        add(description.baseAddress.value)
        add(UInt64(object.slice.count))
        for segment in description.segments {
            add(segment.address.value)
            add(segment.size)
        }
        for section in description.sections {
            add(section.name)
            add(section.address.value)
            add(section.size)
            add(UInt64(section.fileRange.lowerBound))
            add(UInt64(section.fileRange.count))
            add(section.compression?.description ?? "")
        }
        return SymbolIndexLayout.checksum(of: bytes.span.rawBytes)
    }
}
