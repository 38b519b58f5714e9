internal import BinaryPrimitives

/// One frame as systemd-coredump prints it (`frame_callback` of systemd's src/shared/elf-util.c; before 247, without the offset, src/coredump/stacktrace.c):
///
///     #0  0x00007f0284c9c904 readdir (libc.so.6 + 0xc7904)
///     #1  0x00005559c451964e n/a (/home/w/ls + 0x1364e)
///     #2  0x00005625a34934c2 xmalloc (bash)
///     #10 0x000072372bf5cb3e n/a (n/a + 0x0)
///
/// Behind it ` at FILE:LINE` where this package has answered it, before that ` [inlined]`.
struct SystemdRow {
    var index: Int
    var address: UInt64
    /// `nil` for `n/a`.
    var name: String?
    /// `nil` for `n/a`.
    var module: String?
    /// From the module's first byte.
    var offset: UInt64?
    var isInlined = false
    var location: SourceLocation?
    /// Where the name begins and ends, and just behind the parenthesis.
    var nameRange: Range<Int>
    var end: Int

    init?(_ line: Span<UInt8>) {
        var rest = line
        rest.skipBlanks()
        guard rest.take("#"), let number = rest.takeDecimal(), let index = Int(exactly: number), let blank = rest.at(0), isBlank(blank)
        else { return nil }
        self.index = index
        rest.skipBlanks()
        guard let address = rest.takeAddress(), rest.take(" ") else { return nil }
        self.address = address
        let nameStart = line.count - rest.count
        var text = rest.trimmed()
        if let at = text.lastRange(of: ") at "), let found = AddressToLineText.location(text.from(at.upperBound)) {
            location = found
            text = text.upTo(at.lowerBound + 1)
        } else if let at = text.lastRange(of: ") [inlined] at "), let found = AddressToLineText.location(text.from(at.upperBound)) {
            location = found
            isInlined = true
            text = text.upTo(at.lowerBound + 1)
        } else if text.hasSuffix(") [inlined]") {
            isInlined = true
            text = text.upTo(text.count - " [inlined]".utf8.count)
        }
        guard text.hasSuffix(")"), let open = text.lastRange(of: " (") else { return nil }
        let symbol = text.upTo(open.lowerBound)
        guard symbol.count > 0 else { return nil }
        nameRange = nameStart..<nameStart + symbol.count
        end = nameStart + text.count
        if !symbol.equals("n/a") { name = symbol.text }
        takeModule(text.clamped(to: open.upperBound..<text.count - 1))
    }

    /// `libc.so.6 + 0xc7904`, `bash`, `n/a + 0x0`
    private mutating func takeModule(_ text: Span<UInt8>) {
        var name = text
        if let plus = text.lastRange(of: " + 0x") {
            var digits = text.from(plus.upperBound - 2)
            if let value = digits.takeAddress(), digits.count == 0 {
                offset = value
                name = text.upTo(plus.lowerBound)
            }
        }
        if name.equals("n/a") || name.count == 0 { offset = nil } else { module = name.text }
    }

    func frame(at place: Range<Int>) -> Frame {
        var frame = Frame(index: index, kind: .returnAddress, address: RuntimeAddress(address), place: place)
        frame.imageName = module.map(lastPathComponent)
        frame.imageOffset = offset.map { ImageOffset($0) }
        frame.isInlined = isInlined
        if name != nil || location != nil { frame.printed = PrintedSymbol(name: name, location: location) }
        return frame
    }
}
