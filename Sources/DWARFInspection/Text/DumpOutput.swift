internal import BinaryPrimitives

/// Text on its way to a file: a buffer of fixed size, written when it is full.
@safe package final class DumpOutput {
    private let buffer: UnsafeMutablePointer<UInt8>
    private var used = 0
    private static let capacity = 1 << 18
    private let write: ([UInt8]) -> Void

    /// - Parameter write: gets the bytes, part by part. It ends the process where they cannot be
    ///   written.
    package init(_ write: @escaping ([UInt8]) -> Void) {
        unsafe buffer = .allocate(capacity: Self.capacity)
        self.write = write
    }

    deinit { unsafe buffer.deallocate() }

    /// Writes what is still in the buffer.
    package func flush() {
        guard used > 0 else { return }
        write(unsafe Array(UnsafeBufferPointer(start: buffer, count: used)))
        used = 0
    }

    /// Writes bytes that are there as a whole. Many are not copied; few wait in the buffer for
    /// more, since a unit of a type may have no more than a line.
    func pass(_ bytes: [UInt8]) {
        guard bytes.count >= Self.capacity / 4 else { return self.bytes(bytes) }
        flush()
        write(bytes)
    }

    @inline(__always)
    private func room(_ count: Int) { if Self.capacity - used < count { flush() } }

    @inline(__always)
    func byte(_ byte: UInt8) {
        room(1)
        unsafe buffer[used] = byte
        used += 1
    }

    func text(_ text: StaticString) {
        unsafe copy(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package func text(_ text: String) {
        var text = text
        text.withUTF8 { unsafe copy(UnsafeRawBufferPointer($0)) }
    }

    func bytes(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe copy($0) } }

    func copy(_ bytes: UnsafeRawBufferPointer) {
        var done = 0
        let total = bytes.count
        while done < total, let start = bytes.baseAddress {
            room(min(total - done, Self.capacity))
            let count = min(total - done, Self.capacity - used)
            unsafe UnsafeMutableRawPointer(buffer + used).copyMemory(from: start + done, byteCount: count)
            used += count
            done += count
        }
    }

    func spaces(_ count: Int) { for _ in 0..<max(0, count) { byte(0x20) } }

    /// `0x` and at least `digits` hexadecimal digits.
    func hex(_ value: UInt64, _ digits: Int) {
        text("0x")
        plainHex(value, digits)
    }

    /// At least `digits` hexadecimal digits.
    func plainHex(_ value: UInt64, _ digits: Int) {
        let needed = max(1, (67 - value.leadingZeroBitCount) / 4)
        let count = max(digits, needed)
        room(count)
        var shift = 4 * (count - 1)
        while shift >= 0 {
            let digit = shift < 64 ? UInt8(truncatingIfNeeded: value >> UInt64(shift)) & 15 : 0
            unsafe buffer[used] = digit < 10 ? 0x30 + digit : 0x57 + digit
            used += 1
            shift -= 4
        }
    }

    /// A decimal number, with spaces before it up to `width`.
    func decimal(_ value: UInt64, width: Int = 0) {
        var digits = 1
        var rest = value / 10
        while rest > 0 {
            digits += 1
            rest /= 10
        }
        spaces(width - digits)
        room(digits)
        rest = value
        for index in stride(from: used + digits - 1, through: used, by: -1) {
            unsafe buffer[index] = 0x30 + UInt8(rest % 10)
            rest /= 10
        }
        used += digits
    }

    func signed(_ value: Int64) {
        if value < 0 { byte(UInt8(ascii: "-")) }
        decimal(value.magnitude)
    }

    /// With its sign, `+` too.
    func withSign(_ value: Int64) {
        if value >= 0 { byte(UInt8(ascii: "+")) }
        signed(value)
    }

    /// Bytes of a file as LLVM escapes them (`raw_ostream::write_escaped`): quotation marks,
    /// backslashes, and everything that is not printable ASCII, in octal.
    func escaped(_ section: SectionBytes, _ range: Range<Int>) {
        for index in range { escape(section[index]) }
    }

    private func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\\"): text("\\\\")
        case UInt8(ascii: "\t"): text("\\t")
        case UInt8(ascii: "\n"): text("\\n")
        case UInt8(ascii: "\""): text("\\\"")
        case 0x20...0x7e: self.byte(byte)
        default: octal(byte)
        }
    }

    private func octal(_ value: UInt8) {
        byte(UInt8(ascii: "\\"))
        for shift in [UInt8(6), 3, 0] { byte(0x30 + (value >> shift) & 7) }
    }

    /// A name out of a file where LLVM prints it as it is: control characters are escaped all the
    /// same, because they would be the terminal's. So are those beyond ASCII, and what turns text
    /// round (`PlainText`); of bytes that are no UTF-8 nobody knows what a terminal takes them for.
    func name(_ bytes: [UInt8]) {
        guard !bytes.allSatisfy({ $0 < 0x80 }) else {
            for value in bytes { plain(value, isSafe: value >= 0x20 && value != 0x7f) }
            return
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            for value in bytes { plain(value, isSafe: (0x20..<0x7f).contains(value)) }
            return
        }
        for scalar in text.unicodeScalars {
            for value in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { plain(value, isSafe: !PlainText.isUnsafe(scalar)) }
        }
    }

    private func plain(_ value: UInt8, isSafe: Bool) {
        if isSafe { byte(value) } else { octal(value) }
    }
}
