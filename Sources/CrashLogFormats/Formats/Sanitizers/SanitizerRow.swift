internal import BinaryPrimitives
internal import CrashLogModel

/// One row of a stack as `RenderFrame` of `sanitizer_stacktrace_printer.cpp` writes it:
/// ` #%n %p %F %L`, of ThreadSanitizer ` #%n %f %S %M`.
///
///     #0 0x7ffff7fb3294  (/src/libstore.so+0x1294)                  not symbolicated
///     #3 0x7ffff7a45304  (/lib/libc.so.6+0x27304) (BuildId: 93ac…)
///     #1 0x7ffff7fb3294 in sum(store::Shelf const&, int) /src/store.cpp:11:12
///     #6 0x5555555550e0 in _start (/src/main+0x10e0)
///     #28 0x7712ab8e in RtlInitializeExceptionChain+0x8e (C:\windows\SYSTEM32\ntdll.dll+0x5ab8e)
///     #0 0x631000001000  (<unknown module>)
///     #0 <null> <null> (race+0x1233)                                ThreadSanitizer: no address
///     #1 work(int*) /src/race.cpp:7 (race+0x1233)
///     #1.1  0x0000658e5ed9863c in Unwind …/linux.cc:162 <libasan.so>+0x5663c     Fuchsia's `symbolize`; `.1` is an inlined call
struct SanitizerRow {
    var index: Int
    /// Range of the number's digits.
    var number: Range<Int>
    /// `#1.1`: the row itself is marked as an inlined call.
    var isInlined = false
    var address: UInt64?
    /// The row has ThreadSanitizer's layout: the function and its location come before the module.
    var isThreadSanitizers: Bool
    /// Offset after the address, or after the number if there is no address.
    var headEnd: Int
    var printed: PrintedSymbol?
    var module: SanitizerModule?
    /// Offset of the module in the row.
    var moduleStart: Int?
    /// Offset after the last byte that is not a blank.
    var end: Int

    init?(_ line: Span<UInt8>) {
        var rest = line
        rest.skipBlanks()
        guard rest.consume("#") else { return nil }
        let start = line.count - rest.count
        guard let value = rest.readDecimal(), let index = Int(exactly: value) else { return nil }
        self.index = index
        number = start..<line.count - rest.count
        if rest.consume(".") {
            guard rest.readDecimal() != nil else { return nil }
            isInlined = true
        }
        headEnd = line.count - rest.count
        guard let blank = rest.at(0), isBlank(blank) else { return nil }
        rest.skipBlanks()
        end = line.count
        while end > headEnd, let byte = line.at(end - 1), isBlank(byte) { end -= 1 }
        var text = rest.trimmed()
        if text.hasPrefix("0x") {
            guard let address = text.readAddress(), text.at(0).map(isBlank) ?? true else { return nil }
            self.address = address
            headEnd = end - text.count
            text = text.trimmed()
            if !text.consume("in "), text.equals("in") { text = text.from(2) }
        }
        isThreadSanitizers = address == nil
        if text.consumeSuffix("(<unknown module>)") {
            text = text.trimmed()
        } else if let module = SanitizerModule(endOf: text) {
            self.module = module
            moduleStart = end - text.count + module.start
            text = text.upTo(module.start).trimmed()
        } else if isThreadSanitizers, text.hasSuffix(")"), let open = text.lastRange(of: " (0x") {
            // `<null> <null> (0x7f0012345678)`: in no module.
            address = text.from(open.upperBound - 2).leadingAddress
            text = text.upTo(open.lowerBound).trimmed()
        }
        printed = SanitizerRow.symbol(text, hasModule: module != nil)
        // A line with neither an address nor a module is a row only if it has a source location.
        guard address != nil || module != nil || printed?.location != nil else { return nil }
    }

    // MARK: Function and source location

    /// `sum(store::Shelf const&, int) /src/store.cpp:11:12`, `main+0x55`, `<null> <null>`; `nil` if
    /// nothing is given.
    static func symbol(_ text: Span<UInt8>, hasModule: Bool) -> PrintedSymbol? {
        var text = text
        // GNU addr2line adds it where a line has several pieces of code.
        if text.hasSuffix(")"), let mark = text.lastRange(of: " (discriminator ") { text = text.upTo(mark.lowerBound) }
        var symbol = PrintedSymbol()
        if text.consumeSuffix(" <null>") {
            text = text.trimmed()
        } else if let found = location(in: text) {
            symbol.location = found.location
            text = text.upTo(found.start).trimmed()
        }
        if hasModule, symbol.location == nil { symbol.offset = text.readHexadecimal(atEndBehind: "+0x") }
        // `- name + 0x8 -`, `[module+0x18]`: rows of others.
        guard !text.hasPrefix("- "), !text.hasPrefix("["), !text.hasSuffix(" -") else { return nil }
        let isUnknown = text.count == 0 || ["<null>", "<unknown>", "??", "(<unknown>)"].contains { text.equals($0) }
        if !isUnknown { symbol.name = text.text }
        return symbol.name == nil && symbol.location == nil ? nil : symbol
    }

