internal import BinaryPrimitives

/// The layout of Microsoft's symbol stores (`symstore`) with the keys of SSQP for other systems
/// (dotnet/symstore, "SSQP Key Conventions"): a folder by name, one by identity, the file.
///
///     libfoo.so/elf-buildid-…/libfoo.so       _.debug/elf-buildid-sym-…/_.debug
///     app/mach-uuid-…/app                     _.dwarf/mach-uuid-sym-…/_.dwarf
///
/// Names and identities are in lower case. A store with a file `index2.txt` has a further folder in
/// front, by the name's first two characters.
package struct SymbolServerStore: FixedLayoutLocator {
    package let root: String

    package init(root: String) { self.root = root }

    package var location: String { "the symbol store \(root)" }
    var origin: SymbolFileCandidate.Origin { .store("symbol-server", root: root) }

    package func expectedPaths(for request: ImageRequest) -> [String] {
        let isTwoTier = PathKind(path: root + "/index2.txt") == .file
        let image = RequestedImage(request)
        return (Self.paths(of: image, .debuginfo) + Self.paths(of: image, .executable)).map { path in
            (isTwoTier ? "\(root)/\(path.prefix(2))/" : root + "/") + path
        }
    }

    /// Paths below the root of a store with one tier.
    static func paths(of image: RequestedImage, _ kind: RequestedFileKind) -> [String] {
        let id = image.id?.hexadecimal
        if kind == .debuginfo {
            let elf = image.buildID.map { "_.debug/elf-buildid-sym-\($0.hexadecimal)/_.debug" }
            return [elf, image.id?.uuid == nil ? nil : id.map { "_.dwarf/mach-uuid-sym-\($0)/_.dwarf" }].compactMap { $0 }
        }
        guard isFileName(image.name) else { return [] }
        // Names are in lower case by SSQP, and as they are in stores that `symstore` filled.
        let names = image.name == image.name.lowercased() ? [image.name] : [image.name.lowercased(), image.name]
        let keys = [
            image.buildID.map { "elf-buildid-" + $0.hexadecimal }, image.id?.uuid == nil ? nil : id.map { "mach-uuid-" + $0 },
            image.codeIdentifier,
        ].compactMap { $0 }.filter(isFileName)
        return keys.flatMap { key in names.map { "\($0)/\(key)/\($0)" } }
    }

    /// Whether a text of a log may be a part of a path.
    static func isFileName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 }
    }
}
