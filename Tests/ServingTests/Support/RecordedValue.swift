import CrashLogModel

/// A recorded response of Symbolicator: YAML of one shape (`insta`'s snapshots), mappings and lists
/// by their indentation, and scalars on one line.
indirect enum RecordedValue {
    case text(String)
    case list([RecordedValue])
    case map([(key: String, value: RecordedValue)])

    /// - Parameter snapshot: two lines `---`, and the value.
    init(snapshot: String) {
        let lines = snapshot.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
        let second = lines.indices.dropFirst().first { lines[$0] == "---" } ?? 0
        var rest = lines[(second + 1)...]
        self = Self.value(&rest, margin: 0)
    }

    subscript(_ key: String) -> RecordedValue? {
        if case .map(let members) = self { members.first { $0.key == key }?.value } else { nil }
    }

    var elements: [RecordedValue] { if case .list(let elements) = self { elements } else { [] } }
    var text: String? { if case .text(let text) = self { text } else { nil } }

    private static func value(_ rest: inout ArraySlice<String>, margin: Int) -> RecordedValue {
        guard let first = rest.first else { return .text("") }
        return first.dropFirst(margin).hasPrefix("- ") ? list(&rest, margin: margin) : map(&rest, margin: margin)
    }

    private static func list(_ rest: inout ArraySlice<String>, margin: Int) -> RecordedValue {
        var elements: [RecordedValue] = []
        while let line = rest.first, indentation(line) == margin, line.dropFirst(margin).hasPrefix("- ") {
            // The element is a mapping whose first member is on the line of the hyphen.
            rest[rest.startIndex] = String(repeating: " ", count: margin + 2) + line.dropFirst(margin + 2)
            elements.append(map(&rest, margin: margin + 2))
        }
        return .list(elements)
    }

    private static func map(_ rest: inout ArraySlice<String>, margin: Int) -> RecordedValue {
        var members: [(key: String, value: RecordedValue)] = []
        while let line = rest.first, indentation(line) == margin, !line.dropFirst(margin).hasPrefix("- ") {
            rest.removeFirst()
            let parts = line.dropFirst(margin).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let scalar = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            if !scalar.isEmpty {
                members.append((String(parts[0]), .text(unquoted(scalar))))
            } else {
                members.append((String(parts[0]), value(&rest, margin: rest.first.map(indentation) ?? 0)))
            }
        }
        return .map(members)
    }

    private static func indentation(_ line: String) -> Int { line.prefix { $0 == " " }.count }

    private static func unquoted(_ scalar: String) -> String {
        guard scalar.hasPrefix("\"") else { return scalar }
        // YAML's double quotes and JSON's mean the same here.
        return (try? JSONParser().parse(Array(scalar.utf8).span))?.string ?? scalar
    }

    /// Differences of a response, by their positions: `stacktraces[0].frames[2].lineno: 7, not 8`.
    /// Additional members of the response are named, too.
    func differences(from value: JSONValue?, at path: String = "") -> [String] {
        switch self {
        case .text(let text):
            let own = value?.text ?? "nothing"
            return own == text ? [] : ["\(path): \(own), not \(text)"]
        case .list(let elements):
            let own = value?.elements ?? []
            guard own.count == elements.count else { return ["\(path): \(own.count) elements, not \(elements.count)"] }
            return zip(elements, own).enumerated().flatMap { $1.0.differences(from: $1.1, at: "\(path)[\($0)]") }
        case .map(let members):
            let dot = path.isEmpty ? "" : "."
            let further = (value?.members ?? []).filter { member in !members.contains { $0.key == member.key } }
            return members.flatMap { $0.value.differences(from: value?[$0.key], at: path + dot + $0.key) }
                + further.map { "\(path)\(dot)\($0.key): further" }
        }
    }
}
