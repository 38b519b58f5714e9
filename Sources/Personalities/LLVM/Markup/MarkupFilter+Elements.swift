internal import BinaryPrimitives
internal import Console
internal import Demangling
internal import ObjectFiles
internal import SymbolSources
internal import Symbolication

/// Replaces the elements that are printed: symbols, addresses, backtraces, data.
extension MarkupFilter {
    mutating func append(_ node: MarkupNode) {
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
        output.append(text: Demangler(style: .simplified).demangle(text(node.fields[0])))
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
        let variable = PrintedVariable(at: relative, in: file.source, untags: true, names)
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
        if let answer = file.detailedAnswers(at: [address]).first { names.append(answer, to: &frames) }
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
    var unknown: String { isStrict ? "<invalid>" : "??" }
    func name(_ frame: PrintedFrame) -> String { frame.name.isEmpty ? unknown : names.text(frame.name) }
    private func path(_ frame: PrintedFrame) -> String { frame.file.map { names.text($0) } ?? unknown }

    mutating func appendRaw(_ node: MarkupNode) {
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

    mutating func appendValue(_ value: String) {
        colors.highlightValue(to: &output)
        output.append(text: value)
        colors.highlight(to: &output)
    }
}
