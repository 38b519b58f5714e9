internal import BinaryPrimitives
internal import Console
internal import DWARF
internal import ObjectFiles
internal import SymbolSources
internal import Symbolication

/// `llvm-symbolizer` and `llvm-addr2line`: their options, input and output; also chosen when cairn is called
/// by one of these names.
///
/// Messages are LLVM 19's. Intentional differences: an address outside every function has no name, and a
/// function without debug information no file.
struct LLVMSymbolizer: AddressTool {
    private let options: LLVMSymbolizerOptions
    private let toolName: String
    /// The command line names the file.
    private let isNamed: Bool
    var files: OpenedFiles
    private let text: LLVMSymbolizerText
    private let json: LLVMSymbolizerJSON
    /// `fgets` with a buffer of 1,024 bytes, one of them the zero.
    static let lineLimit = 1023
    /// Symbols by a file's number, if the options select the original's results.
    private var nearest: [Int: NearestLLVMSymbols] = [:]

    var context: ToolContext { options.context }

    static func run(_ arguments: [String], _ context: ToolContext) -> ExitStatus { run(arguments, isAddr2Line: false, context) }
    static func runAddr2Line(_ arguments: [String], _ context: ToolContext) -> ExitStatus { run(arguments, isAddr2Line: true, context) }

    private static func run(_ arguments: [String], isAddr2Line: Bool, _ context: ToolContext) -> ExitStatus {
        let name = isAddr2Line ? "llvm-addr2line" : "llvm-symbolizer"
        do throws(LLVMSymbolizerOptions.Request) {
            let environment = context.variable(isAddr2Line ? "LLVM_ADDR2LINE_OPTS" : "LLVM_SYMBOLIZER_OPTS")
            let options = try LLVMSymbolizerOptions(arguments, isAddr2Line: isAddr2Line, environment: environment, context)
            if options.filtersMarkup { return MarkupFilter.run(options) }
            var tool = LLVMSymbolizer(options, name)
            guard tool.openGivenFile() else { return .failed }
            var dialogue = AddressDialogue(tool)
            return dialogue.run(arguments: options.addresses)
        } catch {
            switch error {
            case .help: context.writeOutput(LLVMOptionTable.help(name))
            // Programs parse LLVM's line.
            case .version: context.writeOutput("\(name)\ncairn \(cairnVersion), compatible with\nLLVM version 19.1.7\n")
            case .misuse(let lines):
                for line in lines { writeError(line + "\n", to: context.errors) }
                return .failed
            }
            return .done
        }
    }

    private init(_ options: LLVMSymbolizerOptions, _ name: String) {
        self.options = options
        toolName = name
        isNamed = options.object != nil || options.buildID != nil
        var fileOptions = options.fileOptions
        fileOptions.searchesAsLLVM = options.isStrict
        fileOptions.allowsStandardInput = options.object == "-"
        files = OpenedFiles(
            architecture: options.architecture, fileOptions,
            needs: options.skipsLineZero ? .rowDetails : options.needsDetails ? .details : .nothing)
        text = LLVMSymbolizerText(options)
        json = LLVMSymbolizerJSON(options)
    }

    /// Opens the file of the command line.
    /// - Returns: whether there is a file to look up in; an error was reported otherwise.
    private mutating func openGivenFile() -> Bool {
        guard let object = options.object else { return true }
        do throws(ObjectFileError) { _ = try files.number(of: object) } catch {
            guard options.style == .json else {
                report(error)
                return false
            }
            var query = AddressQuery()
            query.shown = 0
            query.echo = QueryEcho(module: object, problem: Self.message(error))
            var output = OutputText()
            json.append(problem: query, to: &output)
            var standardOutput = StandardOutput(to: context.output)
            standardOutput.append(output.bytes)
            standardOutput.flush()
            return false
        }
        return true
    }

    func makeNames() -> PrintedNames { PrintedNames(options) }

