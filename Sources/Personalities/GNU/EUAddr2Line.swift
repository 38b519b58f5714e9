internal import BinaryPrimitives
internal import Console
internal import DWARF
internal import Demangling
internal import ObjectFiles
internal import SymbolSources
internal import Symbolication

/// elfutils' `eu-addr2line`: its options, input and output (0.188, `addr2line.c`); also chosen when
/// cairn is called by that name.
///
/// Numbers are hexadecimal, with `0x` or without. `??` is an unknown name, `??:0` an unknown location; a
/// column follows the line if there is one. A line of the input that names no address has no result.
/// Intentional differences are listed in `EUAddr2LineOptions.manual`.
struct EUAddr2Line: AddressTool {
    private let options: EUAddr2LineOptions
    var files: OpenedFiles
    private let file: ImageFile
    private let fileNumber: Int
    private let symbols: EnclosingSymbols
    private let demangler: Demangler
    /// Status of the last question, with which the tool ends.
    private(set) var status = ExitStatus.done
    static let lineLimit = 1 << 16

    var context: ToolContext { options.context }

    static func run(_ arguments: [String], _ context: ToolContext) -> ExitStatus {
        do throws(EUAddr2LineOptions.Misuse) {
            let options = try EUAddr2LineOptions(arguments, context)
            if let request = options.request {
                context.writeOutput(text(of: request))
                return .done
            }
            var dialogue = AddressDialogue(try EUAddr2Line(options))
            return dialogue.run(arguments: options.addresses)
        } catch {
            let help = "Try `eu-addr2line --help' or `eu-addr2line --usage' for more information.\n"
            writeError("eu-addr2line: \(error.message)\n" + (error.isUsage ? help : ""), to: context.errors)
            return error.isUsage ? .usage : .failed
        }
    }

    private static func text(of request: EUAddr2LineOptions.Request) -> String {
        switch request {
        case .help: ToolHelp(EUAddr2LineOptions.manual).text
        case .usage: ToolHelp(EUAddr2LineOptions.manual).usage
        // First line in the style of the GNU tools: name, package, version.
        case .version: "eu-addr2line (cairn \(cairnVersion), in place of elfutils) 0.188\n"
        }
    }

    private init(_ options: EUAddr2LineOptions) throws(EUAddr2LineOptions.Misuse) {
        self.options = options
        let fileOptions = FileOptions(debugFileDirectories: options.debugFolders, prefersLastSymbols: options.isStrict)
        let needsDetails = options.isRelative || options.isStrict
        var files = OpenedFiles(fileOptions, needs: options.showsFlags ? .rowDetails : needsDetails ? .details : .nothing)
        var opened: (number: Int, file: ImageFile)?
        do throws(ObjectFileError) {
            if let number = try files.number(of: options.object) {
                // The input may name a section of a relocatable file, or its address.
                files.usePlacedSections(of: number)
                if let file = files[number] { opened = (number, file) }
            }
        } catch {
            throw Self.misuse(error)
        }
        guard let (number, file) = opened else { throw EUAddr2LineOptions.Misuse(message: "\(options.object): not a valid ELF file") }
        self.files = files
        self.file = file
        fileNumber = number
        symbols = EnclosingSymbols(file.symbolTableFile)
        demangler = Demangler(ofElfutils: options.demangles, isStrict: options.isStrict)
    }

    func makeNames() -> PrintedNames {
        PrintedNames(demangler, options.showsFunctions ? .linkage : .none, usesRecordedPaths: options.isRelative && !options.isStrict)
    }

    /// The tool's own message for common errors; else the reason why the file cannot be read.
    private static func misuse(_ error: ObjectFileError) -> EUAddr2LineOptions.Misuse {
        switch (PathKind(path: error.path), error.kind) {
        case (nil, .unreadable): EUAddr2LineOptions.Misuse(message: "\(error.path): No such file or directory")
        case (.directory, _): EUAddr2LineOptions.Misuse(message: "\(error.path): invalid file descriptor")
        case (_, .unknownFormat): EUAddr2LineOptions.Misuse(message: "\(error.path): not a valid ELF file")
        default: EUAddr2LineOptions.Misuse(message: error.description)
        }
    }

    private func printDiagnostic(_ message: String) { writeError("eu-addr2line: \(message)\n", to: context.errors) }

    mutating func query(in line: Span<UInt8>) -> AddressQuery {
        var query = AddressQuery()
        if let address = address(EUAddr2LineInput(line), line) {
            query.file = fileNumber
            query.shown = address
            query.address = LinkAddress(address)
        }
        status = query.shown == nil ? .failed : .done
        return query
    }

