internal import BinaryPrimitives
internal import Unwinding

/// Reads the notes of a core (Linux, `fs/binfmt_elf.c` and `include/uapi/linux/elf.h`): for each thread, in
/// the order of the kernel, its registers first.
struct CoreNotes {
    private(set) var registers: CoreRegisters
    var threads: [MemoryImage.Thread] = []
    var process = MemoryImage.Process()
    var files: [(range: Range<UInt64>, offset: UInt64, path: String)] = []
    var codeMask: UInt64?
    var notes: [String] = []
    var system = System.linux
    /// NetBSD's names of threads by their numbers.
    var threadNames: [UInt64: String] = [:]
    /// NetBSD's signal, and the number of the thread that it was for.
    var processSignal: (signal: MemoryImage.Signal, thread: UInt64)?

    /// The system that wrote the core, by its name.
    enum System: String { case linux = "Linux", netBSD = "NetBSD", freeBSD = "FreeBSD" }

    private var order: ByteOrder { registers.order }
    private var word: Int { registers.isWide ? 8 : 4 }

    init(_ registers: CoreRegisters) { self.registers = registers }

    /// Reads a segment of notes up to its end, or to where it is cut short.
    mutating func read(_ segment: RawSpan, _ limits: Limits) {
        var rest = segment
        while rest.byteCount >= 12 {
            do throws(ReadError) {
                let nameSize = Int(try rest.read(UInt32.self, order))
                let size = Int(try rest.read(UInt32.self, order))
                let type = try rest.read(UInt32.self, order)
                let name = try rest.read(bytes: nameSize)
                try rest.skip(min((4 - nameSize & 3) & 3, rest.byteCount))
                let content = try rest.read(bytes: size)
                try rest.skip(min((4 - size & 3) & 3, rest.byteCount))
                read(name, type, content, limits)
            } catch {
                notes.append("the core's notes are cut short")
                return
            }
        }
    }

    private mutating func read(_ name: RawSpan, _ type: UInt32, _ content: RawSpan, _ limits: Limits) {
        if name.text.hasPrefix("NetBSD-CORE") {
            let name = name.prefix(name.lengthOfCString() ?? name.byteCount)
            return readNetBSD(name.text, type, content, limits)
        }
        if name.text.equals("FreeBSD\0") { return readFreeBSD(type, content, limits) }
        if name.text.equals("CAIRN\0") { return readName(type, content) }
        let isCore = name.text.hasPrefix("CORE")
        guard isCore || name.text.hasPrefix("LINUX") else { return }
        switch type {
        case 1 where isCore:
            guard threads.count < limits.threads else { return }
            registers.adapt(toStatusOf: content.byteCount)
            if let thread = registers.thread(content) { threads.append(thread) } else { notes.append(Self.cutRegisters) }
        case 3 where isCore: readProcess(content)
        case 6 where isCore: readAuxiliaryVector(content)
        case 0x5349_4749 where isCore: readSignal(content)
        case 0x4649_4c45 where isCore: readFiles(content, limits)
        case 0x406:
            // The mask for data, then the one for instructions.
            codeMask = codeMask ?? (try? content.value(UInt64.self, at: 8, order))
        default: break
        }
    }

    /// `elf_prpsinfo`: user and group have two bytes each on older 32-bit machines.
    private mutating func readProcess(_ content: RawSpan) {
        let isNarrow: Bool =
            switch registers.processor {
            case .i386, .arm, .x86_64, .sparc: !registers.isWide
            default: false
            }
        let name = registers.isWide ? 40 : isNarrow ? 28 : 32
        process.id = (try? content.value(UInt32.self, at: name - 16, order)).map { UInt64($0) }
        process.name = Self.text(in: content, at: name, size: 16)
        process.arguments = Self.text(in: content, at: name + 16, size: 80).map { found in
            // A program's arguments are ended by blanks, too.
            found.utf8.count >= 79 ? found + "…" : found.last == " " ? String(found.dropLast()) : found
        }
    }

