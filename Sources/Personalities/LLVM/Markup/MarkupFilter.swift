internal import BinaryPrimitives
internal import Console
internal import Demangling

/// `llvm-symbolizer --filter-markup`: copies standard input to standard output, with markup replaced by its
/// meaning (`llvm/lib/DebugInfo/Symbolize/MarkupFilter.cpp`, LLVM 19).
///
/// A line that describes a module's location (`module`, `mmap`, `reset`) is cut after that element;
/// consecutive lines of one module become one line. An element that cannot be resolved is put in square
/// brackets.
struct MarkupFilter: ~Copyable {
    var files: OpenedFiles
    var names: PrintedNames
    var colors: MarkupColors
    var memory = MarkupMemory()
    /// Print LLVM's output even where cairn differs on purpose.
    let isStrict: Bool
    let context: ToolContext
    /// Symbols by a file's number, if the options select them.
    var nearest: [Int: NearestLLVMSymbols] = [:]
    var output = OutputText()
    var line: [UInt8] = []
    /// The module whose line is being written, and the mappings at the end of that line.
    private var open: (module: UInt64, mappings: [MarkupMemory.Mapping])?

    init(_ options: LLVMSymbolizerOptions, isTerminal: Bool) {
        isStrict = options.isStrict
        context = options.context
        var fileOptions = options.fileOptions
        fileOptions.searchesAsLLVM = isStrict
        files = OpenedFiles(architecture: options.architecture, fileOptions, needs: .details)
        names = PrintedNames(Demangler(style: options.demangles ? .simplified : .none), .linkage)
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
            complain(error.description, to: context.errors)
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

    func text(_ range: Range<Int>) -> String { String(decoding: line[range], as: UTF8.self) }
    var lineEnding: String { line.count >= 2 && line[line.count - 2] == UInt8(ascii: "\r") ? "\r\n" : "\n" }

    // MARK: Where modules are

    /// - Returns: whether the element describes a module's location: then the line is finished.
    mutating func apply(contextual node: MarkupNode, after before: ArraySlice<MarkupNode>) -> Bool {
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
}