    /// Finds where the file begins in `FUNCTION FILE:LINE:COLUMN`. Both may hold blanks. A
    /// function's text has none before a slash or a drive, so that an absolute path begins at the
    /// first of those; a relative one has no blanks, as nearly always.
    private static func location(in text: Span<UInt8>) -> (start: Int, location: SourceLocation?)? {
        var file = text
        let numbers = SourceLocationText.readNumbers(&file)
        // Symbolizers print `??:?` and `??:0` if the location is unknown.
        let isQuestion = file.equals("??") || file.hasSuffix(" ??") || file.equals("??:?") || file.hasSuffix(" ??:?")
        if isQuestion, let start = file.lastRange(of: "??:?")?.lowerBound ?? file.lastRange(of: "??")?.lowerBound {
            return (start, nil)
        }
        guard let start = fileStart(file), numbers.count > 0 || isSource(file.from(start)) else { return nil }
        let name = file.from(start)
        guard name.count > 0 else { return nil }
        return (start, SourceLocation(file: name.text, line: numbers.first ?? 0, column: numbers.count > 1 ? numbers[1] : 0))
    }

    private static func fileStart(_ text: Span<UInt8>) -> Int? {
        if text.at(0) == UInt8(ascii: "/") { return 0 }
        if let slash = text.firstRange(of: " /") { return slash.lowerBound + 1 }
        if let drive = text.firstRange(of: ":\\"), drive.lowerBound >= 1 {
            let letter = drive.lowerBound - 1
            if letter == 0 || text.at(letter - 1).map(isBlank) == true { return letter }
        }
        return text.lastIndex(of: UInt8(ascii: " ")).map { $0 + 1 }
    }

    /// Whether a text without a line is a source file all the same: of code that belongs to no
    /// line.
    private static func isSource(_ file: Span<UInt8>) -> Bool {
        let endings = [".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".inc", ".m", ".mm", ".s", ".S", ".swift", ".rs", ".go"]
        return endings.contains { file.hasSuffix($0) } || file.equals("<compiler-generated>")
    }

    /// Whether the line is a row that a stack without a heading may begin with: indented as the
    /// runtime does, with address and module. GDB's rows are not indented and do not name a module
    /// in this way; rows that other tools write in the runtime's way (ClusterFuzz, of tombstones)
    /// have their source location already.
    /// People paste a stack from another row than the first on. LLVM's own stack dumps look nearly
    /// so (`lib/Support/Unix/Signals.inc`), and hold return addresses: the runtime alone writes
    /// ` in ` before a name, and two blanks where it has none.
    static func beginsStack(_ line: Span<UInt8>) -> Bool {
        guard let row = SanitizerRow(line), row.address != nil, let module = row.module, module.imageLocation != nil else { return false }
        if line.hasPrefix("    #0 0x") { return true }
        let behind = line.from(row.headEnd)
        return module.path.hasPrefix("/") && row.printed?.location == nil && (behind.hasPrefix("  (/") || behind.hasPrefix(" in "))
    }

    /// Whether the line may be the first that is left of a symbolicated stack: `#0 0x5646ef225cff in moor ../src/moor.c:1111`. Rows of gdb
    /// have two blanks behind their number, or parentheses behind the name; whose the rows are, those below say.
    static func mayBeginStack(_ line: Span<UInt8>) -> Bool {
        guard let row = SanitizerRow(line), row.address != nil, row.module == nil, let printed = row.printed, printed.name != nil,
            printed.location != nil
        else { return false }
        return line.from(row.number.upperBound).hasPrefix(" 0x") && line.from(row.headEnd).hasPrefix(" in ")
    }

    /// The frame, without the image.
    func frame(at range: Range<Int>) -> Frame {
        var frame = Frame(index: index, kind: .exact, address: address, range: range, printed: printed, isInlined: isInlined)
        frame.imageLocation = module?.imageLocation
        // Emscripten's rows repeat the position behind the name.
        if module?.isWebAssembly == true { frame.printed?.offset = nil }
        frame.imageName = module.map { Path.foreignName(of: $0.path) }
        return frame
    }
}
