internal import BinaryPrimitives
internal import Console
internal import Demangling
internal import ObjectFiles
internal import SymbolSources
internal import Symbolication

/// GNU `addr2line`: its options, input and output (binutils 2.40, `addr2line.c`); also chosen when
/// cairn is called by that name, with a target's name before it or without.
///
/// Every number is hexadecimal, with `0x` or without. `??` is an unknown name, `??:0` an unknown address, `?`
/// an unknown line. Intentional differences: no nearest symbol, C++ names as LLVM spells them, Swift's are
/// demangled, and a function's name is its symbol's (`f.cold`). `--strict-compat` behaves like GNU in these
/// too.
struct Addr2Line: AddressTool {
    private let options: Addr2LineOptions
    var files = OpenedFiles()
    private let file: ImageFile
    private let fileNumber: Int
    /// Section that addresses are offsets into (`-j`).
    private let section: Section?
    private let demangler: Demangler
    /// Set with `--strict-compat`.
    private let nearest: NearestSymbols?
    /// `fgets` with a buffer of 100 bytes, one of them the zero.
    static let lineLimit = 99

    var context: ToolContext { options.context }

    static func run(_ arguments: [String], _ context: ToolContext) -> ExitStatus {
        do throws(Addr2LineOptions.Misuse) {
            let options = try Addr2LineOptions(arguments, context)
            if let request = options.request {
                context.writeOutput(request == .help ? help : version)
                return .done
            }
            guard let tool = try Addr2Line(options) else { return .failed }
            var dialogue = AddressDialogue(tool)
            return dialogue.run(arguments: options.addresses)
        } catch {
            writeError("addr2line: \(error.message)\n" + (error.isUsage ? help : ""), to: context.errors)
            return .failed
        }
    }

    private static var help: String {
        ToolHelp(Addr2LineOptions.manual).text
            + "addr2line: supported targets: \(Addr2LineOptions.targets.dropFirst().joined(separator: " "))\n"
    }

    /// First line in the style of the GNU tools: name, package, version.
    private static let version = "GNU addr2line (cairn \(cairnVersion), in place of GNU Binutils) 2.40\n"

    /// - Returns: `nil` for an empty file, which ends the tool without a message.
    init?(_ options: Addr2LineOptions) throws(Addr2LineOptions.Misuse) {
        self.options = options
        if let target = options.target, !Addr2LineOptions.targets.contains(target), PathKind(path: options.object) == .file {
            throw Addr2LineOptions.Misuse(message: "\(options.object): invalid bfd target")
        }
        var files = OpenedFiles(FileOptions(prefersLastSymbols: options.isStrict), needs: options.isStrict ? .rows : .discriminators)
        var opened: (number: Int, file: ImageFile)?
        do throws(ObjectFileError) {
            if let number = try files.number(of: options.object), let file = files[number] { opened = (number, file) }
        } catch {
            if PathKind(path: options.object) == .file, (try? readInput(options.object))?.isEmpty ?? false { return nil }
            throw Self.misuse(error)
        }
        guard let (number, file) = opened else { throw Addr2LineOptions.Misuse(message: "\(options.object): file format not recognized") }
        if options.section != nil || options.isStrict { files.usePlacedSections(of: number) }
        self.files = files
        self.file = file
        fileNumber = number
        section = options.section.flatMap { file.object.section(named: $0) }
        if let name = options.section, section == nil {
            throw Addr2LineOptions.Misuse(message: "\(options.object): cannot find section \(name)")
        }
        demangler = Demangler(of: options.nameStyle, isStrict: options.isStrict)
        nearest = options.isStrict ? NearestSymbols(file.symbolTableFile) : nil
    }

    func makeNames() -> PrintedNames { PrintedNames(demangler, options.showsFunctions ? .linkage : .none) }

