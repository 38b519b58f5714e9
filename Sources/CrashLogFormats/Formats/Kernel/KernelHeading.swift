internal import BinaryPrimitives
internal import CrashLogModel

/// The line that begins a kernel's report, or continues one:
/// `BUG: unable to handle kernel paging request at …`, `WARNING: CPU: 0 PID: 1 at …`.
struct KernelHeading {
    /// Kind of report, in a word or two: `KASAN`, `WARNING`, `kernel BUG`.
    var type: String
    /// The line without marks around it, and without the type where that begins it.
    var message: String
    /// How many oopses there were, if that is all that follows the type: `[#2]`.
    var count: String?
    var rank: Rank
    /// Whether only kernels write such a line.
    var isCertain: Bool

    enum Rank {
        /// A report of its own; after a stack, it is the next one.
        case report
        /// The processor's exception after a report's first line (`Oops: 0002 [#1] SMP`); after a
        /// stack, the next report.
        case exception
        /// Belongs to what came before it: `Kernel panic - not syncing: Fatal exception`.
        case panic
        /// Says nothing by itself: `------------[ cut here ]------------`.
        case mark
    }

    private static let table: [(text: String, type: String, rank: Rank, isCertain: Bool)] = [
        ("------------[ cut here ]", "kernel report", .mark, true),
        ("BUG: KASAN: ", "KASAN", .report, true), ("BUG: KCSAN: ", "KCSAN", .report, true), ("BUG: KMSAN: ", "KMSAN", .report, true),
        ("BUG: KFENCE: ", "KFENCE", .report, true), ("UBSAN: ", "UBSAN", .report, true),
        ("BUG: unable to handle ", "BUG", .report, true), ("BUG: kernel NULL pointer dereference", "BUG", .report, true),
        ("BUG: sleeping function called", "BUG", .report, true), ("BUG: scheduling while atomic", "BUG", .report, true),
        ("BUG: spinlock ", "BUG", .report, true), ("BUG: soft lockup", "soft lockup", .report, true),
        ("BUG: workqueue lockup", "workqueue lockup", .report, true), ("BUG: memory leak", "memory leak", .report, true),
        ("BUG: Bad page ", "BUG", .report, true), ("BUG: Bad rss-counter", "BUG", .report, true), ("BUG: MAX_", "BUG", .report, true),
        ("BUG: ", "BUG", .report, false),
        ("Unable to handle kernel ", "BUG", .report, true), ("kernel tried to execute ", "BUG", .report, true),
        ("kernel BUG at ", "kernel BUG", .report, true), ("Kernel BUG at ", "kernel BUG", .report, true),
        ("WARNING: CPU: ", "WARNING", .report, true), ("WARNING: at ", "WARNING", .report, true),
        ("WARNING: possible ", "lockdep", .report, true), ("WARNING: suspicious RCU", "RCU", .report, true),
        ("WARNING: inconsistent lock", "lockdep", .report, true), ("WARNING: bad unlock balance", "lockdep", .report, true),
        ("WARNING: lock held ", "lockdep", .report, true), ("WARNING: held lock freed", "lockdep", .report, true),
        ("WARNING: kernel stack ", "WARNING", .report, true),
        ("INFO: possible ", "lockdep", .report, true), ("INFO: inconsistent lock", "lockdep", .report, true),
        ("INFO: suspicious RCU", "RCU", .report, true), ("INFO: trying to register non-static key", "lockdep", .report, true),
        ("INFO: rcu_", "RCU stall", .report, true), ("INFO: SOFTIRQ-", "lockdep", .report, true),
        ("INFO: HARDIRQ-", "lockdep", .report, true),
        ("INFO: task ", "hung task", .report, false),
        ("Oops: ", "Oops", .exception, false), ("Oops - ", "Oops", .exception, true), ("Oops[#", "Oops", .exception, true),
        ("Oops [#", "Oops", .exception, true), ("Internal error: ", "Oops", .exception, false),
        ("general protection fault", "general protection fault", .exception, false), ("divide error: ", "divide error", .exception, true),
        ("invalid opcode: ", "invalid opcode", .exception, true), ("illegal operation: ", "illegal operation", .exception, true),
        ("stack segment: ", "stack segment", .exception, true), ("double fault: ", "double fault", .exception, true),
        ("Kernel panic - not syncing", "Kernel panic", .panic, true),
        ("FAULT_FLAG_ALLOW_RETRY missing ", "BUG", .mark, true),
    ]

