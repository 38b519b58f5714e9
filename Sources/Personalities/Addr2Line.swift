internal import BinaryPrimitives
internal import ObjectFiles
internal import SymbolSources

/// GNU `addr2line`: its options, input and output (binutils 2.40, `addr2line.c`); also chosen when cairn is called by that name, with a target's name before it or without.
///
/// Every number is hexadecimal, with `0x` or without. `??` stands for a name that is not known, `??:0` for an address that nothing is known of, `?` for a line that is not known. What
/// differs on purpose: no nearest symbol, C++ names as LLVM spells them, and a function's name is its symbol's (`f.cold`).
struct Addr2Line: AddressTool {
    private let options: Addr2LineOptions
    var files = AskedFiles()
    private let file: ImageFile
    private let fileNumber: Int
    /// Where addresses count from (`-j`).
    private let section: Section?
    let names: PrintedNames
    /// `fgets` with a buffer of 100 bytes, one of them the zero.
    static let lineLimit = 99

    static func run(_ arguments: [String]) -> ExitStatus {
        do throws(Addr2LineOptions.Misuse) {
            let options = try Addr2LineOptions(arguments)
            var dialogue = AddressDialogue(try Addr2Line(options))
            dialogue.run(arguments: options.addresses)
        } catch {
            try? FileDescriptor.write(Array("addr2line: \(error.message)\n".utf8), to: 2)
            return .failed
        }
    }

    private init(_ options: Addr2LineOptions) throws(Addr2LineOptions.Misuse) {
        self.options = options
        var files = AskedFiles()
        var opened: (number: Int, file: ImageFile)?
        do throws(ObjectFileError) {
            if let number = try files.number(of: options.object), let file = files[number] { opened = (number, file) }
        } catch {
            throw Self.misuse(error)
        }
        guard let (number, file) = opened else { throw Addr2LineOptions.Misuse(message: "\(options.object): file format not recognized") }
        self.files = files
        self.file = file
        fileNumber = number
        section = options.section.flatMap { file.object.section(named: $0) }
        if let name = options.section, section == nil {
            throw Addr2LineOptions.Misuse(message: "\(options.object): cannot find section \(name)")
        }
        names = PrintedNames(demangles: options.demangles, areHidden: !options.showsFunctions)
    }

    /// The tool's words for what callers meet; else why the file cannot be read.
    private static func misuse(_ error: ObjectFileError) -> Addr2LineOptions.Misuse {
        switch (PathKind(path: error.path), error.kind) {
        case (nil, .unreadable): Addr2LineOptions.Misuse(message: "'\(error.path)': No such file")
        case (.directory, _): Addr2LineOptions.Misuse(message: "Warning: '\(error.path)' is a directory")
        case (_, .unknownFormat): Addr2LineOptions.Misuse(message: "\(error.path): file format not recognized")
        default: Addr2LineOptions.Misuse(message: error.description)
        }
    }

    mutating func question(in line: Span<UInt8>) -> AddressQuestion {
        var question = AddressQuestion()
        var rest = line
        rest.skipSpaces()
        var value = Self.isSymbol(rest) ? address(ofSymbol: rest) : Self.number(rest)
        if file.object.description.addressSize < 8 { value &= 0xffff_ffff }
        question.shown = value
        guard let section else {
            question.file = fileNumber
            question.address = LinkAddress(value)
            return question
        }
        // Behind the section's end there is nothing of it.
        if value < section.size, let address = section.address.advanced(by: value) {
            question.file = fileNumber
            question.address = address
        }
        return question
    }

    /// Words that begin with a letter from A to F are numbers, unless something is added to them (`is_symbol`).
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
        let offset = rest.take("+") ? LLVMSymbolizerInput.number(rest.takeToken()) ?? 0 : 0
        guard case .found(let addresses)? = file.source.locate([.symbol(SymbolPlace(name: text.upTo(end).text, offset: 0))]).first else {
            return 0
        }
        return (addresses.first?.value ?? 0) &+ offset
    }

    /// As `strtoul(3)` with base 16: what does not belong to the number ends it, no digit at all is 0, and a number too large is the largest.
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

    func append(_ frames: [PrintedFrame], _ names: borrowing PrintedNames, for question: AddressQuestion, to output: inout OutputText) {
        if options.showsAddresses {
            output.append("0x")
            output.append(hexadecimal: question.shown ?? 0, width: file.object.description.addressSize * 2)
            output.append(options.isPretty ? ": " : "\n")
        }
        guard !frames.isEmpty else {
            if options.showsFunctions { output.append(options.isPretty ? "?? " : "??\n") }
            return output.append("??:0\n")
        }
        for (index, frame) in frames.enumerated() {
            if index > 0 {
                guard options.showsInlines else { break }
                if options.isPretty { output.append(" (inlined by) ") }
            }
            if options.showsFunctions {
                if frame.name.isEmpty { output.append("??") } else { output.append(names.bytes, frame.name) }
                output.append(options.isPretty ? " at " : "\n")
            }
            if let file = frame.file {
                output.append(names.bytes, options.printsNamesOnly ? names.bytes.nameOfPath(file) : file)
            } else {
                output.append("??")
            }
            output.append(UInt8(ascii: ":"))
            if frame.line > 0 { output.append(decimal: frame.line) } else { output.append(UInt8(ascii: "?")) }
            output.append(UInt8(ascii: "\n"))
        }
    }
}
