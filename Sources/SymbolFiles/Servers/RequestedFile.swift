package import BinaryPrimitives

/// One file that is requested from servers.
///
/// Requests and replies pass between `cairn` and `cairn-tools fetch` as lines, whose values are escaped as in URLs:
///
///     within 1500                                  at most so many milliseconds from now on
///     1 debuginfo id=8acbacd7de1380048ce59203fe9cdd91 name=tide     a file, by a number of `cairn`'s; any number of them
///                                                  an empty line, or the end: request them now
///
///     1 found SERVER PATH                          PATH is on this machine; SERVER is `cache` where it already was
///     1 missing REASON                             no server has it
///     1 failed REASON                              it is not known whether one has it
package struct RequestedFile: Sendable, Hashable {
    package typealias Kind = RequestedFileKind

    package var kind: Kind
    package var image: RequestedImage
    /// The servers that are asked; `nil`: those that the program was started with.
    package var servers: [SymbolServer]?

    package init(_ kind: Kind, _ image: RequestedImage, servers: [SymbolServer]? = nil) {
        (self.kind, self.image, self.servers) = (kind, image, servers)
    }

    package init(_ kind: Kind, _ id: ImageID) { self.init(kind, RequestedImage(id: id)) }

    /// The line of the request, without its number.
    package var line: String {
        var fields: [(String, String?)] = [
            ("id", image.id?.hexadecimal), ("name", image.name.isEmpty ? nil : image.name), ("debug-file", image.debugFile),
            ("debug-id", image.debugIdentifier), ("code-id", image.codeIdentifier),
        ]
        if image.id?.isBuildID == true { fields[0].0 = "build-id" }
        if case .source(let path) = kind { fields.append(("path", path)) }
        fields += (servers ?? []).map { ("server", $0.text) }
        if servers?.isEmpty == true { fields.append(("server", "")) }
        return kind.word + fields.map { name, value in value.map { " " + name + "=" + PercentCoding.encoded($0) } ?? "" }.joined()
    }

    /// Reads a request as it is sent, without its number.
    package init?(line: some StringProtocol) {
        let parts = line.split(separator: " ")
        guard let word = parts.first else { return nil }
        var image = RequestedImage()
        var path: String?
        var servers: [SymbolServer]?
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: "="), let value = PercentCoding.decoded(part[part.index(after: equals)...]) else {
                return nil
            }
            switch part[..<equals] {
            case "id": image.id = ImageID(text: value)
            case "build-id": image.id = ImageID(buildID: value)
            case "name": image.name = value
            case "debug-file": image.debugFile = value
            case "debug-id": image.debugIdentifier = value
            case "code-id": image.codeIdentifier = value
            case "path": path = value
            case "server":
                servers = servers ?? []
                if value.isEmpty { continue }
                guard let server = try? SymbolServer(value) else { return nil }
                servers?.append(server)
            default: return nil
            }
        }
        guard image.id != nil || image.codeIdentifier != nil else { return nil }
        switch (word, path) {
        case ("debuginfo", nil): self.init(.debuginfo, image, servers: servers)
        case ("executable", nil): self.init(.executable, image, servers: servers)
        case ("source", let path?): self.init(.source(path), image, servers: servers)
        default: return nil
        }
    }
}

/// Result of a request.
package struct DownloadResult: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
        /// The file is at `path`. `source` is the server's name, or `cache` for a file that was
        /// downloaded before.
        case found(path: String, source: String)
        /// No server has the file: the servers' responses, or the time of those responses.
        case missing(String)
        /// It is unknown whether a server has the file, or the response was not used: the reason.
        case failed(String)
    }

    package var file: RequestedFile
    package var outcome: Outcome

    package init(_ file: RequestedFile, _ outcome: Outcome) {
        self.file = file
        self.outcome = outcome
    }
}

extension DownloadResult.Outcome {
    /// Reads a reply as it is given, without its number.
    package init?(line: some StringProtocol) {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "found":
            let parts = parts[1].split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            self = .found(path: String(parts[1]), source: String(parts[0]))
        case "missing": self = .missing(String(parts[1]))
        case "failed": self = .failed(String(parts[1]))
        default: return nil
        }
    }

    private var maxLine: Int { 16_384 }

    /// The line of the reply, without its number.
    package var line: String {
        let message =
            switch self {
            case .found(let path, let source): "found \(source) \(path)"
            case .missing(let reason): "missing \(reason)"
            case .failed(let reason): "failed \(reason)"
            }
        // A text of a server or of the system stays in its line, which is not longer than the reader allows.
        return String(decoding: message.utf8.prefix(maxLine).map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }
}
