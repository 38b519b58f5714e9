internal import BinaryPrimitives
public import SymbolSources

extension Unresolved {
    /// The reason in one sentence.
    public var sentence: String {
        switch self {
        case .outsideImage: "the address is outside the image"
        case .ambiguousSection(let names):
            "the file is not linked: several of its sections have such an offset (\(names.prefix(8).joined(separator: ", ")))"
        case .noSymbol: "the symbol file has neither debug information nor a symbol for this address"
        case .betweenSymbols: "the address lies between two functions"
        case .unboundedSymbol: "the symbol table is stripped: the function here may be one without a symbol"
        case .noSectionHeaders: "the file has no section headers, and its dynamic symbols have no function here"
        case .corrupt(let problem): "the debug information is damaged: \(problem)"
        case .unusedObject(let reason): reason
        case .changedFile(.rewritten(let path)): "\(path) changed while it was read"
        case .changedFile(.unreadable(let path)): "a part of \(path) could not be read"
        case .noAnswer: "the symbol file gave no answer"
        case .placesAreNotKnown: "these symbols are found by offsets into the image alone, and the log does not give one"
        case .unknownImageBase: "the symbol file does not tell where the image is linked: give the binary too"
        case .fileOffsetNotMapped:
            "no code in the symbol file has this file offset (debug files have lost theirs: the binary itself is needed)"
        case .mappingSizeDiffers(let log, let file):
            "the symbol file is of another build: its code takes \(file.isEmpty ? "no" : file.prefix(4).map(String.init).joined(separator: " or ")) bytes of memory, the log's mapping has \(log)"
        case .noTextSection: "the symbol file has no section .text, which the log counts from"
        case .noSuchSymbol(let name): "the symbol file has no function called \(name)"
        case .symbolSizeDiffers(let name, let log, let file):
            "the symbol file is of another build: \(name) has \(log) bytes in the log and \(file.prefix(4).map(String.init).joined(separator: " or ")) in the file"
        case .ambiguousSymbol(let name, let addresses):
            "\(addresses.count) functions are called \(name) (at \(addresses.prefix(4).map(\.description).joined(separator: ", "))), and their answers differ"
        }
    }

    /// What would bring an answer, in one sentence.
    public var remedy: String {
        switch self {
        case .outsideImage: "the file of the very build that ran, or the right load address of the image (--image NAME=PATH@BASE)"
        case .ambiguousSection: "a log that names functions, as the kernel's own do: an offset alone does not tell the section of a module"
        case .noSymbol: "a file with debug information: its separate debug file, or a build with -g"
        case .betweenSymbols: "nothing, where this is the linker's own code or data; else the debug file, which may name it"
        case .unboundedSymbol: "the file before it was stripped, or its debug file"
        case .noSectionHeaders: "the file as it was linked, section headers included, or its debug file"
        case .corrupt: "another copy of the file; cairn verify says what is damaged"
        case .unusedObject: "a dSYM (dsymutil PROGRAM), made before the object files of the build change"
        case .changedFile(.rewritten): "another run, when whoever writes the file is done"
        case .changedFile(.unreadable): "another copy of the file: its disk, or the server that it lies on, fails"
        case .noAnswer: "a report of this: the source of the symbols broke its promise"
        case .placesAreNotKnown: "the ELF or Mach-O file itself"
        case .unknownImageBase: "the binary or its dSYM beside this file, which tells where the image is linked"
        case .fileOffsetNotMapped: "the binary itself beside its debug file: give both with --symbols"
        case .mappingSizeDiffers: "the file of the very build that ran"
        case .noTextSection: "the binary with its section headers, or a log with load addresses"
        case .noSuchSymbol: "the file that has the function: the module it is in, or the kernel or program of that very version"
        case .symbolSizeDiffers: "the file of the very build that wrote the log"
        case .ambiguousSymbol: "an address beside the name in the log"
        }
    }
}
