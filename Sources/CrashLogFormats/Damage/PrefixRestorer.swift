import BinaryPrimitives
internal import CrashLogModel

/// Removes the prefix of each line: an indentation, a quote's `> `, a program's `info:  `.
package struct PrefixRestorer: Restorer {
    /// `nil`: any prefix that `LinePrefix` recognises.
    private let prefix: [UInt8]?

    package init(_ prefix: [UInt8]?) { self.prefix = prefix }

    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        let found = range(in: line)
        text.copy(line.upTo(found.lowerBound), at: start)
        text.copy(line.from(found.upperBound), at: start + found.upperBound)
        return line.count
    }

    /// Finds the range of the prefix. A writer's own prefix (a date, a container's name) may come
    /// before it and stays.
    private func range(in line: Span<UInt8>) -> Range<Int> {
        let content = line.upTo(line.lengthWithoutEnding)
        guard let prefix else { return 0..<LinePrefix.Parts(of: content).length }
        if let length = PrefixRestorer.length(of: prefix, in: content) { return 0..<length }
        let writers = LinePrefix.Parts(of: content).length
        guard writers > 0, let length = PrefixRestorer.length(of: prefix, in: content.from(writers)) else { return 0..<0 }
        return writers..<writers + length
    }

    /// A line that is empty but for the prefix may have lost the blanks at its end.
    private static func length(of prefix: [UInt8], in line: Span<UInt8>) -> Int? {
        if line.count == 0 { return 0 }
        var index = 0
        while index < prefix.count, index < line.count, line[index] == prefix[index] { index += 1 }
        if index == prefix.count { return index }
        return index == line.count && prefix[index...].allSatisfy({ isBlank($0) }) ? index : nil
    }
}
