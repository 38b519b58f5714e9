internal import BinaryPrimitives
internal import CrashLogModel

/// One row: number, image, address, name and offset; after them, if this package has symbolicated
/// it, ` at FILE:LINE:COLUMN`.
struct SwiftRuntimeRow {
    var index: Int
    var imageName: String
    var programCounter: UInt64
    /// For a row without a name, how far the frame is from its image's load address.
    var imageOffset: UInt64?
    var symbol: SwiftSymbolText
    var isInlined = false
    /// Places in the row: where the address begins, and the number of its hexadecimal digits.
    var addressStart: Int
    var addressDigits: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        guard let number = rest.takeDecimal(), let index = Int(exactly: number), let blank = rest.at(0), isBlank(blank) else { return nil }
        self.index = index
        rest.skipBlanks()
        let name = rest
        guard let start = name.firstRange(of: " 0x")?.lowerBound else { return nil }
        imageName = name.upTo(start).trimmed().text
        rest = name.from(start + 1)
        addressStart = row.count - rest.count
        let addressText = rest
        guard !imageName.isEmpty, let address = rest.takeAddress(), rest.at(0).map(isBlank) ?? true else { return nil }
        addressDigits = addressText.count - rest.count - 2
        rest = rest.trimmed()
        let isUnavailable = rest.hasPrefix("<unavailable>")
        if let marker = rest.firstRange(of: " [inlined]") {
            isInlined = true
            let tail = rest.from(marker.upperBound)
            symbol = SwiftSymbolText(Array((rest.upTo(marker.lowerBound).text + tail.text).utf8).span, hasImage: false)
        } else {
            symbol = SwiftSymbolText(rest, hasImage: false)
        }
        let offset = symbol.printed?.offset ?? 0
        if isUnavailable {
            programCounter = address
            imageOffset = offset <= address ? offset : nil
            symbol.printed = nil
        } else {
            let (sum, overflow) = address.addingReportingOverflow(offset)
            guard !overflow, symbol.printed?.name != nil else { return nil }
            programCounter = sum
        }
    }

    func frame(at place: Range<Int>) -> Frame {
        Frame(
            index: index, address: programCounter, place: place, imageName: imageName, imageOffset: imageOffset, printed: symbol.printed,
            isInlined: isInlined)
    }
}
