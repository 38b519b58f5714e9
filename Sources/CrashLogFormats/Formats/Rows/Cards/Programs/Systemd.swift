internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that systemd-coredump reports: its message in the journal, and the output of `coredumpctl info`, which
    /// puts the entry's other fields above the message.
    ///
    ///            PID: 3252 (segv.sh)
    ///         Signal: 11 (SEGV)
    ///     Executable: /usr/bin/bash
    ///        Message: Process 3252 (segv.sh) of user 1000 dumped core.
    ///
    ///                 Module libc.so.6 with build-id 5f6632d75fd027f5b7b410787f3f06c6bf73eee6
    ///                 Stack trace of thread 3252:
    ///                 #0  0x00007f0284c9c904 readdir (libc.so.6 + 0xc7904)
    ///                 #1  0x00005559c451964e n/a (/home/w/ls + 0x1364e)
    ///                 #2  0x00005625a34934c2 xmalloc (bash)
    ///                 #10 0x000072372bf5cb3e n/a (n/a + 0x0)
    ///                 ELF object binary architecture: AMD x86-64
    ///
    /// `frame_callback` of systemd's src/shared/elf-util.c; before 247, without the offset, src/coredump/stacktrace.c.
    /// The offset is the distance from the module's first mapped byte (`pc - start`, `start` from `dwfl_module_info`),
    /// also in a program that is not position-independent.
    ///
    /// systemd prints the program counter as libdwfl gives it (`dwfl_frame_pc`), and subtracts one only to find the
    /// name. All rows except number 0 are therefore return addresses, even if the rows above them were not copied.
    /// (libdwfl knows which frame a signal interrupted, but the rows do not show it. The signal's trampoline does, if
    /// its name is known.) The thread that crashed is the first in a core.
    ///
    /// Often only a part of a stack is copied. Without a heading, at least two rows are needed.
    static let systemd = StackCard(
        name: "systemd-coredump",
        summary: "systemd-coredump: its message in the journal, coredumpctl info, and the journal’s JSON",
        openings: [
            .inLine("Stack trace of thread ", isCertain: true) { SystemdText.thread($0.trimmed()) != nil },
            .inLine("dumped core", isCertain: true) { SystemdText.message($0.trimmed()) != nil },
            .inLine("      PID: ") { $0.hasPrefix("      ") && SystemdFields.isFirst($0.trimmed()) },
        ],
        rule: .firstIsProgramCounter,
        offsets: .imageStart,
        allowsRowWithoutHeading: false,
        maxUnrecognizedLines: 16,
        hasOwnRows: true,
        claimsLine: { SystemdText.claims($0) },
        read: { SystemdText.read($0.trimmed()) },
        readRow: SystemdText.row,
        writeResult: SystemdText.writeResult)
}

enum SystemdText {
    static func read(_ text: Span<UInt8>) -> StackLine? {
        if let number = thread(text) { return .thread(number: number, name: nil, isCrashed: false) }
        if let process = message(text) { return .several([.heading(), .process(name: process.name, pid: process.pid)]) }
        if SystemdFields.isFirst(text) { return .several([.heading(isAbove: true), SystemdFields.line(text) ?? .skipped]) }
        return module(text) ?? architecture(text) ?? SystemdFields.line(text)
    }

    static func thread(_ text: Span<UInt8>) -> Int? {
        var rest = text
        guard rest.consume("Stack trace of thread "), let number = rest.readDecimal(), rest.equals(":") else { return nil }
        return Int(exactly: number)
    }

    /// Reads the message: `Process 635109 (java) of user 1000 dumped core.` It ends differently for a process that
    /// systemd itself killed by a signal.
    static func message(_ text: Span<UInt8>) -> (name: String, pid: Int?)? {
        var rest = text
        if !rest.consume("Message: ") { _ = rest.consume("MESSAGE=") }
        guard rest.consume("Process "), let pid = rest.readDecimal(), rest.consume(" ("), let end = rest.firstRange(of: ") of user "),
            rest.contains("dumped core")
        else { return nil }
        return (rest.upTo(end.lowerBound).text, Int(exactly: pid))
    }

    /// Reads a module: `Module libc.so.6 with build-id 0f5a…`, `Found module libc.so.6 with build-id: 0f5a…`,
    /// `Module bash without build-id.`, `Module bash from rpm bash-5.1-2.fc34.x86_64`.
    private static func module(_ text: Span<UInt8>) -> StackLine? {
        var rest = text
        guard rest.consume("Module ") || rest.consume("Found module "),
            let end = rest.lastRange(of: " with build-id") ?? rest.lastRange(of: " without build-id") ?? rest.firstRange(of: " from ")
        else { return nil }
        var image = BinaryImage(file: rest.upTo(end.lowerBound).text)
        var id = rest.from(end.upperBound)
        _ = id.consume(":")
        image.id = ImageID(text: id.trimmed().text)
        return .image(image)
    }

