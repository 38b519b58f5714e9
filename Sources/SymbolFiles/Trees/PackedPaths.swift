internal import BinaryPrimitives

/// Paths in a small space: of each, how many bytes it shares with the path before, and the rest. Of a path in a store
/// of Breakpad's files the identity and the file's name are left.
struct PackedPaths: Sendable, RandomAccessCollection {
    private var bytes: [UInt8] = []
    /// Positions at which the blocks begin: the first path of each is whole.
    private var blocks: [Int] = []
    private(set) var endIndex = 0
    /// The path that was added last.
    private var last: [UInt8] = []

    private static let blockSize = 16

    init() {}

    init(_ paths: some Sequence<String>) { for path in paths { append(path) } }

    var startIndex: Int { 0 }

    /// Adds a path. One that is longer than any system allows is left out.
    /// - Returns: whether it was added.
    @discardableResult mutating func append(_ path: String) -> Bool {
        let path = Array(path.utf8)
        guard path.count <= Int(UInt16.max) else { return false }
        var shared = 0
        if endIndex % Self.blockSize == 0 {
            blocks.append(bytes.count)
        } else {
            while shared < Swift.min(path.count, last.count), path[shared] == last[shared] { shared += 1 }
        }
        for number in [shared, path.count - shared] { bytes += [UInt8(number & 0xff), UInt8(number >> 8)] }
        bytes += path[shared...]
        last = path
        endIndex += 1
        return true
    }

    subscript(index: Int) -> String {
        var path: [UInt8] = []
        var position = blocks[index / Self.blockSize]
        for _ in 0...index % Self.blockSize { read(&position, &path) }
        return String(decoding: path, as: UTF8.self)
    }

    private func read(_ position: inout Int, _ path: inout [UInt8]) {
        let shared = Int(bytes[position]) | Int(bytes[position + 1]) << 8
        let count = Int(bytes[position + 2]) | Int(bytes[position + 3]) << 8
        position += 4
        path.removeSubrange(shared...)
        path += bytes[position..<position + count]
        position += count
    }

    func makeIterator() -> Iterator { Iterator(paths: self) }

    /// Reads one path after another, each byte once.
    struct Iterator: IteratorProtocol {
        fileprivate let paths: PackedPaths
        private var position = 0
        private var path: [UInt8] = []

        fileprivate init(paths: PackedPaths) { self.paths = paths }

        mutating func next() -> String? {
            guard position < paths.bytes.count else { return nil }
            paths.read(&position, &path)
            return String(decoding: path, as: UTF8.self)
        }
    }
}

/// Numbers by the hashes of texts, in twelve bytes each. Two texts may have one hash: whoever looks a text up compares what it finds.
struct HashTable: Sendable {
    private let hashes: [UInt64]
    private let numbers: [UInt32]

    init(_ entries: [(hash: UInt64, number: UInt32)] = []) {
        let sorted = entries.sorted { ($0.hash, $0.number) < ($1.hash, $1.number) }
        hashes = sorted.map(\.hash)
        numbers = sorted.map(\.number)
    }

    /// The numbers of a hash, in their order.
    func numbers(of hash: UInt64) -> ArraySlice<UInt32> {
        let first = hashes.partitionPoint { $0 >= hash }
        var end = first
        while end < hashes.count, hashes[end] == hash { end += 1 }
        return numbers[first..<end]
    }

    /// FNV-1a of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/).
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { value = hash(value, byte) }
        return value
    }

    /// The hash of one byte more.
    static func hash(_ value: UInt64, _ byte: UInt8) -> UInt64 { (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
}
