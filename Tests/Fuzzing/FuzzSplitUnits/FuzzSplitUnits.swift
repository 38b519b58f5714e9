internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles
internal import ObjectQuestions
internal import Recipes
internal import TestSupport

/// A program whose debug information is in other files as well: a `.dwo` file, a package of them,
/// or the supplementary file that dwz makes.
///
/// The first byte says which (`Kind`), and with its highest bit that the other file is made of
/// decisions, too; two bytes (least significant first) how long the program's decisions are
/// (`DWARFRecipe`). What follows them is the other file's decisions, or its sections
/// (`otherSections`, with `SectionFrames`' order and lengths).
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 3 else { return 0 }
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let kind = Kind.allCases[Int(bytes[0] & 0x7f) % Kind.allCases.count]
    let middle = min(count, 3 + (Int(bytes[1]) | Int(bytes[2]) << 8))
    let other = Array(bytes[middle...])
    guard let folder = Folder.shared else { return 0 }
    let program = DWARFRecipe(Array(bytes[3..<middle]), splitName: kind == .supplementary ? nil : "a.dwo")
    var sections = [(".text", [UInt8](repeating: 0x90, count: 0x1000))] + program.sections
    if kind == .supplementary { sections.append((".gnu_debugaltlink", Array("other.sup".utf8) + [0])) }
    let otherBytes = image(other, kind: kind, isRecipe: bytes[0] & 0x80 != 0)
    folder.write("program", ELFImage.bytes(sections, program.byteOrder))
    for other in Kind.allCases where other != kind { folder.remove(other.fileName) }
    folder.write(kind.fileName, otherBytes)
    guard let object = (try? ObjectFiles.openAll(path: folder.path + "/program"))?.first else { return 0 }
    ObjectQuestions.ask(object)
    if let reader = DWARFReader(object) { _ = reader.companionFiles() }
    return 0
}

private enum Kind: CaseIterable {
    case split, package, supplementary

    var fileName: String {
        switch self {
        case .split: "a.dwo"
        case .package: "program.dwp"
        case .supplementary: "other.sup"
        }
    }
}

/// Sections of such files, in the order of their lengths.
private let otherSections = [
    ".debug_info", ".debug_abbrev", ".debug_str", ".debug_str_offsets", ".debug_line", ".debug_rnglists", ".debug_cu_index", ".debug_sup",
]

private func image(_ bytes: [UInt8], kind: Kind, isRecipe: Bool) -> [UInt8] {
    if isRecipe {
        let recipe = DWARFRecipe(bytes, isSplit: kind != .supplementary)
        var sections = recipe.sections
        if kind == .package { sections.append((".debug_cu_index", PackageIndex.bytes(recipe.byteOrder))) }
        return ELFImage.bytes(sections, recipe.byteOrder)
    }
    let frames = SectionFrames(bytes.span.rawBytes, names: otherSections)
    let sections = frames.sections.map { section in
        let name = kind == .supplementary || section.name == ".debug_cu_index" ? section.name : section.name + ".dwo"
        return (name: name, bytes: Array(bytes[section.range]))
    }
    return ELFImage.bytes(sections, frames.byteOrder)
}

/// An index with one unit, whose parts begin where the sections do (DWARF 5, section 7.3.5.3).
private enum PackageIndex {
    static func bytes(_ order: ByteOrder) -> [UInt8] {
        var index = ByteWriter(order)
        // Version 5 and padding; two columns, one unit, two slots.
        index.put(UInt16(5))
        index.put(UInt16(0))
        for value in [2, 1, 2] { index.put(UInt32(value)) }
        // The identifier that recipes give, in the slot that its lowest bit selects.
        for value in [0x1122_3344_5566_7788, 0] as [UInt64] { index.put(value) }
        for value in [1, 0, 1, 3, 0, 0, 0xffff, 0xffff] { index.put(UInt32(value)) }
        return index.bytes
    }
}
