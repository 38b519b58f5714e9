internal import BinaryPrimitives
internal import Decompression

/// Bytes that are read once, from the first to the last.
protocol ByteStream: ~Copyable {
    /// Fills `buffer` from its start.
    /// - Returns: how many bytes there were: fewer than the buffer holds only at the end.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(DecodingFailure) -> Int
    /// Skips `count` bytes, or to the end.
    /// - Returns: how many there were.
    mutating func skip(_ count: Int) throws(DecodingFailure) -> Int
}

extension ByteStream where Self: ~Copyable {
    /// The next bytes, fewer at the end. For a small count, or one that was checked.
    mutating func read(_ count: Int) throws(DecodingFailure) -> [UInt8] {
        var failure: DecodingFailure?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(DecodingFailure) { initialized = unsafe try read(into: UnsafeMutableRawBufferPointer(buffer)) } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

extension ByteStream where Self: ~Copyable {
    /// The next bytes of an archive's member, piece by piece.
    mutating func readMember(_ size: Int, _ piece: ([UInt8]) throws(DecodingFailure) -> Void) throws(DecodingFailure) {
        var left = size
        while left > 0 {
            let bytes = try read(min(left, 1 << 20))
            guard !bytes.isEmpty else { throw .damaged("the archive ends within a member") }
            left -= bytes.count
            try piece(bytes)
        }
    }

    /// Reads the rest.
    mutating func drain() throws(DecodingFailure) {
        while try skip(1 << 20) > 0 {}
    }
}

/// The bytes of a file as they are.
struct StoredBytes: ByteStream {
    private let file: MappedFile
    private var position = 0

    init(_ file: MappedFile) { self.file = file }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(DecodingFailure) -> Int {
        let count = unsafe file.read(at: FileOffset(UInt64(position)), into: buffer)
        position += count
        return count
    }

    mutating func skip(_ count: Int) throws(DecodingFailure) -> Int {
        let count = min(count, file.size - position)
        position += count
        return count
    }
}

/// Decoded bytes of a compressed file, up to a maximum number of bytes.
struct DecodedBytes: ByteStream, ~Copyable {
    private var packed: CompressedBytes
    private var left: Int
    private let limit: Int

    init(_ packed: consuming CompressedBytes, limit: Int) {
        self.packed = packed
        left = limit
        self.limit = limit
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(DecodingFailure) -> Int {
        let count = unsafe try packed.read(into: buffer)
        guard count <= left else { throw .damaged("they unpack to more than \(limit) bytes") }
        left -= count
        return count
    }

    mutating func skip(_ count: Int) throws(DecodingFailure) -> Int {
        let window = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, min(count, 256 << 10)), alignment: 16)
        defer { unsafe window.deallocate() }
        var done = 0
        while done < count {
            let part = unsafe try read(into: UnsafeMutableRawBufferPointer(rebasing: window[..<min(window.count, count - done)]))
            if part == 0 { break }
            done += part
        }
        return done
    }
}
