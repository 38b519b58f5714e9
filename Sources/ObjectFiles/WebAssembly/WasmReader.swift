internal import BinaryPrimitives

/// Reads WebAssembly modules and object files, and the modules in components, into `ObjectFile`s. Only the sections' heads are
/// touched.
///
/// Addresses are those of DWARF for WebAssembly: bytes from the first of the Code section's contents ("DWARF for WebAssembly",
/// "Using DWARF"). Engines print positions in the file instead, which `linkAddress(ofFileOffset:)` turns into them.
enum WasmReader {
    /// The module, or each module of a component.
    /// - Returns: `nil` if the file does not begin as a WebAssembly binary does.
    static func openEach(_ file: MappedFile, _ limits: Limits) throws(ObjectFileError) -> [Result<ObjectFile, ObjectFileError>]? {
        guard let sections = try WasmSections(file, 0..<file.size, limits) else { return nil }
        guard sections.isComponent else { return [.success(object(sections, file, limits))] }
        var modules: [Result<ObjectFile, ObjectFileError>] = []
        try addModules(of: sections, file, depth: 0, limits, to: &modules)
        guard !modules.isEmpty else {
            throw ObjectFileError(.unsupported, path: file.path, sections.problem ?? "a WebAssembly component without modules in it")
        }
        return modules
    }

    /// Deepest component in a component that is looked into; builders nest one or two.
    private static let maxDepth = 8

    private static func addModules(
        of component: WasmSections, _ file: MappedFile, depth: Int, _ limits: Limits,
        to modules: inout [Result<ObjectFile, ObjectFileError>]
    ) throws(ObjectFileError) {
        for section in component.sections where modules.count < limits.filesetEntries {
            switch section.id {
            case WasmSections.ComponentID.module:
                let part = MappedFile(file, 0..<file.size, path: "\(file.path)(module \(modules.count))")
                do throws(ObjectFileError) {
                    guard let sections = try WasmSections(part, section.range, limits), !sections.isComponent else {
                        throw ObjectFileError(.corrupt, path: part.path, "no WebAssembly module at byte \(section.range.lowerBound)")
                    }
                    modules.append(.success(object(sections, part, limits)))
                } catch {
                    modules.append(.failure(error))
                }
            case WasmSections.ComponentID.component where depth < maxDepth:
                guard let sections = try WasmSections(file, section.range, limits), sections.isComponent else { continue }
                try addModules(of: sections, file, depth: depth + 1, limits, to: &modules)
            default: continue
            }
        }
    }

    private static func object(_ sections: WasmSections, _ file: MappedFile, _ limits: Limits) -> ObjectFile {
        let code = WasmCode(sections, file)
        var description = ObjectFile.Description(
            container: .webAssembly, kind: kind(sections), architecture: .wasm32, byteOrder: .littleEndian, addressSize: 4)
        description.namesMayFillRange = true
        description.sections = sections.sections.enumerated().map { number, section in
            let isCode = section.range == code?.contents
            return Section(
                name: name(of: section), number: number + 1, address: LinkAddress(isCode ? code?.firstAddress ?? 0 : 0),
                size: UInt64(section.range.count), fileRange: section.range, isLoaded: isCode, isExecutable: isCode)
        }
        if let code {
            // The section's contents begin with the number of functions, which is no code.
            for index in description.sections.indices where description.sections[index].isExecutable {
                description.sections[index].size -= code.firstAddress
                description.sections[index].fileRange = code.functions
            }
            description.segments = [
                Segment(
                    name: "", address: LinkAddress(code.firstAddress), size: UInt64(code.functions.count), fileRange: code.functions,
                    isExecutable: true)
            ]
        }
        description.identity = buildID(sections, file)
        description.externalDebugFile = sections.custom("external_debug_info").flatMap { counted($0.range, file) }
            .map { String(decoding: $0, as: UTF8.self) }
        description.notes = sections.problem.map { [$0] } ?? []
        return ObjectFile(
            // Engines count from the component's first byte, also in its modules.
            file: file, slice: 0..<file.size, description: description, symbolReader: WasmSymbolTable(sections, code), limits: limits)
    }

    /// An object file has what its linker needs (tool-conventions, "Linking"), a shared library what its loader needs ("Dynamic
    /// Linking"). A file that has debug information alone has no code.
    private static func kind(_ sections: WasmSections) -> ObjectFile.Kind {
        if sections.custom("linking") != nil { return .relocatable }
        if sections.custom("dylink.0") != nil || sections.custom("dylink") != nil { return .sharedLibrary }
        return sections.first(WasmSections.ID.code) == nil && sections.custom(".debug_info") != nil ? .debugCompanion : .executable
    }

    /// The names that the specification has for sections without a name of their own, as LLVM's tools print them.
    private static func name(of section: WasmSections.Section) -> String {
        let names = [
            "", "TYPE", "IMPORT", "FUNCTION", "TABLE", "MEMORY", "GLOBAL", "EXPORT", "START", "ELEM", "CODE", "DATA", "DATACOUNT", "TAG",
        ]
        guard section.id > 0 else { return section.name }
        return Int(section.id) < names.count ? names[Int(section.id)] : "section \(section.id)"
    }

    /// The identity (tool-conventions, "Build ID"): its length and its bytes. A writer that leaves the length out is understood.
    private static func buildID(_ sections: WasmSections, _ file: MappedFile) -> ImageID? {
        guard let section = sections.custom("build_id"), section.range.count <= 256 else { return nil }
        return ImageID(buildID: counted(section.range, file) ?? file.bytes(in: section.range))
    }

    /// A byte string with its length before it, which fills the range; `nil` if it does not. At most a path's bytes.
    private static func counted(_ range: Range<Int>, _ file: MappedFile) -> [UInt8]? {
        guard range.count <= 4200 else { return nil }
        let bytes = file.bytes(in: range)
        var rest = bytes.span.rawBytes
        guard let length = try? rest.readULEB128(), length == UInt64(rest.byteCount) else { return nil }
        return Array(bytes.suffix(rest.byteCount))
    }
}
