internal import BinaryPrimitives

/// The grammars of the tools' input, for the fuzzer: each reads the whole of some bytes, and what it made of them is checked.
package enum Grammars {
    package static func read(_ bytes: [UInt8]) {
        precondition(ResponseFiles.words(in: bytes.span).count <= bytes.count)
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
                    if case .symbol(let text, _)? = input?.place { precondition(!text.isEmpty) }
                }
            }
        }
    }
}
