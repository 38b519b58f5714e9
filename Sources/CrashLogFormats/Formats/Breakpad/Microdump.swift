internal import BinaryPrimitives
package import CrashLogModel

/// Breakpad's microdump: what it writes to the log where nothing may be stored or sent, as
/// Chromium's WebView does on Android.
///
///     -----BEGIN BREAKPAD MICRODUMP-----
///     V WebView:48.0.2564.106                                             product
///     O A arm 06 armv8l lge/p1_tmo_us/p1:6.0/MRA58K/…:user/release-keys   system, architecture, processors, hardware, build
///     R 0000000B SIGSEGV DEADBEEF                                         signal and address, newer writers
///     S 0 7F92FC38 7F92F000 00002000                                      the stack: pointer, first byte, length
///     S 7F92F000 0000…                                                    its bytes
///     C 0600008000…                                                       registers: a minidump's processor context
///     M 77C0E000 00000000 0006D000 8F36148CC4647A8116CAF2A25F591F570 crash_example
///     -----END BREAKPAD MICRODUMP-----
///
/// Written by `MicrodumpWriter` in Breakpad's `client/linux/microdump_writer`. It holds no frames:
/// the stack is still to be unwound. One frame is certain, the crashing instruction.
package struct Microdump: LineFormat {
    package static let name = "microdump"
    package static let summary = "Breakpad’s microdumps (Android WebView): the crashing instruction and the modules"
    package static let triggers = ["-----BEGIN BREAKPAD MICRODUMP-----"]
    /// A row of registers has no position for a name.
    package static let acceptsResults = false

    private var hasBegun = false
    private var isFinished = false
    private var report = CrashReport(format: name)
    private var architecture = ""
    private var stackBytes = 0
    private var context: (registers: MicrodumpRegisters, range: Range<Int>)?

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        line.trimmed().equals("-----BEGIN BREAKPAD MICRODUMP-----") ? .certain : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if Microdump.begins(text) == .certain {
            guard !hasBegun else { return .rejected }
            hasBegun = true
            return .more
        }
        if text.hasPrefix("-----END BREAKPAD MICRODUMP-----") {
            isFinished = true
            return .done
        }
        guard hasBegun, text.at(1) == UInt8(ascii: " "), let kind = text.at(0) else {
            return text.count == 0 ? .unknown : hasBegun ? .unknown : .rejected
        }
        let rest = text.from(2)
        switch kind {
        case UInt8(ascii: "V"): readProduct(rest)
        case UInt8(ascii: "O"): readSystem(rest)
        case UInt8(ascii: "R"): readReason(rest)
        case UInt8(ascii: "S"): readStack(rest)
        case UInt8(ascii: "C"): if context == nil { context = (MicrodumpRegisters(architecture: architecture, context: rest), range) }
        case UInt8(ascii: "M"): readModule(rest)
        case UInt8(ascii: "P"), UInt8(ascii: "G"), UInt8(ascii: "H"): break
        default: return .unknown
        }
        return .more
    }

    /// `WebView:48.0.2564.106`
    private mutating func readProduct(_ text: Span<UInt8>) {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > 0, !text.hasPrefix("UNKNOWN:") else { return }
        report.process.name = text.upTo(colon).text
        report.process.version = text.from(colon + 1).text
    }

    /// `A arm64 02 aarch64 OS 64 VERSION INFO`
    private mutating func readSystem(_ text: Span<UInt8>) {
        var rest = text
        let system = rest.readToken()
        rest.skipBlanks()
        architecture = rest.readToken().text
        report.architecture = AndroidHead.architecture(architecture)
        rest.skipBlanks()
        _ = rest.readToken()
        rest.skipBlanks()
        _ = rest.readToken()
        let build = rest.trimmed()
        report.platform = (system.equals("A") ? "Android" : "Linux") + (build.count > 0 ? ", " + build.text : "")
    }

    /// `0000000B SIGSEGV DEADBEEF`
    private mutating func readReason(_ text: Span<UInt8>) {
        var rest = text
        guard let number = rest.readHexadecimal() else { return }
        rest.skipBlanks()
        let name = rest.readToken()
        rest.skipBlanks()
        var cause = CrashCause(kind: .signal, signal: name.count > 0 ? name.text : "\(number)")
        cause.type = cause.signal
        cause.address = rest.readHexadecimal().map { RuntimeAddress($0) }
        report.cause = cause
    }

    private mutating func readStack(_ text: Span<UInt8>) {
        guard !text.hasPrefix("0 ") else { return }
        var rest = text
        _ = rest.readToken()
        stackBytes += rest.trimmed().count / 2
    }

    /// `77C0E000 00000000 0006D000 8F36148CC4647A8116CAF2A25F591F570 crash_example`: start, offset
    /// in the file, size, debug identifier, name.
    private mutating func readModule(_ text: Span<UInt8>) {
        var rest = text
        guard let start = rest.readHexadecimal() else { return }
        rest.skipBlanks()
        guard rest.readHexadecimal() != nil else { return }
        rest.skipBlanks()
        guard let size = rest.readHexadecimal() else { return }
        rest.skipBlanks()
        let identifier = rest.readToken()
        let name = rest.trimmed()
        guard name.count > 0, report.images.count < Limits.standard.images else { return }
        let image = BinaryImage(
            name: name.text, id: Microdump.identity(identifier), base: RuntimeAddress(start), size: size, architecture: report.architecture)
        report.images.append(image)
    }

    /// Breakpad makes a GUID of the build ID's first 16 bytes, whose first three numbers it prints
    /// as such, byte by byte reversed; the last digit is Windows' age.
    static func identity(_ text: Span<UInt8>) -> ImageID? {
        guard text.count >= 32, let id = ImageID(text: text.upTo(32).text), id.bytes.count == 16 else { return nil }
        let bytes = id.bytes
        return ImageID(bytes: Array(bytes[0..<4].reversed() + bytes[4..<6].reversed() + bytes[6..<8].reversed() + bytes[8...]))
    }

    package mutating func finish() -> [CrashReport] {
        guard let context, let address = context.registers.programCounter else { return [] }
        // The processor's own register: the instruction that was executing.
        var frame = Frame(index: 0, kind: .programCounter, address: RuntimeAddress(address), range: context.range)
        frame.image = SortedImages(report.images).index(containing: RuntimeAddress(address))
        frame.imageName = frame.image.map { report.images[$0].name }
        var thread = ThreadTrace(index: 0, crashed: true, frames: [frame])
        thread.registers = RegisterState(values: context.registers.values)
        report.threads = [thread]
        if report.cause == nil {
            report.cause = CrashCause(kind: .signal, type: "crash")
        }
        report.notes.append(
            "a microdump has no frames but the crashing instruction: its \(stackBytes) bytes of stack are not unwound here (minidump_stackwalk does that, with Breakpad’s own symbol files)"
        )
        if !isFinished { report.notes.append("the microdump is cut off: modules may be missing") }
        return [report]
    }
}

