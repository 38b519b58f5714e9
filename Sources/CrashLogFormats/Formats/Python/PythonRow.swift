internal import BinaryPrimitives
internal import CrashLogModel

/// A frame of Python code, as the interpreter and faulthandler write it; an exception group has a
/// margin:
///
///       File "./test.py", line 4, in f
///       File "test.py", line 486 in string_at            faulthandler
///       | File "test.py", line 4, in f
enum PythonRow {
    static func read(_ line: Span<UInt8>) -> PrintedSymbol? {
        var rest = line
        var indentation = 0
        while let byte = rest.at(0), isBlank(byte) || byte == UInt8(ascii: "|") {
            rest = rest.from(1)
            indentation += 1
        }
        guard indentation >= 2, rest.take("File \""), let close = rest.lastRange(of: "\", line ") else { return nil }
        let file = rest.upTo(close.lowerBound)
        rest = rest.from(close.upperBound)
        guard let line = rest.takeDecimal(), let number = Int(exactly: line) else { return nil }
        _ = rest.take(",")
        var symbol = PrintedSymbol(location: SourceLocation(file: file.text, line: number))
        if rest.take(" in ") { symbol.name = rest.trimmed().text } else if rest.count > 0 { return nil }
        return symbol
    }
}

/// A frame of C code in faulthandler's report since Python 3.14 (`_Py_backtrace_symbols_fd` of
/// `Python/traceback.c`):
///
///       Binary file "/usr/lib/libc.so.6", at +0x3def0 [0x77b73226bef0]
///
/// A function's name stands before the plus sign (`at _Py_DumpStack+0x42`), `at` and what follows it may be absent, and the file is
/// `'<unknown>'` if none is known.
///
/// Without a name, what follows the plus sign is the address without the load bias
/// (`link_map.l_addr`): the address as the file was linked. On macOS it is the distance from the
/// Mach-O header. A program that is loaded where it was linked has no such offset. cairn's place in
/// the source follows the bracket.
struct PythonCodeRow {
    var path: String?
    var address: UInt64
    /// After the plus sign: from the symbol, or from the file's base.
    var offset: UInt64?
    var name: String?
    var location: SourceLocation?
    var isInlined = false
    /// Where ` [0x…]` begins, and where `, at ` does.
    var symbolStart: Int
    var addressStart: Int
    /// Where the result's place in the source begins.
    var answerStart: Int

    init?(_ line: Span<UInt8>) {
        var rest = line
        rest.skipBlanks()
        guard rest.count < line.count, rest.take("Binary file ") else { return nil }
        let isKnown = rest.at(0) == UInt8(ascii: "\"")
        guard let open = rest.firstRange(of: isKnown ? "\"" : "'"), open.lowerBound == 0,
            let bracket = rest.lastRange(of: " [0x"),
            let close = rest.lastIndex(of: UInt8(ascii: isKnown ? "\"" : "'"), before: bracket.lowerBound), close > 0
        else { return nil }
        if isKnown { path = rest.clamped(to: 1..<close).text }
        let start = line.count - rest.count
        symbolStart = start + close + 1
        addressStart = start + bracket.lowerBound
        var digits = rest.from(bracket.lowerBound + 2)
        guard let value = digits.takeAddress(), digits.take("]") else { return nil }
        address = value
        answerStart = line.count - digits.count
        if digits.take(" at ") { location = SourceLocationText.read(digits) }
        readSymbol(rest.clamped(to: close + 1..<bracket.lowerBound))
    }

    private mutating func readSymbol(_ text: Span<UInt8>) {
        var rest = text
        guard rest.take(", at ") else { return }
        isInlined = rest.takeLast(" [inlined]")
        if !isInlined { offset = rest.takeHexadecimal(atEndBehind: "+0x") }
        if rest.count > 0 { name = rest.text }
    }
}

extension PythonCodeRow {
    func frame(index: Int, at place: Range<Int>) -> Frame {
        var frame = Frame(index: index, kind: .returnAddress, address: RuntimeAddress(address), place: place)
        frame.imageName = path.map(Path.foreignName)
        frame.isInlined = isInlined
        if name != nil || location != nil {
            frame.printed = PrintedSymbol(name: name, offset: name == nil ? nil : offset, location: location)
        }
        if path == nil { return frame }
        if let name, let offset {
            frame.imagePlace = .symbol(SymbolPlace(name: name, offset: offset))
        } else if name == nil {
            // Without an offset it is where it was linked.
            frame.imagePlace = .linkAddress(LinkAddress(offset ?? address))
        }
        return frame
    }

    /// The rows are `backtrace(3)`'s: return addresses all. Where a signal was what killed the
    /// interpreter, the stack begins in the handler, whose functions are the interpreter's own; the
    /// first row of the C library is the trampoline that the handler returns to, and below it is
    /// what was interrupted, at its own instruction.
    static func decideKinds(_ frames: inout [Frame], isSignal: Bool) {
        guard isSignal, let trampoline = frames.firstIndex(where: { isCLibrary($0.imageName) && !$0.isInlined }), trampoline > 0 else {
            return
        }
        for index in frames.indices where index > trampoline {
            guard frames[index].kind == .returnAddress else { return }
            frames[index].kind = .programCounter
            if !frames[index].isInlined { return }
        }
    }

    private static func isCLibrary(_ name: String?) -> Bool {
        guard let name else { return false }
        return name.hasPrefix("libc.") || name.hasPrefix("libc-") || name.hasPrefix("libpthread") || name.hasPrefix("ld-musl")
            || name == "libsystem_platform.dylib"
    }

    /// Each file is an image without a base; each row gives the place in it.
    static func addStack(_ frames: [Frame], to report: inout CrashReport) {
        var frames = frames
        var table = ImageTable()
        let isDarwin = frames.contains { $0.imageName?.hasSuffix(".dylib") == true }
        for index in frames.indices {
            guard let name = frames[index].imageName else { continue }
            frames[index].image = table.index(ofImageNamed: name, id: nil)
            if isDarwin, case .linkAddress(let offset)? = frames[index].imagePlace {
                frames[index].imagePlace = .offset(ImageOffset(offset.value))
            }
        }
        report.additionalBacktraces.append(ThreadTrace(index: 0, name: "Current thread's C stack trace", crashed: true, frames: frames))
        report.images = table.images
    }
}
