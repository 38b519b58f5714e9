internal import BinaryPrimitives
internal import Console
internal import Demangling
internal import ObjectFiles
internal import SymbolSources
internal import Symbolication

/// `llvm-symbolizer --filter-markup`: copies standard input to standard output, with markup replaced by its
/// meaning (`llvm/lib/DebugInfo/Symbolize/MarkupFilter.cpp`, LLVM 19).
///
/// A line that describes a module's location (`module`, `mmap`, `reset`) is cut after that element;
/// consecutive lines of one module become one line. An element that cannot be resolved is put in square
/// brackets.
struct MarkupFilter: ~Copyable {
    private var files: OpenedFiles
    private var names: PrintedNames
    private var colors: MarkupColors
    private var memory = MarkupMemory()
    /// Print LLVM's output even where cairn differs on purpose.
    private let isStrict: Bool
    private let context: ToolContext
    /// Symbols by a file's number, if the options select them.
    private var nearest: [Int: NearestLLVMSymbols] = [:]
    private var output = OutputText()
    private var line: [UInt8] = []
    /// The module whose line is being written, and the mappings at the end of that line.
    private var open: (module: UInt64, mappings: [MarkupMemory.Mapping])?

    init(_ options: LLVMSymbolizerOptions, isTerminal: Bool) {
        isStrict = options.isStrict
        context = options.context
        var fileOptions = options.fileOptions
        fileOptions.searchesAsLLVM = isStrict
        files = OpenedFiles(architecture: options.architecture, fileOptions, needs: .details)
        names = PrintedNames(.ofTools(style: options.demangles ? .simplified : .none), .linkage)
        colors = MarkupColors(areEnabled: options.color == .always || (options.color == .automatic && isTerminal))
    }

    /// Filters standard input, each line as soon as it arrives.
    static func run(_ options: LLVMSymbolizerOptions) -> ExitStatus {
        let context = options.context
        var filter = MarkupFilter(options, isTerminal: FileDescriptor.isTerminal(context.output))
        var lines = InputLines(limit: Limits.standard.lineLength, from: context.input)
        var output = StandardOutput(to: context.output, keepsColors: true)
        do throws(FileError) {
            while true {
                while lines.next({ filter.filter($0) }) {}
                if lines.isAtEnd { filter.finish() }
                output.append(filter.removeOutput())
                if lines.isAtEnd || !lines.isMoreWaiting { output.flush() }
                if lines.isAtEnd { return .done }
                try lines.read()
            }
        } catch {
            printDiagnostic(error.description, to: context.errors)
            return .failed
        }
    }

    /// Removes and returns the output since the last call.
    mutating func removeOutput() -> [UInt8] {
        let bytes = output.bytes
        output.removeAll()
        return bytes
    }

    /// - Parameter text: a line, without its line feed.
    mutating func filter(_ text: Span<UInt8>) {
        line.removeAll(keepingCapacity: true)
        for index in text.indices { line.append(text[index]) }
        line.append(UInt8(ascii: "\n"))
        colors.reset(to: &output)
        let nodes = MarkupNode.nodes(in: line)
        for (index, node) in nodes.enumerated() where apply(contextual: node, after: nodes[..<index]) { return }
        endModuleLine()
        for node in nodes { append(node) }
    }

