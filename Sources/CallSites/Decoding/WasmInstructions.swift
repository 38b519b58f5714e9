internal import BinaryPrimitives
internal import ObjectFiles

/// The code of a WebAssembly module, as far as a position can be told from a return address: engines give the call itself, and one call
/// may directly follow another, as in `stow(get(a))`.
struct WasmInstructions: Sendable {
    private let object: ObjectFile
    private let section: Section

    /// - Returns: `nil` if the file is no module with code.
    init?(_ object: ObjectFile) {
        guard object.architecture == .wasm32, let section = object.description.sections.first(where: \.isExecutable),
            !section.fileRange.isEmpty
        else { return nil }
        (self.object, self.section) = (object, section)
    }

    /// Bytes of the call that begins at an address (specification, section 5.4.1 "Control Instructions"): `call` and `return_call` have
    /// a function's number, `call_indirect` and `return_call_indirect` those of a type and of a table.
    /// - Returns: `nil` if none begins there.
    func callLength(at address: LinkAddress) -> UInt64? {
        guard let offset = address.distance(from: section.address).flatMap({ Int(exactly: $0) }), offset < section.fileRange.count else {
            return nil
        }
        let start = section.fileRange.lowerBound + offset
        let bytes = object.file.bytes(in: start..<min(start + 11, section.fileRange.upperBound))
        var rest = bytes.span.rawBytes
        guard let opcode = try? rest.read(UInt8.self), (0x10...0x13).contains(opcode) else { return nil }
        for _ in 0...(opcode & 1) { guard (try? rest.readULEB128()) != nil else { return nil } }
        return UInt64(bytes.count - rest.byteCount)
    }
}
