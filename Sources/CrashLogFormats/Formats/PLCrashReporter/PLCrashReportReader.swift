internal import BinaryPrimitives
internal import CrashLogModel

/// The message `CrashReport` of `PLCrashReport.proto`, field by field. The numbers are those of
/// that file.
struct PLCrashReportReader {
    var report = CrashReport(format: PLCrashReport.name)
    /// The first field inside that could not be read.
    private(set) var problem: LogError?
    private var images: [BinaryImage] = []
    private var machException: String?
    private var signalCode: String?
    private var signalAddress: UInt64?

    var isEmpty: Bool { report.threads.isEmpty && report.exceptionBacktrace == nil }

    mutating func take(_ field: ProtobufField, in document: Span<UInt8>) {
        guard let message = field.range else { return }
        switch field.number {
        case 1: takeSystem(message, document)
        case 2:
            read(message, document) { reader, field in
                switch field.number {
                case 1: reader.report.process.identifier = field.text(in: document)
                // The build's version; the marketing version (3) goes before it, as reports write
                // them.
                case 2: reader.report.process.version = field.text(in: document)
                case 3:
                    guard let marketing = field.text(in: document) else { break }
                    reader.report.process.version = marketing + (reader.report.process.version.map { " (\($0))" } ?? "")
                default: break
                }
            }
        case 3: takeThread(message, document)
        case 4: takeImage(message, document)
        case 5: takeException(message, document)
        case 6: takeSignal(message, document)
        case 7:
            read(message, document) { reader, field in
                switch field.number {
                case 1: reader.report.process.name = field.text(in: document)
                case 2: reader.report.process.pid = field.unsigned.flatMap { Int(exactly: $0) }
                case 3: reader.report.process.path = field.text(in: document)
                default: break
                }
            }
        default: break
        }
    }