    /// Returns the address that the input names; `nil` if it names none, which was reported.
    private func address(_ input: EUAddr2LineInput, _ line: Span<UInt8>) -> UInt64? {
        switch input {
        case .address(let value):
            guard let section = options.section else { return value }
            return address(in: section, value)
        case .section(let name, let offset):
            if options.isStrict {
                // The original then looks up the whole text as a symbol, and prints the result for address 0
                // if it found the section.
                printDiagnostic("cannot find symbol '\(line.text)'")
                return file.object.description.sectionsArePlaced ? address(in: line.extracting(name).text, offset).map { _ in 0 } : nil
            }
            return address(in: line.extracting(name).text, offset)
        case .symbol(let name, let offset):
            guard let symbol = symbols.extent(of: line.extracting(name)) else {
                printDiagnostic("cannot find symbol '\(line.extracting(name).text)'")
                return nil
            }
            if symbol.size != 0, offset >= symbol.size {
                printDiagnostic("offset \(Self.hexadecimal(offset)) lies outside contents of '\(line.extracting(name).text)'")
            }
            return symbol.address.value &+ offset
        case .none: return nil
        }
    }

    /// Returns the address of an offset into a section. elfutils supports only sections of relocatable files.
    private func address(in name: String, _ offset: UInt64) -> UInt64? {
        guard let section = file.object.section(named: name), section.isLoaded else {
            if !options.isStrict { printDiagnostic("\(file.object.path): no section \(name) that is loaded") }
            return nil
        }
        if options.isStrict, !file.object.description.sectionsArePlaced { return nil }
        if offset >= section.size { printDiagnostic("offset \(Self.hexadecimal(offset)) lies outside section '\(name)'") }
        return section.address.value &+ offset
    }

    /// As `%#x`: zero has no prefix.
    private static func hexadecimal(_ value: UInt64) -> String { value == 0 ? "0" : "0x" + value.hexadecimal() }

    func append(_ frames: [PrintedFrame], _ names: borrowing PrintedNames, for query: AddressQuery, to output: inout OutputText) {
        guard let shown = query.shown else { return }
        if options.showsAddresses {
            output.append("0x")
            output.append(hexadecimal: shown, width: file.object.description.addressSize * 2)
            output.append(options.isPretty ? ": " : "\n")
        }
        if options.showsFunctions { appendFunction(frames, names, query, to: &output) }
        if options.showsSymbols { appendSymbol(query, to: &output) }
        if options.isPretty, options.showsFunctions || options.showsSymbols { output.append("at ") }
        appendLocation(frames.first, names, to: &output)
        if options.showsFlags, let frame = frames.first, frame.file != nil, let details = frame.details {
            append(details.rowFlags, discriminator: frame.discriminator, to: &output)
        }
        output.append("\n")
        guard options.showsInlines else { return }
        for frame in frames.dropFirst() {
            if options.isPretty { output.append(" (inlined by) ") }
            if options.showsFunctions {
                append(frame, names, to: &output)
                output.append(options.isPretty ? " at " : "\n")
            }
            appendLocation(frame, names, to: &output)
            output.append("\n")
        }
    }

    /// Appends the function and, for inlined code, the call and the function that the code is part of.
    private func appendFunction(
        _ frames: [PrintedFrame], _ names: borrowing PrintedNames, _ query: AddressQuery, to output: inout OutputText
    ) {
        if let frame = frames.first, frame.file != nil, !frame.name.isEmpty {
            append(frame, names, to: &output)
            guard !options.isPretty else { return output.append(" ") }
            guard frames.count > 1 else { return output.append("\n") }
            output.append(" inlined")
            let caller = frames[1]
            if caller.file != nil {
                output.append(caller.line == 0 ? " from " : " at ")
                appendLocation(caller, names, to: &output)
            }
            output.append(" in ")
        }
        // Code without a function of its own, or in a part of another function, is named by its symbol.
        guard !options.showsSymbols else { return }
        appendOuter(frames.last, names, query, to: &output)
        output.append(options.isPretty ? " " : "\n")
    }

    private func appendOuter(
        _ frame: PrintedFrame?, _ names: borrowing PrintedNames, _ query: AddressQuery, to output: inout OutputText
    ) {
        if options.isStrict {
            guard let found = symbols.symbol(at: query.address) else { return output.append("??") }
            append(symbol: found.name, to: &output)
        } else if let frame, !frame.name.isEmpty {
            append(frame, names, to: &output)
        } else {
            output.append("??")
        }
    }

