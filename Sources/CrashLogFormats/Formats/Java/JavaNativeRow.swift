internal import BinaryPrimitives
internal import CrashLogModel

/// A native frame in the trace of an exception that Unity makes of a signal on Android: the library
/// takes the class' place, and the offset in it the method's:
///
///     at libil2cpp.0x559590(Native Method)
///
/// This package's result follows it, after two blanks:
/// `at libil2cpp.0x559590(Native Method) moor + 16 (harbour.cpp:12)`.
struct JavaNativeRow {
    /// With its ending: `libil2cpp.so`.
    var library: String
    var offset: UInt64
    var printed: PrintedSymbol?
    var isInlined = false
    /// After the parenthesis.
    var end: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        guard rest.take("at "), rest.hasPrefix("lib"), let dot = rest.upTo(256).firstRange(of: ".0x") else { return nil }
        let name = rest.upTo(dot.lowerBound)
        for index in 0..<name.count where name[index] == UInt8(ascii: "(") || isBlank(name[index]) { return nil }
        rest = rest.from(dot.lowerBound + 1)
        guard let offset = rest.takeAddress(), rest.take("(Native Method)") else { return nil }
        self.offset = offset
        library = name.text + (name.hasSuffix(".so") ? "" : ".so")
        end = row.count - rest.count
        guard rest.take("  ") else { return }
        let answer = SymbolText(rest.trimmed(), imageName: nil, address: 0)
        (printed, isInlined) = (answer.printed, answer.isInlined)
    }
}
