internal import BinaryPrimitives
internal import Console
internal import DWARF
internal import SymbolSources

/// llvm-symbolizer's output as JSON: an object for each line of input, or one array of them for
/// the arguments. Members are in the order of their names.
struct LLVMSymbolizerJSON {
    private let options: LLVMSymbolizerOptions

    init(_ options: LLVMSymbolizerOptions) { self.options = options }

    func append(_ frames: [PrintedFrame], _ names: borrowing PrintedNames, for query: AddressQuery, to output: inout OutputText) {
        if query.echo?.problem != nil { return append(problem: query, to: &output) }
        let shown = options.showsInlines && !frames.isEmpty ? frames : [LLVMSymbolizerText.single(frames, options)]
        var objects: [WrittenJSON] = []
        for frame in shown { objects.append(object(frame, names, withSource: true)) }
        append(query, ("Symbol", .array(objects)), to: &output)
    }

    func append(
        symbol results: [[PrintedFrame]], _ names: borrowing PrintedNames, for query: AddressQuery, to output: inout OutputText
    ) {
        if query.echo?.problem != nil { return append(problem: query, to: &output) }
        var objects: [WrittenJSON] = []
        for frames in results {
            objects.append(object(LLVMSymbolizerText.single(frames, options, isSymbol: true), names, withSource: false))
        }
        append(query, ("Loc", .array(objects)), to: &output)
    }

    func append(_ variable: PrintedVariable?, for query: AddressQuery, to output: inout OutputText) {
        if query.echo?.problem != nil { return append(problem: query, to: &output) }
        let data = WrittenJSON.object([
            ("Name", .string(variable?.name ?? "")), ("Size", hexadecimal(variable?.size ?? 0)),
            ("Start", hexadecimal(variable?.start ?? 0)),
        ])
        append(query, ("Data", data), to: &output)
    }

    func append(_ locals: [LocalVariable], for query: AddressQuery, to output: inout OutputText) {
        if query.echo?.problem != nil { return append(problem: query, to: &output) }
        let objects = locals.map { local in
            WrittenJSON.object([
                ("DeclFile", .string(local.file?.path ?? "")), ("DeclLine", .number(local.line)),
                ("FrameOffset", local.frameOffset.map { .number(Int($0)) }), ("FunctionName", .string(local.function ?? "")),
                ("Name", .string(local.name ?? "")), ("Size", hexadecimal(local.size)), ("TagOffset", hexadecimal(local.tagOffset)),
            ])
        }
        append(query, ("Frame", .array(objects)), to: &output)
    }

    /// Appends the reason why there is no result.
    func append(problem query: AddressQuery, to output: inout OutputText) {
        append(query, ("Error", .object([("Message", .string(query.echo?.problem ?? ""))])), to: &output)
    }

    private func append(_ query: AddressQuery, _ result: (key: String, value: WrittenJSON?), to output: inout OutputText) {
        var members = [result, ("ModuleName", .string(query.echo?.module ?? ""))]
        if let symbol = query.echo?.symbol { members.append(("SymName", .string(symbol))) }
        if let address = query.shown { members.append(("Address", hexadecimal(address))) }
        members.sort { $0.key < $1.key }
        if query.number > 0 { output.append(UInt8(ascii: ",")) }
        if options.isPretty, query.number >= 0 { output.append("\n  ") }
        let depth = options.isPretty ? query.number < 0 ? 0 : 1 : nil
        output.append(.object(members), WrittenJSON.Style(depth: depth, quote: Self.quote))
        if query.number < 0 { output.append(UInt8(ascii: "\n")) }
    }

    private func object(_ frame: PrintedFrame, _ names: borrowing PrintedNames, withSource: Bool) -> WrittenJSON {
        var source: WrittenJSON?
        if withSource, options.contextLines > 0, let file = frame.file,
            let context = SourceContext(names.text(file), frame, options.contextLines)
        {
            source = .string(context.text)
        }
        return .object([
            ("Approximate", frame.isApproximate ? .boolean(true) : nil), ("Column", .number(frame.column)),
            ("Discriminator", .unsigned(frame.discriminator)),
            ("FileName", .string(frame.file.map { options.path(names.text($0), nil) } ?? "")),
            ("FunctionName", .string(names.text(frame.name))), ("Line", .number(frame.line)), ("Source", source),
            ("StartAddress", hexadecimal(options.start(frame)?.value)), ("StartFileName", .string(options.declarationPath(frame))),
            ("StartLine", .number(frame.details?.declaration?.line ?? 0)),
        ])
    }

    private func hexadecimal(_ number: UInt64?) -> WrittenJSON { .string(number.map { "0x" + $0.hexadecimal() } ?? "") }

    /// Quotes text by RFC 8259, section 7, as LLVM's writer does: characters that are not printable as
    /// `\u00XX`, except tab, line feed and carriage return.
    @Sendable private static func quote(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): output += "\\\"".utf8
            case UInt8(ascii: "\\"): output += "\\\\".utf8
            case UInt8(ascii: "\t"): output += "\\t".utf8
            case UInt8(ascii: "\n"): output += "\\n".utf8
            case UInt8(ascii: "\r"): output += "\\r".utf8
            case 0..<0x20: output += ("\\u" + UInt64(byte).hexadecimal(width: 4)).utf8
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
