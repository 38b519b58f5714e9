extension NaiveCount {
    /// Frames are the only messages `StackFrame`, field 2 of a thread and 3 of an exception, that
    /// begin with field 3, the address: `12 LENGTH 18 …` and `1A LENGTH 18 …`, the address being a
    /// varint that ends with the message or before field 6, the symbol. Images are the only
    /// messages with field 5, the processor, of Mach's encoding: `2A LENGTH 08 01 10`.
    static func plcrashreporter(_ bytes: [UInt8]) -> NaiveCount {
        var frames = 0
        var images = 0
        for index in bytes.indices.dropLast(5) {
            if bytes[index] == 0x2A, bytes.dropFirst(index + 2).starts(with: [0x08, 0x01, 0x10]) { images += 1 }
            guard bytes[index] == 0x12 || bytes[index] == 0x1A, bytes[index + 2] == 0x18, bytes[index + 1] < 0x80 else { continue }
            let message = bytes.dropFirst(index + 3).prefix(Int(bytes[index + 1]) - 1)
            guard let last = message.firstIndex(where: { $0 < 0x80 }) else { continue }
            if last + 1 == message.endIndex || bytes[last + 1] == 0x32 { frames += 1 }
        }
        return NaiveCount(frames: frames, images: images)
    }
}
