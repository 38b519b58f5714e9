internal import BinaryPrimitives
internal import CrashLogModel

/// Derives a meaning from the value of the address of a bad access.
struct AddressMeanings {
    private let facts: CauseFacts
    private let address: UInt64

    init?(_ facts: CauseFacts) {
        guard let address = facts.address else { return nil }
        self.facts = facts
        self.address = address
    }

    /// - Returns: the meaning, and whether it is complete; if not, it follows the meaning of the
    ///   code.
    func meaning() -> (meaning: Meaning, isWhole: Bool)? {
        if let overflow = stackOverflow { return (overflow, true) }
        if address < pageSize { return null }
        if isJump { return (jump.adding(value), true) }
        return value.map { ($0, false) }
    }

    /// Meaning of the number itself.
    var value: Meaning? { pattern ?? text ?? signedPointer ?? nonCanonical }

    private var hexadecimal: String { "\(RuntimeAddress(address))" }

    /// The first page is never mapped: Apple's processors have pages of 16 KB.
    private var pageSize: UInt64 { facts.isApple && facts.isARM64 ? 0x4000 : 0x1000 }

    private var isJump: Bool { facts.programCounter == address }

    private var jump: Meaning {
        Meaning(
            "The program jumped to address \(hexadecimal), where it may not execute code.",
            source: "the program counter is the address that failed")
    }

    // MARK: Null

    /// This meaning is complete: the protection of the first page does not matter.
    private var null: (Meaning, Bool)? {
        if address == 0, facts.signalCode == "SI_KERNEL" { return nil }
        if facts.isAddressUnsure { return nil }
        if isJump {
            return (
                Meaning(
                    "The program jumped to address \(hexadecimal): it called a function through a null pointer, or a return address on the stack was overwritten.",
                    source: "compiler-rt, sanitizer_common/sanitizer_symbolizer_report.cpp: pc points to the zero page"), true
            )
        }
        if address > 0 {
            return (
                Meaning(
                    "The program accessed address \(hexadecimal), just above null, where the fields and elements of a null pointer are.",
                    source: AddressMeanings.zeroPage), true
            )
        }
        guard isZeroTrue else {
            return (
                Meaning(
                    "The program accessed address 0, a null pointer. x86-64 processors report 0 for addresses that no pointer can have, too.",
                    source: "Linux, arch/x86/kernel/traps.c, exc_general_protection: SIGSEGV without an address"), true
            )
        }
        return (Meaning("The program accessed address 0: a null pointer.", source: AddressMeanings.zeroPage), true)
    }

    private static let zeroPage = "compiler-rt, asan_errors.cpp: address points to the zero page"

    /// Whether address 0 is the real address. If the processor does not report the address (a
    /// general protection fault), Linux gives 0 as the address, with `si_code` SI_KERNEL.
    private var isZeroTrue: Bool {
        let reportsAddress = facts.isApple || facts.isKernel || facts.isSanitizer || facts.isWindows || facts.signalCode != nil
        return reportsAddress || facts.report.architecture.map { $0.family != "x86_64" } ?? false
    }

    // MARK: The stack

    /// Meaning of a stack overflow. As in the sanitizers, the access is between a page below the
    /// stack pointer and 64 KB above it.
    private var stackOverflow: Meaning? {
        guard let pointer = facts.stackPointer, pointer >= 0x1_0000, !isJump, address >= pageSize, isPageFault else { return nil }
        let (low, _) = pointer.subtractingReportingOverflow(0x1000)
        guard address > low, address - low < 0x1000 + 0xFFFF else { return nil }
        return Meaning(
            "The access was next to the stack pointer, outside of the stack: a stack overflow. Endless recursion or very large local variables cause it.",
            source: "compiler-rt, sanitizer_common/sanitizer_posix_libcdep.cpp, SignalContext::IsStackOverflow")
    }

    /// Nothing else failed than the page: an access that is not aligned, or has the wrong tag, may
    /// be to the stack, too.
    private var isPageFault: Bool {
        let codes = [facts.accessCode, facts.signalCode].compactMap { $0 }
        return codes.allSatisfy { ["KERN_INVALID_ADDRESS", "KERN_PROTECTION_FAILURE", "SEGV_MAPERR", "SEGV_ACCERR"].contains($0) }
    }

