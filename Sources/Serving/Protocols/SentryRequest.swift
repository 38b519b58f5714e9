internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolFiles

/// A request to Symbolicator's `/symbolicate`
/// (`crates/symbolicator/src/endpoints/symbolicate.rs`). Everything is optional but a frame's
/// address, and unknown fields are left aside.
struct SentryRequest {
    struct Stack {
        var threadID: UInt64?
        var threadName: String?
        var isRequesting: Bool?
        var registers: [(name: String, value: UInt64)] = []
        var frames: [Frame] = []
        /// Some frame says whether its address is a return address.
        var hasMarkedFrames = false
    }

    struct Frame {
        var address: UInt64
        /// What else is known of it, by the names that responses have (`SentryFrame.names`).
        var texts: [String: String] = [:]
        var line: UInt64?
        /// The module that the address is an offset into; `nil`: it is one of the process.
        var offsetInModule: Int?
        /// Whether the instruction before the address is meant; `nil`: the request does not say so.
        var isReturnAddress: Bool?
    }

    private(set) var signal: UInt64?
    private(set) var modules: [SentryModule] = []
    private(set) var stacks: [Stack] = []
    private(set) var isCallerFirst = false
    private(set) var wantsCandidates = false
    /// The stacks were unwound here, of a process's memory.
    private(set) var isUnwound = false

    /// What a report has.
    init(modules: [SentryModule], stacks: [Stack], isUnwound: Bool, options: JSONValue?) {
        (self.modules, self.stacks, self.isUnwound) = (modules, stacks, isUnwound)
        wantsCandidates = Self.wantsCandidates(options)
    }

    init(_ value: JSONValue, _ limits: Limits) throws(Refusal) {
        func list(_ name: String, atMost limit: Int) throws(Refusal) -> [JSONValue]? {
            guard let value = value[name] else { return nil }
            guard case .array(let items) = value.content else { throw Self.misshapen("\(name): expected a list") }
            guard items.count <= limit else { throw Refusal("\(name): expected at most \(limit)", status: 413) }
            return items
        }
        guard value.isObject else { throw Self.misshapen("expected an object") }
        try Self.refuseSources(value["sources"])
        signal = value["signal"]?.unsigned
        let options = value["options"]
        isCallerFirst = options?["frame_order"]?.string == "caller_first"
        wantsCandidates = Self.wantsCandidates(options)
        for item in try list("modules", atMost: limits.requestedModules) ?? [] { modules.append(try SentryModule(item)) }
        var room = limits.requestedFrames
        // Sentry's own events have `threads`.
        let name = value["stacktraces"] == nil ? "threads" : "stacktraces"
        for item in try list(name, atMost: limits.threads) ?? [] {
            stacks.append(try Self.stack(item, room: &room, limits))
        }
    }

    static func refuseSources(_ sources: JSONValue?) throws(Refusal) {
        guard sources?.elements.isEmpty ?? true else {
            throw Self.misshapen("sources: symbols come from the places that this server’s operator has set, and from no others")
        }
    }

    private static func wantsCandidates(_ options: JSONValue?) -> Bool { options?["dif_candidates"]?.isTrue == true }

    static func misshapen(_ words: String) -> Refusal { Refusal(words, status: 422) }

    private static func stack(_ value: JSONValue, room: inout Int, _ limits: Limits) throws(Refusal) -> Stack {
        var stack = Stack(threadID: value["thread_id"]?.unsigned, threadName: value["thread_name"]?.string)
        if case .bool(let isRequesting)? = value["is_requesting"]?.content { stack.isRequesting = isRequesting }
        for register in value["registers"]?.members ?? [] {
            guard let number = register.value.unsigned else { throw misshapen("registers: expected a number for \(register.key)") }
            stack.registers.append((register.key, number))
        }
        guard case .array(let frames)? = value["frames"]?.content else { throw misshapen("stacktraces: expected frames") }
        guard frames.count <= room else { throw Refusal("stacktraces: expected at most \(limits.requestedFrames) frames", status: 413) }
        room -= frames.count
        for value in frames {
            guard let address = value["instruction_addr"]?.unsigned else { throw misshapen("frames: expected an instruction_addr") }
            var frame = Frame(address: address, line: value["lineno"]?.unsigned)
            for name in SentryFrame.names { frame.texts[name] = value[name]?.string }
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
