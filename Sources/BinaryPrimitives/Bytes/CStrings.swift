internal import LibC

/// Zero-terminated strings, as string tables and `DW_FORM_string` hold them.
extension RawSpan {
    /// The number of bytes before the first zero byte; `nil` if there is none.
    @inlinable
    package func lengthOfCString() -> Int? {
        var index = 0
        let count = byteCount
        while index < count {
            if byte(at: index) == 0 { return index }
            index &+= 1
        }
        return nil
    }

    /// Reads a zero-terminated string's bytes, without the zero, and moves past the zero.
    @inlinable
    @_lifetime(copy self)
    package mutating func readCString() throws(ReadError) -> RawSpan {
        guard let length = lengthOfCString() else { throw ReadError(.unterminatedString, bytesLeft: byteCount) }
        let text = try read(bytes: length)
        try skip(1)
        return text
    }

    /// Moves past a zero-terminated string.
    @inlinable
    package mutating func skipCString() throws(ReadError) {
        guard let length = lengthOfCString() else { throw ReadError(.unterminatedString, bytesLeft: byteCount) }
        try skip(length + 1)
    }

    /// These bytes as a string; invalid UTF-8 is repaired with U+FFFD.
    package func string() -> String { unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }

    /// The zero-terminated string at `offset` of a string table; `nil` outside the table or without
    /// an end.
    /// - Parameter limit: longer strings are cut there (bytes), and nothing after it is read. Many
    ///   names of a small file may share one without end.
    package func cString(at offset: UInt64, limit: Int = Limits.standard.nameLength) -> String? {
        guard let rest = try? from(offset) else { return nil }
        let text = rest.prefix(limit)
        // Names are long: the library's search reads 32 bytes at a time.
        let length: Int? = unsafe text.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let end = unsafe memchr(start, 0, bytes.count) else { return nil }
            return unsafe UnsafeRawPointer(end) - start
        }
        if let length { return text.prefix(length).string() }
        return rest.byteCount > limit ? text.string() : nil
    }

    /// The first `count` bytes, or all if there are fewer.
    @_lifetime(copy self)
    package func prefix(_ count: Int) -> RawSpan { extracting(first: max(0, count)) }
}
