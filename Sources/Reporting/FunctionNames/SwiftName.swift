/// Swift, as its demanglers spell names: `partial apply for closure #1 in Tank.fill(_:)`,
/// `(2) suspend resume partial function for Tank.fill(_:)`, `specialized Tank.fill(_:)` and, with
/// everything, `generic specialization <Swift.Int> of harbor.Tank.fill(_: A) -> Swift.Int` are
/// `Tank.fill(_:)`. Labels stay: they are part of a function's name.
enum SwiftName {
    /// Prefixes that the compiler adds to a function's name for code that it makes for that
    /// function.
    private static let made = [
        "specialized ", "merged ", "partial apply for ", "partial apply forwarder for ", "dispatch thunk of ", "protocol witness for ",
        "async function pointer to ",
        "@objc ", "@nonobjc ", "__owned ", "override thunk of ", "vtable thunk for ", "reabstraction thunk for ", "outlined ",
        "distributed thunk ", "back deployment thunk for ",
        "back deployment fallback for ", "method descriptor for ", "closure in ", "curry thunk of ",
        "lazy protocol witness table accessor for ", "static ",
        "hop to executor ", "keypath get accessor for ", "keypath set accessor for ", "key path getter for ", "key path setter for ",
        "deallocating ", "noasync ", "async ",
        "dynamically replaceable key for ", "dynamically replaceable thunk for ", "dynamically replaceable variable for ",
    ]
    /// The same with something in between: `generic specialization <…> of `,
    /// `(3) await resume partial function for `, `default argument 1 of `.
    private static let madeOf = [
        ("generic specialization ", " of "), ("generic not re-abstracted specialization ", " of "),
        ("generic partial specialization ", " of "),
        ("inlined generic function ", " of "), ("function signature specialization ", " of "), ("default argument ", " of "),
        ("closure #", " in "), ("implicit closure #", " in "), ("autoclosure #", " in "), ("property wrapper backing initializer of ", ""),
    ]

    static func normalize(_ name: inout NameText) -> Bool {
        var isClosure = false
        var steps = 0
        outer: while steps < 64 {
            steps += 1
            for word in made where name.drop(prefix: word) { continue outer }
            // `(1) await resume partial function for `, `(2) suspend resume partial function for `
            if name.hasPrefix("("), let part = name.first(" partial function for "), part < 40 {
                name.keep(from: part + 22)
                continue
            }
            for (head, end) in madeOf where name.hasPrefix(head) {
                if let found = topLevel(end, in: name, from: head.utf8.count) {
                    isClosure = isClosure || end == " in "
                    name.keep(from: found + end.utf8.count)
                    continue outer
                }
            }
            break
        }
        // `Tank.empty() in conformance Harbor`: the witness is the function itself.
        if let conformance = name.first(" in conformance "), conformance > 0 { name.keep(first: conformance) }
        CloneSuffix.remove(from: &name)
        let isFull = name.contains(" -> ") || name.contains(": ") || name.contains("Swift.")
        if let result = topLevel(" -> ", in: name, from: 0), result > 0 { name.keep(first: result) }
        for word in [" async throws", " throws", " async"] { _ = name.drop(suffix: word) }
        if name.drop(prefix: "(extension in "), let end = name.first("):") { name.keep(from: end + 2) }
        foldDiscriminators(&name)
        fold(generics: &name)
        keepLabels(&name)
        // The first part of the full form is the module.
        if isFull, let dot = name.bytes.firstIndex(of: UInt8(ascii: ".")), dot > 0,
            name.bytes.firstIndex(of: UInt8(ascii: "(")).map({ dot < $0 }) ?? true
        {
            name.keep(from: dot + 1)
        }
        return isClosure
    }

    /// Index of the first occurrence of `text` outside of brackets.
    private static func topLevel(_ text: String, in name: NameText, from start: Int) -> Int? {
        let wanted = Array(text.utf8)
        guard let head = wanted.first else { return start }
        var depth = 0
        for index in min(start, name.count)..<name.count {
            let byte = name.bytes[index]
            if depth == 0, byte == head, name.bytes[index...].starts(with: wanted) { return index }
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth = max(0, depth - 1)
            case UInt8(ascii: ">") where index == 0 || name.bytes[index - 1] != UInt8(ascii: "-"): depth = max(0, depth - 1)
            default: break
            }
        }
        return nil
    }

    /// `(pour in _A1B2C3)(_:)`: a private function, with the hash of its file.
    private static func foldDiscriminators(_ name: inout NameText) {
        while let mark = name.first(" in _") {
            guard let open = name.bytes[..<mark].lastIndex(of: UInt8(ascii: "(")), let close = name.first(")", from: mark) else { return }
            name.bytes.removeSubrange(mark...close)
            name.bytes.remove(at: open)
        }
    }

    private static func fold(generics name: inout NameText) {
        // An operator's signs are no brackets: `static Tank.< infix(_:_:)`.
        name.fold(UInt8(ascii: "<"), UInt8(ascii: ">")) { text, index in
            if text.bytes[index] == UInt8(ascii: ">"), index > 0, text.bytes[index - 1] == UInt8(ascii: "-") { return false }
            return index == 0 || (text.bytes[index - 1] != UInt8(ascii: ".") && text.bytes[index - 1] != UInt8(ascii: " "))
        }
    }

    /// `fill(_: Swift.Int, from: Swift.String)` is `fill(_:from:)`; where there are types without
    /// labels, nothing but the name is left.
    private static func keepLabels(_ name: inout NameText) {
        guard let open = name.bytes.firstIndex(of: UInt8(ascii: "(")), open > 0, name.contains(": ") || !name.contains(":"),
            let close = closing(of: open, in: name)
        else { return }
        let inside = name.bytes[(open + 1)..<close]
        guard !inside.isEmpty else { return }
        var labels: [UInt8] = []
        var depth = 0
        var start = inside.startIndex
        var label: ArraySlice<UInt8>?
        func end() {
            if let label { labels += label + [UInt8(ascii: ":")] } else { labels += "_:".utf8 }
        }
        for index in inside.indices {
            switch inside[index] {
            case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: ">"), UInt8(ascii: "]"): depth = max(0, depth - 1)
            case UInt8(ascii: ":") where depth == 0 && label == nil: label = inside[start..<index]
            case UInt8(ascii: ",") where depth == 0:
                end()
                label = nil
                start = index + 1
                while start < inside.endIndex, inside[start] == UInt8(ascii: " ") { start += 1 }
            default: break
            }
        }
        end()
        name.bytes.replaceSubrange((open + 1)..<close, with: labels)
    }

    private static func closing(of open: Int, in name: NameText) -> Int? {
        var depth = 0
        for index in open..<name.count {
            if name.bytes[index] == UInt8(ascii: "(") { depth += 1 }
            if name.bytes[index] == UInt8(ascii: ")") {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }
}