    // MARK: Values

    private var pattern: Meaning? {
        if facts.isLinuxKernel, let list = removedListEntry { return list }
        return FillPattern.all.first { isWriter($0.writer) && $0.matches(address) }?.meaning
    }

    private func isWriter(_ writer: FillPattern.Writer) -> Bool {
        switch writer {
        case .apple: facts.isApple && !facts.isKernel
        case .windows: facts.isWindows
        case .unix: !facts.isApple && !facts.isWindows && !facts.isKernel
        case .everywhere: !facts.isKernel
        case .linuxKernel: facts.isLinuxKernel
        case .appleKernel: facts.isKernel && facts.isApple
        case .bsdKernel: facts.report.format == "bsd-panic"
        }
    }

    /// `dead000000000108` is LIST_POISON1 (0x100) plus CONFIG_ILLEGAL_POINTER_VALUE, and 8 for
    /// `prev`.
    private var removedListEntry: Meaning? {
        guard address >> 12 == 0xDEAD_0000_0000_0 else { return nil }
        return Meaning(
            "The address is that of LIST_POISON: the kernel used an entry that had been removed from its list.",
            source: "Linux, include/linux/poison.h, LIST_POISON1, and mm/Kconfig, ILLEGAL_POINTER_VALUE")
    }

    /// All bytes are letters, digits and characters that come between them. In a 64-bit pointer at
    /// least six are, and half of them are letters.
    private var text: Meaning? {
        var bytes = (0..<8).map { UInt8(truncatingIfNeeded: address >> (8 * UInt64($0))) }
        while bytes.last == 0 { bytes.removeLast() }
        guard bytes.count >= (facts.is64Bit || address > 0xFFFF_FFFF ? 6 : 4) else { return nil }
        if facts.isBigEndian { bytes.reverse() }
        let letters = bytes.filter { ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") }
        guard letters.count * 2 >= bytes.count, bytes.allSatisfy({ AddressMeanings.isText($0) }) else { return nil }
        return Meaning(
            "The address read as text is \"\(String(decoding: bytes, as: UTF8.self))\": text was used as a pointer.",
            source: "ASCII; the byte order is the processor's")
    }

    private static func isText(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || [0x20, 0x2D, 0x2E, 0x2F, 0x3A, 0x5F].contains(byte)
    }

    // MARK: Pointers that are none

    /// ReportCrash reports it itself since iOS 15; before, the bits below the signature lead to a
    /// listed image or into the stack.
    private var signedPointer: Meaning? {
        guard facts.isApple, facts.isARM64 else { return nil }
        let texts = [facts.cause.subtype, facts.cause.message]
        let isSaid = texts.contains { text in
            let bytes = Array((text ?? "").utf8)
            return bytes.span.contains("possible pointer authentication failure")
        }
        let plain = address & 0x7F_FFFF_FFFF
        let isInImage = address >> 47 != 0 && facts.report.images.contains { $0.contains(RuntimeAddress(plain)) }
        guard isSaid || isInImage else { return nil }
        return Meaning(
            "The address has bits of a pointer's signature: its authentication failed, or it was used without.",
            source: "Apple, Preparing your app to work with pointer authentication")
    }

    /// x86-64: bits 47 to 63 are equal. arm64: the top byte may be a tag, and bits 48 to 55 are
    /// equal.
    private var nonCanonical: Meaning? {
        switch facts.family {
        case "x86_64":
            guard address >> 47 != 0, address >> 47 != 0x1FFFF else { return nil }
            return Meaning(
                "No x86-64 pointer has such an address: it was overwritten, or read from memory that holds no pointer.",
                source: "Intel SDM volume 1, 3.3.7.1 Canonical Addressing")
        case "arm64":
            let middle = address >> 48 & 0xFF
            guard middle != 0, middle != 0xFF else { return nil }
            return Meaning(
                "No arm64 pointer has such an address: it was overwritten, or read from memory that holds no pointer.",
                source: "Linux, Documentation/arch/arm64/memory.rst")
        default: return nil
        }
    }
}
