internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Dumps that OP-TEE prints of aborts and of panics of trusted applications:
    ///
    ///     E/TC:? 0 TA panicked with code 0x0
    ///     E/TC:? 0 Status of TA 7fc5c039-0542-4ee1-80af-b4eab2f1998d (0xe171f00) (active)
    ///     E/TC:? 0  arch: arm  load address: 0x203000 ctx-idr: 2
    ///     E/TC:? 0  region 2: va 0x203000 pa 0xe300000 size 0x1e000 flags r-x--- [0]
    ///     E/TC:? 0  [0] 7fc5c039-0542-4ee1-80af-b4eab2f1998d @ 0x203000
    ///     E/TC:? 0 Call stack:
    ///     E/TC:? 0  0x00212900
    ///
    /// The first address was executing. The others are return addresses on 32-bit ARM (`unwind_stack_arm32` of
    /// `lib/libunw`), and the calls themselves on 64-bit ARM and RISC-V, whose `unwind_arm64.c` and `unwind_riscv.c`
    /// subtract 4 from each: their addresses have 16 digits, or the `arch:` line names them. The first address of a
    /// panic on 64-bit ARM is the return address of `_utee_panic` (`scall_save_panic_stack`). The regions of an ELF
    /// file have its number after their flags, and a line `[number] UUID @ address` gives its first address; the kernel
    /// is at `TEE load address @` (`scripts/symbolize.py`).
    static let opTEE = StackCard(
        name: "op-tee",
        summary: "OP-TEE: “Status of TA”, “Call stack:” and a line for each address",
        openings: [
            .anywhere("TA panicked with code "), .anywhere("Status of TA "), .anywhere("TEE load address @ 0x"),
            .anywhere("data-abort at address 0x"), .anywhere("prefetch-abort at address 0x"), .anywhere("undef-abort at address 0x"),
        ],
        rule: .firstIsProgramCounter,
        offsets: .imageStart,
        maxUnrecognizedLines: 96,
        hasOwnRows: true,
        read: { OPTEEText.read($0) },
        readRow: { OPTEEText.row($0) },
        finish: {
            OPTEEText.assignRegions(&$0)
            OPTEEText.decideKinds(&$0)
        })
}

private enum OPTEEText {
    static func read(_ line: Span<UInt8>) -> StackLine? {
        let text = line.trimmed()
        if text.contains("Call stack:") { return .rowsFollow }
        if let range = text.firstRange(of: "-abort at address 0x") {
            var start = range.lowerBound
            while start > 0, !isBlank(text[start - 1]) { start -= 1 }
            var cause = CrashCause(kind: .other, type: text.clamped(to: start..<range.lowerBound + "-abort".utf8.count).text)
            cause.message = text.from(start).text
            cause.address = text.address(after: "-abort at address ").map { RuntimeAddress($0) }
            return .cause(cause)
        }
        if let range = text.firstRange(of: "TA panicked with code ") {
            return .cause(CrashCause(kind: .other, type: "panic", codes: text.from(range.upperBound).text))
        }
        if let range = text.firstRange(of: "Status of TA ") {
            var rest = text.from(range.upperBound)
            return .process(name: rest.readToken().text, pid: nil)
        }
        if let range = text.firstRange(of: "arch: ") {
            var rest = text.from(range.upperBound)
            let names: [String: Architecture] = ["arm": .arm, "aarch64": .arm64, "riscv32": .riscv32, "riscv64": .riscv64]
            return names[rest.readToken().text].map { .architecture($0) } ?? .skipped
        }
        if let address = text.address(after: "TEE load address @ ") {
            return .image(BinaryImage(name: "tee.elf", base: RuntimeAddress(address)))
        }
        return region(text) ?? file(text)
    }

