package import BinaryPrimitives
internal import LibC

/// Tokens of clients: a file with a line for each, a name, a token, and what its holder may do, which is to read and to upload if the line does
/// not say it.
///
///     # CI
///     linux-builds 3f0c3e5a9b7d4c1f8a6e2d905b7c4f13
///     dashboards   91c4d2aa07b35e6f4d8810c2b6a7f35e read
///     operators    c05f7b8e2a914d36b1e7a4903d6c28f1 read,upload,admin
///
/// Names are for logs; tokens are never shown.
package struct UploadTokens: Sendable {
    /// Rights of a client.
    package enum Right: String, Sendable, CaseIterable {
        /// Requests of a private server.
        case read
        case upload
        /// The figures of a private server (`/metrics`).
        case admin
    }

    /// Whose token a request has.
    package struct Holder: Sendable, Hashable {
        package var name: String
        package var rights: Set<Right>
    }

    private struct Entry: Sendable {
        var holder: Holder
        var token: PaddedToken
    }

    private var entries: [Entry] = []
    /// Problems of the file, for the person who starts the server: lines that are ignored, and that
    /// others may read it.
    package private(set) var warnings: [String] = []

    /// Minimum number of bytes of a token: `openssl rand -hex 16` makes 32. The maximum is
    /// `PaddedToken.size`.
    private static let shortest = 16
    private static let largestFile = 1 << 20

    package var isEmpty: Bool { entries.isEmpty }

    package init(path: String) throws(FileError) {
        let file = try MappedFile(path: path)
        let text = String(decoding: try file.allBytes(limit: Self.largestFile), as: UTF8.self)
        var information = stat()
        if unsafe stat(path, &information) == 0, information.st_mode & 0o077 != 0 {
            warnings.append("\(path): other users can read or change it. Run: chmod 600 \(ShellWord.quoted(path))")
        }
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let fields = line.split { $0 == " " || $0 == "\t" }
            guard let name = fields.first, !name.hasPrefix("#") else { continue }
            let lengths = Self.shortest...PaddedToken.size
            let rights = Self.rights(fields.dropFirst(2))
            guard (2...3).contains(fields.count), let rights, lengths.contains(fields[1].utf8.count),
                let token = PaddedToken(fields[1].utf8)
            else {
                warnings.append(
                    "\(path): line \(index + 1) is ignored: expected a name, a token of \(lengths.lowerBound) to \(lengths.upperBound) bytes, and perhaps rights: read,upload,admin"
                )
                continue
            }
            entries.append(Entry(holder: Holder(name: PlainText.line(String(name), limit: 100), rights: rights), token: token))
        }
    }

    /// - Returns: `nil` for a word that is no right.
    private static func rights(_ fields: ArraySlice<Substring>) -> Set<Right>? {
        guard let field = fields.first else { return [.read, .upload] }
        let rights = field.split(separator: ",", omittingEmptySubsequences: false).map { Right(rawValue: String($0)) }
        return rights.contains(nil) ? nil : Set(rights.compactMap { $0 })
    }

    /// Whose token a request has.
    ///
    /// All tokens are compared, each in the same time: how long it takes shows neither how many
    /// bytes are right nor whose token it is.
    /// - Parameter token: of the request (`Request.token`).
    package func holder(of token: String?) -> Holder? {
        guard let given = token.flatMap({ PaddedToken($0.utf8) }) else { return nil }
        var found: Holder?
        for entry in entries where entry.token.isSame(as: given) { found = entry.holder }
        return found
    }
}

extension UploadTokens: CustomStringConvertible, CustomDebugStringConvertible {
    /// Description without the tokens.
    package var description: String { "\(entries.count) tokens" }
    package var debugDescription: String { description }
}

/// A token's bytes in as many bytes as every other has.
private struct PaddedToken: Sendable {
    static let size = 256
    private var bytes: [UInt8]

    /// - Returns: `nil` for one that is longer than a token is.
    init?(_ token: some Collection<UInt8>) {
        guard token.count <= Self.size else { return nil }
        // The length is a part of it: a token that ends with zeros is another.
        bytes = [UInt8(truncatingIfNeeded: token.count), UInt8(truncatingIfNeeded: token.count >> 8)] + token
        bytes += [UInt8](repeating: 0, count: Self.size + 2 - bytes.count)
    }

    @inline(never)
    func isSame(as other: PaddedToken) -> Bool {
        var difference: UInt8 = 0
        for index in bytes.indices { difference |= bytes[index] ^ other.bytes[index] }
        return difference == 0
    }
}
