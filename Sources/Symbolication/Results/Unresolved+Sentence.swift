internal import BinaryPrimitives
package import SymbolSources

extension Unresolved {
    /// The reason in one sentence.
    package var sentence: String {
        switch self {
        case .outsideImage: "the address is outside the image"
        case .ambiguousSection(let names):
            "the file is not linked: several of its sections have such an offset (\(names.prefix(8).joined(separator: ", ")))"
        case .noSymbol: "the symbol file has neither debug information nor a symbol for this address"
        case .betweenSymbols: "no function of the symbol table has the address"
        case .unboundedSymbol: "the symbol table is stripped: the function here may be one without a symbol"
        case .missingNames(let sentence): "no exported function and no method of Objective-C has the address, and \(sentence)"
        case .noSectionHeaders: "the file has no section headers, and its dynamic symbols have no function here"
        case .corrupt(let problem): "the debug information is damaged: \(problem)"
        case .unusedObject(let reason): reason
        case .changedFile(.rewritten(let path)): "\(path) changed while it was read"
        case .changedFile(.unreadable(let path)): "a part of \(path) could not be read"
        case .noResult: "internal error: the symbol file gave no result"
        case .needsImageOffset: "these symbols are found by offsets into the image alone, and the log has none"
        case .unknownImageBase: "the symbol file has no image base; also pass the binary with --symbols"
        case .fileOffsetNotMapped:
            "no code in the symbol file has this file offset (debug files have none: the binary itself is needed)"
        case .mappingSizeDiffers(let log, let file):
            "the symbol file is of another build: its code takes \(file.isEmpty ? "no" : file.prefix(4).map(String.init).joined(separator: " or ")) bytes of memory, the log's mapping has \(log)"
        case .noTextSection: "the symbol file has no section .text, which the log counts from"
        case .noSuchSymbol(let name): "the symbol file has no function \(name)"
        case .symbolSizeDiffers(let name, let log, let file):
            "the symbol file is of another build: \(name) has \(log) bytes in the log and \(file.prefix(4).map(String.init).joined(separator: " or ")) in the file"
        case .ambiguousSymbol(let name, let addresses):
            "\(addresses.count) functions have the name \(name) (at \(addresses.prefix(4).map(\.description).joined(separator: ", "))), and their results differ"
        }
    }

    /// Remedy that would resolve the frame, in one sentence.
    package var remedy: String {
        switch self {
        case .outsideImage: "the file of exactly the build that ran, or the right load address of the image (--image NAME=PATH@BASE)"
        case .ambiguousSection: "a log that names functions, as the kernel's do: an offset alone does not identify the section of a module"
        case .noSymbol: "a file with debug information: its separate debug file, or a build with -g"
        case .betweenSymbols: "the debug symbols of the library, if it is stripped"
        case .unboundedSymbol: "the unstripped file, or its debug file"
        case .missingNames: "the file with the local names, of the same system, beside the shared cache"
        case .noSectionHeaders: "the file as it was linked, section headers included, or its debug file"
        case .corrupt: "another copy of the file; cairn verify shows what is damaged"
        case .unusedObject: "a dSYM (dsymutil PROGRAM), made before the object files of the build change"
        case .changedFile(.rewritten): "another run, when whoever writes the file is done"
        case .changedFile(.unreadable): "another copy of the file: its disk or its server fails"
        case .noResult: "please report this bug of cairn"
        case .needsImageOffset: "the ELF or Mach-O file itself"
        case .unknownImageBase: "the binary or its dSYM next to this file, which has the image base"
        case .fileOffsetNotMapped: "the binary itself next to its debug file: pass both with --symbols"
        case .mappingSizeDiffers: "the file of exactly the build that ran"
        case .noTextSection: "the binary with its section headers, or a log with load addresses"
        case .noSuchSymbol: "the file that has the function: the module it is in, or the kernel or program of exactly that version"
        case .symbolSizeDiffers: "the file of exactly the build that wrote the log"
        case .ambiguousSymbol: "an address next to the name in the log"
        }
    }
}
