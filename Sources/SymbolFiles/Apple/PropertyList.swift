internal import BinaryPrimitives

/// A property list in XML (Apple's `PropertyList-1.0.dtd`), as the files in dSYM bundles are: its
/// strings and dictionaries. Numbers, dates and data are left out, and so is Apple's binary form.
package enum PropertyList: Sendable, Hashable {
    case string(String)
    case dictionary([String: PropertyList])
    case array([PropertyList])

    package var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The value of a dictionary's key.
    package subscript(_ key: String) -> PropertyList? { if case .dictionary(let members) = self { members[key] } else { nil } }

    /// A dictionary's strings.
    package var strings: [String: String] { if case .dictionary(let members) = self { members.compactMapValues(\.string) } else { [:] } }

    /// Bytes of a list that is read. Those in dSYM bundles have some hundred.
    private static let size = 1 << 20

    /// - Returns: `nil` if the file cannot be read, or is not a property list in XML.
    package static func read(path: String) -> PropertyList? {
        guard let file = try? MappedFile(path: path), file.size <= size else { return nil }
        return parse(file.bytes(in: 0..<file.size))
    }

    /// - Returns: the list's value; `nil` if it is not a property list, or damaged.
    package static func parse(_ bytes: [UInt8]) -> PropertyList? {
        var parser = Parser(bytes: bytes)
        return parser.parse()
    }
}

/// Goes from tag to tag. What holds others is kept in a list and not on the stack.
private struct Parser {
    private let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private struct Open {
        var isDictionary: Bool
        var members: [String: PropertyList] = [:]
        var elements: [PropertyList] = []
        var key: String?

        mutating func add(_ value: PropertyList?) {
            guard isDictionary else {
                if let value { elements.append(value) }
                return
            }
            if let key, let value { members[key] = value }
            key = nil
        }

        var value: PropertyList { isDictionary ? .dictionary(members) : .array(elements) }
    }

    private static let depth = 64

    mutating func parse() -> PropertyList? {
        var open: [Open] = []
        while let tag = nextTag() {
            var value: PropertyList?
            switch tag {
            case "dict", "array":
                guard open.count < Parser.depth else { return nil }
                open.append(Open(isDictionary: tag == "dict"))
                continue
            case "/dict", "/array":
                guard let last = open.popLast(), last.isDictionary == (tag == "/dict") else { return nil }
                value = last.value
            case "dict/": value = .dictionary([:])
            case "array/": value = .array([])
            case "key":
                guard let text = text(endingWith: "key"), let index = open.indices.last else { return nil }
                open[index].key = text
                continue
            case "string":
                guard let text = text(endingWith: "string") else { return nil }
                value = .string(text)
            case "string/": value = .string("")
            case "integer", "real", "date", "data": guard text(endingWith: tag) != nil else { return nil }
            // `<true/>`, `<plist version="1.0">`, `</plist>`: no value that is kept.
            default: if !tag.hasSuffix("/") { continue }
            }
            guard let index = open.indices.last else {
                if let value { return value }
                continue
            }
            open[index].add(value)
        }
        return nil
    }

    /// Name of the next tag, with `/` before or after it as in the tag; comments, declarations and
    /// text between tags are skipped.
    private mutating func nextTag() -> String? {
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            if bytes[start...].starts(with: "<!--".utf8) {
                guard let end = find("-->", from: start + 4) else { return nil }
                position = end
                continue
            }
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
            position = end + 1
            let inside = bytes[start + 1..<end]
            if inside.first == UInt8(ascii: "?") || inside.first == UInt8(ascii: "!") { continue }
            let name = inside.prefix { $0 > UInt8(ascii: " ") }
            let isEmpty = inside.last == UInt8(ascii: "/") && name.last != UInt8(ascii: "/")
            return String(decoding: name, as: UTF8.self) + (isEmpty ? "/" : "")
        }
        return nil
    }

    /// The text up to the closing tag, with its entities read.
    private mutating func text(endingWith name: String) -> String? {
        let start = position
        guard let end = find("</\(name)>", from: start) else { return nil }
        position = end
        return Parser.plain(bytes[start..<end - name.utf8.count - 3])
    }

    /// Just after the next occurrence.
    private func find(_ text: String, from start: Int) -> Int? {
        let wanted = Array(text.utf8)
        var index = start
        while let found = bytes[min(index, bytes.count)...].firstIndex(of: wanted[0]) {
            if bytes[found...].starts(with: wanted) { return found + wanted.count }
            index = found + 1
        }
        return nil
    }

    private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

    private static func plain(_ text: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&"), let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
                result.append(byte)
                continue
            }
            let name = String(decoding: rest[..<end], as: UTF8.self)
            if let entity = entities[name] ?? scalar(name) {
                result += Array(entity.utf8)
                rest = rest[(end + 1)...]
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// `#38`, `#x26`
    private static func scalar(_ name: String) -> String? {
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let value = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
        return value.flatMap { Unicode.Scalar($0) }.map { String(Character($0)) }
    }
}
