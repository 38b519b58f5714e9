/// Why cairn's answer for an address of the corpus differs from the one in its tables (llvm-symbolizer's, version 19).
///
/// The first three are told from the two answers alone and are none of cairn's faults; the last is explained for each object in `corpus-differences.tsv`.
enum CorpusDifference: String, CaseIterable {
    /// No line of the debug information covers the address. llvm-symbolizer then prints the `STT_FILE` symbol that stands before the function in the
    /// symbol table as its source file, with line 0; cairn gives the function alone.
    case fileSymbol = "file-symbol"
    /// No symbol covers the address. llvm-symbolizer extends a symbol without size to the next one, across sections and beyond the last mapped
    /// byte (`_init` for the procedure linkage table, `__mh_execute_header` for Mach-O's load commands); cairn gives no nearest name.
    case beyondSymbol = "beyond-symbol"
    /// A function's size covers the address, and another symbol begins nearer before it: a label without size inside of the function (`L0`, `??function_1` of
    /// IAR's assembler), or in a relocatable file a symbol of another section, because all of them begin at zero. llvm-symbolizer answers the nearer one.
    case nearerSymbol = "nearer-symbol"
    /// The debug information that the tables' answer comes from is not read: the row in the table of differences says what it would take.
    case notRead = "not-read"

    init(theirs: [CorpusPair.Frame], ours: [CorpusPair.Frame]) {
        self = .notRead
        guard theirs.count == 1, ours.count <= 1 else { return }
        let (their, our) = (theirs[0], ours.first)
        if our == nil, their.line == 0 {
            self = .beyondSymbol
        } else if let our, our.line == 0, their.line == 0, our.file.isEmpty {
            self = our.name == their.name ? .fileSymbol : .nearerSymbol
        } else if let our, our.name != their.name, (our.file, our.line, our.column) == (their.file, their.line, their.column) {
            self = .nearerSymbol
        }
    }
}
