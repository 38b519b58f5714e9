internal import BinaryPrimitives
internal import Decompression

/// Looks for a block of a deflate stream in the bytes, and decodes from there on without what came
/// before.
func decodeInside(_ bytes: RawSpan) {
    guard let bit = DeflateBlocks.firstStart(in: bytes), let library = ISALLibrary.shared else { return }
    precondition(bit >= 0 && bit < bytes.byteCount * 8)
    let inflater = UnanchoredInflater(library, byte: bytes.byte(at: bit >> 3), bit: bit & 7)
    let rest = (bit >> 3 + 1..<bytes.byteCount).map { bytes.byte(at: $0) }
    var (output, other) = ([UInt8](repeating: 0, count: 64 << 10), [UInt8](repeating: 0, count: 64 << 10))
    unsafe rest.withUnsafeBytes { rest in
        unsafe output.withUnsafeMutableBytes { output in
            unsafe other.withUnsafeMutableBytes { other in
                var first = 0
                for _ in 0..<16 {
                    let wasAnchored = inflater.isAnchored
                    let input = unsafe UnsafeRawBufferPointer(rebasing: rest[first...])
                    guard let step = unsafe try? inflater.decode(input, into: output, and: other), step.produced > 0 else { return }
                    first += step.consumed
                    let made = unsafe UnsafeMutableRawBufferPointer(rebasing: output[..<step.produced])
                    let otherMade = unsafe UnsafeRawBufferPointer(rebasing: other[..<step.produced])
                    if !wasAnchored {
                        unsafe inflater.anchor(after: UnsafeRawBufferPointer(made), and: otherMade)
                        unsafe UnanchoredInflater.resolve(made, otherMade, window: window)
                    }
                }
            }
        }
    }
    _ = inflater.anchored(window: window, checksum: 1).window
}

private let window = [UInt8](repeating: 7, count: UnanchoredInflater.windowSize)
