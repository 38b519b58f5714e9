internal import BinaryPrimitives

/// The sections of a WebAssembly module or component (WebAssembly Core Specification, "Binary Format, Modules"; Component Model,
/// "Binary").
///
///     "\0asm"        4 bytes
///     version        2 bytes: 1 of a module
///     layer          2 bytes: 0 of a module, 1 of a component
///     then           sections: id (1 byte), size (LEB128), contents
///
/// The contents of a custom section (id 0) begin with its name: its length (LEB128) and its bytes.
struct WasmSections {
    /// A section's kind.
    enum ID { static let (custom, `import`, export, code): (UInt8, UInt8, UInt8, UInt8) = (0, 2, 7, 10) }

    /// Sections of a component that are binaries themselves.
    enum ComponentID { static let (module, component): (UInt8, UInt8) = (1, 4) }

    struct Section {
        var id: UInt8
        /// A custom section's name; empty for others.
        var name: String
        /// Without the name, in bytes of the file.
        var range: Range<Int>
    }

    private(set) var isComponent = false
    private(set) var sections: [Section] = []
    /// Why the sections after the last one cannot be read.
    private(set) var problem: String?

    private static let headSize = 8

    /// - Parameter range: of the binary, in bytes of the file.
    /// - Returns: `nil` if the bytes do not begin as a WebAssembly binary does.
    init?(_ file: MappedFile, _ range: Range<Int>, _ limits: Limits) throws(ObjectFileError) {
        let head = file.bytes(in: range.lowerBound..<min(range.lowerBound + Self.headSize, range.upperBound))
        guard head.starts(with: "\0asm".utf8) else { return nil }
        guard head.count == Self.headSize else {
            throw ObjectFileError(
                .corrupt, path: file.path, "a WebAssembly file of \(head.count) bytes, expected at least 8: it is cut short")
        }
        let (version, layer) = (Int(head[4]) | Int(head[5]) << 8, Int(head[6]) | Int(head[7]) << 8)
        // Components have had version 13 since 2023.
        guard layer == 0 ? version == 1 : layer == 1 else {
            throw ObjectFileError(
                .unsupported, path: file.path, "WebAssembly of version \(version) and layer \(layer), expected version 1 or a component")
        }
        isComponent = layer == 1
        do throws(ReadError) {
            try file.withBytes { bytes throws(ReadError) in try read(bytes.clamped(to: range), from: range.lowerBound, limits) }
        } catch {
            problem = "the WebAssembly sections cannot be read after section \(sections.count): \(error)"
        }
    }

    private mutating func read(_ bytes: RawSpan, from start: Int, _ limits: Limits) throws(ReadError) {
        var rest = try bytes.from(UInt64(Self.headSize))
        while rest.byteCount > 0 {
            guard sections.count < limits.sections else { throw ReadError(.tooMany(limit: limits.sections), bytesLeft: rest.byteCount) }
            let id = try rest.read(UInt8.self)
            let size = try rest.readULEB128()
            guard size <= UInt64(rest.byteCount) else {
                throw ReadError(.outOfBytes(needed: Int(clamping: size)), bytesLeft: rest.byteCount)
            }
            var contents = try rest.read(bytes: Int(size))
            let end = start + bytes.byteCount - rest.byteCount
            var name = ""
            if id == ID.custom {
                let length = try contents.readULEB128()
                guard length <= UInt64(contents.byteCount) else {
                    throw ReadError(.outOfBytes(needed: Int(clamping: length)), bytesLeft: contents.byteCount)
                }
                name = try contents.read(bytes: Int(length)).prefix(Int(min(length, UInt64(limits.nameLength)))).string()
            }
            sections.append(Section(id: id, name: name, range: end - contents.byteCount..<end))
        }
    }

    /// The first section of that number; `nil` if there is none.
    func first(_ id: UInt8) -> Section? { sections.first { $0.id == id } }

    /// The first custom section of that name; `nil` if there is none.
    func custom(_ name: String) -> Section? { sections.first { $0.id == ID.custom && $0.name == name } }
}
