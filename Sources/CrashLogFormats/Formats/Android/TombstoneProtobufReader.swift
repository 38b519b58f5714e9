internal import BinaryPrimitives
internal import CrashLogModel

/// The message `Tombstone`, field by field, as if its text had been read. The numbers are those of
/// `debuggerd/proto/tombstone.proto` in AOSP's system/core (Android 12 to 16); what the text
/// holds, and in which order, is `tombstone_proto_to_text.cpp` beside it. A number that is 0, a
/// text that is empty and a flag that is not set are left out of protobuf.
struct TombstoneProtobufReader: ProtobufReader {
    var problem: LogError?
    private var head = AndroidHead()
    private var stacks = AndroidStacks()
    private var crashedThread = 0
    private var abortMessage = ""
    private var causes: [Cause] = []
    private var threads: [Int: Range<Int>] = [:]
    private var guestThreads: [Int: Range<Int>] = [:]
    /// Number of frames in all stacks. An empty frame has two bytes in the file, and hundreds of
    /// them here. If there are too many, one more than a report may have is kept, to show that
    /// there were.
    private var frameCount = 0

    /// A probable cause of the crash.
    private struct Cause {
        var text = ""
        /// A `HeapObject`: the memory that was released or overrun.
        var heap: Range<Int>?
    }

    init() {
        head.architecture = .arm
        // No release before writes such files, and a preview's fingerprint has a letter.
        head.unwinder.release = 12
    }

    /// `nil` without stacks.
    var report: CrashReport? {
        stacks.isEmpty ? nil : AndroidReport.make(TombstoneProtobuf.name, head: head, stacks: stacks, identities: [])
    }

    mutating func read(_ field: ProtobufField, in document: Span<UInt8>) {
        switch field.number {
        case 1: head.architecture = Self.architecture(field)
        case 2: if let range = field.range { head.read(fingerprint: document.clamped(to: range)) }
        case 4: head.timestamp = field.text(in: document).flatMap { Timestamp($0) }
        case 5: head.process.pid = Self.identifier(field.unsigned)
        case 6: crashedThread = Self.identifier(field.unsigned) ?? 0
        // The program and its arguments; an app has one, its identifier.
        case 9: if head.process.name == nil, let name = field.text(in: document), !name.isEmpty { head.set(processName: name) }
        case 10: readSignal(field, document)
        case 14: abortMessage = field.text(in: document) ?? ""
        case 15: readCause(field, document)
        case 16: readEntry(field, of: \.threads, document)
        case 17: readMapping(field, document)
        case 24: head.guestArchitecture = Self.architecture(field)
        case 25: readEntry(field, of: \.guestThreads, document)
        default: break
        }
    }

    /// Reads `enum Architecture`; 5 means that there is no guest.
    private static func architecture(_ field: ProtobufField) -> Architecture? {
        field.unsigned.flatMap { [0: .arm, 1: .arm64, 2: .i386, 3: .x86_64, 4: .riscv64][$0] }
    }

    /// Number of a process or a thread.
    private static func identifier(_ number: UInt64?) -> Int? {
        number.flatMap { Int32(exactly: $0) }.flatMap { $0 == 0 ? nil : Int($0) }
    }

    // MARK: What happened

    /// `Signal`: 1 number, 2 name, 3 code, 4 the code's name, 5 whether there is a sender, 6 its
    /// user, 7 its process, 8 whether there is a fault address, 9 the address.
    private mutating func readSignal(_ field: ProtobufField, _ document: Span<UInt8>) {
        guard let range = field.range else { return }
        let signal = read(range, document)
        func number(_ field: UInt64) -> Int32 { Int32(truncatingIfNeeded: signal.unsigned(field) ?? 0) }
        let name = signal.text(2, in: document) ?? ""
        let isSent = signal.unsigned(5) ?? 0 != 0
        let origin = isSent ? " from pid \(number(7)), uid \(number(6))" : ""
        head.set(
            signal: name.isEmpty || name == "?" ? "\(number(1))" : name,
            codes: "code \(number(3)) (\(signal.text(4, in: document) ?? "")\(origin))")
        head.cause?.address = signal.unsigned(8) ?? 0 != 0 ? RuntimeAddress(signal.unsigned(9) ?? 0) : nil
    }

    /// Reads `Cause`: 1 text, 2 a `MemoryError`, of which 3 is the `HeapObject`.
    private mutating func readCause(_ field: ProtobufField, _ document: Span<UInt8>) {
        guard causes.count < Limits.standard.threads, let range = field.range else { return }
        let cause = read(range, document)
        causes.append(Cause(text: cause.text(1, in: document) ?? "", heap: cause.range(2).flatMap { read($0, document).range(3) }))
    }

    // MARK: Stacks

    /// An entry of a map from numbers to threads: 1 the number, 2 the `Thread`.
    private mutating func readEntry(_ field: ProtobufField, of map: WritableKeyPath<Self, [Int: Range<Int>]>, _ document: Span<UInt8>) {
        guard let range = field.range else { return }
        let entry = read(range, document)
        guard let thread = entry.range(2), threads.count + guestThreads.count < Limits.standard.threads else { return }
        self[keyPath: map][Self.identifier(entry.unsigned(1)) ?? 0] = thread
    }

