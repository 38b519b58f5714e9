internal import BinaryPrimitives
internal import Console
internal import Demangling
internal import ObjectFiles
internal import SymbolSources
internal import Symbolication

/// `atos`: its options, its input and its output; also chosen when cairn is called by that name.
///
/// Prints one line for each address, in the order of the arguments: `name (in Image) (File.m:94)` if there is
/// a line, `name (in Image) + 88` if there is none, `0xADDRESS (in Image)` if there is no name, and the
/// address as it was typed if it is outside the image. Addresses are looked up unchanged: the caller
/// subtracts.
struct Atos {
    private let options: AtosOptions
    private var files: [ImageFile]
    /// Version of each file when it was opened.
    private var versions: [FileVersion?]
    private let context: ToolContext
    private let demangler = Demangler.ofTools()

    static func run(_ arguments: [String], _ context: ToolContext) -> ExitStatus {
        do throws(AtosOptions.Misuse) {
            let options = try AtosOptions(arguments)
            if options.wantsHelp {
                context.writeOutput(ToolHelp(AtosOptions.manual).text)
                return .done
            }
            return run(options, context)
        } catch {
            writeError("[invalid usage]: \(error.message)\n\n\(AtosOptions.usage)\n", to: context.errors)
            return .failed
        }
    }

    private static func run(_ options: AtosOptions, _ context: ToolContext) -> ExitStatus {
        let versions = options.files.map { FileVersion(path: $0) }
        var files: [ImageFile] = []
        for path in options.files {
            do throws(ObjectFileError) {
                files += try images(path, options)
            } catch {
                // The first line is the original's, which callers look for; the second gives the reason.
                let architecture = options.architecture ?? .host
                let message = "atos cannot load symbols for the file \(path) for architecture \(architecture).\n"
                writeError(message, to: context.errors)
                printDiagnostic(error.description, to: context.errors)
                return .failed
            }
        }
        var atos = Atos(options: options, files: files, versions: versions, context: context)
        do throws(FileError) {
            try atos.result()
            return atos.files.contains { $0.change != nil } ? .failed : .done
        } catch {
            printDiagnostic(error.description, to: context.errors)
            return .failed
        }
    }

    /// Returns the images in a file. All images of a kernel cache are searched, unless one is named:
    /// `kernelcache(com.apple.kernel)`.
    private static func images(_ path: String, _ options: AtosOptions) throws(ObjectFileError) -> [ImageFile] {
        let name = NamedImage(path)
        guard name.member == nil else { return try ImageFile.openAll(try name.open(), path: path, architecture: options.architecture) }
        let images = try ImageFile.openAll(path: path, architecture: options.architecture)
        switch options.addressSpace {
        case .file, .slid: break
        case .offset, .loaded, .textExecutable:
            // Such an address is an offset from an image's first byte, so it has a different meaning in each.
            // One slide moves all of them.
            try ImageFile.requireEntry(images.map(\.object), path: path, or: "-s and the slide")
        }
        return images
    }

    /// Reopens the files if one of them was replaced or written to, for example by a rebuild. If that
    /// fails, the open files are kept.
    private mutating func reopenReplaced() {
        let current = options.files.map { FileVersion(path: $0) }
        guard zip(versions, current).contains(where: { $0 != nil && $1 != nil && $0 != $1 }) else { return }
        var anew: [ImageFile] = []
        for path in options.files {
            guard let found = try? Self.images(path, options) else { return }
            anew += found
        }
        (files, versions) = (anew, current)
    }

    private mutating func result() throws(FileError) {
        var output = StandardOutput(to: context.output)
        if options.printsHeader {
            for file in files {
                output.append("got symbolicator for \(file.object.path), base address \(file.object.baseAddress.value.hexadecimal())\n")
            }
        }
        if let path = options.addressFile {
            resolve(tokens(try readInput(path)), to: &output)
        }
        resolve(options.addresses, to: &output)
        if options.addressFile == nil, options.addresses.isEmpty { try resolveInput(&output) }
        output.flush()
        for file in files { if let change = file.change { printDiagnostic(change.description, to: context.errors) } }
    }

