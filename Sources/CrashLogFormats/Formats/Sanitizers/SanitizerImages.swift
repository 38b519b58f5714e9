internal import BinaryPrimitives
internal import CrashLogModel

/// The images of a sanitizer's report: the rows name them, and if the user requested it a map gives
/// their addresses.
struct SanitizerImages {
    private struct Key: Hashable {
        var path: String
        var id: ImageID?
    }

    private(set) var images: [BinaryImage] = []
    private var byKey: [Key: Int] = [:]
    private var byPath: [String: Int] = [:]
    /// Kind of map that is being read.
    private(set) var section: Section?

    enum Section {
        /// `print_module_map` on Linux: `\t0x400000-0x401000\t/src/main`, a row for each mapping
        /// (`DumpProcessMap` of `sanitizer_posix.cpp`).
        case memory
        /// On Apple's systems: `0x10f5f0000-0x10f5f5000 /src/a.out (x86_64) <01D2A9D5-…>`, a row
        /// for each image (`sanitizer_mac.cpp`).
        case modules
    }

    /// The image that a row names; the first to name it adds it.
    /// - Returns: `nil` beyond `Limits.images`.
    mutating func index(of module: SanitizerModule) -> Int? {
        index(ofFile: module.path, id: module.id, architecture: module.architecture)
    }

    mutating func index(ofFile path: String, id: ImageID? = nil, architecture: Architecture? = nil) -> Int? {
        let key = Key(path: path, id: id)
        if let index = byKey[key] ?? (id == nil ? byPath[path] : nil) { return index }
        guard images.count < Limits.standard.images else { return nil }
        var image = BinaryImage(name: Path.foreignName(of: path), path: path)
        if image.name == path { image.path = nil }
        image.id = id
        image.architecture = architecture
        byKey[key] = images.count
        byPath[path] = byPath[path] ?? images.count
        images.append(image)
        return images.count - 1
    }

    /// Reads a line that begins or ends a map.
    mutating func readHeading(_ text: Span<UInt8>) -> Bool {
        if text.equals("Process memory map follows:") {
            section = .memory
        } else if text.equals("Process module map:") {
            section = .modules
        } else if text.equals("End of process memory map.") || text.equals("End of module map.") {
            section = nil
        } else {
            return false
        }
        return true
    }

    /// Reads a row of a map. A line that is not a row ends the map.
    mutating func readRow(_ text: Span<UInt8>) -> Bool {
        guard let section else { return false }
        var rest = text.trimmed()
        guard let start = rest.readAddress(), rest.consume("-"), let end = rest.readAddress(), start < end else {
            self.section = nil
            return false
        }
        rest = rest.trimmed()
        var id: ImageID?
        var architecture: Architecture?
        if section == .modules, rest.hasSuffix(">"), let open = rest.lastRange(of: " <") {
            id = ImageID(text: rest.from(open.lowerBound + 1).text)
            rest = rest.upTo(open.lowerBound)
            if rest.hasSuffix(")"), let open = rest.lastRange(of: " (") {
                architecture = Architecture(rest.clamped(to: open.upperBound..<rest.count - 1).text)
                rest = rest.upTo(open.lowerBound)
            }
        }
        // Memory without a file, and the kernel's own.
        guard rest.at(0) == UInt8(ascii: "/") else { return true }
        let path = rest.text
        guard let index = byPath[path] ?? newImage(path) else { return true }
        let base = images[index].base?.value ?? start
        images[index].base = RuntimeAddress(min(base, start))
        let last = max(end, base &+ (images[index].size ?? 0))
        images[index].size = last - min(base, start)
        images[index].id = images[index].id ?? id
        images[index].architecture = images[index].architecture ?? architecture
        return true
    }

    private mutating func newImage(_ path: String) -> Int? {
        // ThreadSanitizer's rows have no folder.
        let name = Path.foreignName(of: path)
        if let index = byPath[name] {
            images[index].path = images[index].path ?? path
            byPath[path] = index
            return index
        }
        guard images.count < Limits.standard.images else { return nil }
        byPath[path] = images.count
        images.append(BinaryImage(name: name, path: path))
        return images.count - 1
    }
}
