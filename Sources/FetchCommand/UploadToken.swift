internal import BinaryPrimitives
internal import LibC

/// The token that a file has: its first line that is no comment, which is the token alone, or a
/// line of the server's own file, `name token`.
struct UploadToken {
    /// The token; `nil` if the file has none.
    let secret: String?
    private let path: String
    private let isReadByOthers: Bool

    private static let largestFile = 1 << 16

    init(path: String) throws(FileError) {
        self.path = path
        let text = String(decoding: try MappedFile(path: path).allBytes(limit: Self.largestFile), as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline).map { $0.split { $0 == " " || $0 == "\t" } }
        secret = lines.first { $0.first.map { !$0.hasPrefix("#") } ?? false }?.last.map(String.init)
        var information = stat()
        isReadByOthers = unsafe stat(path, &information) == 0 && information.st_mode & 0o077 != 0
    }

    /// Warnings about ways in which others could read the token.
    func warnings(for server: String) -> [String] {
        var warnings: [String] = []
        if isReadByOthers { warnings.append("\(path): other users can read it. Run: chmod 600 \(ShellWord.quoted(path))") }
        let isHere = ["http://localhost", "http://127.", "http://[::1]"].contains(where: server.hasPrefix)
        if server.hasPrefix("http://"), !isHere { warnings.append("\(server): the token is sent unencrypted. Use https://") }
        return warnings
    }
}
