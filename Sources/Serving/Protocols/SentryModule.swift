internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolFiles

/// A module of a request, or of a crash report or minidump in it.
struct SentryModule: SoughtModule {
    /// `elf`, `macho`, `pe`, …
    var type: String
    var codeID: String?
    var codeFile: String?
    var debugID: String?
    var debugFile: String?
    /// 0: addresses of the process are not in it (WebAssembly).
    var address: UInt64
    var size: UInt64?
}

extension SentryModule {
    init(_ value: JSONValue) throws(Refusal) {
        let fields = SentryFields(value: value)
        guard let type = try fields.text("type") else { throw SentryRequest.malformed("modules: expected a type") }
        self.init(
            type: type, codeID: try fields.text("code_id"), codeFile: try fields.text("code_file"), debugID: try fields.text("debug_id"),
            debugFile: try fields.text("debug_file"), address: try fields.number("image_addr") ?? 0,
            size: try fields.number("image_size").flatMap { $0 > 0 ? $0 : nil })
    }

    /// An ELF file's whole build ID where the request has it, else what its debug ID keeps of it.
    /// Names lose their folders: a request names no path of this machine.
    var requests: [SoughtIdentity] {
        let name = Path.foreignName(of: codeFile ?? debugFile ?? "")
        if type == "elf", let id = codeID.flatMap({ ImageID(buildID: $0) }) {
            return [SoughtIdentity(ImageRequest(name: name, id: id), isELF: true)]
        }
        // `c0bcc3f1-9827-fe65-3058-404b2831d9e6`, after which an age may follow as `-a`.
        var digits = (debugID ?? "").filter { $0 != "-" }
        if digits.utf8.count == 32 { digits += "0" }
        let kinds = type == "elf" ? [true] : ["macho", "pe", "pe_dotnet"].contains(type) ? [false] : [true, false]
        let store = type == "pe" ? debugFile.map { Path.foreignName(of: $0) } : nil
        return kinds.compactMap { SoughtIdentity(name: name, debugFile: store, debugID: digits, isELF: $0) }
    }

    /// `c0bcc3f1-9827-fe65-3058-404b2831d9e6`, of the digits and the age in a Breakpad ID; an age
    /// of 0 is left out.
    static func debugID(breakpad digits: String) -> String? {
        let digits = digits.lowercased()
        guard digits.utf8.count > 32 else { return nil }
        var rest = digits[...]
        let parts = [8, 4, 4, 4, 12].map { count in
            defer { rest = rest.dropFirst(count) }
            return String(rest.prefix(count))
        }
        return parts.joined(separator: "-") + (rest == "0" ? "" : "-" + rest)
    }
}
