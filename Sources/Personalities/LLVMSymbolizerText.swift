/// llvm-symbolizer's output (`llvm/lib/DebugInfo/Symbolize/DIPrinter.cpp`): in its own style
///
///     name
///     file:line:column
///     (name and place of each caller that it was inlined into, and an empty line)
///
/// and in GNU's without columns and without the empty line; with `--pretty-print` `name at file:line:column` and ` (inlined by) name at …`.
struct LLVMSymbolizerText {
    private let options: LLVMSymbolizerOptions

    init(_ options: LLVMSymbolizerOptions) { self.options = options }

    /// - Parameter frames: innermost first; empty where nothing is known.
    func append(_ frames: [PrintedFrame], _ names: borrowing PrintedNames, for question: AddressQuestion, to output: inout OutputText) {
        if options.showsAddresses, let address = question.shown {
            output.append("0x")
            output.append(hexadecimal: address)
            output.append(options.isPretty ? ": " : "\n")
        }
        switch question.subject {
        case .data: output.append("??\n0 0\n??:?\n")
        case .frame: output.append("??\n")
        case .code: append(frames, names, to: &output)
        }
        if options.style == .llvm { output.append(UInt8(ascii: "\n")) }
    }

    private func append(_ frames: [PrintedFrame], _ names: borrowing PrintedNames, to output: inout OutputText) {
        guard let innermost = frames.first, let outermost = frames.last else {
            return append(.unknown, name: 0..<0, names, isInlined: false, to: &output)
        }
        guard options.showsInlines else {
            // The tool's own style pairs the function that holds the code with the line of the innermost call; GNU's prints the innermost.
            let name = options.style == .llvm ? outermost.name : innermost.name
            return append(innermost, name: name, names, isInlined: false, to: &output)
        }
        var isInlined = false
        for frame in frames {
            append(frame, name: frame.name, names, isInlined: isInlined, to: &output)
            isInlined = true
        }
    }

    private func append(
        _ frame: PrintedFrame, name: Range<Int>, _ names: borrowing PrintedNames, isInlined: Bool, to output: inout OutputText
    ) {
        if options.showsFunctions {
            if options.isPretty, isInlined { output.append(" (inlined by) ") }
            if name.isEmpty { output.append("??") } else { output.append(names.bytes, name) }
            output.append(options.isPretty ? " at " : "\n")
        }
        if let file = frame.file {
            output.append(names.bytes, options.printsNamesOnly ? names.bytes.nameOfPath(file) : file)
        } else {
            output.append("??")
        }
        output.append(UInt8(ascii: ":"))
        output.append(decimal: frame.line)
        if options.style == .llvm {
            output.append(UInt8(ascii: ":"))
            output.append(decimal: frame.column)
        }
        output.append(UInt8(ascii: "\n"))
    }
}
