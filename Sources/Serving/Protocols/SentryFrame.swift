internal import BinaryPrimitives
internal import CrashLogModel
internal import Demangling
internal import Symbolication

/// A frame of Symbolicator's response: what the request said, and what was found.
struct SentryFrame {
    enum Status: String {
        case symbolicated
        /// The file is there, and the address is not in it.
        case missingSymbol = "missing_symbol"
        /// No module has the address.
        case unknownImage = "unknown_image"
        /// The file was not found.
        case missing
        /// It was found and cannot be read.
        case malformed
    }

    private let number: Int
    private var address: UInt64
    private var line: UInt64?
    private var mode: String?
    private(set) var status = Status.missing
    var texts: [String: String]

    static let names = ["package", "symbol", "sym_addr", "function", "filename", "abs_path", "lang", "trust", "function_id"]

    init(_ frame: SentryRequest.Frame, number: Int) {
        self.number = number
        address = frame.address
        line = frame.line
        mode = frame.offsetInModule.map { "rel:\($0)" }
        texts = frame.texts
    }

    /// Its address is one of the process.
    var isAbsolute: Bool { mode == nil }
    var isScanned: Bool { texts["trust"] == "scan" }

    static func hexadecimal(_ value: UInt64) -> WrittenJSON { .string("0x" + String(value, radix: 16)) }

    /// Copy of the frame with one of the functions at the address, which was perhaps moved into the
    /// call.
    func resolved(_ function: FrameResult.Function, at address: UInt64) -> SentryFrame {
        var frame = self
        frame.status = .symbolicated
        frame.address = address
        frame.texts["symbol"] = function.mangledName
        frame.texts["function"] = function.name
        // Only the function that has the code has an address.
        frame.texts["sym_addr"] = function.offset.map { "0x" + String(address &- $0, radix: 16) }
        let file = function.location?.file
        frame.texts["filename"] = file.map { Path.foreignName(of: $0) }
        frame.texts["abs_path"] = file
        frame.line = UInt64(max(0, function.location?.line ?? 0))
        return frame
    }

    /// Copy of the frame without a function. One name in the request, of either kind, may be
    /// mangled.
    func unresolved(_ status: Status, _ options: SymbolicatorOptions) -> SentryFrame {
        var frame = self
        frame.status = status
        let names = [texts["function"], texts["symbol"]].compactMap { $0 }
        if names.count == 1, options.demangler.demangle(names[0]) != names[0] {
            frame.texts["symbol"] = names[0]
            frame.texts["function"] = options.demangler.demangle(names[0])
        }
        return frame
    }

    var json: WrittenJSON {
        var members: [(key: String, value: WrittenJSON?)] = [
            ("status", .string(status.rawValue)), ("original_index", .number(number)), ("instruction_addr", Self.hexadecimal(address)),
            ("addr_mode", mode.map { .string($0) }),
        ]
        members += Self.names.map { ($0, texts[$0].map { .string($0) }) }
        members.append(("lineno", line.map { .unsigned($0) }))
        return .object(members)
    }
}
