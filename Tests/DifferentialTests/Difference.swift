import BinaryPrimitives
import LibC
import ObjectFiles
import TestSupport

/// Class of a difference between the two sides' results for an address, if the file shows which is
/// right. All other differences are unexplained.
///
/// A class is taken only with its evidence, which is read from the symbol tables.
enum Difference: String, CaseIterable {
    /// No line of the debug information covers the address. llvm-symbolizer then prints an
    /// `STT_FILE` symbol of the table as its source file, with line 0: it is often the file of
    /// another function (`_init` of `crti.o` as `crtstuff.c`). cairn gives the function alone.
    /// Evidence: the printed file is the name of an `STT_FILE` symbol.
    case fileSymbol = "file-symbol"
    /// No symbol covers the address. llvm-symbolizer extends a symbol without size to the next one,
    /// across sections and across functions without a symbol (`_init` for the procedure linkage
    /// table, `main` for every stripped function after it). cairn gives no symbol. Evidence: the
    /// printed symbol has no size, and no symbol with a size covers the address.
    case beyondSymbol = "beyond-symbol"
    /// The file is stripped and its companion is not. llvm-symbolizer reads the lines of the
    /// companion and the symbols of the stripped file; cairn reads the companion's symbols too, and
    /// so knows the linkage name, and the part of a function (`risky(int) [.cold]`), where the peer
    /// has the plain name or none. Evidence: all lines and all inlined calls are the same, and the
    /// companion's table has a symbol of that name there.
    case companionSymbols = "companion-symbols"
    /// Tables for dyld name the address, and the symbol table does not: a stub
    /// (`DYLD-STUB$$printf`, Apple's name), or in a stripped binary a function that it exports.
    /// llvm-symbolizer reads neither and has no result, or the symbol before. Evidence: the
    /// indirect symbol table or the exports trie has cairn's name, and no symbol is filed at its
    /// address.
    case linkedName = "linked-name"
    /// The debug information is in other files, which llvm-symbolizer does not find (`.dwo` files
    /// beside the program; it looks in the compilation directory alone) or does not read (dwz's
    /// supplementary file): its result lacks inlined calls, names or the compilation directory.
    /// `SplitUnitTests` shows that cairn's is right. Evidence: the innermost line and column, and
    /// the outermost function, are the same, and the file says that it has such parts.
    case otherFiles = "other-files"
    /// The file is relocatable, and `.text` does not reach so far: the offset may be one in any of
    /// several code sections. llvm-symbolizer resolves it in the first. Evidence: two code sections
    /// reach so far, and none of them is `.text`.
    case ambiguousSection = "ambiguous-section"
    /// The file is relocatable: all sections begin at zero. llvm-symbolizer prints a symbol of the
    /// data instead of the code's. Evidence: the lines are the same, and the printed symbol is in a
    /// section that is not executable.
    case dataSymbol = "data-symbol"
    /// The function was stripped from the file's table and is named in `.gnu_debugdata`, which
    /// llvm-symbolizer does not read. Evidence: the packed table has a symbol of that name whose
    /// size covers the address.
    case packedSymbol = "packed-symbol"
    /// A Go program without symbols and DWARF. llvm-symbolizer does not read the line table that
    /// Go's runtime reads. Evidence: that table has cairn's result, and llvm-symbolizer has none.
    /// (Other tests compare the table's results with those of Go's own reader.)
    case goTable = "go-table"
    /// The linker removed a function and left its description, at address 0 and with its size.
    /// llvm-symbolizer believes it, also where the file has other code. Evidence: it knows no line,
    /// no symbol has the printed name, and no symbol with a size covers the address.
    case removedCode = "removed-code"
    /// swiftc says that an inlined call is in `<compiler-generated>`, and its line is one of a
    /// source file. Evidence: the frames are the same but for such files, of lines that are not
    /// zero, and cairn's are Swift's.
    case generatedFile = "generated-file"
    case unexplained
}

/// Evidence from the symbol tables, to distinguish the classes.
struct SymbolEvidence {
    private var fileNames: Set<String> = []
    private var linkedNames: Set<String> = []
    private var goTable: GoLineTable?
    private let refersToOtherFiles: Bool
    /// Symbols of the file that is packed in `.gnu_debugdata`.
    private var packed: [(name: String, address: UInt64, size: UInt64)] = []
    /// Code sections of a relocatable file.
    private var codeSections: [(name: String, size: UInt64)] = []
    private var dataNames: Set<String> = []
    private var symbols: [(name: String, address: UInt64, size: UInt64, inCompanion: Bool)] = []

    /// - Parameter objects: the companion first where there are two.
    init(_ objects: [ObjectFile]) throws {
        goTable = objects.lazy.compactMap { GoLineTable($0) }.first
        // Skeleton units have nothing but their ranges and `.debug_addr`, whose split units are
        // elsewhere.
        refersToOtherFiles = objects.contains { object in
            [".gnu_debugaltlink", ".debug_sup", ".debug_addr"].contains { object.section(named: $0) != nil }
        }
        for (index, object) in objects.enumerated() {
            let strips = object.description.container == .machO
            try object.forEachSymbol { symbol in
                let text = symbol.name.text(in: object)
                if symbol.kind == .file {
                    fileNames.insert(text)
                } else {
                    let name = strips && text.hasPrefix("_") ? String(text.dropFirst()) : text
                    symbols.append((name, symbol.address.value, symbol.size, index + 1 < objects.count))
                }
                return true
            }
            if let inner = try object.miniDebugInformation() {
                try inner.forEachSymbol { symbol in
                    packed.append((symbol.name.text(in: inner), symbol.address.value, symbol.size))
                    return true
                }
            }
            if object.description.kind == .relocatable {
                let sections = object.description.sections
                codeSections = sections.filter(\.isExecutable).map { ($0.name, $0.size) }
                try object.forEachSymbol { symbol in
                    if symbol.kind != .file, sections.indices.contains(symbol.section), !sections[symbol.section].isExecutable {
                        dataNames.insert(symbol.name.text(in: object))
                    }
                    return true
                }
            }
            linkedNames.formUnion(object.stubRanges.compactMap { object.stub(containing: LinkAddress($0.lowerBound))?.name })
            linkedNames.formUnion(try object.exports().map { String($0.name.dropFirst($0.name.hasPrefix("_") ? 1 : 0)) })
        }
        for symbol in symbols { linkedNames.remove(symbol.name) }
    }

