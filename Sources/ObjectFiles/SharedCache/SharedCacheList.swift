package import BinaryPrimitives

/// The images of a shared cache as its main file lists them. No other file, and nothing of an image, is read.
package final class SharedCacheList: Sendable {
    package struct Image: Sendable, Hashable {
        /// Path in the system: `/usr/lib/system/libsystem_kernel.dylib`.
        package var path: String
        /// Address of its first byte.
        package var address: UInt64
        /// Bytes of its `__TEXT`; `nil` in caches before iOS 10, whose list has none.
        package var size: UInt64?
        /// `nil` in such caches: the image itself has it.
        package var id: ImageID?
    }

    /// Path of the main file.
    package let path: String
    package let header: SharedCacheHeader
    /// By address. Some paths are further names of one image, which has one address.
    package let images: [Image]
    private let byID: [ImageID: Int]

    /// - Parameter main: the main file.
    /// - Returns: `nil` if the file does not begin as a shared cache does.
    /// - Throws: `ObjectFileError` if it is damaged, or has no list of images.
    package init?(_ main: MappedFile, limits: Limits = .standard) throws(ObjectFileError) {
        guard let header = try SharedCacheHeader(main) else { return nil }
        self.header = header
        path = main.path
        let images = try Self.images(header, main, limits)
        guard !images.isEmpty else {
            let name = Path.name(of: main.path)
            let own = name.firstIndex(of: ".").map { String(name[..<$0]) } ?? name
            throw ObjectFileError(
                .unsupported, path: main.path, "a file of a shared cache without its list of images. Use the main file, such as \(own)")
        }
        self.images = images
        var byID: [ImageID: Int] = [:]
        for (index, image) in images.enumerated() { if let id = image.id, byID[id] == nil { byID[id] = index } }
        self.byID = byID
    }

    /// Whether the list has the images' UUIDs, as since iOS 10 and macOS 10.12.
    package var hasIDs: Bool { header.imagesText.count > 0 }

    /// Index of the image with that UUID, where the list has them.
    package func image(id: ImageID) -> Int? { byID[id] }

    /// Index of the image with that path in the system.
    package func image(path: String) -> Int? { images.firstIndex { $0.path == path } }

    /// Path of an image as of a member of an archive: `dyld_shared_cache_arm64e!/usr/lib/libobjc.A.dylib`.
    package func memberPath(of index: Int) -> String {
        let own = images[index].path
        return path + MemberPath.separator + (own.hasPrefix("/") ? String(own.dropFirst()) : own)
    }

    // MARK: Tables

    static func corrupt(_ file: MappedFile, _ problem: String) -> ObjectFileError {
        ObjectFileError(.corrupt, path: file.path, problem)
    }

    /// The entries of a table.
    static func read<Entry>(
        _ table: SharedCacheHeader.Table, of name: String, _ entrySize: Int, max: Int, _ file: MappedFile,
        _ body: (inout RawSpan) throws(ReadError) -> Entry
    ) throws(ObjectFileError) -> [Entry] {
        guard table.count > 0 else { return [] }
        guard table.count <= max else { throw corrupt(file, "\(table.count) \(name) are declared, expected at most \(max)") }
        let size = table.count * entrySize
        guard table.offset <= UInt64(file.size), size <= file.size - Int(table.offset) else {
            throw corrupt(
                file, "\(table.count) \(name) should be at byte \(table.offset), the file ends at byte \(file.size): it is cut short")
        }
        let bytes = file.bytes(in: Int(table.offset)..<Int(table.offset) + size)
        var rest = bytes.span.rawBytes
        var entries: [Entry] = []
        entries.reserveCapacity(table.count)
        do throws(ReadError) {
            for _ in 0..<table.count {
                var entry = try rest.read(bytes: entrySize)
                entries.append(try body(&entry))
            }
        } catch { throw corrupt(file, "\(name): \(error)") }
        return entries
    }

    private static func images(_ header: SharedCacheHeader, _ file: MappedFile, _ limits: Limits) throws(ObjectFileError) -> [Image] {
        var found: [(image: Image, path: UInt32)]
        if header.imagesText.count > 0 {
            found = try read(header.imagesText, of: "images", 32, max: limits.sharedCacheImages, file) { (entry) throws(ReadError) in
                let id = try entry.read(bytes: 16)
                let address = try entry.read(UInt64.self, .littleEndian)
                let size = try entry.read(UInt32.self, .littleEndian)
                let path = try entry.read(UInt32.self, .littleEndian)
                let bytes = (0..<16).map { id.byte(at: $0) }
                return (Image(path: "", address: address, size: UInt64(size), id: ImageID(bytes: bytes)), path)
            }
        } else {
            found = try read(header.images, of: "images", 32, max: limits.sharedCacheImages, file) { (entry) throws(ReadError) in
                let address = try entry.read(UInt64.self, .littleEndian)
                try entry.skip(16)  // modTime, inode
                return (Image(path: "", address: address, size: nil, id: nil), try entry.read(UInt32.self, .littleEndian))
            }
        }
        // The paths follow one another: one read for all that are near the first.
        let offsets = found.map { Int($0.path) }
        let (first, last) = (offsets.min() ?? 0, offsets.max() ?? 0)
        let end = min(last, first + limits.sharedCacheImages * 64) + 1024
        let pool = file.bytes(in: min(first, file.size)..<min(file.size, end))
        let span = pool.span.rawBytes
        for index in found.indices {
            found[index].image.path = span.cString(at: UInt64(Int(found[index].path) - first), limit: limits.memberName) ?? ""
        }
        return found.map(\.image).enumerated().sorted { ($0.element.address, $0.offset) < ($1.element.address, $1.offset) }.map(\.element)
    }
}
