internal import BinaryPrimitives

/// Names that are in entries themselves, by their keys. They are kept when they are met: a
/// `.debug_info` that is inflated as it is read has passed when they are wanted.
package struct EntryTexts: Sendable {
    private var ranges: [UInt32: Range<Int>] = [:]
    private var bytes: [UInt8] = []

    package init() {}

    /// Keeps the text of a key.
    /// - Parameter bytes: of the unit in which the key was found, from its header to its end.
    mutating func keep(_ key: UInt32, _ keys: NameKeys, _ unit: Unit, _ bytes: RawSpan) {
        guard ranges[key] == nil else { return }
        keys.withEntryText(key, unit, bytes) { text in
            ranges[key] = self.bytes.count..<self.bytes.count + text.byteCount
            self.bytes.append(copying: text.text)
        }
    }

    /// Gives the text of a key to `body`, if it was kept.
    func withText(of key: UInt32, _ body: (RawSpan) -> Void) -> Bool {
        guard let range = ranges[key] else { return false }
        body(bytes.span.rawBytes.clamped(to: range))
        return true
    }
}