    private static let slabMessages = [
        "Objects remaining ", "Poison overwritten", "Redzone overwritten", "Object already free", "Freepointer corrupt",
    ]

    /// Literal texts of which every line that is a heading has one.
    static let triggers =
        slabMessages + table.map(\.text).filter { $0 == "BUG: " || !$0.hasPrefix("BUG: ") } + ["(Not tainted): ", "(Tainted: ", "[#"]

    init?(_ line: Span<UInt8>) {
        var text = line.trimmed()
        // `[ INFO: possible recursive locking detected ]`
        if text.consume("[ ") {
            text = text.upTo(text.lastIndex(of: UInt8(ascii: "]")) ?? text.count).trimmed()
        }
        _ = text.consume("NMI ")
        _ = text.consume("watchdog: ") || text.consume("rcu: ")
        KernelHeading.skipProcessor(&text)
        let title = KernelHeading.mipsTitle(text)
        if let found = KernelHeading.table.first(where: { text.hasPrefix($0.text) }) {
            guard found.isCertain || KernelHeading.isPlausible(text, found.text) else { return nil }
            (type, rank, isCertain) = (found.type, found.rank, found.isCertain)
        } else if text.hasPrefix("BUG "), let mark = text.firstRange(of: ": ") {
            // The slab allocator's: `BUG kmalloc-64 (Not tainted): Poison overwritten`, before 3.3
            // without the taint.
            guard
                text.contains("(Not tainted): ") || text.contains("(Tainted: ")
                    || KernelHeading.slabMessages.contains(where: { text.from(mark.upperBound).hasPrefix($0) })
            else { return nil }
            (type, rank, isCertain) = ("slab", .report, true)
        } else if title != nil {
            (type, rank, isCertain) = ("Oops", .exception, true)
        } else {
            return nil
        }
        message = KernelHeading.message(text, type)
        guard let title else { return }
        count = text.clamped(to: title..<text.count - 1).text
        message = text.hasPrefix(type) ? "" : text.upTo(title).trimmed().text
    }

    /// `CPU 0 Unable to handle kernel paging request at …` (`arch/mips/mm/fault.c`)
    private static func skipProcessor(_ text: inout Span<UInt8>) {
        var rest = text
        guard rest.consume("CPU "), rest.readDecimal() != nil, rest.consume(" "), rest.hasPrefix("Unable to handle kernel ") else { return }
        text = rest
    }

    /// Offset of the count at the end of MIPS' line: `Oops[#2]:`, `Kernel bug detected[#1]:`,
    /// `Unhandled kernel unaligned access[#1]:` (`die` of `arch/mips/kernel/traps.c`).
    private static func mipsTitle(_ text: Span<UInt8>) -> Int? {
        guard text.count <= 80, text.hasSuffix("]:"), let open = text.lastRange(of: "[#"), open.lowerBound > 0 else { return nil }
        var digits = text.from(open.upperBound)
        guard digits.readDecimal() != nil, digits.equals("]:") else { return nil }
        return open.lowerBound
    }

    /// `KASAN` and `BUG: KASAN: use-after-free in …` are `use-after-free in …`.
    private static func message(_ text: Span<UInt8>, _ type: String) -> String {
        var rest = text
        _ = rest.consume("BUG: ") || rest.consume("INFO: ") || rest.consume("WARNING: ")
        if rest.consume(type) {
            _ = rest.consume(":") || rest.consume(" -")
            rest.skipBlanks()
        }
        return rest.count > 0 ? rest.text : text.text
    }

    /// Whether the line is the kernel's: beginnings that other programs write, too, need the text
    /// that the kernel puts after them.
    private static func isPlausible(_ text: Span<UInt8>, _ beginning: String) -> Bool {
        let rest = text.from(beginning.utf8.count)
        switch beginning {
        case "INFO: task ": return rest.contains(" blocked for more than ") || rest.contains(" blocked in I/O wait")
        case "Oops: ", "general protection fault", "Internal error: ":
            // An error code of four digits and more, and the count of oopses: `0002 [#1] SMP`.
            return rest.contains("[#")
        default: return true
        }
    }
}
