internal import BinaryPrimitives

/// A row as sanitizers print it, which stands in an Android log where one's report is the abort message, or where a tool has symbolicated the stack (ClusterFuzz, ndk-stack):
///
///     #0 0x7b24d90a08  (/system/lib64/libclang_rt.hwasan-aarch64-android.so+0x2ca08) (BuildId: …)
///     #1 0x00081218 in pthread_kill /bionic/libc/bionic/pthread_kill.cpp:45
///     #0 0x00000333 in                                                             nothing was found
struct AndroidSymbolizedRow {
    var index: Int
    var address: UInt64
    var printed: PrintedSymbol?
    /// The file and the offset in parentheses.
    var module: (path: String, offset: UInt64)?
    var id: ImageID?
    /// Where the address ends: an answer stands behind it.
    var addressEnd: Int
    /// Where what stands behind the answer begins, with its blank.
    var tailStart: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        guard rest.take("#"), let number = rest.takeDecimal(), let index = Int(exactly: number) else { return nil }
        rest.skipBlanks()
        guard let address = rest.takeAddress(), rest.at(0).map(isBlank) ?? false else { return nil }
        self.index = index
        self.address = address
        addressEnd = row.count - rest.count
        tailStart = row.count
        if let mark = rest.lastRange(of: " (BuildId: ") {
            var value = rest.from(mark.upperBound)
            value = value.upTo(value.firstIndex(of: UInt8(ascii: ")")) ?? value.count)
            id = ImageID(buildID: value.text)
            tailStart = addressEnd + mark.lowerBound
            rest = rest.upTo(mark.lowerBound)
        }
        if rest.hasSuffix(")"), let open = rest.lastRange(of: " (/"), let plus = rest.lastRange(of: "+0x"),
            plus.lowerBound > open.upperBound
        {
            var digits = rest.clamped(to: plus.upperBound..<rest.count - 1)
            if let offset = digits.takeHexadecimal(), digits.count == 0 {
                module = (rest.clamped(to: open.upperBound - 1..<plus.lowerBound).text, offset)
                tailStart = addressEnd + open.lowerBound
                rest = rest.upTo(open.lowerBound)
            }
        }
        rest = rest.trimmed()
        guard rest.take("in") else {
            guard module != nil, rest.count == 0 else { return nil }
            return
        }
        guard rest.count == 0 || isBlank(rest[0]) else { return nil }
        printed = AndroidSymbolizedRow.symbol(rest.trimmed())
    }

    /// `android::MPEG4Extractor::getTrack(unsigned int) frameworks/av/media/libstagefright/MPEG4Extractor.cpp:2858:16`
    static func symbol(_ text: Span<UInt8>) -> PrintedSymbol? {
        guard text.count > 0 else { return nil }
        if let blank = text.lastIndex(of: UInt8(ascii: " ")) {
            let place = SwiftSymbolText.location(text.from(blank + 1))
            if place.line > 0 { return PrintedSymbol(name: text.upTo(blank).trimmed().text, location: place) }
        }
        return PrintedSymbol(name: text.text)
    }

    /// The row as one of the unwinder's.
    var unwound: AndroidRow? {
        guard let module else { return nil }
        return AndroidRow(index: index, pc: module.offset, mapping: module.path, id: id, printed: printed)
    }

    /// ` in Shop::sell(int) /src/shop.cpp:40:9`
    static func text(_ function: FrameAnswer.Function) -> String {
        let place = function.location.map { " " + SwiftSymbolText.text($0) } ?? ""
        return " in " + AppleSymbolText.oneLine(function.name) + place
    }
}

extension AndroidRow {
    init(index: Int, pc: UInt64, mapping: String, id: ImageID?, printed: PrintedSymbol?) {
        self.index = index
        self.pc = pc
        self.mapping = mapping
        self.id = id
        self.printed = printed
        nameRange = 0..<0
    }
}
