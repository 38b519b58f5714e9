internal import CISAL
internal import LibC

/// Decodes a deflate stream from one of its blocks on, before the 32 KB in front of that block,
/// the window, are known.
///
///                  |<- window ->|<- decoded by two decoders ->|<- by one decoder ...
///     stream   ... | unknown    | block | block ... | 32 KB   | block
///                                                     ^ both decoders wrote the same
///
/// Two decoders get the same input, each with an invented window. The two windows differ at every
/// position, and no two positions have the same pair of bytes:
///
///     position       0    1   ...    5   ...  255  256   ...  261   ...
///     first window   0    1   ...    5   ...  255    0   ...    5   ...
///     second window  1    2   ...    6   ...    0    2   ...    7   ...
///
/// So if both decoders write the same byte, it does not come from the window; if they write
/// different bytes, the pair gives the position in the window that it comes from: a pair of 5 and 7
/// is later, when the window is known, replaced with the byte at position 261. Once 32 KB in a row
/// are the same, no later byte can come from the window, and one decoder continues alone.
@safe package final class UnanchoredInflater {
    /// The bytes that blocks may copy from (RFC 1951, 2).
    package static let windowSize = 32 << 10

    private let first: ISALDecoder
    private var second: ISALDecoder?

    /// Begins with the block whose header starts at a bit of `byte`.
    /// - Parameter bit: index of the first bit in the byte, 0 being the lowest.
    package init(_ library: ISALLibrary, byte: UInt8, bit: Int) {
        first = ISALDecoder(library, byte: byte, bit: bit, window: Self.firstWindow)
        second = ISALDecoder(library, byte: byte, bit: bit, window: Self.secondWindow)
    }

    fileprivate static let firstWindow = (0..<windowSize).map { UInt8(truncatingIfNeeded: $0) }
    /// Each byte is greater than the first window's by 1 to 128, modulo 256.
    private static let secondWindow = (0..<windowSize).map { UInt8(truncatingIfNeeded: $0 + 1 + $0 >> 8) }

    /// The bytes that follow do not depend on the window.
    package var isAnchored: Bool { second == nil }

    /// Decodes from the front of `input`, which continues the input of the previous call.
    /// - Parameters:
    ///   - output: gets what the first decoder makes of it, which is the stream's if `isAnchored`.
    ///   - other: as large; gets what the second one makes of it. Not touched if `isAnchored`.
    package func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, and other: UnsafeMutableRawBufferPointer
    ) throws(DecodingFailure) -> DecodingStep {
        let step = unsafe try first.decode(input, into: output)
        guard let second else { return step }
        let otherStep = unsafe try second.decode(input, into: other)
        guard step.consumed == otherStep.consumed, step.produced == otherStep.produced else { throw .damaged("they cannot be followed") }
        return step
    }

    /// Continues with one decoder if the bytes decoded last cannot have come from the window.
    /// - Parameters: the last bytes that `decode` wrote to both.
    package func anchor(after output: UnsafeRawBufferPointer, and other: UnsafeRawBufferPointer) {
        guard second != nil, output.count >= Self.windowSize else { return }
        let last = unsafe UnsafeRawBufferPointer(rebasing: output.suffix(Self.windowSize))
        let otherLast = unsafe UnsafeRawBufferPointer(rebasing: other.suffix(Self.windowSize))
        guard let address = last.baseAddress, let otherAddress = otherLast.baseAddress, last.count == otherLast.count else { return }
        if unsafe memcmp(address, otherAddress, last.count) == 0 { second = nil }
    }

    /// Puts the window's bytes where they belong.
    /// - Parameters:
    ///   - output: bytes that the first decoder wrote; afterwards the stream's bytes.
    ///   - other: bytes that the second one wrote.
    ///   - window: the 32 KB in front of the block that this began with.
    package static func resolve(_ output: UnsafeMutableRawBufferPointer, _ other: UnsafeRawBufferPointer, window: [UInt8]) {
        guard output.count == other.count, window.count == windowSize else { return }
        var position = 0
        while position < output.count {
            // Nearly always eight bytes are the same.
            if position + 8 <= output.count,
                unsafe output.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                    == other.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            {
                position += 8
                continue
            }
            for index in position..<min(position + 8, output.count) {
                let (byte, otherByte) = unsafe (output[index], other[index])
                guard byte != otherByte else { continue }
                unsafe output[index] = window[min(Int(otherByte &- byte &- 1) << 8 | Int(byte), windowSize - 1)]
            }
            position += 8
        }
    }

    /// The decoder that continues where this one stopped, as if the stream had been decoded from
    /// its beginning.
    /// - Parameters:
    ///   - window: as in `resolve`.
    ///   - checksum: of everything that was decoded, from the stream's beginning.
    package func anchored(window: [UInt8], checksum: UInt32) -> ISALDecoder {
        if let second {
            unsafe first.withKept { kept in
                unsafe second.withKept { other in
                    if kept.count == other.count { unsafe Self.resolve(kept, UnsafeRawBufferPointer(other), window: window) }
                }
            }
        }
        first.expectChecksum(checksum)
        return first
    }
}

