internal import BinaryPrimitives
package import Console
internal import Demangling
internal import ObjectFiles
internal import SymbolSources
internal import Symbolication

/// `cairn lookup -o FILE`: one hexadecimal link address a line on standard input, and `llvm-symbolizer --inlines`' answers on standard output: for each
/// function, innermost first, its name and `file:line:column`, then an empty line. What the benchmark and the differential test drive.
///
/// All addresses are read first, asked for in one sorted batch, and answered in the order of the input.
package enum Lookup {
    package static func run(_ arguments: [String]) -> ExitStatus {
        var path: String?
        var showsInlines = true
        var demangler = Demangler()
        var index = 0
        while index < arguments.count {
            switch arguments[index] {
            case "-o" where index + 1 < arguments.count:
                index += 1
                path = arguments[index]
            case "--no-inlines": showsInlines = false
            case "--no-demangle": demangler.style = .none
            default: return usage("lookup: unknown option \(arguments[index]): expected -o FILE, --no-inlines, --no-demangle")
            }
            index += 1
        }
        guard let path else { return usage("lookup: no file: expected -o FILE") }
        let input: [UInt8]
        let file: ImageFile
        do throws(ObjectFileError) { file = try ImageFile(path: path, architecture: nil) } catch {
            complain(error.description)
            return .failed
        }
        do throws(FileError) { input = try FileDescriptor.readAll(from: 0) } catch {
            complain(error.description)
            return .failed
        }
        let addresses = addresses(in: input)
        // A line that is no address has no place in the file; its answer is the one for that.
        let answers = file.answers(at: addresses.map { LinkAddress($0 ?? .max) })
        var output = StandardOutput()
        for (address, answer) in zip(addresses, answers) {
            guard address != nil, case .found(let frames) = answer, let innermost = frames.first, let outermost = frames.last else {
                output.append("??\n??:0:0\n\n")
                continue
            }
            if showsInlines {
                for frame in frames { append(frame.name, frame.location, demangler, to: &output) }
            } else {
                append(outermost.name, innermost.location, demangler, to: &output)
            }
            output.append("\n")
        }
        output.flush()
        if let change = file.change {
            complain(change.description)
            return .failed
        }
        return .done
    }

    private static func append(_ name: String, _ location: SourceLocation?, _ demangler: Demangler, to output: inout StandardOutput) {
        output.append(name.isEmpty ? "??" : demangler.demangle(name.withoutSymbolVersion))
        output.append("\n")
        if let location {
            output.append(location.file)
            output.append(":\(location.line):\(location.column)\n")
        } else {
            output.append("??:0:0\n")
        }
    }

    /// One for each line; the last line may lack its ending.
    private static func addresses(in input: [UInt8]) -> [UInt64?] {
        var addresses: [UInt64?] = []
        for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let text = String(decoding: line.drop { $0 == UInt8(ascii: " ") }.prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
            addresses.append(Numbers.hexadecimal(text))
        }
        if input.isEmpty || input.last == UInt8(ascii: "\n") { addresses.removeLast() }
        return addresses
    }

    private static func usage(_ message: String) -> ExitStatus {
        complain(message)
        return .usage
    }
}
