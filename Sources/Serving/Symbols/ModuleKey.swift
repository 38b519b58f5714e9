internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

/// A module as requests name it: `["libfoo.so", "20AD60B0B4C68177552708AA192E77390"]`, the name of
/// the file with debug information and Breakpad's id of it.
struct ModuleKey: SoughtModule {
    var debugName: String
    var debugID: String

    /// How responses name it.
    var text: String { debugName + "/" + debugID }

    /// Letters, digits and `_.+{}@<> ~-`, as with Eliot; no slash, so that no name leads out of a
    /// folder.
    var hasValidName: Bool {
        debugName.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: Self.marks.contains(byte)
            }
        }
    }

    var hasValidID: Bool { debugID.utf8.allSatisfy { hexadecimalValue($0) != nil } }

    private static let marks = Array("_.+{}@<> ~-".utf8)

    /// The id does not show which system it is from, and of 16 bytes it may be two identities: an
    /// ELF file's, whose first numbers are swapped, or a UUID as it is.
    var requests: [SoughtIdentity] {
        // On Windows it is the GUID of the PDB.
        let kinds = debugName.lowercased().hasSuffix(".pdb") ? [false] : [true, false]
        return kinds.compactMap { SoughtIdentity(name: debugName, debugFile: debugName, debugID: debugID, isELF: $0) }
    }
}

extension ImageSymbols {
    /// Why there are no symbols of a module, in one sentence.
    static func reason(_ module: ModuleKey, _ symbols: ImageSymbols?) -> String {
        guard let symbols else { return "\(module.debugID): expected a debug ID, 32 hexadecimal digits and an age" }
        var image = BinaryImage(name: module.debugName)
        if module.debugName.lowercased().hasSuffix(".pdb") { (image.debugFile, image.debugIdentifier) = (module.debugName, module.debugID) }
        return ImageOutcome(image: image, status: .missing, refusals: symbols.refusals).reason ?? ""
    }

    /// The name of the file that was loaded, where it is another than that of the file with debug
    /// information: Windows' `xul.dll` of `xul.pdb`.
    var codeFile: String? { opened.lazy.compactMap { ($0 as? BreakpadFile)?.codeFile }.first }
}
