internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Exceptions of PyTorch's C++ library, with their stacks:
    ///
    ///     Exception raised from moor at ../c10/harbour.cpp:43 (most recent call first):
    ///     frame #3: <unknown function> + 0x20ba6 (0x7e3b07e98ba6 in /opt/lib/libharbour.so)
    ///     frame #4: harbour::Ship::~Ship() + 0x1e3 (0x7e3b07e9a507 in /opt/lib/libharbour.so)
    ///     frame #8: /opt/bin/python() [0x510ceb]
    ///
    /// `get_backtrace` (`c10/util/Backtrace.cpp`) parses the symbols of `backtrace(3)` (`parse_frame_information`), so
    /// that every row is a return address, and the offset of a row without a function counts from the load bias. A row
    /// that it cannot parse stays as glibc wrote it.
    static let pytorch = StackCard(
        name: "pytorch",
        summary: "C++ stacks of PyTorch’s exceptions: “Exception raised from …” and “frame #0: …”",
        openings: [.start("Exception raised from ")],
        claimsLine: { $0.hasPrefix("frame #") && $0.hasSuffix(")") && $0.contains(" (0x") && $0.contains(" in /") },
        read: { line in
            let text = line.trimmed()
            guard text.hasPrefix("Exception raised from ") else { return nil }
            var cause = CrashCause(kind: .languageException, type: "c10::Error")
            let end = text.firstRange(of: " (most recent call first)")?.lowerBound ?? text.count
            cause.message = text.upTo(end).text
            return .cause(cause)
        })
}
