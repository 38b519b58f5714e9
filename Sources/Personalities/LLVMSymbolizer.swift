internal import BinaryPrimitives
internal import ObjectFiles
internal import SymbolSources

/// `llvm-symbolizer`, and under its other name `llvm-addr2line`: their options, input and output; also chosen when cairn is called so.
///
/// The words are LLVM 19's. What differs on purpose: an address outside every function has no name, and a function without debug information no file.
struct LLVMSymbolizer: AddressTool {
    private let options: LLVMSymbolizerOptions
    private let toolName: String
    var files: AskedFiles
    let names: PrintedNames
    private let text: LLVMSymbolizerText
    /// `fgets` with a buffer of 1,024 bytes, one of them the zero.
    static let lineLimit = 1023

    static func run(_ arguments: [String]) -> ExitStatus { run(arguments, isAddr2Line: false) }
    static func runAddr2Line(_ arguments: [String]) -> ExitStatus { run(arguments, isAddr2Line: true) }

    private static func run(_ arguments: [String], isAddr2Line: Bool) -> ExitStatus {
        do throws(LLVMSymbolizerOptions.Misuse) {
            let options = try LLVMSymbolizerOptions(arguments, isAddr2Line: isAddr2Line)
            var dialogue = AddressDialogue(LLVMSymbolizer(options))
            dialogue.run(arguments: options.addresses)
        } catch {
            writeError("error: \(error.message)")
            return .failed
        }
    }

    private init(_ options: LLVMSymbolizerOptions) {
        self.options = options
        toolName = options.isAddr2Line ? "llvm-addr2line" : "llvm-symbolizer"
        files = AskedFiles(architecture: options.architecture)
        names = PrintedNames(demangles: options.demangles, areHidden: !options.showsFunctions)
        text = LLVMSymbolizerText(options)
    }

    mutating func question(in line: Span<UInt8>) -> AddressQuestion {
        var question = AddressQuestion()
        // An empty line asks whether the process is alive.
        let line = line.at(line.count - 1) == UInt8(ascii: "\r") ? line.upTo(line.count - 1) : line
        guard !line.isEmpty else { return question }
        do throws(LLVMSymbolizerInput.Misread) {
            var failure: ObjectFileError?
            let input = try LLVMSymbolizerInput(line, isNamed: options.object != nil, isAddr2Line: options.isAddr2Line) { name in
                do throws(ObjectFileError) { question.file = try files.number(of: name) } catch { failure = error }
            }
            if let object = options.object {
                do throws(ObjectFileError) { question.file = try files.number(of: object) } catch { failure = error }
            }
            if let failure { report(failure) }
            question.subject = input.subject
            switch input.place {
            case .address(let address):
                question.shown = address
                question.address = LinkAddress(address &- options.adjustment)
            case .symbol(let name, let offset):
                let place = question.file.flatMap { files[$0] }.map { $0.source.locate([.symbol(SymbolPlace(name: name, offset: offset))]) }
                if case .found(let addresses)? = place?.first, let first = addresses.first {
                    question.address = first
                } else {
                    question.file = nil
                }
            }
        } catch {
            Self.writeError("\(toolName): error: '\(line.text)': \(error.message)")
            question.file = nil
        }
        return question
    }

    func append(_ frames: [PrintedFrame], _ names: borrowing PrintedNames, for question: AddressQuestion, to output: inout OutputText) {
        text.append(frames, names, for: question, to: &output)
    }

    /// The tool's words for a missing file; where it cannot be read, cairn's own say more.
    private func report(_ failure: ObjectFileError) {
        Self.writeError("\(toolName): error: '\(failure.path)': \(failure.problem)")
    }

    private static func writeError(_ message: String) { try? FileDescriptor.write(Array((message + "\n").utf8), to: 2) }
}
