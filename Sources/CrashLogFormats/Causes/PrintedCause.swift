internal import BinaryPrimitives
package import CrashLogModel

/// Reads the cause of a crash from a line in which the program itself reports it, near the stack
/// that it prints.
///
///     11:40:21 UTC - mysqld got signal 11 ;
///     *** Caught signal (Segmentation fault) **
///     Failing at address: 0x18
package enum PrintedCause {
    /// - Parameter line: without its ending; it may begin with a logger's prefix.
    /// - Returns: the signal, or the part of the cause that the line has; `nil` for every other
    ///   line.
    package static func cause(in line: Span<UInt8>) -> CrashCause? {
        // The table is long, and its words are rare: most lines have none of them.
        guard line.count <= 4096, mayHave(line) else { return nil }
        if let message = SwiftRuntimeTrace.message(line) {
            return CrashCause(kind: .runtimeError, type: SwiftRuntimeTrace.fatalError, message: message)
        }
        for wording in CausePatterns.all {
            if let found = wording.cause(in: line) { return found }
        }
        return nil
    }

    /// Texts of which at least one occurs in every line that has a cause.
    package static let triggers = [
        " got signal ", " crashed by signal: ", "Accessing address: ", "SIGSEGV caused by address: ", "[BUG] ", "Caught signal ",
        "Signal: ",
        "Signal code: ", "Failing at address: ", "crashed with signal ", "Got a SIG", "Fatal signal ", "Received signal ",
        "suspect faulting address",
        "*** Signal ", "*** SIG", "received signal SIG", "segmentation fault occurred", "signal (11", "signal (6)", " on shard ",
        "Segmentation fault (Address not",
        "Segmentation fault (Invalid perm", "*** Segmentation fault", "*** Aborted", "*** Bus error", "terminated by signal ",
        "Fatal error: ",
    ]

    private static func mayHave(_ line: Span<UInt8>) -> Bool { triggers.contains { line.contains($0) } }
}

extension CrashCause {
    /// Adds the facts that another line of the same program has.
    package mutating func complete(with other: CrashCause) {
        type = type ?? other.type
        signal = signal ?? other.signal
        codes = codes ?? other.codes
        message = message ?? other.message
        address = address ?? other.address
    }
}