    mutating func query(in line: Span<UInt8>) -> AddressQuery {
        var query = AddressQuery()
        // An empty line checks whether the process is alive.
        let line = line.at(line.count - 1) == UInt8(ascii: "\r") ? line.upTo(line.count - 1) : line
        var module = ""
        guard !line.isEmpty else {
            if options.style == .json { query.echo = QueryEcho(module: module) }
            return query
        }
        var problem: String?
        do throws(LLVMSymbolizerInput.Misread) {
            let input = try LLVMSymbolizerInput(line, isNamed: isNamed, isAddr2Line: options.isAddr2Line) { file in
                module = name(of: file, in: line)
            }
            problem = open(input.file, line, &query)
            // The common case, a million addresses of one file, needs no name.
            if case .given = input.file, options.style == .json || !input.isAddress { module = name(of: .given, in: line) }
            query.subject = input.subject
            switch input.target {
            case .address(let address):
                query.shown = address
                query.address = LinkAddress(address &- options.adjustment)
                if options.style == .json { query.echo = QueryEcho(module: module, problem: problem) }
            case .symbol(let name, let offset): ask(name, offset, module, problem, &query)
            }
        } catch {
            writeLine("\(toolName): error: '\(line.text)': \(error.message)")
            if module.isEmpty { module = options.object ?? "" }
            if options.style == .json { query.echo = QueryEcho(module: module) }
            query.subject = .code
            query.file = nil
        }
        return query
    }

    func complete(_ frames: inout [PrintedFrame], _ names: inout PrintedNames, for query: AddressQuery) {
        guard options.isStrict, options.names != .short, let number = query.file else { return }
        guard let symbol = nearest[number]?.symbol(at: query.address) else { return }
        if frames.isEmpty { frames.append(.unknown) }
        let last = frames.count - 1
        symbol.complete(&frames[last], &names, withName: options.names == .linkage)
    }

    private func name(of file: LLVMSymbolizerInput.File, in line: Span<UInt8>) -> String {
        switch file {
        case .given: options.buildID.map(Self.digits) ?? options.object ?? ""
        case .path(let range): line.extracting(range).text
        case .buildID(let id): Self.digits(id)
        }
    }

    private static func digits(_ id: [UInt8]) -> String { id.map { UInt64($0).hexadecimal(width: 2).uppercased() }.joined() }

    /// Sets the question's file.
    /// - Returns: a message why the file cannot be read; `nil` if it can.
    private mutating func open(_ file: LLVMSymbolizerInput.File, _ line: Span<UInt8>, _ query: inout AddressQuery) -> String? {
        do throws(ObjectFileError) {
            switch file {
            case .path(let range): query.file = try files.number(of: line.extracting(range))
            case .buildID(let id): return try open(buildID: id, &query)
            case .given:
                if let number = files.given {
                    query.file = number
                } else if let id = options.buildID {
                    return try open(buildID: id, &query)
                } else if let object = options.object {
                    query.file = try files.number(ofGiven: object)
                }
            }
            if options.isStrict, let number = query.file, nearest[number] == nil, let file = files[number] {
                nearest[number] = NearestLLVMSymbols(file.symbolTableFile)
                for flaw in file.source.addressTableFlaws() { writeLine("warning: \(flaw)") }
            }
            return nil
        } catch {
            if options.style != .json { report(error) }
            return Self.message(error)
        }
    }

    private mutating func open(buildID id: [UInt8], _ query: inout AddressQuery) throws(ObjectFileError) -> String? {
        query.file = try files.number(ofBuildID: id)
        guard query.file == nil else { return nil }
        let problem = "could not find build ID"
        if options.style != .json { writeLine("\(toolName): error: '\(Self.digits(id))': \(problem)") }
        return problem
    }

    /// Looks up a symbol's addresses.
    private func ask(_ name: String, _ offset: UInt64, _ module: String, _ problem: String?, _ query: inout AddressQuery) {
        // Variables and frames are looked up only by an address; the tool uses the offset that was added to
        // the symbol as the address.
        guard query.subject == .code else {
            query.address = LinkAddress(offset)
            query.echo = QueryEcho(module: module, symbol: name, problem: problem)
            return
        }
        query.subject = .symbol
        var found: [LinkAddress] = []
        if let file = query.file.flatMap({ files[$0] }),
            case .found(let addresses)? = file.source.locate([.symbol(SymbolLocation(name: name, offset: 0))]).first
        {
            found = addresses.compactMap { address in
                guard let number = query.file, let nearest = nearest[number] else { return address.advanced(by: offset) }
                // If several symbols have an address, the tool uses one, and not beyond its end.
                guard let symbol = nearest.symbol(at: address), symbol.name == name else { return nil }
                return offset < symbol.size ? address.advanced(by: offset) : address
            }
        }
        query.echo = QueryEcho(module: module, symbol: name, addresses: found, problem: problem)
    }

