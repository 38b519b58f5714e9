internal import BinaryPrimitives
internal import CrashLogModel

/// A stack as one line, innermost frame first, by which apport recognises duplicates:
///
///     StacktraceAddressSignature: /usr/bin/ferry:11:/usr/bin/ferry+540:/usr/lib/libharbour.so.1+12b
struct ApportSignature {
    private var elements: [(path: String, offset: UInt64, place: Range<Int>)] = []

    init?(_ line: Span<UInt8>, at place: Range<Int>) {
        guard let mark = line.firstRange(of: ": ") else { return nil }
        var position = mark.upperBound
        while position < line.count, elements.count < Limits.standard.framesPerThread {
            let end = line.firstIndex(of: UInt8(ascii: ":"), from: position) ?? line.count
            var element = line.clamped(to: position..<end)
            if let offset = element.takeHexadecimal(atEndBehind: "+"), element.count > 0 {
                elements.append((element.text, offset, place.lowerBound + position..<place.lowerBound + end))
            }
            position = end + 1
        }
        guard !elements.isEmpty else { return nil }
    }

    /// The frames whose mappings the report has. An offset counts from the beginning of a mapping
    /// that it does not name: the path's only mapping of code that is large enough.
    func frames(_ mappings: [MemoryMapRow]) -> [Frame] {
        elements.enumerated().map { index, element in
            let fitting = mappings.filter {
                $0.path == element.path && $0.permissions.contains("x") && element.offset < $0.end.value - $0.start.value
            }
            let address = fitting.count == 1 ? fitting[0].start.advanced(by: element.offset) : nil
            var frame = Frame(index: index, kind: index == 0 ? .programCounter : .returnAddress, address: address, place: element.place)
            frame.imageName = Path.foreignName(of: element.path)
            return frame
        }
    }
}
