internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that the handler of backward-cpp prints, as in ROS and Gazebo, outermost frame first:
    ///
    ///     Stack trace (most recent call last) in thread 2603:
    ///     #2    Source "../csu/libc-start.c", line 308, in __libc_start_main [0x7fb7655cc082]
    ///     #0    Object "/opt/harbour", at 0x55b35919fc04, in moor(int)
    ///     Segmentation fault (Address not mapped to object [0x8])
    ///
    /// Return addresses are moved back, the address of an interrupted frame is not (`Unwinder::backtrace`,
    /// `backward.hpp`: `if (!ip_before_instruction) … ip -= 1`; measured with 1.6). The cause follows the stack
    /// (`SignalHandling::handleSignal`, `psiginfo(3)`).
    static let backward = StackCard(
        name: "backward-cpp",
        summary: "crash handler of backward-cpp: “Stack trace (most recent call last)”, rows “Object …, at 0x…”",
        openings: [.start("Stack trace (most recent call last)")],
        isCertain: true,
        rule: .movedBack,
        claimsLine: { $0.hasPrefix("#") && $0.contains(" Object \"") && $0.contains("\", at 0x") },
        read: { line in
            let text = line.trimmed()
            if text.hasPrefix("Stack trace (most recent call last)") {
                guard let mark = text.firstRange(of: ") in thread ") else { return .skipped }
                let number = text.from(mark.upperBound).leadingDecimal.flatMap { Int(exactly: $0) }
                return .thread(number: number, name: nil, isCrashed: true)
            }
            guard text.hasSuffix(")"), !text.hasPrefix("#"), let open = text.firstRange(of: " ("),
                let name = SignalText.name(ofDescriptionIn: text.upTo(open.lowerBound))
            else { return nil }
            var cause = SignalText.cause(signal: name, text)
            if let mark = text.lastRange(of: "[0x") {
                cause.address = text.from(mark.upperBound - 2).leadingAddress.map { RuntimeAddress($0) }
            }
            return .causeBelow(cause)
        })
}
