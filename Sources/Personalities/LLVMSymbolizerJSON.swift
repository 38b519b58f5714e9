internal import BinaryPrimitives
internal import Console
internal import DWARF
internal import SymbolSources

/// llvm-symbolizer's answers as JSON: an object for each line of input, or one array of them for the arguments. Members stand in the order of their names.
struct LLVMSymbolizerJSON {
    private let options: LLVMSymbolizerOptions

    init(_ options: LLVMSymbolizerOptions) { self.options = options }

    func append(_ frames: [PrintedFrame], _ names: borrowing PrintedNames, for question: AddressQuestion, to output: inout OutputText) {
        if question.words?.problem != nil { return append(problem: question, to: &output) }
        let shown = options.showsInlines && !frames.isEmpty ? frames : [LLVMSymbolizerText.single(frames, options)]
        var text = ""
        for frame in shown { text += (text.isEmpty ? "" : ",") + object(frame, names, withSource: true) }
        append(question, ("Symbol", "[\(text)]"), to: &output)
    }

    func append(
        symbol answers: [[PrintedFrame]], _ names: borrowing PrintedNames, for question: AddressQuestion, to output: inout OutputText
    ) {
        if question.words?.problem != nil { return append(problem: question, to: &output) }
        var text = ""
        for frames in answers {
            text += (text.isEmpty ? "" : ",") + object(LLVMSymbolizerText.single(frames, options, isSymbol: true), names, withSource: false)
        }
        append(question, ("Loc", "[\(text)]"), to: &output)
    }

    func append(_ variable: PrintedVariable?, for question: AddressQuestion, to output: inout OutputText) {
        if question.words?.problem != nil { return append(problem: question, to: &output) }
        let name = quoted(variable?.name ?? "")
        append(
            question,
            (
                "Data",
                "{\"Name\":\(name),\"Size\":\"\(hexadecimal(variable?.size ?? 0))\",\"Start\":\"\(hexadecimal(variable?.start ?? 0))\"}"
            ),
            to: &output)
    }

    func append(_ locals: [LocalVariable], for question: AddressQuestion, to output: inout OutputText) {
        if question.words?.problem != nil { return append(problem: question, to: &output) }
        let objects = locals.map { local in
            let offset = local.frameOffset.map { "\"FrameOffset\":\($0)," } ?? ""
            return
                "{\"DeclFile\":\(quoted(local.file?.path ?? "")),\"DeclLine\":\(local.line),\(offset)\"FunctionName\":\(quoted(local.function ?? ""))"
                + ",\"Name\":\(quoted(local.name ?? "")),\"Size\":\"\(local.size.map(hexadecimal) ?? "")\",\"TagOffset\":\"\(local.tagOffset.map(hexadecimal) ?? "")\"}"
        }
        append(question, ("Frame", "[\(objects.joined(separator: ","))]"), to: &output)
    }

    /// Why there is no answer.
    func append(problem question: AddressQuestion, to output: inout OutputText) {
        append(question, ("Error", "{\"Message\":\(quoted(question.words?.problem ?? ""))}"), to: &output)
    }

    private func append(_ question: AddressQuestion, _ answer: (name: String, text: String), to output: inout OutputText) {
        var members = [answer, ("ModuleName", quoted(question.words?.module ?? ""))]
        if let symbol = question.words?.symbol { members.append(("SymName", quoted(symbol))) }
        if let address = question.shown { members.append(("Address", "\"\(hexadecimal(address))\"")) }
        members.sort { $0.0 < $1.0 }
        if question.number > 0 { output.append(UInt8(ascii: ",")) }
        let object = "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
        if options.isPretty, question.number >= 0 { output.append("\n  ") }
        output.append(text: options.isPretty ? IndentedJSON.text(object, depth: question.number < 0 ? 0 : 1) : object)
        if question.number < 0 { output.append(UInt8(ascii: "\n")) }
    }

    private func object(_ frame: PrintedFrame, _ names: borrowing PrintedNames, withSource: Bool) -> String {
        let file = frame.file.map { options.path(names.text($0), nil) } ?? ""
        var text = frame.isApproximate ? "{\"Approximate\":true," : "{"
        text += "\"Column\":\(frame.column),\"Discriminator\":\(frame.discriminator),\"FileName\":\(quoted(file))"
        text += ",\"FunctionName\":\(quoted(names.text(frame.name))),\"Line\":\(frame.line)"
        if withSource, options.contextLines > 0, let file = frame.file,
            let context = SourceContext(names.text(file), frame, options.contextLines)
        {
            text += ",\"Source\":\(quoted(context.text))"
        }
        let declaration = frame.details?.declaration
        let declared = options.declarationPath(frame)
        text += ",\"StartAddress\":\"\(options.start(frame).map { hexadecimal($0.value) } ?? "")\",\"StartFileName\":\(quoted(declared))"
        return text + ",\"StartLine\":\(declaration?.line ?? 0)}"
    }

    private func hexadecimal(_ number: UInt64) -> String { "0x" + number.hexadecimal() }

    /// RFC 8259, section 7, escaped as LLVM's writer does: what cannot be seen as `\u00XX`, but for tab, line feed and carriage return.
    private func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\t": result += "\\t"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case _ where scalar.value < 0x20: result += "\\u" + UInt64(scalar.value).hexadecimal(width: 4)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
