internal import BinaryPrimitives
package import CrashLogModel

/// The samples of `perf script`, each with its stack:
///
///     ferry-pie 14443/14443 11897.757385: cpu-clock:u:
///     	            149a [unknown] (/srv/ferry-pie)
///     	            112b [unknown] (/srv/libharbour.so.1)
///     	            1171 harbour_berth+0x11 (/srv/libharbour.so.1)
///
/// With `--show-mmap-events` the mappings are between them. Each sample becomes a thread of its
/// process, in the order of the log.
package struct PerfScript: LineFormat {
    package static let name = "perf-script"
    package static let summary = "perf script: samples with their stacks, with or without --show-mmap-events"
    package static let triggers = [
        "cycles:", "cycles/", "instructions:", "cpu-clock", "task-clock", "faults:", "misses:", "references:", "switches:", "branches:",
        "migrations:", "sched:sched_", "syscalls:sys_",
        "block:block_", "kmem:", "irq:", "probe:", "probe_", "uprobes:", "PERF_RECORD_MMAP",
    ]

    private struct Sample {
        var header: PerfHeader
        var frames: [Frame] = []
        var rows: [PerfRow] = []
    }

    private var samples: [Sample] = []
    private var maps: [Int: PerfMaps] = [:]
    /// A stack's rows follow.
    private var isOpen = false
    /// So many samples are one report: a recording may have millions, and what is held is bounded.
    private static let limit = 16_384

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        guard let header = PerfHeader(line) else { return .none }
        if header.event.hasPrefix("PERF_RECORD_") { return PerfMapping(line) != nil ? .certain : .none }
        let rest = line.from(header.restStart)
        // After the event there is nothing, the one frame, or a tracepoint's own text.
        return rest.trimmed().count == 0 || PerfRow(rest) != nil || header.event.utf8.contains(UInt8(ascii: ":")) ? .possible : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        if line.trimmed().count == 0 {
            isOpen = false
            return .more
        }
        if isOpen, readRow(line, at: range) || readLocation(line, at: range) { return .more }
        guard let header = PerfHeader(line) else { return .rejected }
        isOpen = false
        if header.event.hasPrefix("PERF_RECORD_") {
            if let mapping = PerfMapping(line) { maps[mapping.pid, default: PerfMaps()].add(mapping) }
            return .more
        }
        guard samples.count < PerfScript.limit else { return .rejected }
        samples.append(Sample(header: header))
        isOpen = true
        // The frame of a sample without a stack begins at its address. That distinguishes its row
        // from those of stacks, which are indented.
        var rest = line.from(header.restStart)
        rest.skipBlanks()
        if rest.count > 0, let row = PerfRow(rest) { append(row, at: range.upperBound - rest.count..<range.upperBound) }
        return .more
    }

    private mutating func readRow(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        guard line.at(0).map(isBlank) == true, let row = PerfRow(line) else { return false }
        append(row, at: range)
        return true
    }

    private mutating func append(_ row: PerfRow, at range: Range<Int>) {
        guard let last = samples.indices.last, samples[last].frames.count < Limits.standard.framesPerThread else { return }
        let index = samples[last].rows.last.map { $0.isInlined ? 0 : 1 } ?? 0
        let frame = row.frame(index: (samples[last].frames.last?.index ?? 0) + index, at: range)
        samples[last].frames.append(frame)
        samples[last].rows.append(row)
    }

    /// ` /src/ferry.c:50`, below the row that it belongs to: `-F +srcline`. For an inlined call
    /// `(inlined)` follows it.
    private mutating func readLocation(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        guard line.hasPrefix("  "), let sample = samples.indices.last, let last = samples[sample].frames.indices.last else { return false }
        var text = line.trimmed()
        let isInlined = text.consumeSuffix(" (inlined)")
        guard let location = AddressToLineText.location(text) else { return false }
        if isInlined {
            samples[sample].frames[last].isInlined = true
            samples[sample].rows[last].isInlined = true
        }
        // `??:0` means that the location is not known.
        if location.file != "??", location.line > 0 {
            var printed = samples[sample].frames[last].printed ?? PrintedSymbol()
            printed.location = location
            samples[sample].frames[last].printed = printed
        }
        let start = samples[sample].frames[last].range.lowerBound
        samples[sample].frames[last].range = start..<range.upperBound
        return true
    }

    // MARK: The reports

    package mutating func finish() -> [CrashReport] {
        // perf prints all addresses of a run in the same way.
        let rows = samples.lazy.flatMap(\.rows)
        let meanings = (maps.isEmpty ? [PerfMaps()] : Array(maps.values)).map { $0.meaning(of: rows) }
        let meaning: PerfMaps.AddressKind = [.runtimeAddress, .fileOffset].first { meanings.contains($0) } ?? .unknown
        var processes: [(report: CrashReport, resolver: PerfFrameResolver)] = []
        var known: [Int: Int] = [:]
        for var sample in samples where !sample.frames.isEmpty {
            let pid = process(of: sample.header)
            let index = known[pid] ?? processes.count
            if known[pid] == nil {
                known[pid] = index
                var report = CrashReport(format: PerfScript.name)
                report.process.name = sample.header.command
                report.process.pid = pid
                processes.append((report, PerfFrameResolver(maps[pid] ?? PerfMaps(), meaning)))
            }
            PerfScript.joinInlined(&sample.frames)
            PerfScript.decideKinds(&sample.frames, sample.rows)
            processes[index].resolver.assign(&sample.frames, sample.rows)
            processes[index].report.threads.append(
                ThreadTrace(index: sample.header.thread, name: sample.header.event, frames: sample.frames))
        }
        return processes.map { process in
            var report = process.report
            var table = process.resolver.table
            table.assign(to: &report)
            if meaning == .unknown {
                report.notes.append(
                    "The log does not show whether its addresses are of memory or of files. Record it with: perf script --show-mmap-events")
            }
            return report
        }
    }

    /// Without a process's number a thread is its own process's, or of the only process whose
    /// mappings are there.
    private func process(of header: PerfHeader) -> Int {
        if let pid = header.pid { return pid }
        if maps[header.thread] != nil || maps.count != 1 { return header.thread }
        return maps.keys.first ?? header.thread
    }

    /// Inlined calls have the address of the frame that they are in, which is the row below them.
    /// If that row has another address, perf has found no name for the frame itself, and the last
    /// inlined call represents it.
    private static func joinInlined(_ frames: inout [Frame]) {
        for index in frames.indices where frames[index].isInlined {
            if index + 1 == frames.count || frames[index + 1].address != frames[index].address { frames[index].isInlined = false }
        }
    }

    /// The first address is where the processor was; below a kernel stack, the program's first is
    /// so, too: it is in the saved registers. All others are where calls return to, as the kernel
    /// has read them from the stack (`perf_callchain_user`). perf looks them up as they are, so
    /// that it may name the line, or the function, after the call. With `--call-graph dwarf` perf
    /// has subtracted one itself (`--ips[i]` of `unwind-libunwind-local.c`, `--pc` of
    /// `unwind-libdw.c`); one byte less again is still inside the call, whose shortest forms (x86,
    /// Thumb, s390) have two bytes.
    private static func decideKinds(_ frames: inout [Frame], _ rows: [PerfRow]) {
        var wasKernel = true
        var isFirst = true
        for index in frames.indices {
            let isKernel = rows[index].isKernel
            let isInterrupted = isFirst || (wasKernel && !isKernel)
            frames[index].kind = isInterrupted ? .programCounter : .returnAddress
            guard !frames[index].isInlined else { continue }
            isFirst = false
            wasKernel = isKernel
        }
    }

    /// A row becomes what `perf script -F +sym,+symoff,+srcline --full-source-path` prints where it
    /// has the debug file: the function and the offset, and the source location below. Inlined
    /// calls have rows above, with the same address:
    ///
    ///     	            112a weigh
    ///       /src/harbour.c:9 (inlined)
    ///     	            112a unload+0x2a (/srv/libharbour.so.1)
    ///       /src/harbour.c:16
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        let frameText = log.clamped(to: frame.range)
        // If a sample has no stack, header and frame are one line.
        let isOneLine = frameText.at(0).map(isBlank) == false
        let first = frameText.upTo(endOfFirstLine(frameText))
        guard let row = PerfRow(first) else { return nil }
        let line = LogLine(around: frame.range.lowerBound..<frame.range.lowerBound, in: log)
        let prefix = isOneLine ? [] : log.clamped(to: line.range.lowerBound..<frame.range.lowerBound).copied()
        let number = frameText.upTo(row.nameStart).copied()
        let tail = first.from(row.tailStart).copied()
        var replacement: [UInt8] = []
        for function in isOneLine ? result.functions.suffix(1) : result.functions[...] {
            if !replacement.isEmpty { replacement += line.ending + prefix + number }
            var text = PlainText.line(function.name)
            if let offset = function.offset { text += "+0x" + hexadecimal(offset, digits: 0) }
            replacement += Array(text.utf8)
            if !function.isInlined, !tail.isEmpty { replacement += (tail.first == UInt8(ascii: " ") ? [] : [UInt8(ascii: " ")]) + tail }
            if let location = function.location {
                replacement += line.ending + prefix + Array(("  " + PlainText.line(location.file) + ":\(location.line)").utf8)
            }
            if function.isInlined { replacement += Array(" (inlined)".utf8) }
        }
        return TextEdit(range: frame.range.lowerBound + row.nameStart..<frame.range.upperBound, replacement: replacement)
    }

    private static func endOfFirstLine(_ frameText: Span<UInt8>) -> Int {
        let end = frameText.firstIndex(of: UInt8(ascii: "\n")) ?? frameText.count
        return frameText.at(end - 1) == UInt8(ascii: "\r") ? end - 1 : end
    }
}

