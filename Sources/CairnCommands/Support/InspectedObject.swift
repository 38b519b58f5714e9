internal import BinaryPrimitives
internal import Console
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources

/// Output of `cairn inspect` for one image: facts, and how they are written as text and as JSON.
struct InspectedObject {
    private let object: ObjectFile
    private let debugSections: [Section]
    /// DWARF versions of the units, ascending.
    private let versions: [String]
    private let symbols: SymbolCounts
    /// File with its debug information, if the file has none of its own.
    private var companion: (path: String, origin: String)?
    private var map: DebugMapSummary?

    private enum SymbolCounts {
        case counted(functions: Int, others: Int)
        case damaged(String)
    }

    /// Sections that name another file, or that hold what a debugger reads.
    private static let debugPrefixes = [".debug_", "__debug_", ".zdebug_", "__zdebug_", ".gnu_debugaltlink", ".gnu_debugdata"]

    init(_ object: ObjectFile) {
        self.object = object
        debugSections = object.description.sections.filter { section in
            !section.fileRange.isEmpty && Self.debugPrefixes.contains { section.name.hasPrefix($0) }
        }
        versions = debugSections.isEmpty ? [] : object.unitVersions.map(String.init)
        symbols = Self.count(object)
        guard !object.hasDebugInformation else { return }
        let found = Companions().find(for: object)
        companion = found.map { ($0.path, "\($0.candidate.origin)") }
        if found == nil { map = DebugMapSummary(object) }
    }

    private static func count(_ object: ObjectFile) -> SymbolCounts {
        var (functions, others) = (0, 0)
        do throws(ObjectFileError) {
            try object.forEachSymbol { symbol in
                if symbol.kind == .function { functions += 1 } else if symbol.kind != .file { others += 1 }
                return true
            }
        } catch { return .damaged(error.problem) }
        return .counted(functions: functions, others: others)
    }

    /// As its tools print it: a UUID or GUID with dashes in Mach-O and PE, hexadecimal digits in ELF.
    private var identity: String? {
        object.identity.map { object.description.container == .elf ? $0.hexadecimal : $0.description }
    }

    /// PE has its GUID and age in one, as the folders of symbol stores are called, and its timestamp and size in another.
    private var identityRows: [(String, String)] {
        let description = object.description
        if description.container == .pe {
            return [("debug ID", description.debugIdentifier ?? "none"), ("code ID", description.codeIdentifier ?? "none")]
        }
        return [(object.identity?.uuid != nil && description.container == .machO ? "UUID" : "build ID", identity ?? "none")]
    }

    private var byteOrder: String { object.description.byteOrder == .littleEndian ? "little-endian" : "big-endian" }

    // MARK: Text

    var lines: [String] {
        let description = object.description
        var rows = [
            ("kind", "\(description.container.rawValue) \(description.kind.rawValue)"),
            ("architecture", "\(object.architecture), \(description.addressSize * 8) bits, \(byteOrder)"),
        ]
        rows += identityRows
        rows += [("base", object.baseAddress.description), ("debug info", debugInformation), ("symbols", symbolCounts)]
        if let version = description.buildVersion {
            rows.append(("built for", "\(version.platform) \(version.minimumSystem), SDK \(version.sdk)"))
        }
        if let link = description.debugLink {
            rows.append(("points to", "\(link.name) (CRC-32 0x\(UInt64(link.checksum).hexadecimal(width: 8)))"))
        }
        if let companion { rows.append(("debug file", "\(companion.path) (\(companion.origin))")) }
        if let map {
            rows.append(("debug map", "\(map.objects) object files, \(map.objects - map.refusals.count) usable"))
            rows += map.refusals.prefix(10).map { ("", $0) }
            if map.refusals.count > 10 { rows.append(("", "and \(map.refusals.count - 10) more like these")) }
        }
        rows += description.notes.map { ("note", $0) }
        return ["\(object.path):"] + rows.map { "  " + $0.0 + String(repeating: " ", count: 14 - $0.0.count) + $0.1 }
    }

    private var debugInformation: String {
        guard !debugSections.isEmpty else {
            // gcc up to 12 writes them with -gstabs.
            return hasStabs ? "stabs, which cairn does not support" : "none"
        }
        let parts = debugSections.map { section in
            let size = "\(section.name) \(section.size) bytes"
            switch section.compression {
            case nil: return size
            case .unsupported(let type)?: return size + " (compressed, type \(type), not supported)"
            case let kind?: return size + " (\(kind), \(section.fileRange.count) in the file)"
            }
        }
        return ((versions.isEmpty ? [] : ["DWARF \(versions.joined(separator: ", "))"]) + parts).joined(separator: "; ")
    }

    private var hasStabs: Bool { object.description.sections.contains { $0.name == ".stab" && !$0.fileRange.isEmpty } }

    private var symbolCounts: String {
        switch symbols {
        case .damaged(let problem): "damaged: \(problem)"
        case .counted(0, 0): "none"
        case .counted(let functions, let others):
            "\(functions) functions, \(others) others" + (object.hasFullSymbolTable ? "" : "; stripped: exported names only")
        }
    }

    // MARK: JSON

    var json: WrittenJSON {
        let description = object.description
        var counts: [(String, WrittenJSON?)]
        switch symbols {
        case .damaged(let problem): counts = [("problem", .string(problem))]
        case .counted(let functions, let others):
            counts = [("functions", .number(functions)), ("others", .number(others)), ("stripped", .boolean(!object.hasFullSymbolTable))]
        }
        return .object([
            ("schema", .number(1)), ("path", .string(object.path)), ("container", .string(description.container.rawValue)),
            ("kind", .string(description.kind.rawValue)), ("architecture", .string(object.architecture.description)),
            ("addressSize", .number(description.addressSize)), ("byteOrder", .string(byteOrder)), ("id", identity.map { .string($0) }),
            ("codeID", description.codeIdentifier.map { .string($0) }),
            ("base", .string(object.baseAddress.description)),
            ("dwarfVersions", versions.isEmpty ? nil : .array(versions.map { .string($0) })),
            ("debugSections", .array(debugSections.map(Self.json))), ("symbols", .object(counts)),
            (
                "builtFor",
                description.buildVersion.map {
                    .object([
                        ("platform", .string($0.platform)), ("minimumSystem", .string($0.minimumSystem)), ("sdk", .string($0.sdk)),
                    ])
                }
            ),
            (
                "debugLink",
                description.debugLink.map {
                    .object([("name", .string($0.name)), ("checksum", .string("0x" + UInt64($0.checksum).hexadecimal(width: 8)))])
                }
            ),
            ("debugFile", companion.map { .object([("path", .string($0.path)), ("origin", .string($0.origin))]) }),
            (
                "debugMap",
                map.map { .object([("objects", .number($0.objects)), ("problems", .array($0.refusals.map { .string($0) }))]) }
            ),
            ("notes", description.notes.isEmpty ? nil : .array(description.notes.map { .string($0) })),
        ])
    }

    private static func json(_ section: Section) -> WrittenJSON {
        let compression = section.compression.map { kind in
            if case .unsupported(let type) = kind { return "type \(type)" }
            return "\(kind)"
        }
        return .object([
            ("name", .string(section.name)), ("size", .unsigned(UInt64(section.size))),
            ("compression", compression.map { .string($0) }),
            ("sizeInFile", compression.map { _ in .number(section.fileRange.count) }),
        ])
    }
}
