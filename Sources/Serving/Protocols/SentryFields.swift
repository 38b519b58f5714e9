internal import BinaryPrimitives
internal import CrashLogModel

/// Members of an object by their types, as Symbolicator insists on them (serde): absent or `null`
/// is unknown, and another type is refused.
struct SentryFields {
    let value: JSONValue

    /// - Parameter allowsNull: not so for a value that has a default.
    func text(_ name: String, allowsNull: Bool = true) throws(Refusal) -> String? {
        if !allowsNull, case .null? = value[name]?.content { throw SentryRequest.malformed("\(name): expected a string") }
        return try member(name, "a string") { $0.string }
    }

    /// Also one in digits, decimal or with `0x`.
    func number(_ name: String) throws(Refusal) -> UInt64? { try member(name, "a number") { $0.unsigned } }

    func flag(_ name: String) throws(Refusal) -> Bool? {
        try member(name, "true or false") { if case .bool(let value) = $0.content { value } else { nil } }
    }

    /// - Parameter allowsNull: not so for a list that may be empty (serde, `Vec` with a default).
    func list(_ name: String, allowsNull: Bool = false) throws(Refusal) -> [JSONValue]? {
        if !allowsNull, case .null? = value[name]?.content { throw SentryRequest.malformed("\(name): expected a list") }
        return try list(member: name)
    }

    private func list(member name: String) throws(Refusal) -> [JSONValue]? {
        try member(name, "a list") { if case .array(let elements) = $0.content { elements } else { nil } }
    }

    private func member<Value>(_ name: String, _ expected: String, _ read: (JSONValue) -> Value?) throws(Refusal) -> Value? {
        guard let member = value[name] else { return nil }
        if case .null = member.content { return nil }
        guard let found = read(member) else { throw SentryRequest.malformed("\(name): expected \(expected)") }
        return found
    }
}

/// Options of a request.
struct SentryOptions {
    private(set) var wantsCandidates = false
    private(set) var isCallerFirst = false

    init() {}

    init(_ value: JSONValue?) throws(Refusal) {
        guard let value else { return }
        guard value.isObject else { throw SentryRequest.malformed("options: expected an object") }
        let fields = SentryFields(value: value)
        wantsCandidates = try fields.flag("dif_candidates") ?? false
        let order = try fields.text("frame_order") ?? "callee_first"
        guard ["callee_first", "caller_first"].contains(order) else {
            throw SentryRequest.malformed("frame_order: expected callee_first or caller_first")
        }
        isCallerFirst = order == "caller_first"
    }
}
