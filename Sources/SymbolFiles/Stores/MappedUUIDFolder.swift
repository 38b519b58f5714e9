internal import BinaryPrimitives

/// LLDB's layout of dSYMs by UUID (`DBGFileMappedPaths`, https://lldb.llvm.org/use/symbols.html): five folders of four digits, then a link named by the other twelve, which points to a bundle or to the
/// file in it. `symbolicatecrash` had six folders and eight digits.
public struct MappedUUIDFolder: LaidOutPlace {
    public let root: String

    public init(root: String) { self.root = root }

    public var place: String { "LLDB's mapped UUIDs below \(root)" }
    var origin: SymbolFileCandidate.Origin { .store("lldb-mapped", root: root) }

    public func expectedPaths(for request: ImageRequest) -> [String] {
        guard let uuid = request.id?.uuid else { return [] }
        let digits = Array(uuid.utf8.filter { $0 != UInt8(ascii: "-") })
        return [5, 6].flatMap { folders in
            var path = root
            for folder in 0..<folders { path += "/" + String(decoding: digits[folder * 4..<folder * 4 + 4], as: UTF8.self) }
            path += "/" + String(decoding: digits[(folders * 4)...], as: UTF8.self)
            return DSYMBundle.members(of: path) + [path]
        }
    }
}
