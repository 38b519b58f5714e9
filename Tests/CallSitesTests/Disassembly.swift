import BinaryPrimitives
import CallSites
import TestSupport

/// The calls that a disassembler lists.
struct Disassembly {
    /// A machine's mnemonics of calls.
    enum Family: String, CaseIterable, Sendable { case x86, arm64, arm, riscv, powerPC, s390, mips }

    let family: Family
    let sites: [CallSite]

    /// Runs GNU's objdump, for the processors of this machine.
    static func gnu(_ path: String, _ family: Family = .x86) throws -> Disassembly {
        try Disassembly(family, "objdump -d -w", path)
    }

    /// Runs LLVM's objdump.
    static func llvm(_ path: String, _ family: Family, isMachO: Bool = false) throws -> Disassembly {
        // In Mach-O it takes Thumb for ARM.
        let aliases = family == .riscv ? " -M no-aliases" : isMachO && family == .arm ? " --triple=thumbv7-apple-ios" : ""
        return try Disassembly(family, (Tools.llvmObjdump ?? "llvm-objdump") + " -d" + aliases, path)
    }

    private init(_ family: Family, _ command: String, _ path: String) throws {
        self.family = family
        // Only lines that may be calls: the whole is a hundred times as long.
        let words = family == .x86 ? "call" : "bl|bra|bas|bal|jal|jial|ctrl|lrl|bcl|b.*al "
        let result = try run("sh", ["-c", "\(command) \"$1\" | grep -E '\(words)'", "sh", path])
        sites = result.lines.compactMap { Self.site($0, family) }
    }

    /// `  401136:	e8 0b 00 00 00       	call   401146 <leaf>`, or the same with fewer tabs.
    private static func site(_ line: String, _ family: Family) -> CallSite? {
        let text = line.utf8
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), let address = UInt64(line[..<colon].drop { $0 == " " }, radix: 16) else {
            return nil
        }
        let rest = line[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        guard let tab = rest.utf8.firstIndex(of: UInt8(ascii: "\t")) else { return nil }
        let digits = rest[..<tab].utf8.count { $0 != UInt8(ascii: " ") }
        var words = rest[tab...].split { $0 == " " || $0 == "\t" }.map(String.init)
        while let first = words.first, isPrefix(first) { words.removeFirst() }
        guard let mnemonic = words.first, isCall(mnemonic, words, family) else { return nil }
        let hasDelaySlot = family == .mips && !["balc", "jialc", "jalrc"].contains(mnemonic)
        let end = address + UInt64(digits / 2) + (hasDelaySlot ? 4 : 0)
        return CallSite(call: LinkAddress(address), returnAddress: LinkAddress(end), target: target(words, family).map { LinkAddress($0) })
    }

    private static func isPrefix(_ word: String) -> Bool {
        ["bnd", "notrack", "repz", "repnz", "rep", "data16", "addr32", "addr16", "cs", "ds", "es", "ss", "fs", "gs", "lock"].contains(word)
            || word == "rex" || word.hasPrefix("rex.")
    }

    private static func isCall(_ mnemonic: String, _ words: [String], _ family: Family) -> Bool {
        let conditions = ["", "eq", "ne", "hs", "cs", "lo", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al"]
        switch family {
        case .x86: return mnemonic.hasPrefix("call") || mnemonic.hasPrefix("lcall")
        case .arm64: return mnemonic == "bl" || mnemonic.hasPrefix("blr")
        case .arm:
            let plain = mnemonic.hasSuffix(".w") ? String(mnemonic.dropLast(2)) : mnemonic
            return conditions.contains { plain == "bl" + $0 || plain == "blx" + $0 }
        case .riscv:
            let links = words.count > 1 && ["ra,", "t0,"].contains(words[1])
            return ["jal", "jalr"].contains(mnemonic) ? links : ["c.jalr", "c.jal"].contains(mnemonic)
        case .powerPC:
            // It reads the program counter.
            if mnemonic == "bcl", words.dropFirst().prefix(2) == ["20,", "31,"] { return false }
            return ["bl", "bla", "bctrl", "blrl", "bcl", "bcctrl", "bclrl"].contains(mnemonic)
        case .s390:
            // Without a second register it does not branch.
            if mnemonic == "basr" || mnemonic == "balr" { return words.count > 2 && !["0", "%r0"].contains(words[2]) }
            return ["brasl", "bras", "bas", "bal", "bassm"].contains(mnemonic)
        case .mips: return ["jal", "jalr", "bal", "jalx", "bgezal", "bltzal", "balc", "jialc", "jalrc", "jalr.hb"].contains(mnemonic)
        }
    }

    /// The last operand before the symbol's name, if it is a number.
    private static func target(_ words: [String], _ family: Family) -> UInt64? {
        let operands = words.dropFirst().prefix { !$0.hasPrefix("<") && !$0.hasPrefix("#") && $0 != "@" }
        guard let last = operands.last else { return nil }
        if last.hasPrefix("0x") { return UInt64(last.dropFirst(2), radix: 16) }
        // GNU's writes x86 targets without it; other operands begin with a sign.
        return family == .x86 ? UInt64(last, radix: 16) : nil
    }
}
