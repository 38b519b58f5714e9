internal import BinaryPrimitives
internal import CrashLogModel

/// Facts about rows that follow from other rows of the stack.
enum StackRows {
    /// Formats whose writers record which instruction a signal interrupted: reporters of operating systems,
    /// which see the process from outside, and runtimes that read the unwinder's own flag. Kernels change their
    /// code while they run, so that a call site in the file is weak evidence.
    private static let writersThatKnow: Set = [
        "apple-ips", "apple-ips-legacy", "apple-crash", "apple-sample", "apple-spindump", "apple-leaks", "apple-panic", "plcrashreporter",
        "kscrash-json", "metrickit", "kernel-oops", "bsd-panic", "fuchsia-crash", "abrt", "android-tombstone", "android-tombstone-pb",
        "android-anr", "microdump",
        "sentry-event-json",
        // The runtime's own stack of an exception, or of its own failure: no signal interrupted
        // anything.
        "nsexception-console", "swift-runtime-trace",
        // It prints which addresses are return addresses.
        "swift-backtrace",
        // Unwound here.
        "elf-core", "minidump",
    ]

    /// Formats of compiler-rt, which moves every return address back into its call (`StackTrace::PrintTo`).
    /// If the log also proves the identity of an image's files, its call sites need not be read.
    private static let writersThatMoveBack: Set = [
        "sanitizer-asan", "sanitizer-hwasan", "sanitizer-lsan", "sanitizer-msan", "sanitizer-tsan", "sanitizer-ubsan",
        "sanitizer-libfuzzer",
    ]

    /// Whether the format alone defines the kind of every row's address.
    static func areKnown(_ report: CrashReport) -> Bool { writersThatMoveBack.contains(report.format) }

    /// Formats whose rows name the module wherever the address is in one: a row without one is in a
    /// page that the kernel, or an emulator, has made.
    private static let writersThatNameModules: Set = ["glibc-backtrace"]

    /// Whether the code of an image is another in memory than in its file: kernels patch their
    /// calls while they run.
    static func isPatched(_ image: BinaryImage, _ report: CrashReport) -> Bool {
        ["kernel-oops", "bsd-panic", "fuchsia-crash"].contains(report.format) || image.name == "[kernel.kallsyms]"
            || image.name.hasPrefix("vmlinux") || image.name.hasSuffix(".ko")
    }

    /// Whether a row may be what a signal interrupted although its writer calls it a return
    /// address.
    static func mayBeInterrupted(_ report: CrashReport) -> Bool { !writersThatKnow.contains(report.format) }

    /// For each frame, whether the row above it may be the trampoline that a signal handler returns
    /// to: then the frame was interrupted, and not called.
    ///
    /// glibc has no dynamic symbol for it on x86, so that its row is `libc.so.6(+0x3c050)` (before
    /// 2.34 `libpthread.so.0(+0x110e0)`), directly below the handler's.
    static func belowTrampolines(_ thread: ThreadTrace, of report: CrashReport) -> [Bool] {
        let images = report.images
        let frames = thread.frames
        var found = [Bool](repeating: false, count: frames.count)
        guard !thread.isCallTree else { return found }
        var above: Int?
        var aboveThat: Int?
        for index in frames.indices where !frames[index].isInlined {
            if let above {
                found[index] =
                    SignalFrame.isHandler(frames[above].printed) || SignalFrame.isInjectedCall(frames[above].printed?.name)
                    || (mayBeTrampoline(frames[above], report) && !isOfC(frames[index], images)
                        && aboveThat.map { !isOfC(frames[$0], images) } ?? false)
            }
            switch frames[index].kind {
            // Nothing is known about rows that the log leaves out.
            case .omitted, .truncated: (aboveThat, above) = (nil, nil)
            default: (aboveThat, above) = (above, index)
            }
        }
        return found
    }

    private static func mayBeTrampoline(_ frame: Frame, _ report: CrashReport) -> Bool {
        guard frame.printed?.name == nil, frame.symbolLocation == nil else { return false }
        return frame.image == nil ? writersThatNameModules.contains(report.format) : isOfC(frame, report.images)
    }

    /// The row is of the C library, or of the kernel's own page.
    private static func isOfC(_ frame: Frame, _ images: [BinaryImage]) -> Bool {
        let listed = frame.image.flatMap { images.indices.contains($0) ? images[$0].name : nil }
        guard let name = listed ?? frame.imageName else { return false }
        return ["libc.so", "libpthread.so", "libc-2.", "libpthread-2.", "ld-musl-", "linux-vdso", "linux-gate", "[vdso]"].contains {
            name.hasPrefix($0)
        }
    }
}