    private static func differOnlyInGeneratedFiles(_ peer: [PeerSymbolizer.Frame], _ ours: [PeerSymbolizer.Frame]) -> Bool {
        peer.count == ours.count
            && zip(peer, ours).allSatisfy { their, our in
                their == our
                    || (their.file.hasSuffix("<compiler-generated>") && their.line > 0 && our.file.hasSuffix(".swift")
                        && (their.function, their.line, their.column) == (our.function, our.line, our.column))
            }
    }

    func difference(at address: UInt64, peer: [PeerSymbolizer.Frame], ours: [PeerSymbolizer.Frame]) -> Difference {
        let frame = peer[0]
        let hasNoLine = peer.count == 1 && frame.line == 0 && frame.column == 0 && (frame.file == "??" || fileNames.contains(frame.file))
        if hasNoLine, frame.file != "??", ours.count == 1, ours[0].function == frame.function, ours[0].file == "??" { return .fileSymbol }
        if peer == [.unknown], let result = goTable?.results(for: [LinkAddress(address)])[0],
            result.functions.map(\.name) == ours.map(\.function)
        {
            return .goTable
        }
        if Self.differOnlyInGeneratedFiles(peer, ours) { return .generatedFile }
        let isCovered = symbols.contains { $0.size > 0 && $0.address <= address && address - $0.address < $0.size }
        if hasNoLine, ours == [.unknown], !isCovered, symbols.contains(where: { $0.name == frame.function && $0.size == 0 }) {
            return .beyondSymbol
        }
        if hasNoLine, ours == [.unknown], !isCovered, frame.function != "??", !symbols.contains(where: { $0.name == frame.function }) {
            return .removedCode
        }
        if hasNoLine, ours.count == 1, ours[0].file == "??", linkedNames.contains(ours[0].function) { return .linkedName }
        if peer.count == ours.count, peer.dropLast() == ours.dropLast(), let their = peer.last, let our = ours.last,
            (their.file, their.line, their.column) == (our.file, our.line, our.column),
            symbols.contains(where: { $0.inCompanion && $0.name == our.function && $0.address <= address })
        {
            return .companionSymbols
        }
        if refersToOtherFiles, let their = peer.first, let our = ours.first, their.line == our.line, their.column == our.column,
            our.file.hasSuffix(their.file), ours.count >= peer.count, peer.last?.function == ours.last?.function
        {
            return .otherFiles
        }
        if hasNoLine, ours.count == 1,
            packed.contains(where: { $0.name == ours[0].function && $0.address <= address && address - $0.address < $0.size })
        {
            return .packedSymbol
        }
        let reaching = codeSections.filter { $0.size > address }
        if ours == [.unknown], reaching.count >= 2, !reaching.contains(where: { $0.name == ".text" }) { return .ambiguousSection }
        if peer.count == ours.count, peer.dropLast() == ours.dropLast(), let their = peer.last, let our = ours.last,
            (their.file, their.line, their.column) == (our.file, our.line, our.column), dataNames.contains(their.function)
        {
            return .dataSymbol
        }
        return .unexplained
    }
}

/// The committed table of explained differences: object, class, count, and an example.
/// `CAIRN_UPDATE_GOLDENS=1` rewrites the rows of the compared objects; the change is read before it
/// is committed.
struct ExplainedDifferences {
    static let isRewriting = TestPaths.environment("CAIRN_UPDATE_GOLDENS") == "1"

    private static let path = TestPaths.root + "/Tests/DifferentialTests/explained.tsv"
    private static let heading = "object\tclass\tcount\texample"
    private var rows: [[String]]

    init() throws {
        let text = try MappedFile(path: Self.path).withBytes { $0.string() }
        rows = text.split(separator: "\n").dropFirst().map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }

    func count(_ object: String, _ difference: Difference) -> Int {
        rows.first { $0[0] == object && $0[1] == difference.rawValue }.flatMap { Int($0[2]) } ?? 0
    }

    /// The machine's own files (named with their build ID) change with its updates; the counts hold
    /// for those that were looked at.
    func isKnown(_ object: String) -> Bool { !object.contains("@") || rows.contains { $0[0] == object } }

    mutating func rewrite(_ object: String, _ counts: [Difference: Int], _ examples: [Difference: String]) throws {
        rows.removeAll { $0[0] == object }
        for (difference, count) in counts where difference != .unexplained {
            rows.append([object, difference.rawValue, String(count), examples[difference] ?? ""])
        }
        rows.sort { ($0[0], $0[1]) < ($1[0], $1[1]) }
        let text = ([Self.heading] + rows.map { $0.joined(separator: "\t") }).joined(separator: "\n") + "\n"
        guard let file = unsafe fopen(Self.path, "w") else { return }
        unsafe fputs(text, file)
        unsafe fclose(file)
    }
}
