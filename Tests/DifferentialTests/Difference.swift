/// Why the two sides answer an address differently, where the file shows who is right. Everything else is unexplained.
enum Difference: String, CaseIterable {
    /// No line of the debug information covers the address. llvm-symbolizer then prints the `STT_FILE` symbol that stands before the
    /// function in the symbol table as its source file, with line 0: it is often the file of another function (`_init` from `crti.o` as
    /// `crtstuff.c`). cairn gives the function alone.
    case fileSymbol = "file-symbol"
    /// No symbol covers the address: the one that begins before it ends before it, or has no size and lies in another section.
    /// llvm-symbolizer extends a symbol without size to the next one, across sections (`_init` for the procedure linkage table). cairn says that there is none.
    case beyondSymbol = "beyond-symbol"
    case unexplained

    init(peer: [PeerSymbolizer.Frame], ours: [PeerSymbolizer.Frame]) {
        let place = peer[0]
        let isFileSymbol = peer.count == 1 && place.line == 0 && place.column == 0 && !place.file.contains("/")
        if isFileSymbol, ours.count == 1, ours[0].function == place.function, ours[0].file == "??" {
            self = .fileSymbol
        } else if isFileSymbol, ours == [.unknown] {
            self = .beyondSymbol
        } else {
            self = .unexplained
        }
    }
}
