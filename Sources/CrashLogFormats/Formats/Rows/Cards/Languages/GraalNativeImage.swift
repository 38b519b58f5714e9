internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks of programs that GraalVM has compiled to native images:
    ///
    ///     Stacktrace Stage0:
    ///
    ///       RSP 000000bc7a2ff6d0 RIP 00007ff669b6d776 FrameSize 32
    ///       SP 0x00007ffd5b2f3c10 IP 0x0000563d3c5a1776 size=32    org.example.Moor.run(Moor.java:12)
    ///
    /// `ThreadStackPrinter` of `com.oracle.svm.core.stack` walks from the instruction of the failure: the first row was
    /// executing, the others are return addresses. (After `Fatal error:` it walks from its own caller, and the first
    /// row is the runtime's own.) An `i` before a row means that it was inlined into the next; older versions repeat
    /// the addresses. It prints the stack up to three times, each time with more names; each is a separate stack.
    static let graalNativeImage = StackCard(
        name: "graal-native-image",
        summary: "native images of GraalVM: “Stacktrace Stage0:”, rows “SP … IP … FrameSize 32”",
        openings: [.start("Stacktrace Stage"), .start("Stacktrace for the failing thread 0x"), .anywhere(" FrameSize ")],
        rule: .firstIsProgramCounter,
        maxUnrecognizedLines: 4,
        hasOwnRows: true,
        claimsLine: { GraalRow.read($0) != nil },
        read: { line in
            let text = line.trimmed()
            if text.hasPrefix("Stacktrace for the failing thread") { return .skipped }
            guard text.hasPrefix("Stacktrace Stage") || text.hasPrefix("Full Stacktrace"), text.hasSuffix(":") else { return nil }
            let name = text.upTo(text.count - 1)
            return name.hasSuffix("Stage0") || name.hasSuffix("Stage 0") ? .skipped : .stack(name: name.text)
        },
        readRow: { GraalRow.read($0) },
        finish: { report in
            report.changeStacks { stack in
                for index in stack.frames.indices.dropLast().reversed() {
                    let (inner, outer) = (stack.frames[index], stack.frames[index + 1])
                    guard inner.address == outer.address, let name = inner.printed?.name, name != outer.printed?.name else { continue }
                    stack.frames[index].isInlined = true
                    stack.frames[index].kind = index == 0 || inner.kind == .programCounter ? .programCounter : outer.kind
                }
                // The functions that the innermost one was inlined into were executing as well.
                for index in stack.frames.indices.dropFirst() {
                    let inner = stack.frames[index - 1]
                    guard inner.isInlined, inner.kind == .programCounter else { break }
                    stack.frames[index].kind = .programCounter
                }
            }
        })
}

private enum GraalRow {
    static func read(_ line: Span<UInt8>) -> StackRow? {
        // `A` or `J` comes before it: compiled ahead of time, or at run time.
        guard let mark = line.upTo(64).firstRange(of: "SP "), line.contains("IP ") else { return nil }
        var rest = line.from(mark.upperBound)
        guard readNumber(&rest) != nil, rest.consume(" ") else { return nil }
        _ = rest.consume("R") || rest.consume("E")
        guard rest.consume("IP ") else { return nil }
        let start = line.count - rest.count
        guard let address = readNumber(&rest) else { return nil }
        let range = start..<line.count - rest.count
        rest.skipBlanks()
        guard rest.consume("FrameSize ") || rest.consume("size=") else { return nil }
        _ = rest.readToken()
        var row = StackRow(
            number: nil, in: line.indent..<line.count, address: address, addressRange: range)
        rest.skipBlanks()
        let nameStart = line.count - rest.count
        guard rest.trimmed().hasSuffix(")"), let open = rest.lastIndex(of: UInt8(ascii: "(")), open > 0 else { return row }
        row.symbol.name = nameStart..<nameStart + open
        let locationText = line.clamped(to: nameStart + open + 1..<nameStart + rest.trimmed().count - 1)
        if let location = SourceLocationText.read(locationText) { row.set(location, at: nameStart + open + 1) }
        return row
    }

    /// Reads a number of sixteen digits, with or without `0x`.
    private static func readNumber(_ rest: inout Span<UInt8>) -> UInt64? {
        _ = rest.consume("0x")
        let count = rest.count
        guard let value = rest.readHexadecimal(), count - rest.count >= 8 else { return nil }
        return value
    }
}
