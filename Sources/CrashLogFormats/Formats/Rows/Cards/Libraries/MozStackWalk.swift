internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks of assertions and leaks of Firefox, in the form that its `fix-stacks` reads:
    ///
    ///     #01: ???[/opt/harbour/libxul.so +0x1180]
    ///     #02: moor(Ship*)[/opt/harbour/libxul.so +0x11bc]
    ///
    /// `MozFormatCodeAddress` (`mozglue/misc/StackWalk.cpp`) prints the offset in the library; the
    /// addresses are as unwound (mozilla/fix-stacks, issue 31).
    static let mozStackWalk = StackCard(
        name: "moz-stack-walk",
        summary: "stacks of Firefox (MozStackWalk): rows “#01: name[/x/libxul.so +0x1180]”",
        openings: [],
        offsets: .imageStart,
        claimsLine: { text in
            guard text.hasSuffix("]"), let offset = text.lastRange(of: " +0x"), text.firstIndex(of: UInt8(ascii: "[")) != nil else {
                return false
            }
            var rest = text
            guard rest.consume("#"), rest.readDecimal() != nil, rest.consume(": ") else { return false }
            return offset.lowerBound > 4
        })
}