    /// The tool's own message for common errors; else the reason why the file cannot be read.
    private static func misuse(_ error: ObjectFileError) -> Addr2LineOptions.Misuse {
        switch (PathKind(path: error.path), error.kind) {
        case (nil, .unreadable): Addr2LineOptions.Misuse(message: "'\(error.path)': No such file")
        case (.directory, _): Addr2LineOptions.Misuse(message: "Warning: '\(error.path)' is a directory")
        case (.other, _): Addr2LineOptions.Misuse(message: "Warning: '\(error.path)' is not an ordinary file")
        case (_, .unknownFormat):
            Addr2LineOptions.Misuse(
                message: "\(error.path): \(isArchive(error.path) ? "cannot get addresses from archive" : "file format not recognized")")
        default: Addr2LineOptions.Misuse(message: error.description)
        }
    }

    private static func isArchive(_ path: String) -> Bool {
        guard let descriptor = try? FileDescriptor.open(path) else { return false }
        defer { FileDescriptor.close(descriptor) }
        let start = (try? FileDescriptor.readSome(from: descriptor, limit: 8, path: path)) ?? []
        return start == Array("!<arch>\n".utf8) || start == Array("!<thin>\n".utf8)
    }

    mutating func query(in line: Span<UInt8>) -> AddressQuery {
        var query = AddressQuery()
        var rest = line
        rest.skipSpaces()
        let isSymbol = Self.isSymbol(rest)
        var value = isSymbol ? address(ofSymbol: rest) : Self.number(rest)
        if file.object.description.addressSize < 8 { value &= 0xffff_ffff }
        query.shown = value
        setAddress(value, isSymbol: isSymbol, &query)
        return query
    }

    private func setAddress(_ value: UInt64, isSymbol: Bool, _ query: inout AddressQuery) {
        // GNU treats a symbol's address as an offset into any section that contains it.
        if isSymbol, !options.isStrict, file.object.description.sectionsArePlaced {
            query.isSymbolAddress = true
            query.file = fileNumber
            query.address = LinkAddress(value)
        } else if let section {
            setAddress(value, in: section, &query)
        } else if let section = firstSection(of: value) {
            setAddress(value, in: section, &query)
        } else {
            query.file = fileNumber
            query.address = LinkAddress(value)
        }
    }

    private func setAddress(_ value: UInt64, in section: Section, _ query: inout AddressQuery) {
        // An offset past the section's end is not in it.
        if value < section.size, let address = section.address.advanced(by: value) {
            query.file = fileNumber
            query.address = address
        }
    }

    /// In a relocatable file an address may be in several sections; GNU uses the first of them that has
    /// something there.
    private func firstSection(of value: UInt64) -> Section? {
        guard options.isStrict, file.object.description.sectionsArePlaced else { return nil }
        let fitting = file.object.description.sections.filter { $0.isLoaded && value < $0.size }
        return fitting.first { $0.isExecutable } ?? fitting.first
    }

    /// Whether the text is a symbol. Text that begins with a letter from A to F is a number, unless an offset
    /// is added to it (`is_symbol`).
    private static func isSymbol(_ text: Span<UInt8>) -> Bool {
        guard let first = text.at(0), !isDigit(first) else { return false }
        return hexadecimalDigit(first) == nil || text.firstIndex(of: UInt8(ascii: "+")) != nil
    }

    /// `main`, `main+4`; 0 where the file has no such symbol.
    private func address(ofSymbol text: Span<UInt8>) -> UInt64 {
        var end = 0
        while end < text.count, text[end] > UInt8(ascii: " "), text[end] != UInt8(ascii: "+") { end += 1 }
        var rest = text.from(end)
        rest.skipSpaces()
        var offset: UInt64 = 0
        if rest.consume("+") {
            // `strtoul(3)` skips white space, and reads as many digits as there are.
            rest.skipSpaces()
            offset = EUAddr2LineInput.readInteger(&rest, base: nil) ?? 0
        }
        guard case .found(let addresses)? = file.source.locate([.symbol(SymbolLocation(name: text.upTo(end).text, offset: 0))]).first else {
            return 0
        }
        return (addresses.first?.value ?? 0) &+ offset
    }

    /// As `strtoul(3)` with base 16: the first other character ends the number, no digit at all is 0, and a
    /// number too large is the largest.
    private static func number(_ text: Span<UInt8>) -> UInt64 {
        var rest = text
        if rest.hasPrefix("0x") || rest.hasPrefix("0X"), rest.at(2).flatMap(hexadecimalDigit) != nil { rest = rest.from(2) }
        var value: UInt64 = 0
        var index = 0
        while index < rest.count, let digit = hexadecimalDigit(rest[index]) {
            guard value >> 60 == 0 else { return .max }
            value = value << 4 | digit
            index += 1
        }
        return value
    }

