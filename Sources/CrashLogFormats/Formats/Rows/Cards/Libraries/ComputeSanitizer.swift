internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Host stacks of NVIDIA's compute-sanitizer and cuda-memcheck:
    ///
    ///     =========     Saved host backtrace up to driver entry point at kernel launch time
    ///     =========         Host Frame: launch_moor(Ship*, int) [0x9544e] in harbour.so
    ///     =========     Host Frame:/lib64/libtide.so.1 (tide + 0x34e) [0x2d725e]
    ///
    /// Since 2022 the source location is in the row, and the module in the line below it:
    ///
    ///     =========     Host Frame:main in harbour.cu:36 [0x11e0]
    ///     =========                in /opt/harbour
    ///
    /// The tool is closed. The number in brackets is the offset in the module, as unwound: for the caller of `main` in
    /// Ubuntu 22.04's libc, logs have 0x29d90, which gdb shows as `__libc_start_call_main+128`, the return address.
    static let computeSanitizer = StackCard(
        name: "compute-sanitizer",
        summary: "host stacks of compute-sanitizer and cuda-memcheck: “========= Host Frame:”",
        openings: [.anywhere("Saved host backtrace up to driver entry point")],
        isCertain: true,
        addresses: .asLinked,
        claimsLine: { $0.hasPrefix("=========") && $0.contains(" Host Frame:") },
        read: { line in
            var text = line.trimmed()
            guard text.consume("========= ") else { return nil }
            text = text.trimmed()
            if text.consume("in "), RowLexer.path(text) == text.count { return .module(text.text) }
            // Code that runs on the device is not in a file of the host.
            return text.hasPrefix("Device Frame:") ? .skipped : nil
        },
        readRow: { line in
            guard let heading = line.firstRange(of: "Host Frame:"),
                var row = StackRow(line, from: heading.upperBound, isLenient: true)
            else { return nil }
            row.start = line.indent
            readLocation(&row, line, from: heading.upperBound)
            return row
        })

    /// Reads the source location: `main in harbour.cu:36 [0x11e0]`.
    private static func readLocation(_ row: inout StackRow, _ line: Span<UInt8>, from start: Int) {
        guard let bracket = line.lastRange(of: " [0x"), line.trimmed().hasSuffix("]"),
            let mark = line.upTo(bracket.lowerBound).lastRange(of: " in "), mark.lowerBound > start,
            let location = SourceLocationText.read(line.clamped(to: mark.upperBound..<bracket.lowerBound))
        else { return }
        row.symbol = StackRow.Symbol(name: start..<mark.lowerBound)
        row.module = nil
        row.file = mark.upperBound..<mark.upperBound + location.file.utf8.count
        row.line = location.line
    }
}
