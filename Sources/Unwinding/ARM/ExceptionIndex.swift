internal import BinaryPrimitives
internal import ObjectFiles

/// `.ARM.exidx`: for each function of 32-bit ARM how to unwind it, sorted by address (Exception
/// Handling ABI for the Arm Architecture, section 6).
///
/// An entry has two words: the function's first byte, and its instructions or their address in `.ARM.extab`.
/// A function ends where the next begins, so a function without unwind information is treated as part of the
/// one before it.
struct ExceptionIndex: Sendable {
    private let file: MappedFile
    private let entries: Range<Int>
    private let address: UInt64
    private let image: ImageBytes
    private let order: ByteOrder

    /// How a function is unwound.
    enum Entry: Equatable {
        /// `EXIDX_CANTUNWIND`.
        case cannotUnwind
        /// The instructions, as bytes.
        case instructions([UInt8])
    }

    init?(_ object: ObjectFile) {
        let description = object.description
        guard description.architecture.family == "arm", description.kind != .relocatable else { return nil }
        if let section = description.sections.first(where: { $0.name == ".ARM.exidx" && $0.compression == nil && !$0.fileRange.isEmpty }) {
            (entries, address) = (section.fileRange, section.address.value)
        } else if let segment = description.armExceptionIndex {
            (entries, address) = (segment.fileRange, segment.address.value)
        } else {
            return nil
        }
        file = object.file
        image = ImageBytes(object)
        order = description.byteOrder
    }

    /// Returns the entry of the last function that begins at or before an address, and the function's first
    /// byte; `nil` if there is none, or it is damaged.
    func entry(for target: UInt64) -> (start: UInt64, entry: Entry)? {
        file.withBytes { whole in
            let bytes = whole.clamped(to: entries)
            let count = bytes.byteCount / 8
            func start(_ index: Int) -> UInt64 { relativeAddress(word(bytes, index * 8), at: address &+ UInt64(index * 8)) & ~1 }
            let low = (0..<count).partitionPoint { start($0) > target }
            guard low > 0 else { return nil }
            let position = (low - 1) * 8 + 4
            let content = word(bytes, position)
            if content == 1 { return (start(low - 1), .cannotUnwind) }
            if content >> 31 == 1 {
                // Short form: the first personality routine, three bytes.
                guard content >> 24 & 0xf == 0 else { return nil }
                return (start(low - 1), .instructions(Self.bytes(of: content, 3)))
            }
            let table = relativeAddress(content, at: address &+ UInt64(position))
            let found = image.withBytes(at: LinkAddress(table)) { instructions($0) } ?? nil
            return found.map { (start(low - 1), .instructions($0)) }
        }
    }

    /// The instructions of an entry of `.ARM.extab` (sections 7.2 and 10.3).
    private func instructions(_ bytes: RawSpan) -> [UInt8]? {
        guard bytes.byteCount >= 4 else { return nil }
        let first = word(bytes, 0)
        if first >> 31 == 0 {
            // A language's own personality routine; gcc's and clang's have their instructions after
            // it as the second compact form does, with the count in the first byte.
            guard bytes.byteCount >= 8 else { return nil }
            let second = word(bytes, 4)
            return more(Self.bytes(of: second, 3), Int(second >> 24), bytes, 8)
        }
        switch first >> 24 & 0xf {
        case 0: return Self.bytes(of: first, 3)
        case 1, 2: return more(Self.bytes(of: first, 2), Int(first >> 16 & 0xff), bytes, 4)
        default: return nil
        }
    }

    private func more(_ begin: [UInt8], _ count: Int, _ bytes: RawSpan, _ position: Int) -> [UInt8]? {
        guard bytes.byteCount - position >= count * 4 else { return nil }
        var result = begin
        for index in 0..<count { result += Self.bytes(of: word(bytes, position + index * 4), 4) }
        return result
    }

    private func word(_ bytes: RawSpan, _ position: Int) -> UInt32 { (try? bytes.value(UInt32.self, at: position, order)) ?? 0 }

    /// A signed distance of 31 bits from the word's own address (`prel31`).
    private func relativeAddress(_ word: UInt32, at address: UInt64) -> UInt64 {
        let distance = Int64(Int32(bitPattern: word << 1) >> 1)
        return (address &+ UInt64(bitPattern: distance)) & 0xffff_ffff
    }

    /// The last bytes of a word, most significant first, regardless of the order in memory.
    private static func bytes(of word: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: word >> UInt32((count - 1 - $0) * 8)) }
    }
}
