internal import BinaryPrimitives
package import CrashLogModel

/// The Linux kernel's lines about programs that it has sent a deadly signal: `dmesg`,
/// `journalctl -k`, `/var/log/kern.log`. Each is a report with one frame; see `KernelSegfaultLine`.
///
///     [12345.678901] harbour[4242]: segfault at 10 ip 000055d0c0a1b2c3 sp 00007ffd1234abcd error 4 in harbour[55d0c0a1a000+2000] likely on CPU 4 (core 4, socket 0)
///     [12345.678902] Code: 48 89 39 ce 0f 84 07 06 00 00 …
///
/// On arm64, riscv and mips the program counter is in lines below it:
///
///     harbour[42]: unhandled signal 11 code 0x1 at 0x0000000000000010 in libtide.so.1[3f95791000+27000]
///     CPU: 0 PID: 42 Comm: harbour Not tainted 6.6.0 #1
///     epc : 0000003f957a1c64 ra : 0000003f957a1c00 sp : 0000003ffff1a2b0
///
///     do_page_fault(): sending SIGSEGV to harbour for invalid read access from 00000010
///     epc = 77a1b2c4 in libc.so[77a00000+9000]
///     ra  = 00406f64 in harbour[400000+5000]
package struct KernelSegfault: LineFormat {
    package static let name = "kernel-segfault"
    package static let summary = "the Linux kernel’s lines about programs: segfault at, traps:, unhandled signal"
    package static let triggers = KernelSegfaultLine.triggers + ["epc = ", "era = "]

    private var first: (line: KernelSegfaultLine, range: Range<Int>)?
    private var registers = KernelRegisters()
    /// MIPS' lines of two registers.
    private var rows: [(address: UInt64, mapping: KernelSegfaultMapping?, range: Range<Int>)] = []
    private var release: String?
    /// Other text was before the record, so that the lines below it have another prefix.
    private var isInsideLine = false

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        if KernelSegfaultLine(line.from(start(in: line))) != nil { return .certain }
        // The rows below a line that is missing.
        let text = line.from(line.indent)
        return text.hasPrefix("epc = ") || text.hasPrefix("era = ") ? row(line) == nil ? .none : .possible : .none
    }

    /// Start of the record in a line with other text before the kernel's time: a prompt, another program's output, a sentence.
    ///
    ///     root@host:~# [138846.005947] do_page_fault(): sending SIGSEGV to moor for invalid read access from 00000ea1
    private static func start(in line: Span<UInt8>) -> Int {
        // With returns in it, it is a log whose line breaks are lost.
        guard line.contains("] "), line.firstIndex(of: UInt8(ascii: "\r")) == nil else { return 0 }
        var position = 0
        while let open = line.firstIndex(of: UInt8(ascii: "["), from: position) {
            position = open + 1
            var rest = line.from(position)
            rest.skipBlanks()
            guard rest.readDecimal() != nil, rest.consume(".") else { continue }
            let digits = rest.count
            guard rest.readDecimal() != nil, digits - rest.count == 6, rest.consume("] ") else { continue }
            return line.count - rest.count
        }
        return 0
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        guard let known = first else {
            let start = KernelSegfault.start(in: line)
            guard let found = KernelSegfaultLine(line.from(start)) else {
                guard readRow(line, at: range) else { return .rejected }
                first = (KernelSegfaultLine(), range)
                return .more
            }
            first = (found, range.lowerBound + start..<range.upperBound)
            isInsideLine = start > 0
            return .more
        }
        let text = line.trimmed()
        if text.hasPrefix("Code: ") || text.hasPrefix("code: ") { return .more }
        guard known.line.hasRegisters else { return .rejected }
        if readRow(line, at: range) { return .more }
        if let status = KernelStatus(line) {
            release = release ?? status.release
            return .more
        }
        if text.hasPrefix("Hardware name: ") || text.hasPrefix("status: ") || text.hasPrefix("pstate: ") { return .more }
        return registers.read(line) ? .more : .rejected
    }

    /// `epc = 77a1b2c4 in libc.so[77a00000+9000]`, `ra = 00406f64 in harbour[400000+5000]`;
    /// `era = ` on loongarch. The mapping is missing where the address is in none.
    private mutating func readRow(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        guard rows.count < 2, let row = KernelSegfault.row(line) else { return false }
        rows.append((row.address, row.mapping, range))
        return true
    }

    private static func row(_ line: Span<UInt8>) -> (address: UInt64, mapping: KernelSegfaultMapping?)? {
        var rest = line
        rest.skipBlanks()
        guard rest.consume("epc = ") || rest.consume("era = ") || rest.consume("ra  = "), let address = rest.readHexadecimal(),
            rest.consume(" "),
            rest.hasPrefix("in")
        else { return nil }
        return (address, KernelSegfaultMapping(in: rest, at: line.count - rest.count))
    }

    package var awaitsStackFromOtherProcess: Bool { isInsideLine && rows.isEmpty && first?.line.hasRegisters == true }

    package mutating func finish() -> [CrashReport] {
        guard let (line, range) = first else { return [] }
        var report = CrashReport(format: KernelSegfault.name)
        report.process.name = line.processName
        report.process.pid = line.pid
        report.cause = line.cause
        report.platform = release.map { "Linux " + $0 } ?? "Linux"
        report.architecture = line.architecture ?? registers.architecture
        var images = ImageTable()
        var frames: [Frame] = []
        if rows.isEmpty {
            let pc = line.pc ?? registers.values.first { ["pc", "epc"].contains($0.name) }?.value
            add(pc, line.mapping, line.isBehind ? .returnAddress : .programCounter, at: range, &frames, &images)
            if frames.isEmpty { report.notes.append("The register lines below this line, with the program counter, are missing.") }
        } else {
            // `epc` and `ra`, in this order.
            for (index, row) in rows.enumerated() {
                add(row.address, row.mapping, index == 0 ? .programCounter : .returnAddress, at: row.range, &frames, &images)
            }
        }
        var thread = ThreadTrace(index: 0, crashed: true, frames: frames)
        if !registers.values.isEmpty { thread.registers = RegisterState(values: registers.values) }
        report.threads = [thread]
        report.images = images.images
        return [report]
    }

    private func add(
        _ address: UInt64?, _ mapping: KernelSegfaultMapping?, _ kind: Frame.Kind, at lineRange: Range<Int>, _ frames: inout [Frame],
        _ images: inout ImageTable
    ) {
        let imageLocation = mapping?.location(of: address)
        guard address != nil || imageLocation != nil else { return }
        let range = mapping.map { lineRange.lowerBound + $0.range.lowerBound..<lineRange.lowerBound + $0.range.upperBound } ?? lineRange
        var frame = Frame(index: frames.count { !$0.isInlined }, kind: kind, address: address.map { RuntimeAddress($0) }, range: range)
        if let mapping, imageLocation != nil {
            frame.imageName = mapping.name
            frame.image = images.index(ofImageNamed: mapping.name, id: nil)
            frame.imageLocation = imageLocation
        }
        let functions = mapping?.functions ?? []
        frame.printed = functions.last?.printed
        for function in functions.dropLast() {
            var inlined = frame
            inlined.isInlined = true
            inlined.printed = function.printed
            inlined.range = lineRange.lowerBound + function.range.lowerBound..<lineRange.lowerBound + function.range.upperBound
            frames.append(inlined)
        }
        frames.append(frame)
    }

    /// The result is in parentheses after the mapping, as `KernelSegfaultMapping` reads it again.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        // Without a mapping the frame's range is the whole line.
        guard frame.range.count > 1, log.at(frame.range.upperBound - 1) == UInt8(ascii: "]") else { return nil }
        let end = frame.range.upperBound
        return TextEdit(range: end..<end, replacement: Array(KernelSegfaultMapping.text(result).utf8))
    }
}
