internal import BinaryPrimitives
internal import CrashLogModel

/// The message `Tombstone`, field by field, as if its text had been read. The numbers are those of
/// `debuggerd/proto/tombstone.proto` in AOSP's system/core (Android 12 to 16); what the text
/// holds, and in which order, is `tombstone_proto_to_text.cpp` beside it. A number that is 0, a
/// text that is empty and a flag that is not set are left out of protobuf.
struct TombstoneProtobufReader {
    /// The first field inside that could not be read.
    private(set) var problem: LogError?
    private var head = AndroidHead()
    private var stacks = AndroidStacks()
    private var crashedThread = 0
    private var abortMessage = ""
    private var causes: [Cause] = []
    private var threads: [Int: Range<Int>] = [:]
    private var guestThreads: [Int: Range<Int>] = [:]
    /// Of all stacks. An empty frame has two bytes in the file, and hundreds of them here: of
    /// too many, one more than a report may have shows that there were.
    private var frameCount = 0

    /// What probably went wrong.
    private struct Cause {
        var words = ""
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

    mutating func take(_ field: ProtobufField, in document: Span<UInt8>) {
        switch field.number {
        case 1: head.architecture = Self.architecture(field)
        case 2: if let range = field.range { head.take(fingerprint: document.clamped(to: range)) }
        case 4: head.timestamp = field.text(in: document).flatMap { Timestamp($0) }
        case 5: head.process.pid = Self.identifier(field)
        case 6: crashedThread = Self.identifier(field) ?? 0
        // The program and its arguments; an app has one, its identifier.
        case 9: if head.process.name == nil, let name = field.text(in: document), !name.isEmpty { head.take(processName: name) }
        case 10: takeSignal(field, document)
        case 14: abortMessage = field.text(in: document) ?? ""
        case 15: takeCause(field, document)
        case 16: takeEntry(field, of: \.threads, document)
        case 17: takeMapping(field, document)
        case 24: head.guestArchitecture = Self.architecture(field)
        case 25: takeEntry(field, of: \.guestThreads, document)
        default: break
        }
    }

    /// `enum Architecture`; 5 is none, of a guest.
    private static func architecture(_ field: ProtobufField) -> Architecture? {
        field.unsigned.flatMap { [0: .arm, 1: .arm64, 2: .i386, 3: .x86_64, 4: .riscv64][$0] }
    }

    /// Of a process or a thread.
    private static func identifier(_ field: ProtobufField) -> Int? {
        field.unsigned.flatMap { Int32(exactly: $0) }.flatMap { $0 == 0 ? nil : Int($0) }
    }

    // MARK: What happened

    /// `Signal`: 1 number, 2 name, 3 code, 4 the code's name, 5 whether there is a sender, 6 its
    /// user, 7 its process, 8 whether there is a fault address, 9 the address.
    private mutating func takeSignal(_ field: ProtobufField, _ document: Span<UInt8>) {
        var (number, code, user, sender): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        var (name, codeName) = ("", "")
        var (hasSender, hasAddress) = (false, false)
        var address: UInt64 = 0
        read(field, document) { _, field in
            let value = field.unsigned ?? 0
            switch field.number {
            case 1: number = Int32(truncatingIfNeeded: value)
            case 2: name = field.text(in: document) ?? ""
            case 3: code = Int32(truncatingIfNeeded: value)
            case 4: codeName = field.text(in: document) ?? ""
            case 5: hasSender = value != 0
            case 6: user = Int32(truncatingIfNeeded: value)
            case 7: sender = Int32(truncatingIfNeeded: value)
            case 8: hasAddress = value != 0
            case 9: address = value
            default: break
            }
        }
        let origin = hasSender ? " from pid \(sender), uid \(user)" : ""
        head.take(signal: name.isEmpty || name == "?" ? "\(number)" : name, codes: "code \(code) (\(codeName)\(origin))")
        head.cause?.address = hasAddress ? RuntimeAddress(address) : nil
    }

    /// `Cause`: 1 words, 2 a `MemoryError`, of which 3 is the `HeapObject`.
    private mutating func takeCause(_ field: ProtobufField, _ document: Span<UInt8>) {
        guard causes.count < Limits.standard.threads else { return }
        var cause = Cause()
        read(field, document) { reader, field in
            if field.number == 1 { cause.words = field.text(in: document) ?? "" }
            guard field.number == 2 else { return }
            reader.read(field, document) { _, field in
                if field.number == 3 { cause.heap = field.range }
            }
        }
        causes.append(cause)
    }