    /// Reads a region: `region 2: va 0x203000 pa 0xe300000 size 0x1e000 flags r-x--- [0]`. Its image is named by its
    /// number until the name is known.
    private static func region(_ text: Span<UInt8>) -> StackLine? {
        guard let mark = text.firstRange(of: "region "), let start = text.address(after: ": va "), let size = text.address(after: " size "),
            mark.lowerBound < text.count
        else { return nil }
        guard text.hasSuffix("]"), let open = text.lastIndex(of: UInt8(ascii: "[")), let flags = text.firstRange(of: " flags "),
            flags.upperBound < open
        else { return .skipped }
        let number = text.from(open).text
        return .image(BinaryImage(name: number, base: RuntimeAddress(start), size: size))
    }

    /// Reads a file: `[0] 7fc5c039-0542-4ee1-80af-b4eab2f1998d @ 0x203000`, followed by a path in parentheses.
    private static func file(_ text: Span<UInt8>) -> StackLine? {
        guard let at = text.firstRange(of: " @ 0x"), let open = text.firstIndex(of: UInt8(ascii: "[")),
            let close = text.firstIndex(of: UInt8(ascii: "]"), from: open), close < at.lowerBound,
            let address = text.address(after: " @ ")
        else { return nil }
        let name = text.clamped(to: close + 1..<at.lowerBound).trimmed().text
        let number = text.clamped(to: open..<close + 1).text
        return .fact { report in
            guard report.images.count < Limits.standard.images else { return }
            let regions = report.images.filter { $0.name == number }
            let end = regions.compactMap { region in region.base.map { $0.value &+ (region.size ?? 0) } }.max()
            report.images.removeAll { $0.name == number }
            report.images.append(
                BinaryImage(name: name, base: RuntimeAddress(address), size: end.flatMap { $0 > address ? $0 - address : nil }))
        }
    }

    /// Reads a line that is only an address after the console's prefix.
    static func row(_ line: Span<UInt8>) -> StackRow? {
        let text = line.trimmed()
        guard let start = text.lastRange(of: "0x")?.lowerBound, start == 0 || isBlank(text[start - 1]) else { return nil }
        let prefix = text.upTo(start).trimmed()
        guard prefix.count == 0 || prefix.contains("/TC:") || prefix.contains("/LD:") else { return nil }
        // `E/TC:? 0`: the level, the processor, and the thread.
        guard prefix.count < 24, !prefix.contains("address"), text.count - start >= 8 else { return nil }
        var rest = text.from(start)
        guard let address = rest.readAddress(), rest.count == 0 else { return nil }
        let range = line.indent + start..<line.indent + text.count
        let isMovedBack = rest.count == 0 && text.count - start == "0x0000000000000000".utf8.count
        return StackRow(number: nil, in: range, address: address, addressRange: range, kind: isMovedBack ? .exact : nil)
    }

    static func decideKinds(_ report: inout CrashReport) {
        let isPanic = report.cause?.type == "panic"
        let architecture = report.architecture
        report.changeStacks { stack in
            for index in stack.frames.indices where architecture == .riscv32 { stack.frames[index].kind = .exact }
            if isPanic, architecture == .arm64, !stack.frames.isEmpty { stack.frames[0].kind = .returnAddress }
        }
    }

    /// Assigns regions of a file without a name in the log to the trusted application.
    static func assignRegions(_ report: inout CrashReport) {
        assignImagesByBase(&report)
        guard let name = report.process.name else { return }
        for index in report.images.indices where report.images[index].name == "[0]" { report.images[index].name = name }
    }

    /// Assigns addresses to the file with the highest base below them, if no region gives the end of a file.
    private static func assignImagesByBase(_ report: inout CrashReport) {
        let bases = report.images.enumerated().compactMap { index, image in
            image.size == nil ? image.base.map { (base: $0.value, index: index) } : nil
        }
        report.changeStacks { stack in
            for index in stack.frames.indices where stack.frames[index].image == nil {
                guard let address = stack.frames[index].address?.value else { continue }
                let below = bases.filter { $0.base <= address && address - $0.base < largestFile }
                stack.frames[index].image = below.max { $0.base < $1.base }?.index
            }
        }
    }

    /// Maximum size of a file. Secure memory is some megabytes.
    private static let largestFile: UInt64 = 32 << 20
}