    mutating func finish() {
        endModuleLine()
        colors.reset(to: &output)
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: line[range], as: UTF8.self) }
    private var lineEnding: String { line.count >= 2 && line[line.count - 2] == UInt8(ascii: "\r") ? "\r\n" : "\n" }

    // MARK: Where modules are

    /// - Returns: whether the element describes a module's location: then the line is finished.
    private mutating func apply(contextual node: MarkupNode, after before: ArraySlice<MarkupNode>) -> Bool {
        switch text(node.tag) {
        case "mmap": applyMapping(node, before)
        case "reset": applyReset(node, before)
        case "module": applyModule(node, before)
        default: return false
        }
        return true
    }

    private mutating func applyReset(_ node: MarkupNode, _ before: ArraySlice<MarkupNode>) {
        guard expectFields(node, exactly: 0), !memory.isEmpty else { return }
        endModuleLine()
        for node in before { append(node) }
        appendRaw(node)
        output.append(text: lineEnding)
        memory.removeAll()
    }

    private mutating func applyModule(_ node: MarkupNode, _ before: ArraySlice<MarkupNode>) {
        guard expectFields(node, atLeast: 3), let id = number(node.fields[0], "module ID", radix: nil) else { return }
        guard text(node.fields[2]) == "elf" else { return report("unknown module type", at: node.fields[2].lowerBound) }
        guard expectFields(node, exactly: 4) else { return }
        guard let buildID = LLVMSymbolizerInput.buildID(line.span.extracting(node.fields[3])) else {
            return reportType(node.fields[3], "build ID")
        }
        let module = MarkupMemory.Module(id: id, name: text(node.fields[1]), buildID: buildID)
        guard memory.add(module) else { return report("duplicate module ID", at: node.fields[0].lowerBound) }
        endModuleLine()
        for node in before { append(node) }
        beginModuleLine(module)
        output.append("; BuildID=")
        appendValue(buildID.map { UInt64($0).hexadecimal(width: 2) }.joined())
    }

    private mutating func applyMapping(_ node: MarkupNode, _ before: ArraySlice<MarkupNode>) {
        guard expectFields(node, atLeast: 3), let start = address(node.fields[0]), let size = number(node.fields[1], "size", radix: nil)
        else { return }
        guard text(node.fields[2]) == "load" else { return report("unknown mmap type", at: node.fields[2].lowerBound) }
        guard expectFields(node, exactly: 6), let id = number(node.fields[3], "module ID", radix: nil) else { return }
        guard let mode = mode(node.fields[4]) else { return }
        guard let module = memory.modules[id] else { return report("unknown module ID", at: node.fields[3].lowerBound) }
        guard let relative = address(node.fields[5]) else { return }
        let mapping = MarkupMemory.Mapping(start: start, size: size, module: module, mode: mode, relativeStart: relative)
        if let other = memory.add(mapping) {
            let range = "[0x\(other.start.hexadecimal())-0x\(other.last.hexadecimal())]"
            return report("overlapping mmap: #0x\(other.module.id.hexadecimal()) \(range)", at: node.fields[0].lowerBound)
        }
        if open?.module != id {
            endModuleLine()
            for node in before { append(node) }
            beginModuleLine(module)
            output.append("; adds")
        }
        open?.mappings.append(mapping)
    }

    private mutating func beginModuleLine(_ module: MarkupMemory.Module) {
        colors.highlight(to: &output)
        output.append("[[[ELF module")
        appendValue(" #0x\(module.id.hexadecimal()) ")
        output.append("\"")
        appendValue(module.name)
        output.append("\"")
        open = (module.id, [])
    }

    private mutating func endModuleLine() {
        guard let (_, mappings) = open else { return }
        var separator = " "
        for mapping in mappings.sorted(by: { $0.start < $1.start }) {
            output.append(text: separator + "[")
            separator = ","
            appendValue("0x\(mapping.start.hexadecimal())")
            output.append("-")
            appendValue("0x\(mapping.last.hexadecimal())")
            output.append("](")
            appendValue(mapping.mode)
            output.append(")")
        }
        output.append(text: "]]]" + lineEnding)
        colors.restore(to: &output)
        open = nil
    }

    // Elements that are printed: symbols, addresses, backtraces, data.

    private mutating func append(_ node: MarkupNode) {
        guard !node.tag.isEmpty else {
            if MarkupColors.sequenceSize(line[node.range]) == node.range.count {
                colors.apply(line[node.range], to: &output)
            } else {
                output.append(line, node.range)
            }
            return
        }
        guard line[node.tag].allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }) else {
            return report("tags must be all lowercase characters", at: node.tag.lowerBound)
        }
        switch text(node.tag) {
        case "symbol": appendSymbol(node)
        case "pc": appendPC(node)
        case "bt": appendBacktrace(node)
        case "data": appendData(node)
        default: output.append(line, node.range)
        }
    }

    private mutating func appendSymbol(_ node: MarkupNode) {
        guard expectFields(node, exactly: 1) else { return }
        colors.highlight(to: &output)
        output.append(text: Demangler.ofTools().demangle(text(node.fields[0])))
        colors.restore(to: &output)
    }

    private mutating func appendPC(_ node: MarkupNode) {
        guard expectFields(node, atLeast: 1) else { return }
        warnFields(node, atMost: 2)
        // Outside of a backtrace an address is an instruction's, unless the element specifies otherwise.
        guard let typed = address(node.fields[0]),
            let isReturnAddress = node.fields.count == 2 ? isReturnAddress(node.fields[1]) : false
        else { return }
        guard let (mapping, relative, file) = find(isReturnAddress ? typed &- 1 : typed, node) else { return }
        let frames = frames(relative, mapping, file)
        guard !frames.isEmpty else { return appendRaw(node) }
        // The function that holds the code, with the line of the innermost call.
        var frame = frames[0]
        frame.name = frames[frames.count - 1].name
        colors.highlight(to: &output)
        appendValue(name(frame))
        output.append("[")
        appendValue(path(frame))
        output.append(":")
        appendValue("\(frame.line)")
        output.append("]")
        colors.restore(to: &output)
    }

    private mutating func appendBacktrace(_ node: MarkupNode) {
        guard expectFields(node, atLeast: 2) else { return }
        warnFields(node, atMost: 3)
        // In a backtrace an address is a return address, unless the element specifies otherwise.
        guard let number = number(node.fields[0], "frame number", radix: 10), let typed = address(node.fields[1]),
            let isReturnAddress = node.fields.count == 3 ? isReturnAddress(node.fields[2]) : true
        else { return }
        let address = isReturnAddress ? typed &- 1 : typed
        guard let (mapping, relative, file) = find(address, node) else { return }
        let frames = frames(relative, mapping, file)
        let count = max(1, frames.count)
        colors.highlight(to: &output)
        for index in 0..<count {
            let digits = "\(number)"
            output.append(text: String(repeating: " ", count: max(0, 6 - 1 - digits.utf8.count)) + "#")
            appendValue(digits)
            if index == count - 1 {
                output.append("   ")
            } else {
                output.append(".")
                appendValue("\(index + 1)" + (index + 1 < 10 ? " " : ""))
            }
            appendValue(" 0x\(address.hexadecimal(width: 16)) ")
            if index < frames.count {
                appendValue(name(frames[index]))
                output.append(" ")
                appendValue(path(frames[index]))
                output.append(":")
                appendValue("\(frames[index].line)")
                output.append(":")
                appendValue("\(frames[index].column)")
                output.append(" ")
            }
            output.append("(")
            appendValue(mapping.module.name)
            output.append("+")
            appendValue("0x\(relative.value.hexadecimal())")
            output.append(")")
            if index < count - 1 { output.append(text: lineEnding) }
        }
        colors.restore(to: &output)
    }

    private mutating func appendData(_ node: MarkupNode) {
        guard expectFields(node, exactly: 1), let address = address(node.fields[0]), let (_, relative, file) = find(address, node) else {
            return
        }
        let variable = PrintedVariable(at: relative, in: file.source, ignoresMemoryTags: true, names)
        colors.highlight(to: &output)
        output.append(text: variable?.name ?? "??")
        colors.restore(to: &output)
    }

    /// Returns the module's file for an address; if there is none, that is reported and the element is
    /// printed unchanged.
    private mutating func find(_ address: UInt64, _ node: MarkupNode) -> (MarkupMemory.Mapping, LinkAddress, ImageFile)? {
        guard let mapping = memory.mapping(containing: address) else {
            report("no mmap covers address", at: node.fields[0].lowerBound)
            appendRaw(node)
            return nil
        }
        do throws(ObjectFileError) {
            if let number = try files.number(ofBuildID: mapping.module.buildID), let file = files[number] {
                return (mapping, LinkAddress(address &- mapping.start &+ mapping.relativeStart), file)
            }
            writeError("error: could not find build ID\n", to: context.errors)
        } catch {
            writeError("error: \(error.description)\n", to: context.errors)
        }
        appendRaw(node)
        return nil
    }

    private mutating func frames(_ address: LinkAddress, _ mapping: MarkupMemory.Mapping, _ file: ImageFile) -> [PrintedFrame] {
        names.forgetIfLarge()
        var frames: [PrintedFrame] = []
        if let result = file.detailedResults(at: [address]).first { names.append(result, to: &frames) }
        if isStrict, let number = (try? files.number(ofBuildID: mapping.module.buildID)) ?? nil {
            if nearest[number] == nil { nearest[number] = NearestLLVMSymbols(file.symbolTableFile) }
            if let symbol = nearest[number]?.symbol(at: address) {
                if frames.isEmpty { frames.append(.unknown) }
                symbol.complete(&frames[frames.count - 1], &names, withName: true)
            }
        }
        return frames
    }

    /// The tool's own text for an unknown value; everywhere else it is `??`.
    private var unknown: String { isStrict ? "<invalid>" : "??" }
    private func name(_ frame: PrintedFrame) -> String { frame.name.isEmpty ? unknown : names.text(frame.name) }
    private func path(_ frame: PrintedFrame) -> String { frame.file.map { names.text($0) } ?? unknown }

    private mutating func appendRaw(_ node: MarkupNode) {
        colors.highlight(to: &output)
        output.append("[[[")
        appendValue(text(node.tag))
        for field in node.fields {
            output.append(":")
            appendValue(text(field))
        }
        output.append("]]]")
        colors.restore(to: &output)
    }

    private mutating func appendValue(_ value: String) {
        colors.highlightValue(to: &output)
        output.append(text: value)
        colors.highlight(to: &output)
    }

    // Fields of an element.

    /// Parses an address: `0x` and digits, or zeros.
    private func address(_ field: Range<Int>) -> UInt64? {
        let text = line.span.extracting(field)
        if !text.isEmpty, line[field].allSatisfy({ $0 == UInt8(ascii: "0") }) { return 0 }
        guard text.hasPrefix("0x"), let value = LLVMSymbolizerInput.number(text) else {
            reportType(field, "address")
            return nil
        }
        return value
    }

    /// - Parameter radix: 10, or `nil` for C's notation.
    private func number(_ field: Range<Int>, _ kind: String, radix: Int?) -> UInt64? {
        let value =
            radix == nil
            ? LLVMSymbolizerInput.number(line.span.extracting(field))
            : line[field].first.flatMap { isDigit($0) ? UInt64(text(field)) : nil }
        if value == nil { reportType(field, kind) }
        return value
    }

    /// Parses a mode: `r`, `w` and `x` in this order, in either case, each at most once.
    private func mode(_ field: Range<Int>) -> String? {
        let text = text(field).lowercased()
        var rest = text[...]
        for letter in ["r", "w", "x"] where rest.hasPrefix(letter) { rest = rest.dropFirst() }
        guard !text.isEmpty, rest.isEmpty else {
            reportType(field, "mode")
            return nil
        }
        return text
    }

    private func isReturnAddress(_ field: Range<Int>) -> Bool? {
        switch text(field) {
        case "ra": return true
        case "pc": return false
        default:
            reportType(field, "PC type")
            return nil
        }
    }

    // MARK: What is wrong

    /// - Returns: whether the element can be used. Additional fields are ignored.
    private func expectFields(_ node: MarkupNode, exactly count: Int) -> Bool {
        guard node.fields.count != count else { return true }
        let isMore = node.fields.count > count
        report("expected \(count) field(s); found \(node.fields.count)", at: node.tag.upperBound, isWarning: isMore)
        return isMore
    }

    private func expectFields(_ node: MarkupNode, atLeast count: Int) -> Bool {
        guard node.fields.count < count else { return true }
        report("expected at least \(count) field(s); found \(node.fields.count)", at: node.tag.upperBound)
        return false
    }

    private func warnFields(_ node: MarkupNode, atMost count: Int) {
        guard node.fields.count > count else { return }
        report("expected at most \(count) field(s); found \(node.fields.count)", at: node.tag.upperBound, isWarning: true)
    }

    private func reportType(_ field: Range<Int>, _ kind: String) {
        report("expected \(kind); found '\(text(field))'", at: field.lowerBound)
    }

    /// Reports an error, with a mark below its position in the line.
    private func report(_ message: String, at position: Int, isWarning: Bool = false) {
        writeError(
            "\(isWarning ? "warning" : "error"): \(message)\n" + text(0..<line.count) + String(repeating: " ", count: position) + "^\n",
            to: context.errors)
    }
}
