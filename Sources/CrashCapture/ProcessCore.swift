internal import BinaryPrimitives
internal import CCairn
internal import LibC

/// Writes the core file (core(5)) of a process whose threads are stopped, with what a report needs: registers, signal, stacks, the data of
/// programs and libraries, small heaps. It has no name in the file system.
///
/// Notes are in the kernel's order (Linux, fs/binfmt_elf.c): the thread with the signal is the first.
struct ProcessCore {
    /// Bytes below a thread's stack pointer. Linux saves up to 12 KiB of vector and tile registers for a handler.
    private static let belowStack: UInt64 = 16 << 10
    /// Bytes below it in a mapping without a name, as far as they are in memory.
    private static let maxBelowStack: UInt64 = 4 << 20
    /// Bytes of one thread's stack from its stack pointer on; a deeper stack is cut at its outer end.
    private static let maxStack: UInt64 = 64 << 20
    /// Larger mappings of the process' own data have no contents in the file, unless they are stacks, or few of their pages are in
    /// memory: the runtimes of Go and Java reserve more than they use.
    private static let maxData: UInt64 = 32 << 20
    /// Contents of all mappings but stacks; the ones after that have none.
    private static let maxTotal: UInt64 = 256 << 20
    /// Bytes of a file's first mapping: ELF's header, the program headers and mostly the build ID.
    private static let headerBytes: UInt64 = 16 << 10

    private let process: Int32
    /// The one that gets the signal first.
    private let threads: [Int32]
    private let memory: Int32
    private let header: ELFHeader

    /// Fields of the program's ELF header, which a core has as well.
    private struct ELFHeader {
        var isWide: Bool
        var order: ByteOrder
        var machine: UInt16
    }

    /// A part of the process' memory in the file.
    private struct Segment {
        var mapping: ProcessMapping
        /// Addresses whose contents are in the file; empty if none are.
        var contents: Range<UInt64>
    }

    /// - Parameters:
    ///   - thread: is about to get the signal, and stopped.
    ///   - others: the process' other threads, stopped.
    /// - Returns: `nil` where the process' memory or its program cannot be read.
    init?(process: Int32, thread: Int32, others: [Int32]) {
        let head = FileDescriptor.head(of: "/proc/\(process)/exe", count: 20)
        guard head.count == 20, head.starts(with: [0x7f, 0x45, 0x4c, 0x46]), let memory = try? FileDescriptor.open("/proc/\(process)/mem")
        else { return nil }
        let order: ByteOrder = head[5] == 2 ? .bigEndian : .littleEndian
        let machine = order == .bigEndian ? UInt16(head[18]) << 8 | UInt16(head[19]) : UInt16(head[19]) << 8 | UInt16(head[18])
        header = ELFHeader(isWide: head[4] == 2, order: order, machine: machine)
        self.process = process
        threads = [thread] + others
        self.memory = memory
    }

    /// - Parameter path: used in messages.
    /// - Throws: `FileError` where there is no room for the file.
    consuming func write(path: String) throws(FileError) -> MappedFile {
        defer { FileDescriptor.close(memory) }
        let mappings = ProcessMapping.all(of: process)
        let registers = threads.map { self.registers($0) }
        let segments = segments(mappings, stackPointers: registers.compactMap { stackPointer($0) })
        let notes = notes(registers, mappings)
        // A file from the first byte on: it goes to another process as an open file.
        var file = UnlinkedFile(largestInMemory: 0)
        let wordBytes = header.isWide ? 8 : 4
        let headerBytes = header.isWide ? 64 : 52
        let segmentBytes = header.isWide ? 56 : 32
        var position = UInt64(headerBytes + (segments.count + 1) * segmentBytes)
        var head = Bytes(order: header.order, wordBytes: wordBytes)
        head.append(
            [0x7f, 0x45, 0x4c, 0x46, header.isWide ? 2 : 1, header.order == .bigEndian ? 2 : 1, 1] + [UInt8](repeating: 0, count: 9))
        head.append(UInt16(4))
        head.append(header.machine)
        head.append(UInt32(1))
        head.appendWord(0)
        head.appendWord(UInt64(headerBytes))
        head.appendWord(0)
        head.append(UInt32(0))
        for field in [headerBytes, segmentBytes, segments.count + 1, 0, 0, 0] { head.append(UInt16(truncatingIfNeeded: field)) }
        appendSegmentHeader(to: &head, type: 4, flags: 0, offset: position, address: 0, fileSize: UInt64(notes.count), memorySize: 0)
        position += UInt64(notes.count)
        for segment in segments {
            let flags = (segment.mapping.isExecutable ? 1 : 0) | (segment.mapping.isWritable ? 2 : 0) | (segment.mapping.isReadable ? 4 : 0)
            let end = segment.mapping.range.upperBound
            let start = segment.contents.isEmpty ? segment.mapping.range.lowerBound : segment.contents.lowerBound
            appendSegmentHeader(
                to: &head, type: 1, flags: UInt32(flags), offset: position, address: start,
                fileSize: UInt64(segment.contents.count), memorySize: end - start)
            position += UInt64(segment.contents.count)
        }
        try file.append(head.bytes)
        try file.append(notes)
        for segment in segments { try append(segment.contents, to: &file) }
        return try file.finish(path: path)
    }

