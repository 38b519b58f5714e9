internal import BinaryPrimitives
internal import CrashLogModel

/// The rows of registers below `Thread 0 crashed with ARM Thread State (64-bit):`, four or so to a
/// line, of all processors:
///
///       rax: 0x000000010ba7d010  rbx: 0x0000700004542ce0
///       rip: <unavailable>  rfl: 0x0000000000000287             Rosetta 2
///      srr0: 0x8fe01280 srr1: 0x0002f030                vrsave: 0x00000000
///       far: 0x0000000000000000  esr: 0x56000080 (Syscall)
struct AppleRegisters {
    private var values: [(name: String, value: UInt64)] = []
    /// The thread that the heading names; `nil`: the crashed one.
    private var thread: Int?

    /// More than any processor has.
    private static let limit = 256

    mutating func begin(thread: Int?) {
        values = []
        self.thread = thread
    }

    /// Reads a line.
    /// - Returns: whether it holds registers.
    mutating func read(_ text: Span<UInt8>) -> Bool {
        var rest = text
        var isRegisters = false
        while values.count < Self.limit {
            rest.skipBlanks()
            guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon < 8 else { break }
            let name = rest.upTo(colon).trimmed().text
            rest = rest.from(colon + 1)
            rest.skipBlanks()
            if rest.consume("<unavailable>") {
                isRegisters = true
                continue
            }
            guard let value = rest.readAddress() else { break }
            values.append((name, value))
            isRegisters = true
        }
        return isRegisters
    }

    /// Gives what was read to its thread.
    mutating func end(_ threads: inout [ThreadTrace]) {
        guard !values.isEmpty else { return }
        let index = threads.firstIndex { $0.index == thread } ?? threads.firstIndex { $0.crashed }
        if let index { threads[index].registers = RegisterState(values: values) }
        values = []
    }
}