    /// `SystemInfo`: 1 operating system, 2 version, 3 architecture (of old writers), 4 seconds
    /// since 1970, 5 build.
    private mutating func takeSystem(_ message: Range<Int>, _ document: Span<UInt8>) {
        var system = "unknown"
        var version = ""
        var build = ""
        read(message, document) { reader, field in
            switch field.number {
            case 1: system = field.unsigned.flatMap { Self.systems[$0] } ?? system
            case 2: version = field.text(in: document) ?? ""
            case 3: reader.report.architecture = field.unsigned.flatMap { Self.legacyArchitectures[$0] }
            case 4:
                // Zero: the time could not be determined.
                guard let seconds = field.unsigned.map({ Int64(bitPattern: $0) }), seconds != 0, (-(1 << 40)..<1 << 40).contains(seconds)
                else { break }
                let words = Timestamp(secondsSince1970: seconds, text: "").utc ?? "\(seconds)"
                reader.report.timestamp = Timestamp(secondsSince1970: seconds, text: words)
            case 5: build = field.text(in: document) ?? ""
            default: break
            }
        }
        report.platform = [system, version, build.isEmpty ? "" : "(\(build))"].filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static let systems: [UInt64: String] = [0: "Mac OS X", 1: "iPhone OS", 2: "Simulator", 4: "Apple tvOS"]
    private static let legacyArchitectures: [UInt64: Architecture] = [0: .i386, 1: .x86_64, 2: .armv6, 3: .ppc, 4: .ppc64, 5: .armv7]

    // MARK: Stacks

    /// `Thread`: 1 number, 2 frames, 3 crashed, 4 registers.
    private mutating func takeThread(_ message: Range<Int>, _ document: Span<UInt8>) {
        guard report.threads.count < Limits.standard.threads else { return }
        var thread = ThreadTrace(index: report.threads.count)
        var registers: [(name: String, value: UInt64)] = []
        read(message, document) { reader, field in
            switch field.number {
            case 1: thread.index = field.unsigned.flatMap { Int(exactly: $0) } ?? thread.index
            case 2: reader.append(field, to: &thread.frames, document)
            case 3: thread.crashed = field.unsigned == 1
            case 4:
                guard registers.count < 256, let range = field.range else { break }
                var register = (name: "", value: UInt64(0))
                reader.read(range, document) { _, field in
                    if field.number == 1 { register.name = field.text(in: document) ?? "" }
                    if field.number == 2 { register.value = field.unsigned ?? 0 }
                }
                registers.append(register)
            default: break
            }
        }
        if !registers.isEmpty { thread.registers = RegisterState(values: registers) }
        // The writer's first frame is the one that the registers describe; the unwinder found the
        // others by their return addresses.
        AppleStack.decideKinds(&thread.frames, origin: .thread)
        report.threads.append(thread)
    }

    /// `StackFrame`: 3 the address, 6 a symbol (1 name, 2 start) that the reporter guessed on the
    /// device.
    private mutating func append(_ field: ProtobufField, to frames: inout [Frame], _ document: Span<UInt8>) {
        guard let range = field.range, frames.count < Limits.standard.framesPerThread else { return }
        var frame = Frame(index: frames.count, kind: .returnAddress, address: nil, place: range)
        var symbol = PrintedSymbol()
        var start: UInt64?
        read(range, document) { reader, field in
            if field.number == 3 { frame.address = field.unsigned.map { RuntimeAddress($0) } }
            guard field.number == 6, let range = field.range else { return }
            reader.read(range, document) { _, field in
                if field.number == 1 { symbol.name = field.text(in: document).map(Self.withoutUnderscore) }
                if field.number == 2 { start = field.unsigned }
            }
        }
        if symbol.name?.isEmpty == false {
            if let start, let address = frame.address?.value, start <= address { symbol.offset = address - start }
            frame.printed = symbol
        }
        frames.append(frame)
    }

    /// Mach-O's symbol tables have an underscore before C's names; reports leave it out, and so
    /// does PLCrashReporter's own text form.
    private static func withoutUnderscore(_ name: String) -> String {
        name.utf8.first == UInt8(ascii: "_") ? String(name.dropFirst()) : name
    }

    // MARK: Images

    /// `BinaryImage`: 1 base, 2 size, 3 path, 4 UUID, 5 processor.
    private mutating func takeImage(_ message: Range<Int>, _ document: Span<UInt8>) {
        guard images.count < Limits.standard.images else { return }
        var image = BinaryImage(name: "")
        read(message, document) { reader, field in
            switch field.number {
            case 1: image.base = field.unsigned.map { RuntimeAddress($0) }
            case 2: image.size = field.unsigned
            case 3: image.path = field.text(in: document)
            case 4: image.id = field.range.flatMap { $0.count <= 64 ? ImageID(bytes: document.clamped(to: $0).copied()) : nil }
            case 5: image.architecture = field.range.flatMap { reader.architecture($0, document) }
            default: break
            }
        }
        image.name = image.path.map(Path.foreignName) ?? ""
        images.append(image)
    }

    /// `Processor`: 1 encoding (1: Mach), 2 type, 3 subtype, the numbers of `mach/machine.h`. The
    /// subtype's highest byte holds flags.
    private mutating func architecture(_ message: Range<Int>, _ document: Span<UInt8>) -> Architecture? {
        var encoding: UInt64 = 0
        var type: UInt64 = 0
        var subtype: UInt64 = 0
        read(message, document) { _, field in
            switch field.number {
            case 1: encoding = field.unsigned ?? 0
            case 2: type = field.unsigned ?? 0
            case 3: subtype = (field.unsigned ?? 0) & 0x00FF_FFFF
            default: break
            }
        }
        guard encoding == 1, let type = Int(exactly: type) else { return nil }
        return Architecture(machCPU: type, subtype: Int(subtype))
    }

    // MARK: What happened

    /// `Exception`: 1 name, 2 reason, 3 the frames where it was thrown, all of them return
    /// addresses (`-[NSException callStackReturnAddresses]`).
    private mutating func takeException(_ message: Range<Int>, _ document: Span<UInt8>) {
        var cause = CrashCause(kind: .languageException)
        var frames: [Frame] = []
        read(message, document) { reader, field in
            switch field.number {
            case 1: cause.type = field.text(in: document)
            case 2: cause.message = field.text(in: document)
            case 3: reader.append(field, to: &frames, document)
            default: break
            }
        }
        cause.signal = report.cause?.signal
        report.cause = cause
        guard !frames.isEmpty else { return }
        AppleStack.decideKinds(&frames, origin: .exception)
        report.exceptionBacktrace = ThreadTrace(index: 0, name: "Last Exception Backtrace", crashed: true, frames: frames)
    }

    /// `Signal`: 1 name, 2 code, 3 address, 4 the Mach exception (1 type, 2 codes).
    private mutating func takeSignal(_ message: Range<Int>, _ document: Span<UInt8>) {
        var signal: String?
        read(message, document) { reader, field in
            switch field.number {
            case 1: signal = field.text(in: document)
            case 2: reader.signalCode = field.text(in: document)
            case 3: reader.signalAddress = field.unsigned
            case 4:
                guard let range = field.range else { break }
                reader.read(range, document) { reader, field in
                    if field.number == 1 { reader.machException = field.unsigned.map { Self.machExceptions[$0] ?? "EXC_\($0)" } }
                }
            default: break
            }
        }
        if report.cause?.kind == .languageException {
            report.cause?.signal = signal
            return
        }
        var cause = CrashCause(
            kind: machException == nil ? .signal : .machException, type: machException ?? signal, signal: signal, codes: signalCode)
        // Of other signals it is the instruction, or means nothing.
        if signal == "SIGSEGV" || signal == "SIGBUS" { cause.address = signalAddress.map { RuntimeAddress($0) } }
        report.cause = cause
    }

    /// `mach/exception_types.h`.
    private static let machExceptions: [UInt64: String] = [
        1: "EXC_BAD_ACCESS", 2: "EXC_BAD_INSTRUCTION", 3: "EXC_ARITHMETIC", 4: "EXC_EMULATION", 5: "EXC_SOFTWARE", 6: "EXC_BREAKPOINT",
        7: "EXC_SYSCALL", 8: "EXC_MACH_SYSCALL", 9: "EXC_RPC_ALERT", 10: "EXC_CRASH", 11: "EXC_RESOURCE", 12: "EXC_GUARD",
        13: "EXC_CORPSE_NOTIFY",
    ]

    // MARK: The report

    mutating func finish() -> CrashReport {
        // The process may be another architecture's than the machine, and the first image is its
        // program.
        report.architecture = images.first?.architecture ?? report.architecture
        if images.isEmpty { report.notes.append("The report has no list of binary images.") }
        var table = ImageTable()
        for var image in images {
            image.architecture = image.architecture ?? report.architecture
            table.add(image)
        }
        table.assign(to: &report)
        return report
    }

    /// Reads a message inside; what is damaged there is remembered, and the rest goes on.
    private mutating func read(_ message: Range<Int>, _ document: Span<UInt8>, _ body: (inout Self, ProtobufField) -> Void) {
        let failure = ProtobufFields.forEach(of: message, in: document) { body(&self, $0) }
        problem = problem ?? failure
    }
}
