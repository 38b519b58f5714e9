internal import BinaryPrimitives

/// LLDB's layout of dSYMs by UUID (`DBGFileMappedPaths`, https://lldb.llvm.org/use/symbols.html):
/// five folders of four digits, then a link named by the other twelve, which points to a bundle or
/// to the file in it; `.app` after it for the binary. `symbolicatecrash` had six folders and eight
/// digits.
package struct MappedUUIDFolder: FixedLayoutLocator {
    package let root: String

    package init(root: String) { self.root = root }

    package var location: String { "LLDB's mapped UUIDs below \(root)" }
    var origin: SymbolFileCandidate.Origin { .store("lldb-mapped", root: root) }

    package func expectedPaths(for request: ImageRequest) -> [String] {
        guard let id = request.id else { return [] }
        return [5, 6].flatMap { folders -> [String] in
            guard let path = Self.path(of: id, below: root, folders: folders) else { return [] }
            return DSYMBundle.members(of: path) + [path, path + ".app"]
        }
    }

    /// - Parameter folders: number of folders of four digits; the remaining digits are the name.
    /// - Returns: `nil` for an identity that is not a UUID.
    static func path(of id: ImageID, below root: String, folders: Int = 5) -> String? {
        guard let uuid = id.uuid else { return nil }
        let digits = Array(uuid.utf8.filter { $0 != UInt8(ascii: "-") })
        let parts = (0..<folders).map { digits[$0 * 4..<$0 * 4 + 4] } + [digits[(folders * 4)...]]
        return root + parts.map { "/" + String(decoding: $0, as: UTF8.self) }.joined()
    }
}
