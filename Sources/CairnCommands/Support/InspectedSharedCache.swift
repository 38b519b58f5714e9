internal import BinaryPrimitives
internal import Console
internal import ObjectFiles

/// Output of `cairn inspect` for a shared cache: what it is, its files, and the images that it lists.
struct InspectedSharedCache {
    private let cache: SharedCache

    init(_ cache: SharedCache) { self.cache = cache }

    private var symbols: String {
        guard let file = cache.symbolsFile else { return cache.hasLocalSymbols ? "in the main file" : "none" }
        return file.problem.map { "\(Path.name(of: file.path)) \($0)" } ?? Path.name(of: file.path)
    }

    /// One line for each image, which tools that read lines can use: UUID, address, size, path.
    var lines: [String] {
        let header = cache.header
        var rows = [
            ("kind", "shared cache, header of \(header.size) bytes"), ("architecture", cache.architecture.name),
            ("UUID", cache.id?.description ?? "none"),
        ]
        if let platform = header.platform {
            rows.append(("built for", platform + (header.systemVersionText.map { " \($0)" } ?? "")))
        }
        rows.append(("base", LinkAddress(cache.baseAddress).description))
        rows.append(("size", "\(cache.size) bytes"))
        for (index, file) in cache.files.enumerated() {
            let name = Path.name(of: file.path)
            rows.append((index == 0 ? "files" : "", file.problem.map { "\(name) \($0)" } ?? "\(name), \(file.size ?? 0) bytes"))
        }
        rows += [("local symbols", symbols), ("images", "\(cache.images.count)")]
        let head = ["\(cache.path):"] + rows.map { "  " + $0.0 + String(repeating: " ", count: 15 - $0.0.count) + $0.1 }
        return head
            + cache.images.indices.map { index in
                let image = cache.images[index]
                let id = cache.identity(of: index)?.description ?? String(repeating: "-", count: 36)
                let size = image.size.map { "0x" + String($0, radix: 16) } ?? "-"
                return "  \(id)  \(LinkAddress(image.address))  \(size)  \(image.path)"
            }
    }

    var json: WrittenJSON {
        let header = cache.header
        return .object([
            ("schema", .number(1)), ("path", .string(cache.path)), ("container", .string("shared cache")),
            ("kind", .string("shared cache")),
            ("architecture", .string(cache.architecture.name)), ("headerSize", .number(header.size)),
            ("id", cache.id.map { .string($0.description) }), ("platform", header.platform.map { .string($0) }),
            ("systemVersion", header.systemVersionText.map { .string($0) }), ("base", .string(LinkAddress(cache.baseAddress).description)),
            ("size", .unsigned(cache.size)), ("files", .array(cache.files.map(Self.json))),
            ("images", .array(cache.images.indices.map(json))),
        ])
    }

    private static func json(_ file: SharedCache.File) -> WrittenJSON {
        .object([
            ("path", .string(file.path)), ("size", file.size.map { .number($0) }), ("problem", file.problem.map { .string($0) }),
        ])
    }

    private func json(_ index: Int) -> WrittenJSON {
        let image = cache.images[index]
        return .object([
            ("name", .string(Path.name(of: image.path))), ("path", .string(image.path)),
            ("id", cache.identity(of: index).map { .string($0.description) }), ("base", .string(LinkAddress(image.address).description)),
            ("size", image.size.map { .unsigned($0) }),
        ])
    }
}
