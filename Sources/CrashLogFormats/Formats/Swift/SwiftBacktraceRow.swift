internal import BinaryPrimitives
internal import CrashLogModel

/// One row of a Swift backtrace: number, attributes, address, symbol.
///
///      3 [ra] 0x000055f83f78b233 Foo.bar(_:) + 178 in crashD at /src/crash.swift:2:69
///     11 [ra] [inlined] [system] 0x0000555555e0ea5a specialized static ParsableCommand.main() in swift-format at …
///      3 Foo.bar(_:) + 178 in crashD at /src/crash.swift:2:69       preset friendly: no attributes, and no address where the source is known
///     10      ...                                                   the rest is missing, with `symbolicate=off`
///     ...                                                           the same otherwise
struct SwiftBacktraceRow {
    enum Content {
        case frame
        /// `...`: frames are missing here.
        case gap
    }

    var content: Content
    var index: Int?
    var attributes: [String] = []
    var address: UInt64?
    var symbol: SwiftSymbolText
    /// Places in the row (without colours): after the number, where the address begins, after it.
    var indexEnd = 0
    var addressStart = 0
    var addressEnd = 0

    init?(_ row: Span<UInt8>) {
        symbol = SwiftSymbolText(row.upTo(0))
        var rest = row
        rest.skipBlanks()
        if rest.trimmed().equals("...") {
            content = .gap
            return
        }
        guard let number = rest.takeDecimal(), let index = Int(exactly: number), let blank = rest.at(0), isBlank(blank) else { return nil }
        self.index = index
        indexEnd = row.count - rest.count
        rest.skipBlanks()
        while rest.hasPrefix("["), let close = rest.firstIndex(of: UInt8(ascii: "]")), attributes.count < 8 {
            attributes.append(rest.clamped(to: 1..<close).text)
            rest = rest.from(close + 1)
            rest.skipBlanks()
        }
        if rest.trimmed().equals("...") {
            content = .gap
            return
        }
        content = .frame
        addressStart = row.count - rest.count
        let start = rest
        if let value = rest.takeAddress(), rest.at(0).map(isBlank) ?? true {
            address = value
        } else {
            rest = start
        }
        addressEnd = row.count - rest.count
        symbol = SwiftSymbolText(rest)
        // Without an address it is a row only if it says where in the source it is.
        guard address != nil || (symbol.printed?.location != nil && symbol.imageName != nil) else { return nil }
    }

    var isReturnAddress: Bool { attributes.contains("ra") }
    var isAsync: Bool { attributes.contains("async") }
    var isInlined: Bool { attributes.contains("inlined") }

    func frame(at place: Range<Int>, next: Int) -> Frame {
        let kind: Frame.Kind =
            switch content {
            case .gap: .truncated
            case .frame: isReturnAddress ? .returnAddress : isAsync ? .asyncResumePoint : .programCounter
            }
        return Frame(
            index: index ?? next, kind: kind, address: address, place: place, imageName: symbol.imageName, printed: symbol.printed,
            isInlined: isInlined)
    }
}