    // MARK: Stacks

    /// An entry of a map from numbers to threads: 1 the number, 2 the `Thread`.
    private mutating func takeEntry(_ field: ProtobufField, of map: WritableKeyPath<Self, [Int: Range<Int>]>, _ document: Span<UInt8>) {
        var number = 0
        var thread: Range<Int>?
        read(field, document) { _, field in
            if field.number == 1 { number = Self.identifier(field) ?? 0 }
            if field.number == 2 { thread = field.range }
        }
        guard let thread, threads.count + guestThreads.count < Limits.standard.threads else { return }
        self[keyPath: map][number] = thread
    }

    /// Reads the stacks in the text's order: the crashed thread, where memory was released and
    /// allocated, then the others by their numbers.
    mutating func readStacks(in document: Span<UInt8>) {
        if let crashed = threads[crashedThread] { readThread(crashedThread, crashed, document) }
        // One cause is in the text's head, and several are below the backtrace.
        let words = [causes.map(\.words).filter { !$0.isEmpty }.joined(separator: "; "), abortMessage]
        for message in causes.count > 1 ? words.reversed() : words where !message.isEmpty { head.note(message: message) }
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
            guard field.number == 3, registers.count < 256 else { return }
            var register = (name: "", value: UInt64(0))
            reader.read(field, document) { _, field in
                if field.number == 1 { register.name = field.text(in: document) ?? "" }
                if field.number == 2 { register.value = field.unsigned ?? 0 }
            }
            registers.append(register)
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
        var (allocating, releasing): (UInt64, UInt64) = (0, 0)
        var numbers: Set<UInt64> = []
        read(heap, document) { _, field in
            numbers.insert(field.number)
            if field.number == 3 { allocating = field.unsigned ?? 0 }
            if field.number == 5 { releasing = field.unsigned ?? 0 }
        }
        if numbers.contains(6) {
            stacks.openAdditional("deallocated by thread \(releasing)")
            readFrames(6, of: heap, document)
        }
        if numbers.contains(4) {
            stacks.openAdditional("allocated by thread \(allocating)")
            readFrames(4, of: heap, document)
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
            guard field.number == number, let place = field.range, reader.frameCount <= Limits.standard.framesPerReport else { return }
            var row = AndroidRow(index: count, pc: 0, mapping: "", id: nil, printed: nil)
            var symbol = PrintedSymbol(offset: 0)
            reader.read(place, document) { _, field in
                switch field.number {
                case 1: row.pc = field.unsigned ?? 0
                case 4: symbol.name = field.text(in: document)
                case 5: symbol.offset = field.unsigned
                case 6: row.mapping = field.text(in: document) ?? ""
                case 7: row.mapOffset = field.unsigned == 0 ? nil : field.unsigned
                case 8: row.id = field.range.flatMap { ImageID(buildID: document.clamped(to: $0).text) }
                default: break
                }
            }
            if symbol.name?.isEmpty == false { row.printed = symbol }
            row.architecture = architecture
            guard reader.stacks.add(row, at: place) else { return }
            count += 1
            reader.frameCount += 1
        }
    }

    // MARK: Memory

    /// `MemoryMapping`: 1 begin, 2 end, 3 offset in the file, 7 file, 8 build ID. The load bias (9)
    /// is in the frames' `rel_pc`.
    private mutating func takeMapping(_ field: ProtobufField, _ document: Span<UInt8>) {
        var row = AndroidMapRow(start: 0, end: 0, offset: 0, path: nil, id: nil)
        read(field, document) { _, field in
            switch field.number {
            case 1: row.start = field.unsigned ?? 0
            case 2: row.end = field.unsigned ?? 0
            case 3: row.offset = field.unsigned ?? 0
            case 7: row.path = field.text(in: document)
            case 8: row.id = field.range.flatMap { ImageID(buildID: document.clamped(to: $0).text) }
            default: break
            }
        }
        head.map.add(row)
    }

    // MARK: Messages inside

    private mutating func read(_ field: ProtobufField, _ document: Span<UInt8>, _ body: (inout Self, ProtobufField) -> Void) {
        if let message = field.range { read(message, document, body) }
    }

    /// Reads a message inside; what is damaged there is remembered, and the rest goes on.
    private mutating func read(_ message: Range<Int>, _ document: Span<UInt8>, _ body: (inout Self, ProtobufField) -> Void) {
        let failure = ProtobufFields.forEach(of: message, in: document) { body(&self, $0) }
        problem = problem ?? failure
    }
}
