internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that the handler of Godot prints on Windows where it is built with MinGW (`platform/windows/crash_handler_windows_signal.cpp`):
    ///
    ///     CrashHandlerException: Program crashed with signal 11
    ///     Load address: 7ff67b5e0000                                                          how far the program was moved
    ///
    ///     [1] 7ff7bb5f4521 (main+14521) - no debug info in PE/COFF executable                 since 4.7; `main` is the program
    ///     [6] 7ff7bb5e168c - no debug info in PE/COFF executable
    ///     [9] quay_break (/src/quay.c:22)                                                     4.3 to 4.6: with debug information
    ///     [1] error(-1): no debug info in PE/COFF executable                                  without: no address
    ///
    /// libbacktrace subtracts 1 from every address (`simple_unwind` of `simple.c`: on Windows the unwinder never says that it has the
    /// instruction itself), also from that of the instruction that crashed: the row below those of the system's dispatcher.
    static let godotWindows = StackCard(
        name: "godot-windows",
        summary: "Godot’s crash handler on Windows: “CrashHandlerException: Program crashed with signal”",
        openings: [.anywhere("CrashHandlerException: Program crashed with signal ")],
        isCertain: true,
        rule: .movedBack,
        offsets: .imageStart,
        maxUnrecognizedLines: 8,
        hasOwnRows: true,
        read: { line in
            let text = line.trimmed()
            // The base in memory less the base as linked: kept as the program's base until `finish`.
            return GodotText.read(text) ?? (text.hasPrefix("=") ? .skipped : nil)
        },
        readRow: GodotWindowsText.row,
        writeResult: GodotWindowsText.writeResult,
        finish: GodotWindowsText.assignImages)
}

private enum GodotWindowsText {
    static func row(_ line: Span<UInt8>) -> StackRow? {
        guard let number = RowNumber(line, from: 0), number.style == .brackets else { return nil }
        var rest = line.from(number.end)
        var row = StackRow(number: number.value, style: .brackets, in: line.indent..<line.count)
        let before = rest
        if let address = rest.readHexadecimal(), rest.hasPrefix(" (") || rest.hasPrefix(" - "), address >= 0x1000 {
            row.addressRange = number.end..<line.count - rest.count
            row.address = address
            if rest.consume(" ("), let plus = rest.firstIndex(of: UInt8(ascii: "+")) {
                let start = line.count - rest.count
                let isProgram = rest.upTo(plus).equals("main")
                rest = rest.from(plus + 1)
                guard let offset = rest.readHexadecimal(), rest.consume(")") else { return nil }
                if offset <= address, address != .max {
                    if !isProgram { row.module = start..<start + plus }
                    row.isOfProgram = isProgram
                    (row.moduleOffset, row.base) = (offset, address - offset)
                }
            }
            guard rest.consume(" - ") else { return nil }
            // The end of the stack.
            if address == .max { row.address = nil }
        } else {
            rest = before
        }
        readFunction(&row, line, line.count - rest.count)
        return row
    }

    /// `quay_break (/src/quay.c:22)`, `no debug info in PE/COFF executable`, `error(-1): no debug info in PE/COFF executable`
    private static func readFunction(_ row: inout StackRow, _ line: Span<UInt8>, _ start: Int) {
        let text = line.from(start).trimmed()
        row.hasUnknownName = true
        guard text.hasSuffix(")"), !text.hasPrefix("error("), let open = text.lastRange(of: " ("), open.lowerBound > 0,
            let location = SourceLocationText.read(text.clamped(to: open.upperBound..<text.count - 1))
        else { return }
        row.hasUnknownName = false
        row.symbol.name = start..<start + open.lowerBound
        row.set(location, at: start + open.upperBound)
    }

    static func writeResult(_ line: Span<UInt8>, _ result: FrameResult) -> RowResult? {
        guard let row = row(line), row.address != nil, let mark = line.firstRange(of: " - ") else { return nil }
        return RowResult(
            range: mark.upperBound..<(0..<line.count).trimmed(in: line).upperBound,
            functions: result.functions.map { function in
                let location = function.location.map { " (" + SourceLocationText.text($0) + ")" } ?? ""
                return RowResult.name(function) + location
            })
    }

    static func assignImages(in report: inout CrashReport) {
        report.platform = "Windows"
        let program = report.images.firstIndex { $0.name == RowFrames.unnamed }
        let slide = program.flatMap { report.images[$0].base?.value }
        var base: UInt64?
        report.changeStacks { stack in
            let isModuleKnown = stack.frames.contains { $0.imageOffset != nil }
            for index in stack.frames.indices {
                let frame = stack.frames[index]
                if isModuleKnown, frame.imageName == nil, let offset = frame.imageOffset, let address = frame.address {
                    stack.frames[index].image = program
                    base = base ?? address.value &- offset.value
                } else if !isModuleKnown, let slide, let address = frame.address, address.value >= slide {
                    stack.frames[index].image = program
                    stack.frames[index].imageLocation = .linkAddress(LinkAddress(address.value - slide))
                }
            }
            // The handler, the system's dispatcher, and what crashed.
            let system = stack.frames.dropFirst().prefix { $0.imageName?.lowercased() == "ntdll.dll" }
            guard !system.isEmpty, system.endIndex < stack.frames.endIndex, let offset = stack.frames[system.endIndex].imageOffset else {
                return
            }
            stack.frames[system.endIndex].imageLocation = .offset(ImageOffset(offset.value + 1))
            stack.frames[system.endIndex].kind = .programCounter
        }
        if let program { report.images[program].base = base.map { RuntimeAddress($0) } }
    }
}