    private func appendSegmentHeader(
        to head: inout Bytes, type: UInt32, flags: UInt32, offset: UInt64, address: UInt64, fileSize: UInt64, memorySize: UInt64
    ) {
        head.append(type)
        if header.isWide { head.append(flags) }
        for word in [offset, address, 0, fileSize, memorySize] { head.appendWord(word) }
        if !header.isWide { head.append(flags) }
        head.appendWord(1)
    }

    // MARK: - Memory

    /// The mappings with those of their contents that a report needs.
    private func segments(_ mappings: [ProcessMapping], stackPointers: [UInt64]) -> [Segment] {
        var left = Self.maxTotal
        // The number of segments has 16 bits.
        let all = mappings.lazy.filter { $0.path != "[vsyscall]" }.flatMap { mapping in
            stackPointers.contains { mapping.range.contains($0) } ? [mapping] : residentParts(of: mapping)
        }
        return all.prefix(0xfffe).map { mapping in
            var contents = contents(of: mapping, stackPointers)
            let isStack = stackPointers.contains { mapping.range.contains($0) }
            if !isStack {
                if UInt64(contents.count) > left { contents = mapping.range.lowerBound..<mapping.range.lowerBound }
                left -= UInt64(contents.count)
            }
            return Segment(mapping: mapping, contents: contents)
        }
    }

    /// Returns a mapping, or, where it is large and little of it is in memory, its parts: those in memory, and the gaps.
    private func residentParts(of mapping: ProcessMapping) -> [ProcessMapping] {
        let size = UInt64(mapping.range.count)
        guard size > Self.maxData, mapping.isWritable, let resident = mapping.resident, (1...Self.maxData).contains(resident),
            let runs = ResidentPages.runs(of: mapping.range, process: process)
        else { return [mapping] }
        var parts: [ProcessMapping] = []
        var position = mapping.range.lowerBound
        func append(_ range: Range<UInt64>, resident: UInt64) {
            guard !range.isEmpty else { return }
            var part = mapping
            (part.range, part.resident, part.offset) = (range, resident, mapping.offset &+ (range.lowerBound - mapping.range.lowerBound))
            parts.append(part)
        }
        for run in runs {
            append(position..<run.lowerBound, resident: 0)
            append(run, resident: UInt64(run.count))
            position = run.upperBound
        }
        append(position..<mapping.range.upperBound, resident: 0)
        return parts
    }

    private func contents(of mapping: ProcessMapping, _ stackPointers: [UInt64]) -> Range<UInt64> {
        let range = mapping.range
        let none = range.lowerBound..<range.lowerBound
        guard mapping.isReadable, mapping.resident != 0, mapping.path != "[vvar]", mapping.path != "[vvar_vclock]" else { return none }
        if let pointer = stackPointers.filter({ range.contains($0) }).min() {
            // With what is below the pointer, from the start of a page on: the red zone, and the frame of a signal whose handler
            // has returned.
            var start = max(range.lowerBound, pointer < Self.belowStack ? 0 : (pointer - Self.belowStack) & ~0xfff)
            // A goroutine's stack is in the heap, and what the runtime knows of it below.
            let lowest = max(range.lowerBound, pointer < Self.maxBelowStack ? 0 : (pointer - Self.maxBelowStack) & ~0xfff)
            if mapping.path.isEmpty, lowest < start, let used = ResidentPages.runs(of: lowest..<start, process: process)?.first {
                start = used.lowerBound
            }
            return start..<min(range.upperBound, start + Self.maxStack)
        }
        // Data that the loader has relocated is read-only then.
        if mapping.isWritable || mapping.isDeleted || (!mapping.isFile && mapping.isExecutable) || (mapping.anonymous ?? 0) > 0 {
            return UInt64(range.count) <= Self.maxData ? range : none
        }
        return mapping.isFile && mapping.offset == 0 ? range.lowerBound..<min(range.upperBound, range.lowerBound + Self.headerBytes) : none
    }

