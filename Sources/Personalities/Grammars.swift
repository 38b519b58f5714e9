internal import BinaryPrimitives

/// The grammars of the tools' input, for the fuzzer: each reads the whole of some bytes, and checks the
/// result.
package enum Grammars {
    package static func read(_ bytes: [UInt8]) {
        for word in ResponseFiles.arguments(in: bytes.span) { precondition(word.utf8.count <= bytes.count * 3) }
        readMarkup(bytes)
        readOptions(bytes)
        precondition(ResponseFiles.arguments(in: bytes.span).count <= bytes.count)
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let line = Array(line)
            switch EUAddr2LineInput(line.span) {
            case .symbol(let name, _), .section(let name, _): precondition(!name.isEmpty && name.upperBound <= line.count)
            case .address, .none: break
            }
            for isAddr2Line in [false, true] {
                for isNamed in [false, true] {
                    let input = try? LLVMSymbolizerInput(line.span, isNamed: isNamed, isAddr2Line: isAddr2Line)
                    if case .path(let range)? = input?.file { precondition(range.upperBound <= line.count && !range.isEmpty) }
                    if case .symbol(let text, _)? = input?.target { precondition(!text.isEmpty) }
                }
            }
        }
    }

    /// Each line is an argument: the tools' options accept it, or report an error. `@FILE` is left out,
    /// because the file would be read.
    private static func readOptions(_ bytes: [UInt8]) {
        let arguments = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("@") }.map { String($0) }
        _ = LLVMOptionTable.read(arguments)
        if let options = try? AtosOptions(arguments) { precondition(options.addresses.count <= arguments.count) }
        if let options = try? Addr2LineOptions(arguments) { precondition(options.addresses.count <= arguments.count) }
        if let options = try? EUAddr2LineOptions(arguments) { precondition(options.addresses.count <= arguments.count) }
    }

    /// The parts of a line must add up to the line; and a filter without files must replace the elements.
    private static func readMarkup(_ bytes: [UInt8]) {
        var position = 0
        for node in MarkupNode.nodes(in: bytes) {
            precondition(node.range.lowerBound == position && !node.range.isEmpty)
            position = node.range.upperBound
            precondition(node.fields.allSatisfy { $0.upperBound <= position && $0.lowerBound > node.tag.lowerBound })
        }
        precondition(position == bytes.count)
        guard let options = try? LLVMSymbolizerOptions(["--filter-markup", "--color", "--no-debuginfod"], isAddr2Line: false) else {
            return
        }
        var filter = MarkupFilter(options, isTerminal: true)
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) { filter.filter(Array(line).span) }
        filter.finish()
        _ = filter.removeOutput()
    }
}
