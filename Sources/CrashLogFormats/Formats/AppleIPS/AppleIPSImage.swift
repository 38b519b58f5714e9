internal import BinaryPrimitives
internal import CrashLogModel

/// The images of an `.ips`.
enum AppleIPSImage {
    /// `{"source":"P","arch":"arm64","base":4294967296,"size":16384,"uuid":"…","path":"…","name":"App"}`
    static func object(_ element: JSONValue) -> BinaryImage {
        let path = element["path"]?.string
        let source = element["source"]?.string
        let isPlaceholder = isPlaceholder(source: source)
        // An image of a file has a name.
        let name = element["name"]?.string ?? path.map(Path.foreignName) ?? (isPlaceholder ? nil : source.flatMap { sources[$0] }) ?? ""
        var image = BinaryImage(
            name: name, path: path, id: element["uuid"]?.string.flatMap { ImageID(text: $0) },
            base: element["base"]?.unsigned.map { RuntimeAddress($0) }, size: element["size"]?.unsigned,
            architecture: element["arch"]?.string.map { Architecture($0) })
        image.isPlaceholder = isPlaceholder
        return image
    }

    /// `[uuid, base]` of the beta of 2021, `[uuid, base, source]` of stackshots.
    static func pair(_ element: JSONValue) -> BinaryImage {
        let values = element.elements
        var image = BinaryImage(
            name: "", id: values.first?.string.flatMap { ImageID(text: $0) },
            base: values.dropFirst().first?.unsigned.map { RuntimeAddress($0) })
        let source = values.dropFirst(2).first?.string
        image.isPlaceholder = isPlaceholder(source: source)
        // A stackshot does not name its images, and gives only the source of each.
        if let source { image.name = sources[source] ?? "???" }
        return image
    }

    /// Adds the details that the beta keeps beside the pairs, as `legacyInfo.imageExtraInfo`:
    /// `{"name":"App","path":"…","arch":"arm64","size":16384}` (lldb's D98219 reads it).
    static func add(_ extra: JSONValue, to image: inout BinaryImage) {
        let path = extra["path"]?.string
        image.path = path ?? image.path
        image.name = extra["name"]?.string ?? path.map(Path.foreignName) ?? image.name
        image.architecture = extra["arch"]?.string.map { Architecture($0) } ?? image.architecture
        image.size = extra["size"]?.unsigned ?? image.size
    }

    /// `{"base":6517309440,"size":3455795200,"uuid":"…"}`: where the process had the system's libraries.
    static func sharedCache(_ element: JSONValue?) -> SharedCacheMapping? {
        guard let element, let id = element["uuid"]?.string.flatMap({ ImageID(text: $0) }), let base = element["base"]?.unsigned else {
            return nil
        }
        return SharedCacheMapping(id: id, base: RuntimeAddress(base), size: element["size"]?.unsigned)
    }

    private static let sources = ["K": "kernel", "U": "kernel cache", "T": "kernel text", "S": "shared cache", "A": "absolute"]

    /// `A` means absolute addresses: what is in no image.
    private static func isPlaceholder(source: String?) -> Bool { source == "A" }
}

/// The frames of an `.ips`.
enum AppleIPSFrame {
    /// `{"imageOffset":15941,"imageIndex":0,"symbol":"start","symbolLocation":462,"sourceFile":"main.m","sourceLine":21,"inline":true}`;
    /// in the beta of 2021 and in stackshots a pair instead: `[imageIndex, imageOffset]`. An index
    /// that no image has leaves the frame without an address.
    static func frame(_ element: JSONValue, index: Int, images: [BinaryImage]) -> Frame {
        let image = element.isObject ? element["imageIndex"]?.int : element.elements.first?.int
        let offset = element.isObject ? element["imageOffset"]?.unsigned : element.elements.dropFirst().first?.unsigned
        var frame = Frame(index: index, kind: .returnAddress, address: nil, range: element.range)
        frame.imageOffset = offset.map { ImageOffset($0) }
        if let image, images.indices.contains(image) {
            frame.image = image
            frame.imageName = images[image].name.isEmpty ? nil : images[image].name
            if let base = images[image].base { frame.address = frame.imageOffset?.runtimeAddress(imageLoadedAt: base) }
        }
        frame.isInlined = element["inline"]?.isTrue ?? false
        frame.printed = printed(element)
        return frame
    }

    private static func printed(_ element: JSONValue) -> PrintedSymbol? {
        var printed = PrintedSymbol()
        let name = element["symbol"]?.string
        printed.name = name == "<redacted>" || name == "" ? nil : name
        printed.offset = element["symbolLocation"]?.unsigned
        if let file = element["sourceFile"]?.string { printed.location = SourceLocation(file: file, line: element["sourceLine"]?.int ?? 0) }
        return printed == PrintedSymbol() ? nil : printed
    }
}