    /// Reads the architecture, as elfutils calls it (`ebl_backend_name`): `ELF object binary architecture: AMD x86-64`.
    private static func architecture(_ text: Span<UInt8>) -> StackLine? {
        var rest = text
        guard rest.consume("ELF object binary architecture: ") else { return nil }
        let names = [
            "AMD x86-64": "x86_64", "Intel 80386": "i386", "AARCH64": "arm64", "ARM": "arm", "PowerPC 64-bit": "ppc64",
            "IBM S/390": "s390x", "RISC-V": "riscv64",
        ]
        return names[rest.text].map { .architecture(Architecture($0)) } ?? .skipped
    }

    // MARK: Rows

    /// Whether a row without a heading is from systemd. Without an offset, as before 250, rows look like those of gdb:
    /// `#1  0x0000000000401445 in main ()`.
    static func claims(_ line: Span<UInt8>) -> Bool {
        guard line.at(0) == UInt8(ascii: "#"), let row = row(line) else { return false }
        if row.moduleOffset != nil { return true }
        guard row.file == nil, let module = row.module, let address = row.addressRange, address.count == 18 else { return false }
        let file = line.clamped(to: module)
        guard !(0..<file.count).contains(where: { isOne(file[$0], of: " ,=()*&@+:") }), !line.from(address.upperBound).hasPrefix(" in ")
        else {
            return false
        }
        return row.hasUnknownName || row.symbol.name.map { name in name.allSatisfy { !isOne(line[$0], of: "( ") } } == true
    }

    /// Reads a row. If this package has symbolicated it, ` at FILE:LINE` comes after it, and ` [inlined]` before that.
    static func row(_ line: Span<UInt8>) -> StackRow? {
        guard let number = RowNumber(line, from: 0), number.style == .hash else { return nil }
        var rest = line.from(number.end)
        guard let address = rest.readAddress(), rest.hasPrefix(" ") else { return nil }
        var row = StackRow(
            number: number.value, style: .hash, in: line.indent..<line.count, address: address,
            addressRange: number.end..<line.count - rest.count)
        let remaining = row.readTrailingLocation(.at, in: line, line.count - rest.count..<line.count)
        guard line.clamped(to: remaining).hasSuffix(")"), let open = line.upTo(remaining.upperBound).lastRange(of: " ("),
            open.lowerBound > remaining.lowerBound
        else { return nil }
        row.end = remaining.upperBound
        let name = remaining.lowerBound..<open.lowerBound
        if line.clamped(to: name).equals("n/a") { row.hasUnknownName = true } else { row.symbol.name = name }
        readModule(&row, line, open.upperBound..<remaining.upperBound - 1)
        return row
    }

    /// Reads the module and the offset: `libc.so.6 + 0xc7904`, `bash`, `n/a + 0x0`.
    private static func readModule(_ row: inout StackRow, _ line: Span<UInt8>, _ range: Range<Int>) {
        var name = range
        var offset: UInt64?
        if let plus = line.upTo(range.upperBound).lastRange(of: " + 0x"), plus.lowerBound >= range.lowerBound {
            if let value = line.clamped(to: plus.upperBound..<range.upperBound).hexadecimal {
                offset = value
                name = range.lowerBound..<plus.lowerBound
            }
        }
        guard !name.isEmpty, !line.clamped(to: name).equals("n/a") else { return }
        row.module = name
        row.moduleOffset = offset
        row.base = offset.flatMap { offset in row.address.map { $0 &- offset } }
    }

    /// Writes the name instead of `n/a`, as systemd does if it has the debug file. The source location, which systemd
    /// never prints, comes after the parentheses, so that other readers of such rows still work.
    static func writeResult(_ text: Span<UInt8>, _ result: FrameResult) -> RowResult? {
        guard let row = row(text), let address = row.addressRange, let open = text.upTo(row.end).lastRange(of: " (") else { return nil }
        return RowResult(
            range: address.upperBound + 1..<text.count, keeping: open.lowerBound..<row.end,
            functions: result.functions.map { function in
                let location = function.location.map { " at " + SourceLocationText.text($0) } ?? ""
                return (PlainText.line(function.name), (function.isInlined ? " [inlined]" : "") + location)
            })
    }
}
