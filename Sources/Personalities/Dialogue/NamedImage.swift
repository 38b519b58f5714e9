internal import BinaryPrimitives
internal import ObjectFiles

/// An image as users name it: a path, perhaps a member of an archive (`lib.a(part.o)`) or an entry of a
/// kernel cache (`kernelcache(com.apple.kernel)`), perhaps with the architecture after it (`App:arm64`).
struct NamedImage {
    let path: String
    /// The archive's member, or the cache's entry.
    let member: String?
    let architecture: Architecture?

    /// If a file has the whole text as its name, that file is meant.
    init(_ text: String) {
        var path = text
        var architecture: Architecture?
        if PathKind(path: path) == nil, let colon = path.utf8.lastIndex(of: UInt8(ascii: ":")) {
            let name = String(path[path.utf8.index(after: colon)...])
            if Self.isArchitecture(name) {
                architecture = Architecture(name)
                path = String(path[..<colon])
            }
        }
        self.architecture = architecture
        if PathKind(path: path) == nil, path.hasSuffix(")"), let parenthesis = path.utf8.lastIndex(of: UInt8(ascii: "(")) {
            member = String(path[path.utf8.index(after: parenthesis)...].dropLast())
            self.path = String(path[..<parenthesis])
        } else {
            member = nil
            self.path = path
        }
    }

    func open() throws(ObjectFileError) -> [ObjectFile] {
        guard let member else { return try ObjectFiles.openAll(path: path) }
        let objects = try ObjectFiles.open(member: member, ofArchive: path).map(\.object)
        if objects.isEmpty { throw ObjectFileError(.noSuchSlice, path: "\(path)(\(member))", "the archive has no such member") }
        return objects
    }

    /// Whether a name begins like an architecture's: `x86_64h`, `armv7em`, `thumbv7`, `powerpc64le`.
    private static func isArchitecture(_ name: String) -> Bool {
        let beginnings = [
            "x86", "i386", "i486", "i586", "i686", "arm", "aarch64", "thumb", "ppc", "powerpc", "riscv", "mips", "s390", "loongarch",
        ]
        return beginnings.contains { name.hasPrefix($0) } && !name.contains("/") && !name.contains(".")
    }
}