extension ISALDecoder {
    fileprivate convenience init(_ library: ISALLibrary, byte: UInt8, bit: Int, window: [UInt8]) {
        self.init(library, isRaw: true)
        unsafe window.withUnsafeBytes {
            unsafe cairn_isal_begin(state.baseAddress, byte, UInt32(bit), $0.baseAddress, UInt32($0.count))
        }
    }

    /// How many bits of the input were taken that belong to the header of the next block; `nil`
    /// inside of a block.
    package var bitsOfNextBlock: Int? {
        let count = unsafe cairn_isal_bits_of_next_block(state.baseAddress)
        return count < 0 ? nil : Int(count)
    }

    /// The last 32 KB that were decoded; `nil` if there are fewer.
    package var window: [UInt8]? {
        unsafe withKept { kept in
            guard kept.count >= UnanchoredInflater.windowSize else { return nil }
            return unsafe Array(kept.suffix(UnanchoredInflater.windowSize))
        }
    }

    /// Adler-32 checksum of the decoded bytes.
    package var checksum: UInt32 { unsafe cairn_isal_checksum(state.baseAddress) }

    fileprivate func expectChecksum(_ checksum: UInt32) { unsafe cairn_isal_expect_checksum(state.baseAddress, checksum) }

    fileprivate func withKept<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        var count: Int64 = 0
        let start = unsafe cairn_isal_kept(state.baseAddress, &count)
        return unsafe body(UnsafeMutableRawBufferPointer(start: start, count: max(0, Int(count))))
    }
}

extension ISALLibrary {
    /// Whether it begins in the middle of a stream as its header says. That touches fields that
    /// nothing else does, and is tried on the stream that is known, as the library was before it
    /// was used at all.
    package static let beginsInside = shared?.triesToBeginInside() ?? false

    private func triesToBeginInside() -> Bool {
        // From the block's first byte on, in two steps: "abc", and the rest with the checksum.
        let (stream, window) = (Self.knownStream, UnanchoredInflater.firstWindow)
        let decoder = ISALDecoder(self, byte: stream[2], bit: 0, window: window)
        decoder.expectChecksum(1)
        var output = [UInt8](repeating: 0, count: 64)
        func decode(_ range: Range<Int>) -> DecodingStep? {
            unsafe stream.withUnsafeBytes { stream in
                unsafe output.withUnsafeMutableBytes { output in
                    unsafe try? decoder.decode(UnsafeRawBufferPointer(rebasing: stream[range]), into: output)
                }
            }
        }
        let abc = Array("abc".utf8)
        // Adler-32 of "abc", by RFC 1950: 1 + 97 + 98 + 99 is 0x127; 98 + 196 + 295 is 0x24d.
        guard decode(3..<6)?.produced == 3, output.starts(with: abc), decoder.window == window.dropFirst(3) + abc,
            decoder.bitsOfNextBlock == nil, decoder.checksum == 0x024d_0127
        else { return false }
        return decode(6..<stream.count)?.isAtEnd == true
    }

    /// Checksum of `bytes` appended to preceding bytes.
    /// - Parameter checksum: checksum of the preceding bytes.
    package func checksum(_ checksum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        unsafe adler32(checksum, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
    }
}
