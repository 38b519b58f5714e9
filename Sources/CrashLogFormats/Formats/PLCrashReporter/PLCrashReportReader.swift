internal import BinaryPrimitives
internal import CrashLogModel

/// The message `CrashReport` of `PLCrashReport.proto`, field by field. The numbers are those of
/// that file.
struct PLCrashReportReader: ProtobufReader {
    var report = CrashReport(format: PLCrashReport.name)
    var problem: LogError?
    private var images: [BinaryImage] = []

    var isEmpty: Bool { report.threads.isEmpty && report.exceptionBacktrace == nil }

    mutating func read(_ field: ProtobufField, in document: Span<UInt8>) {
        guard let message = field.range else { return }
        switch field.number {
        case 1: readSystem(message, document)
        case 2:
            let application = read(message, document)
            report.process.identifier = application.text(1, in: document)
            // The build's version; the marketing version goes before it, as reports write them.
            let build = application.text(2, in: document)
            report.process.version = application.text(3, in: document).map { $0 + (build.map { " (\($0))" } ?? "") } ?? build
        case 3: readThread(message, document)
        case 4: readImage(message, document)
        case 5: readException(message, document)
        case 6: readSignal(message, document)
        case 7:
            let process = read(message, document)
            report.process.name = process.text(1, in: document)
            report.process.pid = process.unsigned(2).flatMap { Int(exactly: $0) }
            report.process.path = process.text(3, in: document)
        default: break
        }
    }

    /// `SystemInfo`: 1 operating system, 2 version, 3 architecture (of old writers), 4 seconds
    /// since 1970, 5 build.
    private mutating func readSystem(_ message: Range<Int>, _ document: Span<UInt8>) {
        let system = read(message, document)
        let build = system.text(5, in: document) ?? ""
        report.architecture = system.unsigned(3).flatMap { Self.legacyArchitectures[$0] }
        // Zero: the time could not be determined.
        if let seconds = system.unsigned(4).map({ Int64(bitPattern: $0) }), seconds != 0, (-(1 << 40)..<1 << 40).contains(seconds) {
            let timeText = Timestamp(secondsSince1970: seconds, text: "").utc ?? "\(seconds)"
            report.timestamp = Timestamp(secondsSince1970: seconds, text: timeText)
        }
        let name = system.unsigned(1).flatMap { Self.systems[$0] } ?? "unknown"
        report.platform = [name, system.text(2, in: document) ?? "", build.isEmpty ? "" : "(\(build))"].filter { !$0.isEmpty }
            .joined(separator: " ")
    }

    private static let systems: [UInt64: String] = [0: "Mac OS X", 1: "iPhone OS", 2: "Simulator", 4: "Apple tvOS"]
    private static let legacyArchitectures: [UInt64: Architecture] = [0: .i386, 1: .x86_64, 2: .armv6, 3: .ppc, 4: .ppc64, 5: .armv7]

    // MARK: Stacks

    /// `Thread`: 1 number, 2 frames, 3 crashed, 4 registers.
    private mutating func readThread(_ message: Range<Int>, _ document: Span<UInt8>) {
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
                let register = reader.read(range, document)
                registers.append((register.text(1, in: document) ?? "", register.unsigned(2) ?? 0))
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
        let message = read(range, document)
        var frame = Frame(
            index: frames.count, kind: .returnAddress, address: message.unsigned(3).map { RuntimeAddress($0) }, range: range)
        if let symbol = message.range(6).map({ read($0, document) }), let name = symbol.text(1, in: document), !name.isEmpty {
            frame.printed = PrintedSymbol(name: Self.withoutUnderscore(name))
            if let start = symbol.unsigned(2), let address = frame.address?.value, start <= address {
                frame.printed?.offset = address - start
            }
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
    private mutating func readImage(_ message: Range<Int>, _ document: Span<UInt8>) {
        guard images.count < Limits.standard.images else { return }
        let message = read(message, document)
        let path = message.text(3, in: document)
        var image = BinaryImage(name: path.map(Path.foreignName) ?? "", path: path, size: message.unsigned(2))
        image.base = message.unsigned(1).map { RuntimeAddress($0) }
        image.id = message.range(4).flatMap { $0.count <= 64 ? ImageID(bytes: document.clamped(to: $0).copied()) : nil }
        image.architecture = message.range(5).flatMap { architecture($0, document) }
        images.append(image)
    }

    /// `Processor`: 1 encoding (1: Mach), 2 type, 3 subtype, the numbers of `mach/machine.h`. The
    /// subtype's highest byte holds flags.
    private mutating func architecture(_ message: Range<Int>, _ document: Span<UInt8>) -> Architecture? {
        let processor = read(message, document)
        guard processor.unsigned(1) == 1, let type = Int(exactly: processor.unsigned(2) ?? 0) else { return nil }
        return Architecture(machCPU: type, subtype: Int((processor.unsigned(3) ?? 0) & 0x00FF_FFFF))
    }

    // MARK: What happened

    /// `Exception`: 1 name, 2 reason, 3 the frames where it was thrown, all of them return
    /// addresses (`-[NSException callStackReturnAddresses]`).
    private mutating func readException(_ message: Range<Int>, _ document: Span<UInt8>) {
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
    private mutating func readSignal(_ message: Range<Int>, _ document: Span<UInt8>) {
        let fields = read(message, document)
        let signal = fields.text(1, in: document)
        let mach = fields.range(4).flatMap { read($0, document).unsigned(1) }.map { number in
            Int(exactly: number).flatMap { MachExceptions.names[$0] } ?? "EXC_\(number)"
        }
        if report.cause?.kind == .languageException {
            report.cause?.signal = signal
            return
        }
        var cause = CrashCause(
            kind: mach == nil ? .signal : .machException, type: mach ?? signal, signal: signal, codes: fields.text(2, in: document))
        // For other signals the address is the instruction's, or has no meaning.
        if signal == "SIGSEGV" || signal == "SIGBUS" { cause.address = fields.unsigned(3).map { RuntimeAddress($0) } }
        report.cause = cause
    }

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
}
