internal import BinaryPrimitives
internal import CrashLogModel

/// The lines of a Go crash that are no frames.
enum GoHeading {
    /// `panic: MESSAGE`, `panic: MESSAGE [recovered]`, indented where a panic followed another
    case panic(String)
    /// `fatal error: all goroutines are asleep - deadlock!`
    case fatalError(String)
    /// `SIGQUIT: quit`, above `PC=0x…`
    case signal(String, String)
    /// `goroutine 1 [running, locked to thread]:`, `goroutine 7 gp=0xc000002380 m=0 mp=0x5a2ee0
    /// [chan receive, 2 minutes]:`
    case goroutine(Int, String)
    /// `runtime stack:`, `[originating from goroutine 7]:`, and the race detector's
    /// `Read at 0x00c0000141 by goroutine 8:`, `Goroutine 8 (running) created at:`
    case stack(String)
    case race

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        guard let first = rest.at(0) else { return nil }
        switch first {
        case UInt8(ascii: "p") where rest.take("panic: "): self = .panic(rest.text)
        case UInt8(ascii: "f") where rest.take("fatal error: "): self = .fatalError(rest.text)
        case UInt8(ascii: "r") where rest.take("runtime: goroutine stack exceeds "): self = .fatalError(line.trimmed().text)
        case UInt8(ascii: "r") where rest.equals("runtime stack:"): self = .stack("runtime stack")
        case UInt8(ascii: "["):
            guard rest.hasPrefix("[originating from goroutine "), rest.hasSuffix("]:") else { return nil }
            self = .stack(rest.clamped(to: 1..<rest.count - 2).text)
        case UInt8(ascii: "S"):
            guard let found = GoHeading.signals.first(where: { rest.equals("\($0.name): \($0.words)") }) else { return nil }
            self = .signal(found.name, found.words)
        case UInt8(ascii: "W"):
            guard rest.equals("WARNING: DATA RACE") else { return nil }
            self = .race
        case UInt8(ascii: "g"):
            guard rest.take("goroutine "), let number = rest.takeDecimal(), let index = Int(exactly: number), rest.hasSuffix("]:"),
                let open = rest.firstRange(of: " ["), open.lowerBound == 0 || rest.hasPrefix(" gp=") || rest.hasPrefix(" m=")
            else { return nil }
            self = .goroutine(index, rest.clamped(to: open.upperBound..<rest.count - 2).text)
        case UInt8(ascii: "R"), UInt8(ascii: "P"), UInt8(ascii: "A"), UInt8(ascii: "G"), UInt8(ascii: "a"):
            // `Read at …`, `Write at …`, `Previous write at …`, `Atomic read at …`,
            // `As if synchronized via sleep:`, `Goroutine 8 (running) created at:`
            guard rest.hasSuffix(":"),
                rest.contains(" by goroutine ") || rest.contains(" by main goroutine") || rest.hasSuffix(" created at:")
            else { return nil }
            self = .stack(rest.upTo(rest.count - 1).text)
        default: return nil
        }
    }

    /// `sigtable` of `runtime/sigtab_linux_generic.go` and the others: what ends a program.
    static let signals: [(name: String, words: String)] = [
        ("SIGSEGV", "segmentation violation"), ("SIGABRT", "abort"), ("SIGQUIT", "quit"), ("SIGBUS", "bus error"),
        ("SIGILL", "illegal instruction"),
        ("SIGFPE", "floating-point exception"), ("SIGTRAP", "trace trap"), ("SIGSYS", "bad system call"), ("SIGSTKFLT", "stack fault"),
        ("SIGEMT", "emulate instruction executed"),
    ]
}