    /// Reads the stacks in the text's order: the crashed thread, where memory was released and
    /// allocated, then the others by their numbers.
    mutating func readStacks(in document: Span<UInt8>) {
        if let crashed = threads[crashedThread] { readThread(crashedThread, crashed, document) }
        // One cause is in the text's head, and several are below the backtrace.
        let messages = [causes.map(\.text).filter { !$0.isEmpty }.joined(separator: "; "), abortMessage]
        for message in causes.count > 1 ? messages.reversed() : messages where !message.isEmpty { head.note(message: message) }
        for cause in causes { readHeap(cause, document) }
        stacks.resumeThread()
        readGuest(crashedThread, document)
        for (number, thread) in threads.sorted(by: { $0.key < $1.key }) where number != crashedThread {
            readThread(number, thread, document)
            readGuest(number, document)
        }
    }

    /// `Thread`: 1 number, 2 name, 3 registers (1 name, 2 value), 4 frames.
    private mutating func readThread(_ number: Int, _ message: Range<Int>, _ document: Span<UInt8>, isGuest: Bool = false) {
        var name: String?
        var registers: [(name: String, value: UInt64)] = []
        read(message, document) { reader, field in
            if field.number == 2 { name = field.text(in: document) }
            guard field.number == 3, registers.count < 256, let range = field.range else { return }
            let register = reader.read(range, document)
            registers.append((register.text(1, in: document) ?? "", register.unsigned(2) ?? 0))
        }
        if isGuest {
            stacks.openGuest(thread: number)
        } else {
            stacks.openThread(index: number, name: name?.isEmpty == true ? nil : name, crashed: number == crashedThread)
        }
        stacks.setRegisters(registers)
        readFrames(4, of: message, document, architecture: isGuest ? head.guestArchitecture : nil)
    }

    private mutating func readGuest(_ number: Int, _ document: Span<UInt8>) {
        if let guest = guestThreads[number] { readThread(number, guest, document, isGuest: true) }
    }

    /// `HeapObject`: 3 the thread that allocated it, 4 its frames, 5 the thread that released it, 6
    /// its frames.
    private mutating func readHeap(_ cause: Cause, _ document: Span<UInt8>) {
        guard let heap = cause.heap else { return }
        let object = read(heap, document)
        for (frames, thread, event) in [(6, 5, "deallocated"), (4, 3, "allocated")] as [(UInt64, UInt64, String)] where object.has(frames) {
            stacks.openAdditional("\(event) by thread \(object.unsigned(thread) ?? 0)")
            readFrames(frames, of: heap, document)
        }
    }

    /// `BacktraceFrame`: 1 rel_pc, 4 function, 5 offset in it, 6 file, 7 where the library begins
    /// in it, 8 build ID. `rel_pc` is what the text prints as `pc`, and means the same
    /// (`AndroidUnwinder`): libunwindstack has taken the call's length off already.
    private mutating func readFrames(
        _ number: UInt64, of message: Range<Int>, _ document: Span<UInt8>, architecture: Architecture? = nil
    ) {
        var count = 0
        read(message, document) { reader, field in
            guard field.number == number, let range = field.range, reader.frameCount <= Limits.standard.framesPerReport else { return }
            let frame = reader.read(range, document)
            var row = AndroidRow(
                index: count, pc: frame.unsigned(1) ?? 0, mapping: frame.text(6, in: document) ?? "", id: frame.buildID(8, in: document),
                printed: nil)
            row.mapOffset = frame.unsigned(7) == 0 ? nil : frame.unsigned(7)
            if let name = frame.text(4, in: document), !name.isEmpty {
                row.printed = PrintedSymbol(name: name, offset: frame.has(5) ? frame.unsigned(5) : 0)
            }
            row.architecture = architecture
            guard reader.stacks.add(row, at: range) else { return }
            count += 1
            reader.frameCount += 1
        }
    }

    // MARK: Memory

    /// `MemoryMapping`: 1 begin, 2 end, 3 offset in the file, 7 file, 8 build ID. The load bias (9)
    /// is in the frames' `rel_pc`.
    private mutating func readMapping(_ field: ProtobufField, _ document: Span<UInt8>) {
        guard let range = field.range else { return }
        let mapping = read(range, document)
        head.map.add(
            AndroidMapRow(
                start: mapping.unsigned(1) ?? 0, end: mapping.unsigned(2) ?? 0, offset: mapping.unsigned(3) ?? 0,
                path: mapping.text(7, in: document), id: mapping.buildID(8, in: document)))
    }
}

extension ProtobufMessage {
    fileprivate func buildID(_ number: UInt64, in document: Span<UInt8>) -> ImageID? {
        range(number).flatMap { ImageID(buildID: document.clamped(to: $0).text) }
    }
}