    func append(_ frames: [PrintedFrame], _ names: borrowing PrintedNames, for query: AddressQuery, to output: inout OutputText) {
        if options.style == .json {
            json.append(frames, names, for: query, to: &output)
        } else {
            text.append(frames, names, for: query, to: &output)
        }
    }

    func appendOther(_ query: AddressQuery, _ names: inout PrintedNames, to output: inout OutputText) {
        let file = query.file.flatMap { files[$0] }
        switch query.subject {
        case .code: append([], names, for: query, to: &output)
        case .symbol:
            // Addresses without a line are left out, because the question named a symbol and not an address.
            let results: [[PrintedFrame]] = (query.echo?.addresses ?? []).compactMap { address in
                var frames: [PrintedFrame] = []
                let requested = file?.prepared(forPlacedAddresses: !options.isStrict)
                if let result = requested?.detailedResults(at: [address]).first { names.append(result, to: &frames) }
                var addressQuery = query
                addressQuery.address = address
                complete(&frames, &names, for: addressQuery)
                return frames.first?.file == nil ? nil : frames
            }
            if options.style == .json {
                json.append(symbol: results, names, for: query, to: &output)
            } else {
                text.append(symbol: results, names, to: &output)
            }
        case .data:
            var variable = file.flatMap {
                PrintedVariable(
                    at: query.address, in: $0.source, ignoresMemoryTags: options.ignoresMemoryTags, asLLVM: options.isStrict, names)
            }
            if options.isStrict, let nearest = query.file.flatMap({ nearest[$0] })?.symbol(at: query.address) {
                variable = variable ?? PrintedVariable(nearest, names)
                if let file = nearest.file, variable?.declaration == nil { variable?.declaration = SourceLocation(file: file, line: 0) }
            }
            if options.style == .json {
                json.append(variable, for: query, to: &output)
            } else {
                text.append(variable, for: query, to: &output)
            }
        case .frame:
            let locals = file?.source.locals(at: query.address) ?? []
            if options.style == .json {
                json.append(locals, for: query, to: &output)
            } else {
                text.append(locals, for: query, to: &output)
            }
        }
    }

    func warn(_ note: String) {
        // The tool's message says what is damaged, but not what that affects.
        var rest = note[...]
        for _ in 0..<2 {
            guard let colon = rest.firstIndex(of: ":"), rest[colon...].hasPrefix(": ") else { break }
            rest = rest[rest.index(colon, offsetBy: 2)...]
        }
        writeLine("warning: \(rest)")
    }

    var listBegin: StaticString { options.style == .json ? "[" : "" }
    var listEnd: StaticString { options.style != .json ? "" : options.isPretty ? "\n]\n" : "]\n" }

    private func report(_ failure: ObjectFileError) {
        writeLine("\(toolName): error: '\(failure.path)': \(Self.message(failure))")
    }

    /// The system's message for common errors; else cairn's own, which is more specific than the tool's.
    private static func message(_ failure: ObjectFileError) -> String {
        switch (PathKind(path: failure.path), failure.kind) {
        case (nil, .unreadable): "No such file or directory"
        case (.directory, _): "Is a directory"
        default: failure.problem
        }
    }

    private func writeLine(_ message: String) { writeError(message + "\n", to: context.errors) }
}

/// A variable, as it is printed.
struct PrintedVariable {
    var name: String
    var start: UInt64
    /// Bytes.
    var size: UInt64
    /// Location of its declaration; `nil` if that is not known.
    var declaration: SourceLocation?

    init(_ symbol: NearestLLVMSymbols.Found, _ names: borrowing PrintedNames) {
        name = names.text(symbol.name)
        start = symbol.start
        size = symbol.size
    }

    /// - Parameter ignoresMemoryTags: ignore the upper byte of symbols' addresses.
    /// - Returns: `nil` if no variable holds the address.
    init?(at address: LinkAddress, in source: ObjectSource, ignoresMemoryTags: Bool, asLLVM: Bool = false, _ names: borrowing PrintedNames)
    {
        guard let symbol = source.symbol(containing: address, ignoresMemoryTags: ignoresMemoryTags) else { return nil }
        name = names.text(symbol.name)
        start = symbol.start.value
        size = symbol.size
        if let variable = source.variable(at: address), let file = variable.file {
            // LLVM does not read a file attribute whose value is in the entry's abbreviation.
            declaration = SourceLocation(file: asLLVM && variable.isFileImplicit ? "" : file.path, line: variable.line)
        }
    }
}
