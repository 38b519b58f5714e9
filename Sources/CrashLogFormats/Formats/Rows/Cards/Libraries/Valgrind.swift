internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Errors that Valgrind prints, of all its tools:
    ///
    ///     ==4242== Invalid read of size 4
    ///     ==4242==    at 0x10915C: moor (in /opt/harbour)
    ///     ==4242==    by 0x4884249: (below main) (libc_start_call_main.h:58)
    ///     ==4242==  Address 0x4a42044 is 0 bytes after a block of size 4 alloc'd
    ///     ==4242==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
    ///
    /// The unwinder moves return addresses back: `ips[i++] = uregs.xip - 1; /* -1: refer to calling
    /// insn, not the RA */` (`coregrind/m_stacktrace.c`), the first row is the guest's program
    /// counter.
    ///
    /// A position-independent program is loaded at 0x108000 on Linux (measured with 3.19 on amd64: a function at 0x115c
    /// is printed as 0x10915C), the dynamic linker at 0x4000000, libraries after it. Other programs are loaded at the
    /// address that they are linked at, on amd64 0x400000.
    static let valgrind = StackCard(
        name: "valgrind",
        summary: "errors of valgrind’s tools (memcheck, helgrind, drd): “at 0x…” and “by 0x…”",
        openings: ValgrindLine.headings.map { .start($0) } + [.anywhere(" in loss record ")],
        rule: .movedBack,
        claimsLine: { $0.hasPrefix("at 0x") && ValgrindLine.isRow($0) },
        read: ValgrindLine.read,
        finish: ValgrindLine.setProgramBase)
}

/// Reads a line of one of Valgrind's errors.
enum ValgrindLine {
    /// Beginnings of errors: `memcheck/mc_errors.c`, `helgrind/hg_errors.c`, `drd/drd_error.c`, and, for signals,
    /// `coregrind/m_signals.c`.
    static let headings = [
        "Invalid read of size ", "Invalid write of size ", "Invalid free() / delete", "Mismatched free() / delete",
        "Conditional jump or move depends on uninitialised value", "Use of uninitialised value of size ",
        "Jump to the invalid address stated",
        "Process terminating with default action of signal ", "Source and destination overlap in ", "Possible data race during ",
        "Conflicting load by thread ", "Conflicting store by thread ",
    ]

    static func read(_ line: Span<UInt8>) -> StackLine? {
        let text = line.trimmed()
        guard text.count > 0 else { return .last }
        if text.hasPrefix("at 0x") || text.hasPrefix("by 0x") { return nil }
        if text.hasPrefix("Process terminating with default action of signal ") { return .cause(cause(ofSignal: text)) }
        if headings.contains(where: { text.hasPrefix($0) }) || text.contains(" in loss record ") {
            return .cause(CrashCause(kind: .runtimeError, type: text.text))
        }
        if let address = text.address(after: "ccess not within mapped region at address ")
            ?? text.address(after: "Bad permissions for mapped region at address ")
        {
            return .faultAddress(address)
        }
        return readAddress(text)
    }

    /// Makes the cause of a signal: `11 (SIGSEGV)`.
    private static func cause(ofSignal text: Span<UInt8>) -> CrashCause {
        var cause = SignalText.cause(text) ?? SignalText.cause(signal: nil, text)
        if cause.type == nil { cause.type = "signal" }
        return cause
    }

    /// Reads the accessed address: `Address 0x4a42044 is 0 bytes after a block of size 4 alloc'd`. A stack may follow
    /// below it (`coregrind/m_addrinfo.c`).
    private static func readAddress(_ text: Span<UInt8>) -> StackLine? {
        if text.hasPrefix("Address 0x"), text.contains(" is not stack'd, ") {
            return text.address(after: "Address ").map { .faultAddress($0) }
        }
        let isHeading =
            text.hasPrefix("Address 0x") || text.hasPrefix("Block was alloc'd") || text.hasPrefix("Uninitialised value was created by ")
            || text.hasPrefix("This conflicts with a previous ")
        return isHeading ? .stack(name: PlainText.line(text.text)) : nil
    }

    /// Whether the text is a row: `at 0x10915C: moor (moor.c:4)`, `(in /opt/harbour)`.
    static func isRow(_ text: Span<UInt8>) -> Bool {
        guard text.hasSuffix(")"), let colon = text.firstRange(of: ": "), colon.lowerBound < 24 else { return false }
        return text.from(colon.upperBound).contains(" (")
    }

    // MARK: The program

    private static let program: UInt64 = 0x108000
    /// Load address of programs that are not position-independent.
    private static let fixedBase: UInt64 = 0x400000
    private static let dynamicLinker: UInt64 = 0x400_0000

    /// Sets 0x108000 as the base of the image whose rows are right after that address.
    static func setProgramBase(_ report: inout CrashReport) {
        let isProgram = { (frame: Frame) in frame.address.map { $0.value >= program && $0.value < fixedBase } == true }
        let rows = report.stacks.flatMap(\.frames).filter(isProgram)
        let images = Set(rows.compactMap(\.image))
        guard !rows.isEmpty, images.count <= 1 else { return }
        let image: Int
        if let known = images.first {
            image = known
        } else {
            // All rows of the program have source locations, and none names its file.
            guard report.images.count < Limits.standard.images else { return }
            image = report.images.count
            report.images.append(BinaryImage(name: RowFrames.unnamed))
        }
        report.images[image].base = RuntimeAddress(program)
        report.changeStacks { stack in
            for index in stack.frames.indices {
                let frame = stack.frames[index]
                guard frame.image == image || frame.image == nil, let address = frame.address, address.value >= program,
                    address.value < dynamicLinker
                else { continue }
                stack.frames[index].image = image
                stack.frames[index].imageLocation = nil
            }
        }
    }
}
