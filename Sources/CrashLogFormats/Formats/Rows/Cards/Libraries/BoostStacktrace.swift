internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Boost.Stacktrace, and `std::stacktrace`, which has taken its rows over:
    ///
    ///      0# 0x00007FFFE8AA7B0F in /opt/lib/libharbour.so
    ///      1# moor(int) at /src/harbour.cpp:12
    ///
    /// The addresses are return addresses (`boost::stacktrace::detail::collect_unwind.ipp` keeps
    /// what `_Unwind_GetIP` gives; measured with 1.74). Since 1.85 they count from where the module
    /// was loaded (boostorg/stacktrace, pull request 200).
    static let boost = StackCard(
        name: "boost-stacktrace",
        summary: "Boost.Stacktrace and std::stacktrace: rows “0# 0x… in /lib/x.so”",
        openings: [.start("0# ")],
        claimsLine: { text in
            var rest = text
            guard rest.takeDecimal() != nil, rest.take("# 0x") else { return false }
            return true
        },
        readRow: { line in
            // A row of which the function is known has no address.
            guard let number = RowNumber(line, from: line.indent), number.style == .hashBehind else { return nil }
            return StackRow(line, isLenient: true)
        })
}