    /// Symbolicates standard input, each line as soon as it arrives, so that a program can write an address
    /// and wait.
    private mutating func resolveInput(_ output: inout StandardOutput) throws(FileError) {
        output.flush()
        var pending: [UInt8] = []
        while true {
            let bytes = try FileDescriptor.readSome(from: context.input)
            pending += bytes
            reopenReplaced()
            let end = bytes.isEmpty ? pending.count : (pending.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
            resolve(tokens(Array(pending[..<end])), to: &output)
            pending.removeFirst(end)
            output.flush()
            if bytes.isEmpty { return }
        }
    }

    private func tokens(_ bytes: [UInt8]) -> [String] {
        bytes.split { $0 == UInt8(ascii: " ") || ($0 >= 9 && $0 <= 13) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Looks up in each file, together, all addresses that no earlier file has named. An address that none
    /// names is shown with the first image that holds it, and one outside of all images is repeated.
    private func resolve(_ typed: [String], to output: inout StandardOutput) {
        var named = [String?](repeating: nil, count: typed.count)
        var unnamed = named
        for file in files {
            let open = typed.indices.compactMap { index -> (index: Int, address: LinkAddress)? in
                guard named[index] == nil, let address = link(typed[index], file), file.maps(address) else { return nil }
                return (index, address)
            }
            // Most images of a kernel cache hold none of the addresses.
            if open.isEmpty { continue }
            for ((index, address), result) in zip(open, file.results(at: open.map(\.address))) {
                named[index] = text(result, address, file)
                unnamed[index] = unnamed[index] ?? self.unnamed(address, file) + terminator
            }
        }
        for index in typed.indices { output.append(named[index] ?? unnamed[index] ?? typed[index] + terminator) }
    }

    /// Returns the file's address for the typed text; `nil` if that is not a number or is before the file's
    /// first byte.
    private func link(_ typed: String, _ file: ImageFile) -> LinkAddress? {
        guard let value = Numbers.address(typed) else { return nil }
        let base = file.object.baseAddress
        switch options.addressSpace {
        case .file: return LinkAddress(value)
        case .offset: return base.advanced(by: value)
        case .loaded(let load): return value >= load ? base.advanced(by: value - load) : nil
        case .slid(let slide): return LinkAddress(value &- slide)
        case .textExecutable(let load):
            let text = file.object.description.segments.first { $0.name == "__TEXT_EXEC" }?.address ?? base
            return value >= load ? text.advanced(by: value - load) : nil
        }
    }

    private var terminator: String { options.showsInlines ? options.delimiter + "\n" : "\n" }

    /// Returns the result's line or lines; `nil` if it has no name: the Mach-O header's symbol does not
    /// count.
    private func text(_ result: SymbolResult, _ address: LinkAddress, _ file: ImageFile) -> String? {
        guard case .found(let frames) = result, let outermost = frames.last, !outermost.name.isEmpty, outermost.name != "_mh_execute_header"
        else { return nil }
        guard options.showsInlines else { return text(outermost, address, file) + "\n" }
        return frames.map { text($0, address, file) + options.delimiter }.joined() + "\n"
    }

    private func text(_ frame: SourceFrame, _ address: LinkAddress, _ file: ImageFile) -> String {
        guard !frame.name.isEmpty else { return unnamed(address, file) }
        let name = "\(demangler.demangle(frame.name.withoutSymbolVersion)) (in \(Path.name(of: file.object.path)))"
        if let location = frame.location {
            return "\(name) (\(options.showsFullPath ? location.file : Path.name(of: location.file)):\(location.line))"
        }
        guard let entry = frame.entry?.linkAddress(imageBase: file.object.baseAddress), let offset = address.distance(from: entry) else {
            return name
        }
        return "\(name) + \(offset)"
    }

    /// Returns the text for an address inside the image without a name: the function's address and the offset
    /// in it, if the function starts have one; else the address.
    private func unnamed(_ address: LinkAddress, _ file: ImageFile) -> String {
        let start = file.object.description.functionStarts.last { $0 <= address }
        let shown = start ?? address
        let digits = shown.value.hexadecimal(width: file.object.description.addressSize * 2)
        let offset = start.flatMap { address.distance(from: $0) }.map { " + \($0)" } ?? ""
        return "0x\(digits) (in \(Path.name(of: file.object.path)))\(offset)"
    }
}
