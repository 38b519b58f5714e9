package import BinaryPrimitives
internal import ObjectFiles
internal import Synchronization

/// A symbol file of Breakpad (`.sym`): text, one record a line, the first of them `MODULE`
/// (Breakpad's documentation, "symbol_files.md").
///
///     MODULE Linux x86_64 20AD60B0B4C68177552708AA192E77390 basic       system, architecture, GUID and age, name
///     INFO CODE_ID B060AD20C6B47781552708AA192E7739FAC7C84A             the whole build ID
///     FILE 0 /src/basic.cpp                                             number, path
///     INLINE_ORIGIN 3 inline_1(int)                                     number, function that is called inline somewhere
///     FUNC 1177 33 0 inline_3(int)                                      address, size, size of parameters, name
///     INLINE 1 10 0 3 118a 1d                                           depth, line and file of the call, origin, ranges (address, size)
///     118a 9 3 0                                                        address, size, line, file
///     PUBLIC 1040 0 _start                                              address, size of parameters, name
///     STACK CFI INIT 1177 33 .cfa: $rsp 8 +                             address, size: a function as the unwinder knows it
///
/// Addresses count from the image's first mapped byte, and are hexadecimal like sizes; the other
/// numbers are decimal. Names are demangled.
package final class BreakpadFile: SymbolFile {
    package let file: MappedFile
    /// Content of the first record, `MODULE`.
    package let module: Module
    /// The whole build ID if the file has it, else the 16 bytes of the GUID; `nil` where the id cannot be read.
    package let identity: ImageID?
    /// For Windows, the image's own name (`xul.dll`), which differs from the name of its PDB.
    package let codeFile: String?
    /// For Windows, the image's timestamp and size, as `CodeIdentifier` writes them.
    package let codeIdentifier: String?
    /// Whether there are lines: files are listed before the functions.
    package let hasDebugInformation: Bool
    private let loaded = Mutex<BreakpadTables?>(nil)
    private let lookups = Atomic(0)

    /// Content of the record `MODULE`.
    package struct Module: Sendable, Hashable {
        /// `Linux`, `Android`, `mac`, `windows`, ….
        package var system: String
        package var architecture: Architecture?
        /// GUID and age, in the form of the directory names of symbol stores.
        package var debugID: String
        package var name: String
    }

    /// Reads the first records, no more.
    /// - Returns: `nil` if the file does not begin with a `MODULE` record.
    package init?(_ file: MappedFile) {
        guard file.bytes(in: 0..<Self.magic.count) == Self.magic else { return nil }
        let head = file.withBytes { BreakpadHead($0.prefix(Limits.standard.breakpadHead).text) }
        guard let module = head.module else { return nil }
        self.file = file
        self.module = module
        identity = Self.identity(of: module, codeID: head.codeID)
        codeFile = head.codeFile
        codeIdentifier = module.system.lowercased() == "windows" ? head.codeID.flatMap { CodeIdentifier.read($0) } : nil
        hasDebugInformation = head.hasFiles
    }

    private static let magic = Array("MODULE ".utf8)

    private static func identity(of module: Module, codeID: String?) -> ImageID? {
        // For Windows it is the GUID of the PDB.
        let isELF = !["mac", "ios", "windows"].contains(module.system.lowercased())
        guard let guid = BreakpadID.identity(module.debugID, isELF: isELF) else { return nil }
        // If a file had no build ID, the GUID is a hash of its code, which no other identifier begins with.
        guard isELF, let whole = codeID.flatMap({ ImageID(text: $0) }), whole.matches(guid) else { return guid }
        return whole
    }

    package var debugIdentifier: String? { module.system.lowercased() == "windows" ? module.debugID : nil }
    package var path: String { file.path }
    package var machine: Architecture? { module.architecture }
    /// Zero: addresses of the file count from the image's first byte, whose link address it does not give.
    package var baseAddress: LinkAddress { LinkAddress(0) }
    package var imageSize: UInt64? { nil }
    package var holdsCode: Bool { false }

    /// Positions of the file's records; read at the first lookup.
    var tables: BreakpadTables {
        loaded.withLock { known in
            if let known { return known }
            let tables = file.withBytes { BreakpadTables($0.text) }
            // Only the records of functions that are looked up are read again.
            file.releasePages()
            known = tables
            return tables
        }
    }

    /// Lookups after which the file's pages are released. Around each record that is read the kernel maps 64 KB
    /// into this process's memory, so up to 1 MB is held. A release after each report costs `cairn filter` 4 %
    /// more processor time (3,000 reports, medians of 13 runs).
    private static let lookupsBetweenReleases = 16

    /// - Parameter count: number of lookups since the last call.
    func releasePages(after count: Int) {
        guard lookups.add(count, ordering: .relaxed).newValue >= Self.lookupsBetweenReleases else { return }
        lookups.store(0, ordering: .relaxed)
        file.releasePages()
    }
}

/// The records before the first that describes code.
private struct BreakpadHead {
    var module: BreakpadFile.Module?
    var codeID: String?
    var codeFile: String?
    var hasFiles = false

    init(_ text: Span<UInt8>) {
        var rest = text
        while var fields = rest.readLine() {
            if fields.consume("MODULE ") {
                guard module == nil else { return }
                module = BreakpadRecord.module(fields)
            } else if fields.consume("INFO CODE_ID ") {
                // For Windows a file's name follows.
                codeID = fields.readToken().text
                let name = fields.trimmed().text
                codeFile = name.isEmpty ? nil : name
            } else if fields.hasPrefix("FILE ") {
                hasFiles = true
                return
            } else if fields.hasPrefix("FUNC ") || fields.hasPrefix("PUBLIC ") || fields.hasPrefix("STACK ") {
                return
            }
        }
    }
}