/// The registers of a crashed thread as a minidump's processor context holds them
/// (`MDRawContextARM` and its like in Breakpad's `google_breakpad/common/minidump_cpu_*.h`):
/// little-endian on every processor that is read here.
struct MicrodumpRegisters {
    private(set) var values: [(name: String, value: UInt64)] = []
    private(set) var programCounter: UInt64?

    private struct Layout {
        var size: Int
        /// Bytes of a register.
        var width: Int
        /// Name and byte offset of each register.
        var registers: [(name: String, offset: Int)]
        var programCounter: String
    }

    /// - Parameters:
    ///   - architecture: as the microdump names it.
    ///   - context: its bytes in hexadecimal.
    init(architecture: String, context: Span<UInt8>) {
        guard let layout = MicrodumpRegisters.layout(architecture), context.count >= layout.size * 2 else { return }
        for register in layout.registers {
            guard let value = MicrodumpRegisters.number(context, at: register.offset, width: layout.width) else { return }
            values.append((register.name, value))
            if register.name == layout.programCounter { programCounter = value }
        }
    }

    private static func layout(_ architecture: String) -> Layout? {
        switch architecture {
        case "arm":
            // context_flags, then r0 to r15, cpsr.
            let names = (0..<11).map { "r\($0)" } + ["fp", "ip", "sp", "lr", "pc", "cpsr"]
            return Layout(size: 368, width: 4, registers: names.enumerated().map { ($1, 4 + 4 * $0) }, programCounter: "pc")
        case "arm64":
            // Flags and cpsr in eight bytes (the older layout has eight of flags, followed by
            // cpsr), then x0 to x28, fp, lr, sp, pc.
            let names = (0..<29).map { "x\($0)" } + ["fp", "lr", "sp", "pc"]
            return Layout(size: 272, width: 8, registers: names.enumerated().map { ($1, 8 + 8 * $0) }, programCounter: "pc")
        case "x86":
            // Flags, six debug registers, 112 bytes of the FPU, segments; then these.
            let names = ["edi", "esi", "ebx", "edx", "ecx", "eax", "ebp", "eip", "cs", "eflags", "esp", "ss"]
            return Layout(size: 716, width: 4, registers: names.enumerated().map { ($1, 156 + 4 * $0) }, programCounter: "eip")
        case "x86_64":
            // Six home addresses, flags, segments, six debug registers; then these.
            let names = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"] + (8..<16).map { "r\($0)" } + ["rip"]
            return Layout(size: 1232, width: 8, registers: names.enumerated().map { ($1, 120 + 8 * $0) }, programCounter: "rip")
        case "mips", "mips64":
            // Flags and four bytes, 32 registers of eight bytes, hi and lo, six words and two of
            // the DSP's; then epc.
            let names = [
                "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "s0", "s1", "s2", "s3",
                "s4", "s5", "s6",
                "s7", "t8", "t9", "k0", "k1", "gp", "sp", "fp", "ra",
            ]
            return Layout(size: 328, width: 8, registers: names.enumerated().map { ($1, 8 + 8 * $0) } + [("pc", 312)], programCounter: "pc")
        default: return nil
        }
    }

    private static func number(_ text: Span<UInt8>, at offset: Int, width: Int) -> UInt64? {
        var value: UInt64 = 0
        for index in (0..<width).reversed() {
            guard let high = text.at((offset + index) * 2).flatMap(hexadecimalValue),
                let low = text.at((offset + index) * 2 + 1).flatMap(hexadecimalValue)
            else { return nil }
            value = value << 8 | UInt64(high << 4 | low)
        }
        return value
    }
}
