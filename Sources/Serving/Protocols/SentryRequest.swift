internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolFiles

/// A request to Symbolicator's `/symbolicate`
/// (`crates/symbolicator/src/endpoints/symbolicate.rs`). Everything is optional but a frame's
/// address, and unknown fields are left aside.
struct SentryRequest {
    struct Stack {
        var value: JSONValue
        var registers: [(name: String, value: UInt64)] = []
        var frames: [Frame] = []
        /// Some frame says whether its address is a return address.
        var hasMarkedFrames = false

        var isRequesting: Bool? { if case .bool(let value)? = value["is_requesting"]?.content { value } else { nil } }
    }

    struct Frame {
        var value: JSONValue
        var address: UInt64
        /// The module that the address is an offset into; `nil`: it is one of the process.
        var offsetInModule: Int?
        /// Whether the instruction before the address is meant; `nil`: the request does not say so.
        var isReturnAddress: Bool?
    }

    private(set) var signal: UInt64?
    private(set) var modules: [SentryModule] = []
    private(set) var stacks: [Stack] = []
    private(set) var isCallerFirst: Bool
    private(set) var wantsCandidates: Bool

    init(_ value: JSONValue, _ limits: Limits) throws(Refusal) {
        func list(_ name: String, atMost limit: Int) throws(Refusal) -> [JSONValue]? {
            guard let value = value[name] else { return nil }
            guard case .array(let items) = value.content else { throw Self.misshapen("\(name): expected a list") }
            guard items.count <= limit else { throw Refusal("\(name): expected at most \(limit)", status: 413) }
            return items
        }
        guard value.isObject else { throw Self.misshapen("expected an object") }
        if let sources = value["sources"], !sources.elements.isEmpty {
            throw Self.misshapen("sources: symbols come from the places that this server’s operator has set, and from no others")
        }
        signal = value["signal"]?.unsigned
        let options = value["options"]
        isCallerFirst = options?["frame_order"]?.string == "caller_first"
        wantsCandidates = options?["dif_candidates"]?.isTrue == true
        for item in try list("modules", atMost: limits.requestedModules) ?? [] { modules.append(try SentryModule(item)) }
        var room = limits.requestedFrames
        // Sentry's own events have `threads`.
        let name = value["stacktraces"] == nil ? "threads" : "stacktraces"
        for item in try list(name, atMost: limits.threads) ?? [] {
            stacks.append(try Self.stack(item, room: &room, limits))
        }
    }

    static func misshapen(_ words: String) -> Refusal { Refusal(words, status: 422) }

    private static func stack(_ value: JSONValue, room: inout Int, _ limits: Limits) throws(Refusal) -> Stack {
        var stack = Stack(value: value)
        for register in value["registers"]?.members ?? [] {
            guard let number = register.value.unsigned else { throw misshapen("registers: expected a number for \(register.key)") }
            stack.registers.append((register.key, number))
        }
        guard case .array(let frames)? = value["frames"]?.content else { throw misshapen("stacktraces: expected frames") }
        guard frames.count <= room else { throw Refusal("stacktraces: expected at most \(limits.requestedFrames) frames", status: 413) }
        room -= frames.count
        for value in frames {
            guard let address = value["instruction_addr"]?.unsigned else { throw misshapen("frames: expected an instruction_addr") }
            var frame = Frame(value: value, address: address)
            if let mode = value["addr_mode"]?.string, mode != "abs" {
                guard mode.hasPrefix("rel:"), let module = Int(mode.dropFirst("rel:".utf8.count)), module >= 0 else {
                    throw misshapen("addr_mode: expected abs or rel: and a module’s number")
                }
                frame.offsetInModule = module
            }
            if case .bool(let isSet)? = value["adjust_instruction_addr"]?.content {
                frame.isReturnAddress = isSet
                stack.hasMarkedFrames = true
            }
            stack.frames.append(frame)
        }
        return stack
    }
}

/// A module of such a request.
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

    fileprivate init(_ value: JSONValue) throws(Refusal) {
        guard let type = value["type"]?.string else { throw SentryRequest.misshapen("modules: expected a type") }
        self.type = type
        codeID = value["code_id"]?.string
        codeFile = value["code_file"]?.string
        debugID = value["debug_id"]?.string
        debugFile = value["debug_file"]?.string
        address = value["image_addr"]?.unsigned ?? 0
        size = value["image_size"]?.unsigned.flatMap { $0 > 0 ? $0 : nil }
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
}
