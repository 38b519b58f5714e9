internal import BinaryPrimitives
internal import DWARF
internal import SymbolSources

/// llvm-symbolizer's output (`llvm/lib/DebugInfo/Symbolize/DIPrinter.cpp`): in its own style
///
///     name
///     file:line:column
///     (name and place of each caller that it was inlined into, and an empty line)
///
/// and in GNU's without columns and without the empty line; with `--pretty-print`
/// `name at file:line:column` and ` (inlined by) name at …`.
struct LLVMSymbolizerText {
    private let options: LLVMSymbolizerOptions

    init(_ options: LLVMSymbolizerOptions) { self.options = options }

    /// - Parameter frames: innermost first; empty if nothing is known.
    func append(_ frames: [PrintedFrame], _ names: borrowing PrintedNames, for query: AddressQuery, to output: inout OutputText) {
        appendHead(query, to: &output)
        if !frames.isEmpty, options.showsInlines {
            var isInlined = false
            for frame in frames {
                append(frame, name: frame.name, names, isInlined: isInlined, to: &output)
                isInlined = true
            }
        } else {
            append(Self.single(frames, options), names, to: &output)
        }
        appendEnd(to: &output)
    }

    /// Returns the single line of a result if inlined calls are not wanted. The tool's own style pairs the
    /// function that holds the code with the line of the innermost call; GNU's prints the innermost.
    static func single(_ frames: [PrintedFrame], _ options: LLVMSymbolizerOptions, isSymbol: Bool = false) -> PrintedFrame {
        guard var single = frames.first, let outermost = frames.last else { return .unknown }
        if options.names != .short, options.style != .gnu || isSymbol {
            (single.name, single.symbolStart) = (outermost.name, outermost.symbolStart)
        }
        return single
    }

    /// - Parameter results: the frames of each of the symbol's addresses.
    func append(symbol results: [[PrintedFrame]], _ names: borrowing PrintedNames, to output: inout OutputText) {
        if results.isEmpty { append(.unknown, names, to: &output) }
        for frames in results { append(Self.single(frames, options, isSymbol: true), names, to: &output) }
        appendEnd(to: &output)
    }

    func append(_ variable: PrintedVariable?, for query: AddressQuery, to output: inout OutputText) {
        appendHead(query, to: &output)
        output.append(text: variable?.name ?? "??")
        output.append(text: "\n\(variable?.start ?? 0) \(variable?.size ?? 0)\n")
        output.append(text: variable?.declaration.map { $0.file.isEmpty ? "??:?\n" : "\($0.file):\($0.line)\n" } ?? "??:?\n")
        appendEnd(to: &output)
    }

    func append(_ locals: [LocalVariable], for query: AddressQuery, to output: inout OutputText) {
        appendHead(query, to: &output)
        if locals.isEmpty { output.append("??\n") }
        for local in locals {
            output.append(text: "\(local.function ?? "??")\n\(local.name ?? "??")\n\(local.file?.path ?? "??"):\(local.line)\n")
            let numbers = [local.frameOffset.map { "\($0)" }, local.size.map { "\($0)" }, local.tagOffset.map { "\($0)" }]
            output.append(text: numbers.map { $0 ?? "??" }.joined(separator: " ") + "\n")
        }
        appendEnd(to: &output)
    }

    private func appendHead(_ query: AddressQuery, to output: inout OutputText) {
        guard options.showsAddresses, let address = query.shown else { return }
        output.append("0x")
        output.append(hexadecimal: address)
        output.append(options.isPretty ? ": " : "\n")
    }

    private func appendEnd(to output: inout OutputText) {
        if options.style == .llvm { output.append(UInt8(ascii: "\n")) }
    }

    private func append(_ frame: PrintedFrame, _ names: borrowing PrintedNames, to output: inout OutputText) {
        append(frame, name: frame.name, names, isInlined: false, to: &output)
    }

    private func append(
        _ frame: PrintedFrame, name: Range<Int>, _ names: borrowing PrintedNames, isInlined: Bool, to output: inout OutputText
    ) {
        if options.names != .none {
            if options.isPretty, isInlined { output.append(" (inlined by) ") }
            if name.isEmpty { output.append("??") } else { output.append(names.bytes, name) }
            output.append(options.isPretty ? " at " : "\n")
        }
        if options.isVerbose { return appendVerbose(frame, names, to: &output) }
        appendFile(frame, names, to: &output)
        output.append(UInt8(ascii: ":"))
        output.append(decimal: frame.line)
        if options.style == .llvm {
            output.append(UInt8(ascii: ":"))
            output.append(decimal: frame.column)
        }
        if frame.isApproximate { output.append(" (approximate)") }
        if options.style != .llvm, frame.discriminator > 0 { output.append(text: " (discriminator \(frame.discriminator))") }
        output.append(UInt8(ascii: "\n"))
        if options.contextLines > 0, let file = frame.file {
            output.append(text: SourceContext(names.text(file), frame, options.contextLines)?.text ?? "")
        }
    }

    private func appendFile(_ frame: PrintedFrame, _ names: borrowing PrintedNames, to output: inout OutputText) {
        if let file = frame.file {
            output.append(names.bytes, options.paths == .base ? names.bytes.nameOfPath(file) : file)
        } else {
            output.append("??")
        }
    }

    private func appendVerbose(_ frame: PrintedFrame, _ names: borrowing PrintedNames, to output: inout OutputText) {
        output.append("  Filename: ")
        appendFile(frame, names, to: &output)
        output.append(UInt8(ascii: "\n"))
        if let declaration = frame.details?.declaration, declaration.line > 0 {
            var path = options.declarationPath(frame)
            // The tool has not set the field; with inlined calls it sets it to an empty text.
            if path.isEmpty, options.style == .llvm, !options.showsInlines { path = "<invalid>" }
            output.append(text: "  Function start filename: \(path)\n")
            output.append(text: "  Function start line: \(declaration.line)\n")
        }
        if options.style == .llvm, let start = options.start(frame) {
            output.append("  Function start address: 0x")
            output.append(hexadecimal: start.value)
            output.append(UInt8(ascii: "\n"))
        }
        output.append(text: "  Line: \(frame.line)\n  Column: \(frame.column)\n")
        if frame.discriminator > 0 {
            output.append(text: "  Discriminator: \(frame.discriminator)\n")
        }
        if frame.isApproximate { output.append("  Approximate: true\n") }
    }
}

extension LLVMSymbolizerOptions {
    /// Returns the first address of a frame's function: the symbol's, if symbols give the names.
    func start(_ frame: PrintedFrame) -> LinkAddress? {
        (names == .linkage ? frame.symbolStart : nil) ?? frame.details?.entryStart
    }

    /// Returns the path of the file in which a frame's function is declared; empty if it is not known.
    func declarationPath(_ frame: PrintedFrame) -> String {
        guard let details = frame.details, let declaration = details.declaration else { return "" }
        return isStrict && details.isDeclarationFileImplicit ? "" : path(declaration.file, details.recordedDeclarationFile)
    }

    /// Returns a path in the form that the options select.
    func path(_ absolute: String, _ recorded: String?) -> String {
        switch paths {
        case .absolute: absolute
        case .relative: recorded ?? absolute
        case .base: absolute.lastIndex(of: "/").map { String(absolute[absolute.index(after: $0)...]) } ?? absolute
        }
    }
}
