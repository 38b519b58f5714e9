internal import BinaryPrimitives
package import CrashLogModel

/// The last cause that a program reported outside of every trace: the stack that it prints comes
/// some lines later.
///
///     11:40:21 UTC - mysqld got signal 11 ;
///     …
///     /usr/sbin/mysqld(my_print_stacktrace+0x2c)[0x55f48c960d9c]
package struct EarlierCauses: Sendable {
    private var latest: (cause: CrashCause, origin: LineOrigin, end: Int)?

    /// Maximum distance from a writer's cause to the stack below it (bytes): MariaDB prints 1.8 KB
    /// about itself in between.
    private static let distance = 8192
    /// Maximum distance if another writer prints the stack: Android's libc reports the cause, and
    /// another process the stack.
    private static let otherDistance = 2048
    /// Maximum distance between two lines of one cause: Open MPI has three lines, one after the
    /// other.
    private static let gap = 512

    package init() {}

    package mutating func note(_ line: Span<UInt8>, of origin: LineOrigin, endingAt position: Int) {
        guard let found = PrintedCause.cause(in: line) else { return }
        if found.type == nil, let known = latest, position - known.end <= EarlierCauses.gap {
            var cause = known.cause
            cause.complete(with: found)
            latest = (cause, origin, position)
        } else if found.type != nil {
            latest = (found, origin, position)
        }
    }

    /// The cause for a trace of `origin` that begins at `position`.
    package func cause(for origin: LineOrigin, before position: Int) -> CrashCause? {
        guard let latest, latest.end <= position else { return nil }
        let limit = latest.origin == origin ? EarlierCauses.distance : EarlierCauses.otherDistance
        return position - latest.end <= limit ? latest.cause : nil
    }
}

extension CrashReport {
    /// Adopts the cause from above the trace, if the trace has no cause of its own and a thread of
    /// it crashed.
    package mutating func useEarlierCause(_ earlier: CrashCause?) {
        guard let earlier, threads.contains(where: { $0.crashed }) else { return }
        // Swift's runtime prints its message, then its backtracer the report.
        if earlier.type == SwiftRuntimeTrace.fatalError {
            if format == SwiftBacktrace.name, cause?.kind == .signal, cause?.message == nil {
                cause?.message = earlier.message.map { SwiftRuntimeTrace.fatalError + ": " + $0 }
            }
            return
        }
        // Android's log without a line `signal 11 (SIGSEGV), …`.
        guard cause == nil || (cause?.type == "native crash" && cause?.signal == nil) else { return }
        var found = earlier
        found.message = found.message ?? cause?.message
        cause = found
    }
}
