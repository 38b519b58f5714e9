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
        /// Other facts about it, by their names in responses (`SentryFrame.names`).
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
    let options: SentryOptions
    /// Sources that the request names.
    private(set) var sources: [SentrySource] = []
    /// The stacks were unwound here, of a process's memory.
    private(set) var isUnwound = false

    /// Creates the request for a report.
    init(modules: [SentryModule], stacks: [Stack], isUnwound: Bool, _ form: SentryForm) {
        (self.modules, self.stacks, self.isUnwound) = (modules, stacks, isUnwound)
        (options, sources) = (form.options, form.sources)
    }

    init(_ value: JSONValue, _ allowed: AllowedSources, _ limits: Limits) throws(Refusal) {
        guard value.isObject else { throw Self.malformed("expected an object") }
        let fields = SentryFields(value: value)
        func list(_ name: String, atMost limit: Int, allowsNull: Bool = false) throws(Refusal) -> [JSONValue] {
            let items = try fields.list(name, allowsNull: allowsNull) ?? []
            guard items.count <= limit else { throw Refusal("\(name): expected at most \(limit)", status: 413) }
            return items
        }
        signal = try fields.number("signal")
        options = try SentryOptions(value["options"])
        sources = try list("sources", atMost: SentrySource.limit, allowsNull: true).map { value throws(Refusal) in
            try SentrySource(value, allowed)
        }
        for item in try list("modules", atMost: limits.requestedModules) { modules.append(try SentryModule(item)) }
        var room = limits.requestedFrames
        // Sentry's own events have `threads`.
        let name = value["stacktraces"] == nil ? "threads" : "stacktraces"
        for item in try list(name, atMost: limits.threads) { stacks.append(try Self.stack(item, room: &room, limits)) }
    }

    static func malformed(_ message: String) -> Refusal { Refusal(message, status: 422) }

    private static func stack(_ value: JSONValue, room: inout Int, _ limits: Limits) throws(Refusal) -> Stack {
        let fields = SentryFields(value: value)
        var stack = Stack(
            threadID: try fields.number("thread_id"), threadName: try fields.text("thread_name"),
            isRequesting: try fields.flag("is_requesting"))
        guard value["registers"]?.isObject ?? true else { throw malformed("registers: expected an object") }
        for register in value["registers"]?.members ?? [] {
            guard let number = register.value.unsigned else { throw malformed("registers: expected a number for \(register.key)") }
            stack.registers.append((register.key, number))
        }
        guard case .array(let frames)? = value["frames"]?.content else { throw malformed("stacktraces: expected frames") }
        guard frames.count <= room else { throw Refusal("stacktraces: expected at most \(limits.requestedFrames) frames", status: 413) }
        room -= frames.count
        for value in frames {
            let fields = SentryFields(value: value)
            guard let address = try fields.number("instruction_addr") else { throw malformed("frames: expected an instruction_addr") }
            var frame = Frame(address: address, line: try fields.number("lineno"))
            for name in SentryFrame.names { frame.texts[name] = try fields.text(name) }
            if let mode = try fields.text("addr_mode", allowsNull: false), mode != "abs" {
                guard mode.hasPrefix("rel:"), let module = Int(mode.dropFirst("rel:".utf8.count)), module >= 0 else {
                    throw malformed("addr_mode: expected abs or rel: and a module’s number")
                }
                frame.offsetInModule = module
            }
            frame.isReturnAddress = try fields.flag("adjust_instruction_addr")
            if frame.isReturnAddress != nil { stack.hasMarkedFrames = true }
            stack.frames.append(frame)
        }
        return stack
    }
}
