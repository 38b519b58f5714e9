internal import BinaryPrimitives
internal import CrashLogModel

/// A row of Java among native ones: `at android.os.Looper.loop(Looper.java:214)`,
/// `at java.lang.Thread.sleep(Native method)`. It has no address: name and location are kept.
struct AndroidJavaRow {
    var printed: PrintedSymbol

    init?(_ line: Span<UInt8>) {
        var text = line.trimmed()
        guard text.consume("at "), text.hasSuffix(")"), let open = text.lastIndex(of: UInt8(ascii: "(")), open > 0 else { return nil }
        let name = text.upTo(open)
        guard name.firstIndex(of: UInt8(ascii: ".")) != nil, name.firstIndex(of: UInt8(ascii: " ")) == nil else { return nil }
        printed = PrintedSymbol(name: name.text)
        printed.location = SourceLocationText.readLine(text.clamped(to: open + 1..<text.count - 1))
    }

    func frame(index: Int, at range: Range<Int>) -> Frame {
        Frame(index: index, kind: .exact, address: nil, range: range, printed: printed)
    }
}
