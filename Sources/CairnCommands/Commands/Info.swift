internal import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import Demangling
internal import ObjectFiles
internal import SymbolSources
internal import Symbolication

/// `cairn info symbol` and `cairn info line`: gdb's two questions about an address, in gdb's words.
struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look up one address in a file (like gdb's info symbol and info line).",
        subcommands: [SymbolQuery.self, LineQuery.self])

    /// Options of both commands.
    struct Options: ParsableArguments {
        @Argument(help: "Addresses as linked: 0x1a95, 6805, or *0x1a95.")
        var addresses: [String]

        @Option(name: .customShort("o"), help: "Object file to look the address up in.")
        var file: String

        @Option(name: .customLong("arch"), help: ArgumentHelp("Architecture to use of a universal file.", valueName: "arch"))
        var architecture: String?

        @Flag(help: "Do not demangle symbol names.")
        var noDemangle = false

        func validate() throws {
            for text in addresses where Self.address(text) == nil {
                throw ValidationError("\(text): not an address: expected 0x1a95, 6805 or *0x1a95")
            }
        }

        static func address(_ text: String) -> UInt64? { Numbers.address(text.hasPrefix("*") ? text.dropFirst() : text[...]) }

        /// Prints one line for each address.
        func printLines(_ format: (GDBText, _ typed: String, LinkAddress) -> String) -> Never {
            do throws(ObjectFileError) {
                let files = try ImageFile.openAll(path: file, architecture: architecture.map(Architecture.init))
                let demangler = Demangler(style: noDemangle ? .none : .simplified)
                var output = StandardOutput()
                var notes: [String] = []
                for text in addresses {
                    let address = LinkAddress(Self.address(text) ?? 0)
                    // In a kernel cache, use the image with the address.
                    guard let image = files.first(where: { $0.object.section(containing: address) != nil }) ?? files.first else { continue }
                    let path = image.object.isFilesetEntry ? image.object.path : file
                    let gdb = GDBText(file: image, path: path, demangler: demangler)
                    output.append(PlainText.line(format(gdb, text, address)) + "\n")
                    for note in gdb.notes(at: [address]) where !notes.contains("\(path): \(note)") { notes.append("\(path): \(note)") }
                }
                output.flush()
                if let change = files.first(where: { $0.change != nil })?.change {
                    printDiagnostic(change.description)
                    endProcess(.failed)
                }
                for note in notes { printDiagnostic(note, as: .note) }
                endProcess(.done)
            } catch {
                printDiagnostic(error.description)
                endProcess(.failed)
            }
        }
    }

    struct SymbolQuery: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "symbol", abstract: "Show the symbol at an address.")
        @OptionGroup var options: Options

        func run() { options.printLines { gdb, typed, address in gdb.symbol(at: address, typed: typed) } }
    }

    struct LineQuery: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "line", abstract: "Show the source line at an address.")
        @OptionGroup var options: Options

        func run() { options.printLines { gdb, _, address in gdb.line(at: address) } }
    }
}

/// Sentences of gdb: of Apple's gdb of 2008 for Mach-O, of gdb 13 for ELF (`printcmd.c`,
/// `info_symbol_command`; `source.c`, `info_line_command`).
struct GDBText {
    let file: ImageFile
    let path: String
    let demangler: Demangler

    /// - Parameter typed: the address as the user typed it: gdb repeats it where it finds nothing.
    func symbol(at address: LinkAddress, typed: String) -> String {
        guard let symbol = nearest(address), let section = file.linkAddress(of: address).flatMap({ file.object.section(containing: $0) })
        else {
            return "No symbol matches \(typed)."
        }
        let offset = symbol.distance > 0 ? " + \(symbol.distance)" : ""
        let location =
            switch file.object.description.container {
            // Apple's gdb named a section as its BFD did, and always said which file it was in.
            case .machO: "LC_SEGMENT.\(section.segmentName).\(section.name) of \(path)"
            case .elf, .pe, .webAssembly: section.name
            }
        return "\(demangler.demangle(symbol.name))\(offset) in section \(location)"
    }

    func line(at address: LinkAddress) -> String {
        guard let offset = address.offset(fromImageBase: file.object.baseAddress), let row = file.source.lineRange(at: offset),
            row.line > 0,
            let start = row.range.lowerBound.linkAddress(imageBase: file.object.baseAddress),
            let end = row.range.upperBound.linkAddress(imageBase: file.object.baseAddress)
        else {
            return "No line number information available for address \(named(address))"
        }
        return "Line \(row.line) of \"\(row.file)\" starts at address \(named(start)) and ends at \(named(end))."
    }

    /// Reasons why lines are missing; gdb prints no such message.
    func notes(at addresses: [LinkAddress]) -> [String] {
        var notes: [String] = []
        for case .found(let frames) in file.results(at: addresses) {
            if let note = frames.last?.note, !notes.contains(note) { notes.append(note) }
        }
        return notes
    }

    /// An address with the symbol around it, the name as the table has it: `0x1134 <_Z3bazi+4>`.
    private func named(_ address: LinkAddress) -> String {
        guard let symbol = nearest(address) else { return address.description }
        return "\(address) <\(symbol.name)\(symbol.distance > 0 ? "+\(symbol.distance)" : "")>"
    }

    private func nearest(_ address: LinkAddress) -> (name: String, distance: UInt64)? {
        guard let offset = address.offset(fromImageBase: file.object.baseAddress),
            case .found(let frames)? = file.source.frames(at: [offset]).first, let function = frames.last, !function.name.isEmpty,
            let entry = function.entry, let distance = offset.distance(from: entry)
        else { return nil }
        return (function.name.withoutSymbolVersion, distance)
    }
}
