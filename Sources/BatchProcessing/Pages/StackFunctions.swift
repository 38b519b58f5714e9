internal import Reporting

/// Frames of a store as a flame graph's functions.
enum StackFunctions {
    /// Innermost first.
    static func functions(_ frames: [NamedFrame]) -> [FlameGraph.Function] {
        var result: [FlameGraph.Function] = []
        for (index, frame) in frames.enumerated() where !isReported(again: index, frames) { result.append(function(frame)) }
        return result
    }

    static func function(_ frame: NamedFrame) -> FlameGraph.Function {
        let tokens = frame.kind.split(separator: " ")
        if tokens.first == "omitted" {
            return .init(label: "left out by the log" + (tokens.count > 1 ? ": \(tokens[1])" : ""), kind: .gap, isInlined: false)
        }
        if tokens.first == "truncated" { return .init(label: "the log ends here", kind: .gap, isInlined: false) }
        let offset = frame.offset.map { "+0x" + String($0, radix: 16) } ?? frame.address.map { "0x" + String($0, radix: 16) } ?? ""
        let unnamed = (frame.module ?? "") + offset
        let label = frame.function ?? (unnamed.isEmpty ? "?" : unnamed)
        let kind: FlameGraph.Kind =
            frame.function == nil ? .unresolved : frame.reason != nil ? .named : isOwn(frame) ? .own : .library
        return .init(label: PageText.short(label.isEmpty ? "?" : label, 400), kind: kind, isInlined: frame.isInlined)
    }

    /// Functions that signatures treat as a library's, a runtime's or an assertion's are not shown
    /// as own code either.
    private static func isOwn(_ frame: NamedFrame) -> Bool {
        guard frame.isOwn, let function = frame.function else { return false }
        let roles = FrameLists.standard.roles(of: NormalizedName(function, file: frame.file), module: frame.module ?? "", format: "")
        return !roles.isLibrary && !roles.isMachinery
    }

    /// Some logs write a row for each inlined call, which the next row's result also contains.
    private static func isReported(again index: Int, _ frames: [NamedFrame]) -> Bool {
        let frame = frames[index]
        guard frame.reason == nil, !frame.isInlined, frame.file == nil, let name = frame.function else { return false }
        let behind = frames[(index + 1)...].prefix(32).drop { $0.row <= frame.row }
        guard let row = behind.first?.row else { return false }
        return behind.prefix { $0.row == row && $0.isInlined }.contains { $0.function == name }
    }
}
