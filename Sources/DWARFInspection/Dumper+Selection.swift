/// Entries that are chosen: by an address, by their names.
extension Dumper {
    /// - Returns: whether a unit covers the address.
    func lookUp(_ address: UInt64) -> Bool {
        guard let context = object.main else { return false }
        let lookup = Lookup(context: context, address: address, table: object.sections[".debug_aranges"])
        guard let location = lookup.location() else { return false }
        var alone = options
        alone.childDepth = 0
        // Registers have no names here, as LLVM has it.
        let text = entryText(context, alone, registers: nil)
        UnitText(text).write(location.unit)
        if let function = location.function { text.write(function, indent: 2) }
        if let block = location.block { text.write(block, indent: 4) }
        guard let line = lookup.line(location) else { return true }
        if options.isJSON {
            writeJSON(line)
            return true
        }
        output.text("Line info: ")
        if let file = line.file {
            output.text("file '")
            output.name(file)
            output.text("', ")
        }
        output.text("line \(line.line), column \(line.column), ")
        if let file = line.startFile {
            output.text("start file '")
            output.name(file)
            output.text("', ")
        }
        output.text("start line \(line.startLine)\n")
        return true
    }

    private func writeJSON(_ line: Lookup.Line) {
        let json = JSONText(output)
        json.line {
            json.object("line") {
                if let file = line.file { json.string("file", file) }
                json.number("line", UInt64(line.line))
                json.number("column", UInt64(line.column))
                if let file = line.startFile { json.string("startFile", file) }
                json.number("startLine", line.startLine)
            }
        }
    }

    /// Entries that have one of the names, plain or mangled.
    func findByName() throws(DumpError) {
        let pattern = try NamePattern(options)
        for context in [object.main, object.split] {
            guard let context else { continue }
            let text = entryText(context, options, registers: object.registers)
            for unit in context.units {
                context.forEachEntry(of: unit) { entry in
                    if let name = context.shortName(entry), pattern.matches(name.bytes) { return text.write(entry, indent: 0) }
                    if let name = context.linkageName(entry), pattern.matches(name.bytes) { text.write(entry, indent: 0) }
                }
            }
        }
    }
}

/// Which names are meant by `--name`.
struct NamePattern {
    private let names: Set<[UInt8]>
    private let expressions: [Regex<AnyRegexOutput>]
    private let ignoresCase: Bool

    /// - Throws: `DumpError` if an expression is none.
    init(_ options: DumpOptions) throws(DumpError) {
        ignoresCase = options.ignoresCase
        guard options.usesPatterns else {
            names = Set(options.names.map { Self.folded(Array($0.utf8), options.ignoresCase) })
            expressions = []
            return
        }
        names = []
        var expressions: [Regex<AnyRegexOutput>] = []
        for text in options.names {
            do { expressions.append(try Regex(text).ignoresCase(options.ignoresCase)) } catch {
                throw DumpError("\(text): not a regular expression: \(error)")
            }
        }
        self.expressions = expressions
    }

    func matches(_ name: [UInt8]) -> Bool {
        if expressions.isEmpty { return names.contains(Self.folded(name, ignoresCase)) }
        let text = String(decoding: name, as: UTF8.self)
        return expressions.contains { (try? $0.firstMatch(in: text)) != nil }
    }

    /// ASCII's letters alone have two cases here, as in LLVM.
    private static func folded(_ name: [UInt8], _ ignoresCase: Bool) -> [UInt8] {
        ignoresCase ? name.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 } : name
    }
}
