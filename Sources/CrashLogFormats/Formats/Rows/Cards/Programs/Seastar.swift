internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks of programs that use Seastar (ScyllaDB, Redpanda, Ceph Crimson): rows, and one-line stacks of a stalled
    /// reactor.
    ///
    ///     Segmentation fault on shard 5.
    ///     Backtrace:
    ///       0x0000000002ee2d82
    ///       /opt/lib/libtide.so.6+0x000000000003853e
    ///     Reactor stalled on shard 1. Backtrace: 0xa1234 0xb5678 /opt/lib/libtide.so.6+0xabcd (BuildId: 2d4295e82afee91a64c6dffbb1935537e002df2d)
    ///
    /// Addresses are moved back (`func(decorate(ip - 1))` in `backtrace`, `include/seastar/util/backtrace.hh`), and
    /// count from the load address of the program, or of the library that the row names (`decorate`,
    /// `src/util/backtrace.cc`). Lines of other shards may come between rows.
    static let seastar = StackCard(
        name: "seastar",
        summary: "crashes and stalls of programs made with Seastar: ScyllaDB, Redpanda",
        openings: [
            .anywhere("egmentation fault on shard "), .anywhere("Aborting on shard "), .anywhere("Reactor stalled "),
            .anywhere("llegal instruction on shard "), .anywhere("xceptional future ignored"),
        ],
        isCertain: true,
        rule: .movedBack,
        addresses: .asLinked,
        allowsBareAddresses: true,
        read: SeastarLine.read)
}

/// Reads the lines of a Seastar program's log around a stack.
enum SeastarLine {
    static func read(_ line: Span<UInt8>) -> StackLine? {
        let text = line.trimmed()
        if text.equals("Backtrace:") || text.hasPrefix("--------") { return .skipped }
        var parts: [StackLine] = []
        if let cause = cause(text) { parts.append(.cause(cause)) }
        if let heading = text.firstRange(of: "acktrace: ") { parts += rows(line, behind: heading, in: text) }
        guard !parts.isEmpty else { return nil }
        return .several(parts)
    }

    private static func cause(_ text: Span<UInt8>) -> CrashCause? {
        if let stall = text.firstRange(of: "Reactor stalled ") {
            var cause = CrashCause(kind: .other, type: "reactor stalled")
            let end = text.firstRange(of: ". Backtrace:")?.lowerBound ?? text.firstRange(of: ", backtrace:")?.lowerBound ?? text.count
            if end > stall.lowerBound { cause.message = text.clamped(to: stall.lowerBound..<end).text }
            return cause
        }
        if let heading = text.firstRange(of: "xceptional future ignored") {
            var cause = CrashCause(kind: .languageException, type: "exceptional future ignored")
            let end = text.firstRange(of: ", backtrace:")?.lowerBound ?? text.count
            if end > heading.lowerBound { cause.message = PlainText.line(text.clamped(to: max(0, heading.lowerBound - 1)..<end).text) }
            return cause
        }
        guard text.contains(" on shard "), let name = SignalText.name(ofDescriptionIn: text) ?? lowercase(text) else { return nil }
        return SignalText.cause(signal: name, text)
    }

    private static func lowercase(_ text: Span<UInt8>) -> String? { text.contains("egmentation fault") ? "SIGSEGV" : nil }

    /// Reads the rows of a stack in one line, and the program's build ID.
    private static func rows(_ line: Span<UInt8>, behind heading: Range<Int>, in text: Span<UInt8>) -> [StackLine] {
        var position = line.indent + heading.upperBound
        var rows: [StackRow] = []
        var parts: [StackLine] = []
        while position < line.count, rows.count < Limits.standard.framesPerThread {
            guard !isBlank(line[position]) else {
                position += 1
                continue
            }
            let rest = line.from(position)
            if rest.hasPrefix("(BuildId: ") {
                if let id = ClickHouseLine.id(rest.from("(BuildId: ".utf8.count)) { parts.append(id) }
                break
            }
            var end = position
            while let byte = line.at(end), !isBlank(byte) { end += 1 }
            guard let row = StackRow(line.upTo(end), from: position, isLenient: true), row.isLocated else { break }
            rows.append(row)
            position = end
        }
        return rows.isEmpty ? parts : parts + [.rows(rows), .last]
    }
}
