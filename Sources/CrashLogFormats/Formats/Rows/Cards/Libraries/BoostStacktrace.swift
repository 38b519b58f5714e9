internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks of Boost.Stacktrace, and of `std::stacktrace`, which has adopted its rows:
    ///
    ///      0# 0x00007FFFE8AA7B0F in /opt/lib/libharbour.so
    ///      1# moor(int) at /src/harbour.cpp:12
    ///
    /// The addresses are return addresses (`boost::stacktrace::detail::collect_unwind.ipp` keeps the value of
    /// `_Unwind_GetIP`; measured with 1.74). Since 1.85 they count from the load address of the module
    /// (boostorg/stacktrace, pull request 200).
    static let boost = StackCard(
        name: "boost-stacktrace",
        summary: "Boost.Stacktrace and std::stacktrace: rows “0# 0x… in /lib/x.so”",
        openings: [.start("0# ")],
        claimsLine: { text in
            var rest = text
            guard rest.readDecimal() != nil, rest.consume("# 0x") else { return false }
            return true
        },
        readRow: { line in
            // A row with a known function has no address.
            guard let number = RowNumber(line, from: line.indent), number.style == .hashBehind else { return nil }
            return StackRow(line, isLenient: true)
        })
}
