public import BinaryPrimitives
internal import DWARF
internal import ObjectFiles

/// A row of a line table with the addresses that it covers.
public struct LineRange: Sendable, Hashable {
    /// The file as the line table records it: without the compilation directory where that was only joined to a relative name.
    public var file: String
    /// Line, from 1; zero: the compiler attributes the code to no line.
    public var line: Int
    /// From the row's own address to the next row's.
    public var range: Range<ImageOffset>
}

extension ObjectSource {
    /// The line table's row at an offset; `nil` where no debug information covers it.
    public func lineRange(at offset: ImageOffset) -> LineRange? {
        for object in objects {
            guard let address = offset.linkAddress(imageBase: object.baseAddress),
                let answer = DWARFReader(object)?.answers(for: [address]).first, let location = answer.location,
                let rows = answer.rowRange, rows.lowerBound >= object.baseAddress.value
            else { continue }
            let base = object.baseAddress.value
            var file = location.file
            if let directory = answer.compilationDirectory, !directory.isEmpty, file.hasPrefix(directory + "/") {
                file.removeFirst(directory.count + 1)
            }
            return LineRange(
                file: file, line: location.line, range: ImageOffset(rows.lowerBound - base)..<ImageOffset(rows.upperBound - base))
        }
        return nil
    }
}
