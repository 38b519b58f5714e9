internal import BinaryPrimitives
package import CrashLogModel

/// Collects a restored text and its map.
package struct TextWriter: Sendable {
    /// Restored bytes that have not been taken yet.
    package private(set) var bytes: [UInt8] = []
    package private(set) var map = TextMap()

    package init() {}

    /// Copies bytes of the damaged text unchanged.
    /// - Parameters:
    ///   - damaged: a part of the damaged text.
    ///   - start: offset of the part in the damaged text.
    package mutating func copy(_ damaged: Span<UInt8>, at start: Int) {
        guard damaged.count > 0 else { return }
        bytes.append(copying: damaged)
        map.append(damaged.count, for: start..<start + damaged.count, isCopied: true)
    }

    /// Adds a byte that represents some of the damaged text.
    package mutating func write(_ byte: UInt8, for raw: Range<Int>) {
        bytes.append(byte)
        map.append(1, for: raw, isCopied: false)
    }

    package mutating func write(_ text: [UInt8], for raw: Range<Int>) {
        bytes += text
        map.append(text.count, for: raw, isCopied: false)
    }

    package mutating func removeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    package mutating func drop(before text: Int) { map.drop(before: text) }
}
