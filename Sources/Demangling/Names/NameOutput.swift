/// The text of a demangled name as it is written: bytes that are added at the end, taken back, and copied from its own beginning.
/// An array's own `append` costs ten times as much for the two or three bytes that most pieces have.
struct NameOutput {
    /// Zeros after `count`.
    private var bytes: [UInt8]
    private(set) var count = 0

    init(capacity: Int) { bytes = Array(repeating: 0, count: max(1, capacity)) }

    var last: UInt8? { count > 0 ? bytes[count &- 1] : nil }

    var string: String { String(decoding: bytes[..<count], as: UTF8.self) }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        if count == bytes.count { grow(by: 1) }
        bytes[count] = byte
        count &+= 1
    }

    @inline(never)
    mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        if length > bytes.count &- count { grow(by: length) }
        let end = count
        unsafe bytes.withUnsafeMutableBufferPointer { memory in
            for index in 0..<length { unsafe memory[end &+ index] = text.utf8Start[index] }
        }
        count &+= length
    }

    mutating func append(_ text: String) {
        for byte in text.utf8 { append(byte) }
    }

    /// Adds a part of a mangled name.
    mutating func append(_ name: [UInt8], _ range: Range<Int>) {
        if range.count > bytes.count &- count { grow(by: range.count) }
        let (source, end) = (name.span.extracting(range), count)
        var target = bytes.mutableSpan
        for index in source.indices { target[end &+ index] = source[index] }
        count &+= range.count
    }

    /// Adds what is at `range` once more, as far as it was not taken back.
    mutating func append(copyOf range: Range<Int>) {
        let range = range.clamped(to: 0..<count)
        if range.count > bytes.count &- count { grow(by: range.count) }
        let end = count
        unsafe bytes.withUnsafeMutableBytes { memory in
            unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end...]).copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[range]))
        }
        count &+= range.count
    }

    /// Takes back what was added since `position`.
    mutating func erase(to position: Int) { count = min(count, max(0, position)) }

    private mutating func grow(by length: Int) {
        bytes += repeatElement(0, count: max(bytes.count, length))
    }
}
