internal import BinaryPrimitives

/// `non-Go function at pc=0x462746`: a frame of C code in a program without a symbolizer for it.
struct GoCodeLine {
    var pc: UInt64

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        guard rest.take("non-Go function at pc="), let value = rest.takeAddress(), rest.count == 0 else { return nil }
        pc = value
    }
}
