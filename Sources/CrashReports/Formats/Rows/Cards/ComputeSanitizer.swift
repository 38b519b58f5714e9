internal import BinaryPrimitives

extension StackCards {
    /// Host stacks of NVIDIA's compute-sanitizer and cuda-memcheck:
    ///
    ///     =========     Saved host backtrace up to driver entry point at kernel launch time
    ///     =========         Host Frame: launch_moor(Ship*, int) [0x9544e] in harbour.so
    ///     =========     Host Frame:/lib64/libtide.so.1 (tide + 0x34e) [0x2d725e]
    ///
    /// The tool is closed. The number in brackets is the offset in the module, as NVIDIA's documentation has it; it is taken as unwound.
    static let computeSanitizer = StackCard(
        name: "compute-sanitizer",
        summary: "host stacks of compute-sanitizer and cuda-memcheck: “========= Host Frame:”",
        openings: [.anywhere("Saved host backtrace up to driver entry point")],
        isCertain: true,
        addresses: .asLinked,
        claimsLine: { $0.hasPrefix("=========") && $0.contains(" Host Frame:") },
        readRow: { line in
            guard let words = line.firstRange(of: "Host Frame:"),
                var row = StackRow(line, from: words.upperBound, isLenient: true)
            else { return nil }
            row.start = RowStack.indent(of: line)
            return row
        })
}
