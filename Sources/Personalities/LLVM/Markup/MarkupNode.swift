internal import BinaryPrimitives

/// A part of a line of a log in the symbolizer markup format (LLVM's `SymbolizerMarkupFormat`,
/// which Fuchsia's and embedded systems' logs are written in):
///
///     [131604.244637]: {{{bt:0:0x7e7e81c40d01:pc}}}
///
/// Parts between triple braces are elements: a tag, and fields after colons. The rest is text, from
/// which the control sequences that set colours are separated.
struct MarkupNode {
    /// Range in the line's bytes.
    let range: Range<Int>
    /// Empty for text.
    let tag: Range<Int>
    let fields: [Range<Int>]

    /// Splits a line into its parts, in order.
    /// - Parameter line: with its line ending.
    static func nodes(in line: [UInt8]) -> [MarkupNode] {
        var nodes: [MarkupNode] = []
        var position = 0
        var searched = 0
        let braces = Array("{{{".utf8)
        let ends = Array("}}}".utf8)
        while let begin = line.firstIndex(of: braces, from: searched), let end = line.firstIndex(of: ends, from: begin + 3) {
            searched = end + 3
            guard let element = element(line, begin..<end + 3) else { continue }
            appendText(line, position..<begin, to: &nodes)
            nodes.append(element)
            position = end + 3
        }
        appendText(line, position..<line.count, to: &nodes)
        return nodes
    }

    /// - Returns: `nil` if there is no tag: then it is text.
    private static func element(_ line: [UInt8], _ range: Range<Int>) -> MarkupNode? {
        let content = range.lowerBound + 3..<range.upperBound - 3
        let colon = line[content].firstIndex(of: UInt8(ascii: ":")) ?? content.upperBound
        guard colon > content.lowerBound else { return nil }
        var fields: [Range<Int>] = []
        if colon < content.upperBound {
            var start = colon + 1
            while let next = line[start..<content.upperBound].firstIndex(of: UInt8(ascii: ":")) {
                fields.append(start..<next)
                start = next + 1
            }
            fields.append(start..<content.upperBound)
        }
        return MarkupNode(range: range, tag: content.lowerBound..<colon, fields: fields)
    }

    private static func appendText(_ line: [UInt8], _ range: Range<Int>, to nodes: inout [MarkupNode]) {
        var start = range.lowerBound
        var index = start
        func append(_ range: Range<Int>) {
            if !range.isEmpty { nodes.append(MarkupNode(range: range, tag: 0..<0, fields: [])) }
        }
        while index < range.upperBound {
            if let size = MarkupColors.sequenceSize(line[index..<range.upperBound]) {
                append(start..<index)
                append(index..<index + size)
                index += size
                start = index
            } else {
                index += 1
            }
        }
        append(start..<range.upperBound)
    }
}

extension [UInt8] {
    fileprivate func firstIndex(of text: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + text.count <= count {
            if self[index..<index + text.count].elementsEqual(text) { return index }
            index += 1
        }
        return nil
    }
}
