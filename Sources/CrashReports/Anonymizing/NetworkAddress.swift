internal import BinaryPrimitives

/// Addresses of mail, of networks and of network cards.
enum NetworkAddress {
    /// Endings of files that names with an @ have: `android.hidl.memory@1.0.so`.
    private static let fileEndings = ["so", "dylib", "dll", "framework", "jar", "apk", "exe", "ko"]

    /// The address around the @ at `index`: letters, digits and `._%+-` before it, and after it a
    /// name with a dot that ends with letters.
    static func mail(in log: Span<UInt8>, around index: Int, from least: Int) -> Range<Int>? {
        var start = index
        while start > least, index - start < 64,
            isWordByte(log[start - 1]) || log[start - 1] == UInt8(ascii: "+") || log[start - 1] == UInt8(ascii: "%")
        { start -= 1 }
        var end = index + 1
        var dot: Int?
        while let byte = log.at(end), end - index < 128, isWordByte(byte), byte != UInt8(ascii: "_") {
            if byte == UInt8(ascii: ".") { dot = end }
            end += 1
        }
        // A part of something longer is not an address, and neither are several names with an @
        // between them.
        guard index - start < 64, end - index < 128, log.at(start - 1) != UInt8(ascii: "@"), log.at(end) != UInt8(ascii: "@") else {
            return nil
        }
        // A sentence's full stop is not a part of the name.
        while end > index + 1, log[end - 1] == UInt8(ascii: ".") {
            end -= 1
            dot = log.clamped(to: index..<end).lastIndex(of: UInt8(ascii: ".")).map { $0 + index }
        }
        guard start < index, let dot, dot > index + 1, end - dot > 2 else { return nil }
        let ending = log.clamped(to: dot + 1..<end)
        for offset in 0..<ending.count where !(ending[offset] | 0x20 >= UInt8(ascii: "a") && ending[offset] | 0x20 <= UInt8(ascii: "z")) {
            return nil
        }
        guard !fileEndings.contains(where: { ending.equals($0) }), !isDigit(log[index + 1]) else { return nil }
        return start..<end
    }

    /// Range of an address of a network or a card that begins at an index.
    static func range(in log: Span<UInt8>, at index: Int) -> Range<Int>? {
        if let byte = log.at(index - 1), isWordByte(byte) || byte == UInt8(ascii: ":") { return nil }
        return version4(log, index) ?? card(log, index) ?? linkLocal(log, index)
    }

    /// Four numbers with dots that are an address by their position or by their values, because
    /// versions of programs look the same.
    private static func version4(_ log: Span<UInt8>, _ index: Int) -> Range<Int>? {
        guard let first = log.at(index), isDigit(first) else { return nil }
        var numbers: [UInt64] = []
        var rest = log.from(index).upTo(16)
        while numbers.count < 4 {
            let before = rest.count
            guard let number = rest.readDecimal(), number <= 255, before - rest.count <= 3 else { return nil }
            numbers.append(number)
            if numbers.count < 4, !rest.consume(".") { return nil }
        }
        let end = index + min(16, log.count - index) - rest.count
        if let byte = log.at(end), isWordByte(byte), byte != UInt8(ascii: ".") || log.at(end + 1).map(isDigit) ?? false { return nil }
        // Addresses of this machine, of all machines, and of none.
        guard numbers[0] != 127, numbers[0] != 0, numbers[0] != 255 else { return nil }
        let isPrivate = (numbers[0] == 192 && numbers[1] == 168) || (numbers[0] == 172 && (16...31).contains(numbers[1]))
        let before = log.upTo(index)
        let isReported =
            before.hasSuffix("://") || before.hasSuffix("addr=") || before.hasSuffix("SRC=")
            || before.hasSuffix("DST=")
            || before.hasSuffix("SSH_CLIENT=") || before.hasSuffix("SSH_CONNECTION=")
        let hasPort = log.at(end) == UInt8(ascii: ":") && (log.at(end + 1).map(isDigit) ?? false)
        return isPrivate || isReported || hasPort ? index..<end : nil
    }

    /// `3c:22:fb:0a:1b:2c`: six pairs of digits, and no more.
    private static func card(_ log: Span<UInt8>, _ index: Int) -> Range<Int>? {
        guard index + 17 <= log.count else { return nil }
        for offset in 0..<17 {
            let byte = log[index + offset]
            guard offset % 3 == 2 ? byte == UInt8(ascii: ":") : UserFolder.isHexadecimal(byte) else { return nil }
        }
        if let byte = log.at(index + 17), isWordByte(byte) || byte == UInt8(ascii: ":") { return nil }
        return index..<index + 17
    }

    /// `fe80::1c2b:…`, which is made of the card's.
    private static func linkLocal(_ log: Span<UInt8>, _ index: Int) -> Range<Int>? {
        guard log.from(index).hasPrefix("fe80::") else { return nil }
        var end = index + 6
        while let byte = log.at(end), end - index < 39, UserFolder.isHexadecimal(byte) || byte == UInt8(ascii: ":") { end += 1 }
        return index + 6 < end ? index + 6..<end : nil
    }
}
