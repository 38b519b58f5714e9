internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks that `eu-stack` of elfutils prints, of a process or a core:
    ///
    ///     PID 4242 - process
    ///     TID 4242:
    ///     #0  0x00007f6079cfbdd0 pause
    ///     #1  0x000055bb5442a166
    ///
    /// The addresses are as unwound: `print_frames` (`src/stack.c`) moves an address back that is not an `isactivation`
    /// only to look up the name, and prints it unchanged. The first row was executing.
    static let euStack = StackCard(
        name: "eu-stack",
        summary: "eu-stack of elfutils: “TID 4242:” and rows “#0  0x… name”",
        openings: [.start("TID ")],
        rule: .firstIsProgramCounter,
        maxUnrecognizedLines: 1,
        read: { line in
            var text = line.trimmed()
            if text.hasPrefix("PID "), text.hasSuffix(" - process") || text.hasSuffix(" - core") {
                text = text.from(4)
                return text.readDecimal().flatMap { Int(exactly: $0) }.map { .process(name: nil, pid: $0) }
            }
            guard text.consume("TID ") else { return nil }
            guard let number = text.readDecimal(), text.equals(":") else { return .other }
            return .thread(number: Int(exactly: number), name: nil, isCrashed: false)
        })
}
