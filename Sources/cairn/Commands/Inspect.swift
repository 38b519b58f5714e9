internal import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources

/// `cairn inspect FILE…`: what a file is, who it is, what it knows, and where it points.
struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show an object file's type, architecture, build ID and debug information.")

    @Argument(help: "Object files, dSYM bundles, kernel caches, and archives of them (APK, ZIP, tar).", completion: .file())
    var files: [String]

    func run() {
        var output = StandardOutput()
        var status = ExitStatus.done
        for path in files {
            do throws(ObjectFileError) {
                if OpenArchives.isArchive(path), let archive = try OpenArchives.shared.archive(at: path) {
                    if !Self.append(archive, to: &output) { status = .failed }
                    continue
                }
                let results = try ObjectFiles.openEach(path: path)
                let objects = results.compactMap { try? $0.get() }
                for case .failure(let error) in results {
                    // Beside others it is one slice, member or entry that is damaged.
                    if objects.isEmpty { throw error }
                    complain(error.description, as: .note)
                }
                for object in objects {
                    let lines = Self.lines(object)
                    if let change = object.file.change { throw ObjectFileError(change) }
                    for line in lines { output.append(PlainText.line(line) + "\n") }
                }
            } catch {
                complain(error.description)
                status = .failed
            }
        }
        output.flush()
        endProcess(status)
    }

    /// The objects in an archive, one member after another. For members that are something else
    /// nothing is printed.
    /// - Returns: whether every one could be read, and there was one.
    private static func append(_ archive: FileArchive, to output: inout StandardOutput) -> Bool {
        var isGood = true
        var isEmpty = true
        for number in archive.members.indices {
            do throws(ObjectFileError) {
                for object in try ObjectFiles.openAll(archive.contents(of: number)) {
                    let lines = Self.lines(object)
                    if let change = object.file.change { throw ObjectFileError(change) }
                    for line in lines { output.append(PlainText.line(line) + "\n") }
                }
                isEmpty = false
            } catch  where error.kind == .unknownFormat {
                continue
            } catch {
                complain(error.description)
                isGood = false
            }
        }
        if isGood, isEmpty { complain("\(archive.path): no object file in the \(archive.format.rawValue): expected ELF or Mach-O") }
        return isGood && !isEmpty
    }

    private static func lines(_ object: ObjectFile) -> [String] {
        let description = object.description
        let order = description.byteOrder == .littleEndian ? "little-endian" : "big-endian"
        var rows: [(String, String)] = []
        rows.append(("kind", "\(description.container.rawValue) \(description.kind.rawValue)"))
        rows.append(("architecture", "\(object.architecture), \(description.addressSize * 8) bits, \(order)"))
        rows.append((object.identity?.uuid != nil && description.container == .machO ? "UUID" : "build ID", identity(object)))
        rows.append(("base", object.baseAddress.description))
        rows.append(("debug info", debugInformation(object)))
        rows.append(("symbols", symbols(object)))
        if let version = description.buildVersion {
            rows.append(("built for", "\(version.platform) \(version.minimumSystem), SDK \(version.sdk)"))
        }
        if let link = description.debugLink {
            rows.append(("points to", "\(link.name) (CRC-32 0x\(UInt64(link.checksum).hexadecimal(width: 8)))"))
        }
        if !object.hasDebugInformation {
            let companions = Companions()
            let found = companions.find(for: object) { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) }
            if let found {
                rows.append(("debug file", "\(found.path) (\(found.candidate.origin))"))
            } else if let map = DebugMapSummary(object) {
                rows.append(("debug map", "\(map.objects) object files, \(map.objects - map.refusals.count) usable"))
                rows += map.refusals.prefix(10).map { ("", $0) }
                if map.refusals.count > 10 { rows.append(("", "and \(map.refusals.count - 10) more like these")) }
            }
        }
        rows += description.notes.map { ("note", $0) }
        return ["\(object.path):"] + rows.map { "  " + $0.0 + String(repeating: " ", count: 14 - $0.0.count) + $0.1 }
    }

    private static func identity(_ object: ObjectFile) -> String {
        guard let id = object.identity else { return "none" }
        return object.description.container == .machO ? id.description : id.hexadecimal
    }

    private static func debugInformation(_ object: ObjectFile) -> String {
        let sections = object.description.sections.filter { isDebug($0.name) && !$0.fileRange.isEmpty }
        guard !sections.isEmpty else {
            // gcc up to 12 writes them with -gstabs.
            let hasStabs = object.description.sections.contains { $0.name == ".stab" && !$0.fileRange.isEmpty }
            return hasStabs ? "stabs, which cairn does not support" : "none"
        }
        let versions = DebugInformationSummary(object).versions.map(String.init).joined(separator: ", ")
        var words = versions.isEmpty ? [] : ["DWARF \(versions)"]
        words += sections.map { section in
            let size = "\(section.name) \(section.size) bytes"
            switch section.compression {
            case nil: return size
            case .unsupported(let type)?: return size + " (compressed, type \(type), not supported)"
            case let kind?: return size + " (\(kind), \(section.fileRange.count) in the file)"
            }
        }
        return words.joined(separator: "; ")
    }

    private static func isDebug(_ name: String) -> Bool {
        [".debug_", "__debug_", ".zdebug_", "__zdebug_", ".gnu_debugaltlink", ".gnu_debugdata"].contains { name.hasPrefix($0) }
    }

    private static func symbols(_ object: ObjectFile) -> String {
        var functions = 0
        var others = 0
        do throws(ObjectFileError) {
            try object.forEachSymbol { symbol in
                if symbol.kind == .function { functions += 1 } else if symbol.kind != .file { others += 1 }
                return true
            }
        } catch { return "damaged: \(error.problem)" }
        guard functions + others > 0 else { return "none" }
        return "\(functions) functions, \(others) others" + (object.hasFullSymbolTable ? "" : "; stripped: exported names only")
    }
}