    func append(_ frames: [PrintedFrame], _ names: borrowing PrintedNames, for query: AddressQuery, to output: inout OutputText) {
        if options.showsAddresses {
            output.append("0x")
            output.append(hexadecimal: query.shown ?? 0, width: file.object.description.addressSize * 2)
            output.append(options.isPretty ? ": " : "\n")
        }
        // Without a file, the name is a symbol's.
        if nearest != nil, frames.first?.file == nil { return appendNearest(query, to: &output) }
        guard !frames.isEmpty else { return appendUnknown(to: &output) }
        for (index, frame) in frames.enumerated() {
            if index > 0 {
                guard options.showsInlines else { break }
                if options.isPretty { output.append(" (inlined by) ") }
            }
            if options.showsFunctions {
                if !frame.name.isEmpty {
                    append(frame, names, to: &output)
                } else if let found = nearest?.symbol(at: query.address), !found.name.isEmpty {
                    appendSymbol(found.name, to: &output)
                } else {
                    output.append("??")
                }
                output.append(options.isPretty ? " at " : "\n")
            }
            if let file = frame.file {
                output.append(names.bytes, options.printsNamesOnly ? names.bytes.nameOfPath(file) : file)
            } else {
                output.append("??")
            }
            output.append(UInt8(ascii: ":"))
            if frame.line > 0 {
                output.append(decimal: frame.line)
                // The tool looks up the discriminator once, and repeats it with each caller.
                if let discriminator = frames.first?.discriminator, discriminator > 0 {
                    output.append(text: " (discriminator \(discriminator))")
                }
            } else {
                output.append(UInt8(ascii: "?"))
            }
            output.append(UInt8(ascii: "\n"))
        }
    }

    private func append(_ frame: PrintedFrame, _ names: borrowing PrintedNames, to output: inout OutputText) {
        guard options.isStrict else { return output.append(names.bytes, frame.name) }
        let isDemangled = demangler.style != .none
        GNUNames.append(
            names.bytes, frame.name, file: frame.file.map { names.bytes[$0] }, isDemangled: isDemangled,
            isWhole: frame.isNamedByDebugInformation, to: &output)
    }

    /// Appends a nearest symbol's name.
    private func appendSymbol(_ name: String, to output: inout OutputText) {
        let text = Array(demangler.demangle(name).utf8)
        GNUNames.append(text, 0..<text.count, file: nil, isDemangled: demangler.style != .none, to: &output)
    }

    private func appendUnknown(to output: inout OutputText) {
        if options.showsFunctions { output.append(options.isPretty ? "?? " : "??\n") }
        output.append("??:0\n")
    }

    /// Appends GNU's result for an address that no debug information covers.
    private func appendNearest(_ query: AddressQuery, to output: inout OutputText) {
        guard query.file != nil, let found = nearest?.symbol(at: query.address) else { return appendUnknown(to: &output) }
        if options.showsFunctions {
            appendSymbol(found.name.isEmpty ? "??" : found.name, to: &output)
            output.append(options.isPretty ? " at " : "\n")
        }
        output.append(text: found.file ?? "??")
        output.append(":?\n")
    }
}

extension Demangler {
    /// - Parameter isStrict: Swift's names stay as they are, as binutils leaves them.
    fileprivate init(of style: Addr2LineOptions.NameStyle, isStrict: Bool) {
        self = .ofTools(style: style == .none ? .none : .simplified)
        switch style {
        case .none: break
        case .auto: if isStrict { unread += [.swift, .swiftBefore4] }
        case .gnuV3, .java: unread += [.swift, .swiftBefore4, .rustLegacy, .rustV0]
        case .rust: unread += [.swift, .swiftBefore4, .itanium]
        case .gnat:
            unread = ManglingScheme.all.filter { $0 != .ada }
            language = .ada
        // Spelled as the language's own runtime spells them: binutils leaves out the result.
        case .dlang: unread = ManglingScheme.all.filter { $0 != .d }
        }
    }
}
