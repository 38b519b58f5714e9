internal import BinaryPrimitives

/// A universal ("fat") file (`mach-o/fat.h`): several objects, one for each architecture. Its own
/// numbers are always big-endian.
enum UniversalFile {
    /// - Returns: the bytes of each slice; `nil` if the file is not a universal one.
    static func slices(_ file: MappedFile, _ limits: Limits = .standard) throws(ObjectFileError) -> [Range<Int>]? {
        let start = file.bytes(in: 0..<8)
        var header = start.span.rawBytes
        guard let magic = try? header.read(UInt32.self, .bigEndian), magic == 0xcafe_babe || magic == 0xcafe_babf,
            let count = try? header.read(UInt32.self, .bigEndian)
        else { return nil }
        // A compiled Java class begins with the same four bytes; then come two numbers of 16 bits,
        // of which the second, its version, is 45 or more.
        if magic == 0xcafe_babe, (45...0xffff).contains(count) { return nil }
        func corrupt(_ problem: String) -> ObjectFileError { ObjectFileError(.corrupt, path: file.path, "the universal file \(problem)") }
        guard count > 0, count <= UInt32(limits.slices) else {
            throw corrupt("declares \(count) slices, expected 1 to \(limits.slices)")
        }
        // `fat_arch` has 20 bytes, `fat_arch_64` 32.
        let isWide = magic == 0xcafe_babf
        let entries = file.bytes(in: 8..<8 + Int(count) * (isWide ? 32 : 20))
        var rest = entries.span.rawBytes
        var slices: [Range<Int>] = []
        for index in 0..<count {
            do throws(ReadError) {
                try rest.skip(8)  // cputype, cpusubtype: the slice has them itself
                let offset = try rest.readUnsigned(size: isWide ? 8 : 4, .bigEndian)
                let size = try rest.readUnsigned(size: isWide ? 8 : 4, .bigEndian)
                try rest.skip(isWide ? 8 : 4)  // align, reserved
                let total = UInt64(file.size)
                let isInside = offset <= total && size <= total - offset
                // An empty range represents a missing slice; opening it reports the problem.
                slices.append(isInside ? Int(offset)..<Int(offset + size) : file.size..<file.size)
            } catch {
                throw corrupt("ends in entry \(index) of its \(count) slices")
            }
        }
        return slices
    }
}