/// One row of a stack of `perf script` (`sample__fprintf_callchain` of
/// tools/perf/util/evsel_fprintf.c):
///
///     	    55555555549a spin+0x2a (/srv/ferry-pie)
///     	            112b [unknown] (/srv/libharbour.so.1)
///     	            1495 sum+0x25 (inlined)
///     	    7ffff7fbc12b unload+0x2b (/srv/libharbour.so.1+0x112b)
struct PerfRow {
    var address: UInt64
    /// `nil` for `[unknown]`.
    var name: String?
    var offset: UInt64?
    /// The mapped file, or what perf calls it: `[kernel.kallsyms]`, `[vdso]`, `//anon`. `nil` where
    /// the row has none.
    var object: String?
    /// With `-F +dsoff`: where in the file.
    var fileOffset: UInt64?
    var isInlined = false
    /// Offset of the name, and of the parentheses after it (or of the row's end).
    var nameStart: Int
    var tailStart: Int
    /// `file.c:94`, where `-F +srcline` and a tool have put it on one line.
    var location: SourceLocation?

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        let digits = rest.count
        guard let address = rest.readHexadecimal(), digits - rest.count >= 1, rest.count == 0 || isBlank(rest[0]) else { return nil }
        self.address = address
        rest.skipBlanks()
        nameStart = row.count - rest.count
        var end = row.count
        while end > nameStart, isBlank(row[end - 1]) { end -= 1 }
        tailStart = end
        let text = row.clamped(to: nameStart..<end)
        if text.hasSuffix(" (inlined)") {
            isInlined = true
            tailStart = end - " (inlined)".utf8.count
        } else if let open = text.openingParenthesis, open == 0 || isBlank(text[open - 1]) {
            // A path may have parentheses of its own.
            readObject(text.clamped(to: open + 1..<text.count - 1))
            tailStart = nameStart + open
        }
        readName(row.clamped(to: nameStart..<tailStart).trimmed())
        guard object != nil || isInlined || name != nil || row.clamped(to: nameStart..<end).equals("[unknown]") else { return nil }
    }

    /// `/srv/libharbour.so.1`, `/srv/libharbour.so.1+0x112b`
    private mutating func readObject(_ text: Span<UInt8>) {
        var path = text
        fileOffset = path.readHexadecimal(atEndBehind: "+0x")
        object = path.text
    }

    /// `spin+0x2a`
    private mutating func readName(_ text: Span<UInt8>) {
        guard text.count > 0, !text.equals("[unknown]") else { return }
        var symbol = text
        offset = symbol.readHexadecimal(atEndBehind: "+0x")
        name = symbol.text
    }

    /// Code of the kernel: the upper half of the addresses, on every 64-bit machine that perf runs
    /// on.
    var isKernel: Bool { address >> 63 == 1 || object?.hasPrefix("[kernel") == true || object?.hasPrefix("[guest.kernel") == true }

    /// Whether the row's object is a file.
    var isOfFile: Bool { object?.utf8.first == UInt8(ascii: "/") && object?.hasPrefix("//anon") == false }

    func frame(index: Int, at range: Range<Int>) -> Frame {
        Frame(
            index: index, address: address, range: range, imageName: object.map(Path.foreignName),
            printed: name.map { PrintedSymbol(name: $0, offset: offset) }, isInlined: isInlined)
    }
}
