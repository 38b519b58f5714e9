internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks that the run-time library of Intel Fortran prints:
    ///
    ///     forrtl: severe (174): SIGSEGV, segmentation fault occurred
    ///     Image              PC                Routine            Line        Source
    ///     harbour            000000000051394D  Unknown               Unknown  Unknown
    ///     harbour            0000000000477210  harbour_mp_moor_          292  harbour.f90
    ///
    /// The library is closed. Its addresses are as unwound: for the caller of `main` in CentOS 7's libc, loaded at
    /// 0x7fb4d936e000, logs have 0x7FB4D9390555, which is the return address `__libc_start_main+0xf5`. After a signal
    /// the first row of libpthread, or of libc, is the trampoline, which begins at a multiple of 16, and the row below
    /// it was executing. Names of images are cut off at 18 characters.
    static let intelFortran = StackCard(
        name: "intel-fortran",
        summary: "run-time errors of Intel Fortran: “forrtl: severe”, a table of Image, PC, Routine, Line, Source",
        openings: [.start("forrtl: "), .start("Image              PC ")],
        isCertain: true,
        read: { line in
            let text = line.trimmed()
            if text.hasPrefix("Image "), text.contains(" PC "), text.contains(" Routine ") { return .skipped }
            guard text.hasPrefix("forrtl: ") else { return nil }
            let message = text.from("forrtl: ".utf8.count)
            var cause = SignalText.cause(message) ?? CrashCause(kind: .runtimeError)
            cause.type = cause.type ?? "forrtl"
            cause.message = message.text
            return .cause(cause)
        },
        readRow: IntelFortranRow.read,
        finish: { report in
            guard report.cause?.kind == .signal else { return }
            report.changeStacks { stack in
                let isOfLibrary = { (frame: Frame) in
                    frame.imageName.map { $0.hasPrefix("libpthread") || $0.hasPrefix("libc.") || $0.hasPrefix("libc-") } == true
                }
                guard let index = stack.frames.firstIndex(where: isOfLibrary), index + 1 < stack.frames.count,
                    let address = stack.frames[index].address, address.value & 0xF == 0
                else { return }
                stack.frames[index + 1].kind = .programCounter
            }
        })
}

/// A row of the table: an image, its program counter, the routine, the line, the file.
enum IntelFortranRow {
    static func read(_ line: Span<UInt8>) -> StackRow? {
        var position = 0
        var columns: [Range<Int>] = []
        while columns.count < 5, position < line.count {
            while let byte = line.at(position), isBlank(byte) { position += 1 }
            let start = position
            while let byte = line.at(position), !isBlank(byte) { position += 1 }
            if position > start { columns.append(start..<position) }
        }
        guard columns.count == 5 else { return nil }
        var digits = line.clamped(to: columns[1])
        guard digits.count == 16 || digits.count == 8, let address = digits.readHexadecimal(), digits.count == 0,
            var row = StackRow(line.upTo(columns[1].upperBound), from: columns[1].lowerBound, isLenient: true)
        else { return nil }
        row.start = columns[0].lowerBound
        row.end = columns[4].upperBound
        row.address = address
        row.module = columns[0]
        row.isBare = false
        if !line.clamped(to: columns[2]).equals("Unknown") { row.symbol.name = columns[2] }
        if let value = line.clamped(to: columns[3]).leadingDecimal, let found = Int(exactly: value) {
            row.file = columns[4]
            row.line = found
        }
        return row
    }
}
