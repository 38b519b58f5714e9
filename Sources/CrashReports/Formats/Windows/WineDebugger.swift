internal import BinaryPrimitives

/// What Wine's debugger prints when a program crashes: the window's “Show Details”, and `winedbg --auto`.
///
///     Unhandled exception: page fault on read access to 0x00000010 in 32-bit code (0x038e0040).
///     Backtrace:
///     =>0 0x038e0040 in harbour (+0x34e0040) (0x0033fed8)
///       1 0x7b463dae moor+0x1d() in kernel32 (0x0033ffec)
///     Modules:
///     Module	Address			Debug info	Name (3 modules)
///     PE	  400000- 3985000	Export          harbour
///     ELF	7b400000-7b7f0000	Dwarf           kernel32<elf>
///
/// The modules of Wine itself are ELF files where it is not built with MinGW, and so are programs that winelib links; what Windows' programs bring along are PE files, which are not read.
public struct WineDebugger: LineFormat {
    public static let name = "winedbg"
    public static let summary = "Wine’s debugger: crashes of Windows programs; frames in ELF modules are resolved"
    public static let triggers = ["Unhandled exception: ", "=>0 0x"]

    private var cause: CrashCause?
    private var architecture: Architecture?
    private var threads: [ThreadTrace] = []
    private var modules: [WineModule] = []
    private var isInModules = false

    public init() {}

    public static func begins(_ line: Span<UInt8>) -> Confidence {
        if exception(line) != nil { return .certain }
        guard line.hasPrefix("=>0 0x"), let row = WineRow(line), row.module != nil else { return .none }
        return line.contains(" (0x") || line.contains(" (+0x") ? .certain : .possible
    }

    /// `Unhandled exception: page fault on read access to 0x00000010 in 32-bit code (0x038e0040).` (`dbg_handle_exception` of `programs/winedbg/tgt_active.c`)
    private static func exception(_ line: Span<UInt8>) -> (cause: CrashCause, architecture: Architecture)? {
        var rest = line.trimmed()
        guard rest.take("Unhandled exception: "), let code = rest.lastRange(of: "-bit code (0x") else { return nil }
        let isWide = rest.upTo(code.lowerBound).hasSuffix(" in 64")
        guard isWide || rest.upTo(code.lowerBound).hasSuffix(" in 32") || rest.upTo(code.lowerBound).hasSuffix(" in wow64 32") else {
            return nil
        }
        var cause = CrashCause(kind: .other)
        let words = rest.upTo(rest.firstRange(of: " in ")?.lowerBound ?? code.lowerBound)
        cause.message = words.text
        cause.type = words.upTo(words.firstRange(of: " on ")?.lowerBound ?? words.count).text
        if let to = words.lastRange(of: " access to ") {
            var address = words.from(to.upperBound)
            cause.address = address.takeAddress().map { RuntimeAddress($0) }
        }
        return (cause, isWide ? .x86_64 : .i386)
    }

    public mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        if let found = WineDebugger.exception(line) {
            guard cause == nil, threads.isEmpty else { return .rejected }
            (cause, architecture) = found
            return .more
        }
        if isInModules {
            if let module = WineModule(line) {
                if modules.count < Limits.standard.images { modules.append(module) }
                return .more
            }
            return line.hasPrefix("Module\t") || line.hasPrefix("Module ") ? .more : line.trimmed().count == 0 ? .unknown : .done
        }
        if let row = WineRow(line) { return take(row, at: place) }
        if line.trimmed().equals("Modules:") {
            isInModules = true
            return .more
        }
        return line.trimmed().equals("Backtrace:") ? .more : .unknown
    }

    private mutating func take(_ row: WineRow, at place: Range<Int>) -> LineVerdict {
        // `=>0` and `0`: another thread's stack.
        if threads.isEmpty || row.index == 0 && threads.last?.frames.last?.isInlined == false {
            guard threads.count < Limits.standard.threads else { return .more }
            threads.append(ThreadTrace(index: threads.count, crashed: threads.isEmpty))
        }
        let last = threads.count - 1
        guard threads[last].frames.count < Limits.standard.framesPerThread else { return .more }
        // The debugger prints what it unwinds (`StackWalk`): the program counter, and return addresses.
        var frame = Frame(
            index: row.index, kind: row.index == 0 ? .programCounter : .returnAddress, address: RuntimeAddress(row.address), place: place)
        frame.imageName = row.module
        frame.printed = row.printed
        frame.isInlined = row.isInlined
        if let offset = row.offset { frame.imageOffset = ImageOffset(offset) }
        threads[last].frames.append(frame)
        return .more
    }

    public mutating func finish() -> [CrashReport] {
        guard !threads.isEmpty else { return [] }
        var report = CrashReport(format: WineDebugger.name)
        report.cause = cause
        report.architecture = architecture
        report.platform = "Wine"
        report.threads = threads
        // What is inside of an ELF module comes behind it, with a range in its own.
        report.images = modules.map { module in
            var image = BinaryImage(name: module.name)
            image.base = RuntimeAddress(module.start)
            image.size = module.end - module.start
            image.isPlaceholder = !module.isELF
            image.architecture = module.isELF ? architecture : nil
            return image
        }
        place(in: &report)
        return [report]
    }

    private func place(in report: inout CrashReport) {
        let elf = SortedImages(report.images)
        var (native, windows) = (0, 0)
        let images = report.images
        report.changeStacks { stack in
            for index in stack.frames.indices {
                guard let address = stack.frames[index].address else { continue }
                if let image = elf.index(containing: address) {
                    stack.frames[index].image = image
                    // The row counts from the PE module inside.
                    stack.frames[index].imagePlace = nil
                    native += 1
                } else if let image = images.firstIndex(where: { $0.contains(address) }) {
                    stack.frames[index].image = image
                    windows += 1
                }
            }
        }
        guard windows > 0 else { return }
        if native == 0 { report.obstacle = WindowsDebugger.obstacle }
        report.notes.append("\(windows) \(windows == 1 ? "frame lies" : "frames lie") in Windows’ files (PE), which are not read.")
    }

    /// A name stands behind the address and the place in the source in brackets, as the debugger prints them; inlined calls are rows above.
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            guard let row = WineRow(log.clamped(to: frame.place)) else { return nil }
            let functions = answer.functions.map { function in
                let offset = function.isInlined ? "" : function.offset.map { "+0x" + hexadecimal($0, digits: 0) } ?? ""
                let place = function.location.map { " [" + SourcePlaceText.text($0) + "]" } ?? ""
                return " " + AppleSymbolText.oneLine(function.name) + offset + place + (function.isInlined ? " [inlined]" : "")
            }
            return TextEdit.rows(RowAnswer(range: row.addressEnd..<row.moduleStart, functions: functions), in: frame.place, of: log)
        }
    }
}
