import BinaryPrimitives
import TestSupport

/// A core of a program for SPARC, of which qemu writes none.
///
/// gdb runs the program by qemu's stub up to a crash; the registers and the stack are those that it prints then. Their layout in the
/// core is the kernel's (Linux, `arch/sparc/kernel/ptrace_64.c` and `ptrace_32.c`, `genregs`; `include/linux/elfcore.h`);
/// `eu-readelf -n` of elfutils prints the same registers from it.
struct StubCore {
    let isWide: Bool
    let program: String
    /// %g0 to %i7, the processor's state, the program counter, the next one, %y.
    private var registers: [UInt64] = []
    private var stack: [UInt8] = []
    /// The functions that gdb prints, innermost first.
    private(set) var functions: [String] = []

    static let tools = ["sparc64-linux-gnu-gcc", "qemu-sparc64", "qemu-sparc", "gdb-multiarch"]
    static let canRun = tools.allSatisfy { TestPaths.isReadable("/usr/bin/" + $0) }

    /// Saves the window of a function on its stack, as the kernel does before it writes a core. An emulator leaves it in registers.
    static let saving = """
        #if __sparc_v9__
        #define SAVE __asm__ volatile("flushw; stx %i6, [%sp+2047+112]; stx %i7, [%sp+2047+120]")
        #else
        #define SAVE __asm__ volatile("ta 3; st %i6, [%sp+56]; st %i7, [%sp+60]")
        #endif

        """

    private static let names =
        (["g", "o", "l", "i"].flatMap { kind in (0..<8).map { kind + "\($0)" } }).map { $0 == "o6" ? "sp" : $0 == "i6" ? "fp" : $0 }

    /// - Parameters:
    ///   - crashes: number of signals up to the one that counts.
    ///   - stackBytes: bytes from the stack pointer on, which the stack has.
    init(_ options: [String], isWide: Bool, source: String, crashes: Int = 1, stackBytes: Int, folder: String) throws {
        self.isWide = isWide
        program = folder + "/prog"
        try writeFile(folder + "/a.c", Array((Self.saving + source).utf8))
        try run("sparc64-linux-gnu-gcc", options + ["-g", "-O1", "-static", "a.c", "-o", "prog"], directory: folder).requireSuccess()
        let state = isWide ? ["state", "pc", "npc", "y"] : ["psr", "pc", "npc", "y"]
        var commands = ["set pagination off", "set backtrace limit 60", "target remote stub"]
        commands += [String](repeating: "continue", count: crashes)
        commands += ["backtrace", "info registers " + (Self.names + state).joined(separator: " ")]
        let start = isWide ? "$sp+2047" : "$sp"
        commands += ["dump binary memory stack \(start) \(start)+\(stackBytes)", "kill"]
        let script = """
            timeout 60 \(isWide ? "qemu-sparc64" : "qemu-sparc") -g stub ./prog &
            for i in $(seq 100); do [ -S stub ] && break; sleep 0.1; done
            timeout 50 gdb-multiarch -nx -batch \(commands.map { "-ex '\($0)'" }.joined(separator: " ")) prog
            wait
            """
        let result = try run("sh", ["-c", script], environment: ["DEBUGINFOD_URLS": nil], directory: folder)
        var values: [String: UInt64] = [:]
        for line in result.lines {
            let words = line.split { $0 == " " || $0 == "\t" }
            if let first = words.first, words.count > 1, words[1].hasPrefix("0x"), !first.hasPrefix("#") {
                values[String(first)] = UInt64(words[1].dropFirst(2), radix: 16)
            }
            guard words.first?.hasPrefix("#") == true else { continue }
            // `#1  0x0000000000100834 in mid (n=2) at a.c:3`, or without the address at a line's beginning.
            let rest = words.dropFirst(words.count > 3 && words[2] == "in" ? 3 : 1)
            functions.append(rest.prefix { !$0.hasPrefix("(") && $0 != "called>" }.joined(separator: " "))
        }
        for name in Self.names + state {
            guard let value = values[name] else { throw RunError(description: "no register \(name): \(result.errors)") }
            registers.append(value)
        }
        stack = try readFile(folder + "/stack")
    }

    /// - Parameter signal: the number of the signal that ended the process.
    func file(signal: UInt16 = 11) -> [UInt8] {
        var status = ByteWriter(.bigEndian)
        for number in [UInt32(signal), 0, 0] { status.put(number) }
        status.put(signal)
        status.put(UInt16(0))
        for _ in 0..<2 { status.putWord(0, wide: isWide) }
        for number: UInt32 in [77, 1, 77, 77] { status.put(number) }
        for _ in 0..<8 { status.putWord(0, wide: isWide) }
        for value in registers + (isWide ? [0] : [0, 0, 0]) { status.putWord(value, wide: isWide) }

        var notes = ByteWriter(.bigEndian)
        for number in [5, UInt32(status.count), 1] { notes.put(number) }
        notes.put(name: "CORE", width: 8)
        notes.bytes += status.bytes

        let (headerSize, segmentSize) = isWide ? (64, 56) : (52, 32)
        var core = ByteWriter(.bigEndian)
        core.bytes = [0x7f, 0x45, 0x4c, 0x46, isWide ? 2 : 1, 2, 1] + [UInt8](repeating: 0, count: 9)
        core.put(UInt16(4))
        core.put(UInt16(isWide ? 43 : 2))
        core.put(UInt32(1))
        for value in [0, UInt64(headerSize), 0] { core.putWord(value, wide: isWide) }
        core.put(UInt32(0))
        for value in [headerSize, segmentSize, 2, 0, 0, 0] { core.put(UInt16(value)) }
        let start = UInt64(headerSize + 2 * segmentSize)
        func segment(_ type: UInt32, _ offset: UInt64, _ address: UInt64, _ size: Int) {
            core.put(type)
            if isWide { core.put(UInt32(6)) }
            for value in [offset, address, 0, UInt64(size), UInt64(size)] { core.putWord(value, wide: isWide) }
            if !isWide { core.put(UInt32(6)) }
            core.putWord(1, wide: isWide)
        }
        segment(4, start, 0, notes.count)
        segment(1, start + UInt64(notes.count), registers[14] + (isWide ? 2047 : 0), stack.count)
        return core.bytes + notes.bytes + stack
    }
}