    /// The name of the thread before it: a note of the cores that `cairn run` makes. Linux' own have none.
    private mutating func readName(_ type: UInt32, _ content: RawSpan) {
        guard type == 1, !threads.isEmpty else { return }
        let name = content.prefix(min(Self.maxName, content.lengthOfCString() ?? Self.maxName)).string()
        if !name.isEmpty { threads[threads.count - 1].name = name }
    }

    /// Bytes of a thread's name; Linux has 15, the BSDs 19.
    static let maxName = 64

    static let cutRegisters = "a thread's registers are cut short"

    /// Returns the text in a field of fixed size, up to its first zero; `nil` if the field is cut short.
    static func text(in content: RawSpan, at offset: Int, size: Int) -> String? {
        guard let field = try? content.slice(at: UInt64(offset), count: UInt64(size)) else { return nil }
        return field.prefix(field.lengthOfCString() ?? size).string()
    }

    mutating func readAuxiliaryVector(_ content: RawSpan) {
        var rest = content
        while let type = try? rest.readUnsigned(size: word, order), let value = try? rest.readUnsigned(size: word, order), type != 0 {
            guard process.auxiliaryVector.count < 256 else { return }
            process.auxiliaryVector[type] = value
        }
    }

    /// `siginfo_t` of the thread before it.
    private mutating func readSignal(_ content: RawSpan) {
        guard !threads.isEmpty, let signal = MemoryImage.Signal(information: content, registers.processor, isWide: registers.isWide, order)
        else { return }
        let number = threads[threads.count - 1].signal?.number ?? signal.number
        threads[threads.count - 1].signal = signal
        threads[threads.count - 1].signal?.number = number
    }

    /// `NT_FILE`: a count, the size of a page, for each range its ends and its offset in pages; then the
    /// paths.
    private mutating func readFiles(_ content: RawSpan, _ limits: Limits) {
        var rest = content
        guard let count = try? rest.readUnsigned(size: word, order), let page = try? rest.readUnsigned(size: word, order),
            count <= UInt64(rest.byteCount / (3 * word)), var names = try? rest.from(count * UInt64(3 * word))
        else { return notes.append("the list of mapped files is damaged") }
        for _ in 0..<count {
            guard files.count < limits.images, let start = try? rest.readUnsigned(size: word, order),
                let end = try? rest.readUnsigned(size: word, order), let offset = try? rest.readUnsigned(size: word, order),
                let path = try? names.readCString()
            else { return notes.append("the list of mapped files is damaged") }
            guard start < end else { continue }
            files.append((start..<end, offset &* page, path.prefix(limits.nameLength).string()))
        }
    }
}

extension MemoryImage.Signal {
    /// Reads a `siginfo_t` (Linux, `include/uapi/asm-generic/siginfo.h`).
    init?(information: RawSpan, _ processor: Processor, isWide: Bool, _ order: ByteOrder) {
        guard let number = try? information.value(Int32.self, at: 0, order), number > 0 else { return nil }
        self.init(number: Int(number))
        // MIPS has the code before the error's number.
        let isMIPS = processor == .mips || processor == .mips64
        code = (try? information.value(Int32.self, at: isMIPS ? 4 : 8, order)).map { Int($0) }
        // SIGILL, SIGTRAP, SIGBUS, SIGFPE and SIGSEGV have an address, unless a process sent them.
        if MemoryImage.faults(processor).contains(self.number), let code, code > 0 {
            address = try? information.unsigned(size: isWide ? 8 : 4, at: isWide ? 16 : 12, order)
        }
        // SEGV_PKUERR. The key is in a union that begins with a number and a filling of a word's size.
        if self.number == 11, code == 4, !isMIPS { protectionKey = try? information.value(UInt32.self, at: isWide ? 32 : 20, order) }
    }

    /// Whether a process has sent it, as `raise` and `kill` do; `si_code` is 0 or negative then.
    package var isSent: Bool { code.map { $0 <= 0 } ?? false }
}
