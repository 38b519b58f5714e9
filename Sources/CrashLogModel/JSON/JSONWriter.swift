internal import BinaryPrimitives

/// White space of a document, so that additions to it look the same.
package struct JSONStyle: Sendable, Equatable {
    /// Text between a key and its colon: Apple's reports have a blank there in their outer levels.
    package var beforeColon = ""
    package var afterColon = ""
    /// Text after the comma between two members: nothing, a blank, or a line break and the
    /// indentation.
    package var afterComma = ""
    /// Text after `{` and before `}`.
    package var insideBraces = ""

    package init() {}

    /// The style of an object, from its own bytes.
    package init(of object: JSONValue, in document: Span<UInt8>) {
        let members = object.members
        guard let first = members.first else { return }
        let between = document.clamped(to: first.keyRange.upperBound..<first.value.range.lowerBound)
        if let colon = between.firstIndex(of: UInt8(ascii: ":")) {
            beforeColon = between.upTo(colon).text
            afterColon = between.from(colon + 1).text
        }
        insideBraces = document.clamped(to: object.range.lowerBound + 1..<first.keyRange.lowerBound).text
        if members.count > 1 {
            let gap = document.clamped(to: members[0].value.range.upperBound..<members[1].keyRange.lowerBound)
            if let comma = gap.firstIndex(of: UInt8(ascii: ",")) { afterComma = gap.from(comma + 1).text }
        } else {
            // One member gives no example of a comma: a pretty object breaks its lines at each, a
            // compact one has the same white space as after its colons.
            afterComma = insideBraces.utf8.contains(0x0A) ? insideBraces : afterColon
        }
    }

    package func member(_ key: String, _ value: String) -> String { JSONString.quoted(key) + beforeColon + ":" + afterColon + value }
}

extension JSONValue {
    /// Returns the bytes that separate an element from the next if the document has several in a
    /// row: a comma, and the white space before this one.
    package func separator(in document: Span<UInt8>) -> [UInt8] {
        var start = range.lowerBound
        while let byte = document.at(start - 1), isBlank(byte) || byte == 0x0A || byte == 0x0D { start -= 1 }
        return [UInt8(ascii: ",")] + document.clamped(to: start..<range.lowerBound).copied()
    }
}

/// Changes to one object of a document: members that are set and members that are kept.
package struct JSONObjectEdit {
    package let object: JSONValue
    private let style: JSONStyle
    private var replaced: [(range: Range<Int>, text: String)] = []
    private var added: [String] = []

    package init(_ object: JSONValue, in document: Span<UInt8>) {
        self.object = object
        style = JSONStyle(of: object, in: document)
    }

    /// Sets a member: its value is replaced, or it is added after the others. Without a value it is
    /// removed.
    package mutating func set(_ key: String, to value: String?) {
        guard let value else { return remove(key) }
        if let member = object.member(key) {
            replaced.append((member.value.range, value))
        } else {
            added.append(style.member(key, value))
        }
    }

    /// Sets a member to an address in the spelling of `neighbour`: a number, or a string with `0x`.
    package mutating func set(_ key: String, toAddress value: UInt64?, like neighbour: JSONValue?) {
        guard let value, let text = neighbour?.string else { return set(key, to: value.map { "\($0)" }) }
        set(key, to: text.hasPrefix("0x") || text.hasPrefix("0X") ? "\"0x" + String(value, radix: 16) + "\"" : "\"\(value)\"")
    }

    /// Removes a member, with the comma that separates it; does nothing if there is none.
    private mutating func remove(_ key: String) {
        guard let index = object.members.firstIndex(where: { $0.key == key }) else { return }
        let member = object.members[index]
        if index > 0 {
            replaced.append((object.members[index - 1].value.range.upperBound..<member.value.range.upperBound, ""))
        } else if object.members.count > 1 {
            replaced.append((member.keyRange.lowerBound..<object.members[1].keyRange.lowerBound, ""))
        } else {
            replaced.append((member.keyRange.lowerBound..<member.value.range.upperBound, ""))
        }
    }

    /// The object's bytes with the changes made.
    package func text(in document: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var position = object.range.lowerBound
        for change in replaced.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += document.clamped(to: position..<change.range.lowerBound).copied() + Array(change.text.utf8)
            position = change.range.upperBound
        }
        // After the last member, in front of the white space before the closing brace.
        let end = object.members.last.map { max(position, $0.value.range.upperBound) } ?? object.range.lowerBound + 1
        result += document.clamped(to: position..<end).copied()
        if !added.isEmpty {
            let comma = "," + style.afterComma
            result += Array(((object.members.isEmpty ? "" : comma) + added.joined(separator: comma)).utf8)
        }
        return result + document.clamped(to: end..<object.range.upperBound).copied()
    }
}
