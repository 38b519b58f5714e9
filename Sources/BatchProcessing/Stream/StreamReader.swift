package import BinaryPrimitives

/// Separates the records of a stream. It keeps at most one record in memory, up to the size limit
/// of a record.
package struct StreamReader: Sendable {
    private let framing: StreamFraming
    private let largest: Int
    /// Bytes that were read and are in no record yet, from `start` on.
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private var isFirst = true

    /// Bytes of a key, at most.
    private static let longestKey = 1 << 16
    /// Bytes that are kept of a line that is too long, because its key may be there. The number
    /// does not depend on the parts in which the line arrives.
    private var head: Int { min(Self.longestKey, largest + 1) }

    /// - Parameter largest: bytes of a line, or of a log.
    package init(_ framing: StreamFraming, largest: Int) {
        self.framing = framing
        self.largest = largest
    }

    /// - Parameter read: Returns the next bytes of the stream; an empty array at its end.
    /// - Returns: the next record; `nil` at the end.
    package mutating func next(_ read: () throws(FileError) -> [UInt8]) throws(FileError) -> StreamRecord? {
        switch framing {
        case .ndjson: try line(read)
        case .lengths: try pair(read)
        }
    }

    /// - Returns: whether there is more.
    private mutating func fill(_ read: () throws(FileError) -> [UInt8]) throws(FileError) -> Bool {
        guard !isAtEnd else { return false }
        let more = try read()
        guard !more.isEmpty else {
            isAtEnd = true
            return false
        }
        if start == buffer.count {
            buffer = more
            start = 0
        } else {
            // Used bytes are removed, so that a large buffer is not kept.
            if start > 0 { buffer.removeSubrange(..<start) }
            start = 0
            buffer += more
        }
        return true
    }

    /// Removes bytes from the buffer.
    private mutating func remove(_ count: Int) -> [UInt8] {
        guard start > 0 || count < buffer.count else {
            defer { buffer = [] }
            return buffer
        }
        defer { start += count }
        return Array(buffer[start..<start + count])
    }

    // MARK: Lines

    private mutating func line(_ read: () throws(FileError) -> [UInt8]) throws(FileError) -> StreamRecord? {
        var searched = 0
        while true {
            if let end = buffer.span.firstLineFeed(from: start + searched) {
                let isTooLong = end - start > largest
                let line = remove(isTooLong ? head : end - start)
                start = end + 1
                return isTooLong ? refused(line) : record(line)
            }
            searched = buffer.count - start
            if searched > largest { return try rest(read) }
            guard try fill(read) else {
                // The last line may have no end.
                guard start < buffer.count else { return nil }
                return record(remove(buffer.count - start))
            }
        }
    }

    /// Passes over the rest of a line that is too long.
    private mutating func rest(_ read: () throws(FileError) -> [UInt8]) throws(FileError) -> StreamRecord {
        let beginning = Array(buffer[start...].prefix(head))
        repeat {
            if let end = buffer.span.firstLineFeed(from: start) {
                start = end + 1
                break
            }
            (buffer, start) = ([], 0)
        } while try fill(read)
        return refused(beginning)
    }

    private mutating func record(_ line: [UInt8]) -> StreamRecord {
        defer { isFirst = false }
        // A byte-order mark, which some editors put before the first line.
        return .line(isFirst && line.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(line[3...]) : line)
    }

    private mutating func refused(_ head: [UInt8]) -> StreamRecord {
        .refused(record(head), StreamError(.tooLarge, "the record has more than \(largest) bytes. Raise --record-limit, or send a path"))
    }

    // MARK: Lengths

    private mutating func pair(_ read: () throws(FileError) -> [UInt8]) throws(FileError) -> StreamRecord? {
        guard let keyLength = try length(read) else {
            return start == buffer.count ? nil : cut(StreamRecord.pair(key: [], log: []))
        }
        guard keyLength <= Self.longestKey else {
            // No key is that long, so the length is wrong, and nothing shows where the next record
            // begins.
            repeat { (buffer, start) = ([], 0) } while try fill(read)
            return .refused(
                .pair(key: [], log: []),
                StreamError(.input, "a key has \(keyLength) bytes: expected at most \(Self.longestKey). The rest of the input was skipped"))
        }
        guard try have(keyLength, read) else { return cut(.pair(key: [], log: [])) }
        let key = remove(keyLength)
        guard let count = try length(read) else { return cut(.pair(key: key, log: [])) }
        guard count <= largest else {
            guard try skip(count, read) else { return cut(.pair(key: key, log: [])) }
            return .refused(
                .pair(key: key, log: []),
                StreamError(.tooLarge, "the log has \(count) bytes: expected at most \(largest). Raise --record-limit, or send a path"))
        }
        guard try have(count, read) else { return cut(.pair(key: key, log: [])) }
        return .pair(key: key, log: remove(count))
    }

    /// The next length; `nil` where the input ends before or in it.
    private mutating func length(_ read: () throws(FileError) -> [UInt8]) throws(FileError) -> Int? {
        guard try have(4, read) else { return nil }
        return remove(4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Whether so many bytes are in the buffer, after reading.
    private mutating func have(_ count: Int, _ read: () throws(FileError) -> [UInt8]) throws(FileError) -> Bool {
        while buffer.count - start < count { guard try fill(read) else { return false } }
        return true
    }

    private mutating func skip(_ count: Int, _ read: () throws(FileError) -> [UInt8]) throws(FileError) -> Bool {
        var left = count
        while true {
            let part = min(left, buffer.count - start)
            start += part
            left -= part
            if left == 0 { return true }
            guard try fill(read) else { return false }
        }
    }

    /// The input ends within a record.
    private mutating func cut(_ record: StreamRecord) -> StreamRecord {
        (buffer, start) = ([], 0)
        return .refused(record, StreamError(.input, "the input ends within this record"))
    }
}