    private func append(_ frame: PrintedFrame, _ names: borrowing PrintedNames, to output: inout OutputText) {
        guard !frame.name.isEmpty else { return output.append("??") }
        guard options.isStrict else { return output.append(names.bytes, frame.name) }
        // A function that other files cannot call has no linkage name in debug information.
        if let plain = frame.details?.plainName, Self.isLocal(names.bytes[frame.name], plain) { return output.append(text: plain) }
        GNUNames.append(
            names.bytes, frame.name, file: frame.file.map { names.bytes[$0] }, isDemangled: options.demangles, to: &output)
    }

    /// Whether the name is local, such as `_ZL5riskyi` for `risky`, mangled or demangled, or `main.cold` for
    /// `main`.
    private static func isLocal(_ name: ArraySlice<UInt8>, _ plain: String) -> Bool {
        if name.starts(with: "_ZL".utf8) { return true }
        guard name.starts(with: plain.utf8) else { return false }
        let next = name.dropFirst(plain.utf8.count).first
        return next == UInt8(ascii: "(") || next == UInt8(ascii: ".")
    }

    private func append(symbol name: String, to output: inout OutputText) {
        let text = Array(demangler.demangle(name).utf8)
        guard options.isStrict else { return output.append(text, 0..<text.count) }
        GNUNames.append(text, 0..<text.count, file: nil, isDemangled: options.demangles, to: &output)
    }

    private func appendLocation(_ frame: PrintedFrame?, _ names: borrowing PrintedNames, to output: inout OutputText) {
        guard let frame, let file = frame.file else { return output.append("??:0") }
        output.append(names.bytes, options.printsNamesOnly ? names.bytes.nameOfPath(file) : file)
        output.append(UInt8(ascii: ":"))
        output.append(decimal: frame.line)
        if frame.column > 0 {
            output.append(UInt8(ascii: ":"))
            output.append(decimal: frame.column)
        }
    }

    private func append(_ flags: LineRowFlags, discriminator: UInt64, to output: inout OutputText) {
        if flags.isStatement { output.append(" (is_stmt)") }
        if flags.beginsBlock { output.append(" (basic_block)") }
        if flags.endsPrologue { output.append(" (prologue_end)") }
        if flags.beginsEpilogue { output.append(" (epilogue_begin)") }
        if flags.instructionSet != 0 { output.append(text: " (isa \(flags.instructionSet))") }
        if discriminator != 0 { output.append(text: " (discriminator \(discriminator))") }
    }

    /// Appends `name+0x9 (.text)`; without a symbol the section that holds a relocatable file's address.
    private func appendSymbol(_ query: AddressQuery, to output: inout OutputText) {
        let section = file.object.section(containing: query.address)
        if let found = symbols.symbol(at: query.address) {
            append(symbol: found.name, to: &output)
            if found.offset > 0 { output.append(text: "+" + Self.hexadecimal(found.offset)) }
            // The end of a section counts as part of it.
            let sections = file.object.description.sections
            let own = section ?? sections.first { $0.isLoaded && $0.address.advanced(by: $0.size) == query.address }
            if options.showsSymbolSections, let own { output.append(text: " (\(own.name))") }
        } else if file.object.description.sectionsArePlaced, let section {
            let offset = query.address.distance(from: section.address).map { UInt64($0) } ?? 0
            output.append(text: "(\(section.name))+" + Self.hexadecimal(offset))
        } else if isOfMovableImage(query.address) {
            output.append(text: "()+" + Self.hexadecimal(query.address.value))
        } else {
            output.append("??")
        }
        output.append(options.isPretty ? " " : "\n")
    }

    /// Whether the address is in an image that is linked at 0, whose pages elfutils treats as a section
    /// without a name.
    private func isOfMovableImage(_ address: LinkAddress) -> Bool {
        let segments = file.object.description.segments
        guard !segments.isEmpty, file.object.baseAddress.value < 0x1000 else { return false }
        let page: UInt64 = 0x1000
        let end = segments.map { ($0.address.value &+ $0.size &+ page &- 1) & ~(page &- 1) }.max() ?? 0
        return address.value < end
    }
}

extension Demangler {
    /// - Parameter isStrict: demangle only C++ names, as elfutils does.
    fileprivate init(ofElfutils demangles: Bool, isStrict: Bool) {
        self = .ofTools(style: demangles ? .simplified : .none)
        if isStrict { unread += [.swift, .swiftBefore4, .rustV0] }
    }
}
