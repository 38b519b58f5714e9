/// Why cairn's result for an address of the corpus differs from the one in its tables
/// (llvm-symbolizer's, version 19).
///
/// The first four are recognised by the two results alone and are none of cairn's faults; the last
/// is explained for each object in `corpus-differences.tsv`.
enum CorpusDifference: String, CaseIterable {
    /// No line of the debug information covers the address. llvm-symbolizer then prints the
    /// `STT_FILE` symbol that comes before the function in the symbol table as its source file,
    /// with line 0; cairn gives the function alone.
    case fileSymbol = "file-symbol"
    /// No symbol covers the address. llvm-symbolizer extends a symbol without size to the next one,
    /// across sections and beyond the last mapped byte (`_init` for the procedure linkage table,
    /// `__mh_execute_header` for Mach-O's load commands); cairn gives no nearest name.
    case beyondSymbol = "beyond-symbol"
    /// The address is in the procedure linkage table: llvm-symbolizer extends the symbol before it
    /// (`_init`), cairn names the stub (`strcpy@plt`).
    case stub
    /// A function's size covers the address, and another symbol begins nearer before it: a label
    /// without size inside of the function (`L0`, `??function_1` of IAR's assembler), or in a
    /// relocatable file a symbol of another section, because all of them begin at zero.
    /// llvm-symbolizer gives the nearer one.
    case nearerSymbol = "nearer-symbol"
    /// Both symbols begin at one address, and llvm-symbolizer names the last of the table: cairn's
    /// order of preference is another (`_init`, not `_DYNAMIC_start`; `data_start`, not
    /// `__data_start`).
    case preferredSymbol = "preferred-symbol"
    /// The lines are the same, and cairn has names, inlined calls or folders that the tables do
    /// not: from a supplementary file or from split units that llvm-symbolizer did not read; or the
    /// tables have no line at all, and cairn has. The row in the table of differences says from
    /// where.
    case moreThanTheirs = "more-than-theirs"
    /// The debug information that the tables' result comes from is not read: the row in the table
    /// of differences says what it would take.
    case notRead = "not-read"

    init(theirs: [CorpusPair.Frame], ours: [CorpusPair.Frame]) {
        self = .notRead
        if Self.isMore(ours, than: theirs) {
            self = .moreThanTheirs
            return
        }
        guard theirs.count == 1, ours.count <= 1 else { return }
        let (their, our) = (theirs[0], ours.first)
        if our == nil, their.line == 0 {
            self = .beyondSymbol
        } else if let our, our.name.hasSuffix("@plt"), our.line == 0, their.line == 0 {
            self = .stub
        } else if let our, our.line == 0, their.line == 0, our.file.isEmpty {
            self = our.name == their.name ? .fileSymbol : .nearerSymbol
        } else if let our, our.name != their.name, (our.file, our.line, our.column) == (their.file, their.line, their.column) {
            self = .nearerSymbol
        }
    }

    /// Every line of theirs is in ours, in the same order and with a path that ends like theirs;
    /// where theirs has a name, ours is that one or its linkage name.
    private static func isMore(_ ours: [CorpusPair.Frame], than theirs: [CorpusPair.Frame]) -> Bool {
        if theirs.count == 1, theirs[0].line == 0, !ours.isEmpty { return ours.allSatisfy { $0.line > 0 && !$0.name.isEmpty } }
        guard ours.count >= theirs.count, theirs.allSatisfy({ $0.line > 0 }), ours.allSatisfy({ !$0.name.isEmpty }) else { return false }
        guard let our = ours.first, let their = theirs.first, (our.line, our.column) == (their.line, their.column) else { return false }
        guard our.file.hasSuffix(their.file), ours.last?.name == theirs.last?.name else { return false }
        guard ours.count == theirs.count else { return true }
        return zip(ours, theirs).allSatisfy { our, their in
            our.line == their.line && our.file.hasSuffix(their.file) && (our.name.contains(their.name) || their.name.isEmpty)
        }
    }
}