    /// Memory that cannot be read, as of a mapping beyond its file's end, is zero.
    private func append(_ range: Range<UInt64>, to file: inout UnlinkedFile) throws(FileError) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var position = range.lowerBound
        while position < range.upperBound {
            let wanted = min(buffer.count, Int(range.upperBound - position))
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe pread(memory, $0.baseAddress, wanted, off_t(truncatingIfNeeded: position))
            }
            let read = max(0, count)
            for index in read..<wanted { buffer[index] = 0 }
            try file.append(buffer.span.rawBytes.prefix(wanted))
            position += UInt64(wanted)
        }
    }

    // MARK: - Notes

    private func notes(_ registers: [[UInt8]], _ mappings: [ProcessMapping]) -> [UInt8] {
        var notes = Bytes(order: header.order, wordBytes: header.isWide ? 8 : 4)
        var signal = [UInt8](repeating: 0, count: 128)
        // Of this process' word size; a 32-bit core has no gap before the address.
        let hasSignal = unsafe signal.withUnsafeMutableBytes { unsafe cairn_trace_signal_information(threads[0], $0.baseAddress) } == 1
        if !header.isWide { signal.replaceSubrange(12..., with: Array(signal[16...]) + [0, 0, 0, 0]) }
        let processName = name(ofThread: process)
        for (index, thread) in threads.enumerated() where !registers[index].isEmpty {
            notes.appendNote("CORE", 1, status(thread, registers[index], signal: index == 0 && hasSignal ? signal : nil))
            if index == 0 {
                notes.appendNote("CORE", 3, processInformation())
                if hasSignal { notes.appendNote("CORE", 0x5349_4749, signal) }
                notes.appendNote("CORE", 6, (try? FileDescriptor.readAll(atPath: "/proc/\(process)/auxv", limit: 1 << 16)) ?? [])
                notes.appendNote("CORE", 0x4649_4c45, files(mappings))
            }
            // Linux' own cores have no names of threads, and no memory has them either. A thread that was not named has its process'.
            if let name = name(ofThread: thread), name != processName { notes.appendNote("CAIRN", 1, name + [0]) }
            // Pointer authentication of arm64: which bits of an address are none of it.
            let mask = registerSet(thread, 0x406)
            if !mask.isEmpty { notes.appendNote("LINUX", 0x406, mask) }
        }
        return notes.bytes
    }

    /// The name that a thread was given, of at most 15 bytes (`/proc/PID/task/TID/comm`, proc_pid_comm(5)).
    private func name(ofThread thread: Int32) -> [UInt8]? {
        let text = try? FileDescriptor.readAll(atPath: "/proc/\(process)/task/\(thread)/comm", limit: 64)
        return text.map { $0.last == UInt8(ascii: "\n") ? $0.dropLast() : $0 }
    }

    private func registers(_ thread: Int32) -> [UInt8] { registerSet(thread, 1) }

    private func registerSet(_ thread: Int32, _ set: UInt32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe cairn_trace_registers(thread, set, $0.baseAddress, $0.count) }
        return Array(bytes.prefix(count))
    }

    /// Position of the stack pointer in the general registers, in words (Linux, arch/*/include/uapi/asm/ptrace.h).
    private func stackPointer(_ registers: [UInt8]) -> UInt64? {
        let index: Int
        switch (header.machine, header.isWide) {
        case (62, true): index = 19
        case (3, _): index = 15
        case (183, _): index = 31
        case (40, _): index = 13
        case (243, _): index = 2
        case (21, _), (20, _): index = 1
        case (22, _): index = 17
        case (258, _): index = 3
        default: return nil
        }
        let size = header.isWide ? 8 : 4
        return try? registers.span.rawBytes.unsigned(size: size, at: index * size, header.order)
    }

    /// `elf_prstatus` (Linux, include/linux/elfcore.h): the signal, numbers, times that nobody reads, registers.
    private func status(_ thread: Int32, _ registers: [UInt8], signal: [UInt8]?) -> [UInt8] {
        var status = Bytes(order: header.order, wordBytes: header.isWide ? 8 : 4)
        let number = signal.map { Int32(truncatingIfNeeded: (try? $0.span.rawBytes.unsigned(size: 4, at: 0, header.order)) ?? 0) } ?? 0
        for word in [number, 0, 0] { status.append(UInt32(bitPattern: word)) }
        status.append(UInt16(truncatingIfNeeded: number))
        status.append(UInt16(0))
        status.appendWord(0)
        status.appendWord(0)
        for word in [thread, 0, 0, 0] { status.append(UInt32(bitPattern: word)) }
        for _ in 0..<8 { status.appendWord(0) }
        status.append(registers)
        status.append(UInt32(0))
        if header.isWide { status.append(UInt32(0)) }
        return status.bytes
    }

    /// `elf_prpsinfo`: the process' number, its name, the beginning of its command line.
    private func processInformation() -> [UInt8] {
        func text(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
            let cut = bytes.prefix(count - 1)
            return cut + [UInt8](repeating: 0, count: count - cut.count)
        }
        let line = (try? FileDescriptor.readAll(atPath: "/proc/\(process)/cmdline", limit: 1 << 12)) ?? []
        let name = name(ofThread: process) ?? []
        // i386 and arm have two bytes each for user and group.
        let isNarrow = header.machine == 3 || header.machine == 40
        var information = Bytes(order: header.order, wordBytes: header.isWide ? 8 : 4)
        information.append([0, 0, 0, 0])
        if header.isWide { information.append(UInt32(0)) }
        information.appendWord(0)
        information.append([UInt8](repeating: 0, count: isNarrow ? 4 : 8))
        for number in [process, 0, 0, 0] { information.append(UInt32(bitPattern: number)) }
        information.append(text(name, 16))
        information.append(text(line.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, 80))
        return information.bytes
    }

    /// `NT_FILE`: a count, the size of a page, for each range its ends and its offset in pages; then the paths.
    private func files(_ mappings: [ProcessMapping]) -> [UInt8] {
        let files = mappings.filter(\.isFile)
        var list = Bytes(order: header.order, wordBytes: header.isWide ? 8 : 4)
        list.appendWord(UInt64(files.count))
        // Offsets are whole pages of this size, regardless of the machine's.
        list.appendWord(4096)
        for file in files { for word in [file.range.lowerBound, file.range.upperBound, file.offset / 4096] { list.appendWord(word) } }
        for file in files { list.append(Array(file.path.utf8) + [0]) }
        return list.bytes
    }
}

/// Numbers in the byte order and the word size of a core.
private struct Bytes {
    let order: ByteOrder
    let wordBytes: Int
    private(set) var bytes: [UInt8] = []

    init(order: ByteOrder, wordBytes: Int) {
        self.order = order
        self.wordBytes = wordBytes
    }

    mutating func append(_ more: [UInt8]) { bytes += more }
    mutating func append(_ number: UInt16) { append(UInt64(number), 2) }
    mutating func append(_ number: UInt32) { append(UInt64(number), 4) }
    mutating func appendWord(_ number: UInt64) { append(number, wordBytes) }

    private mutating func append(_ number: UInt64, _ count: Int) {
        for index in 0..<count {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * (order == .bigEndian ? count - 1 - index : index))))
        }
    }

    /// A note (gABI, "Note Section"): name and content are padded to four bytes.
    mutating func appendNote(_ name: String, _ type: UInt32, _ content: [UInt8]) {
        append(UInt32(name.utf8.count + 1))
        append(UInt32(content.count))
        append(type)
        for part in [Array(name.utf8) + [0], content] { append(part + [UInt8](repeating: 0, count: (4 - part.count & 3) & 3)) }
    }
}
