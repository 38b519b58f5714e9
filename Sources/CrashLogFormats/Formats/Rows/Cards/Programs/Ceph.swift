internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that Ceph's daemons print:
    ///
    ///     *** Caught signal (Segmentation fault) **
    ///      in thread 7f6c5f10b700 thread_name:ms_dispatch
    ///      ceph version 16.2.4 (3cbe25cde3cfa028984618ad32de9edc4c1eaed0) pacific (stable)
    ///      2: (Harbour::moor(Ship&, int)+0x91) [0x562cbdfcaa61]
    ///      3: (()+0x8865e2) [0x562cbda865e2]
    ///
    /// `ClibBackTrace::print` (`src/common/BackTrace.cc`) writes rows of `backtrace_symbols(3)`, and omits the module
    /// if it demangles the name. Such rows are in the program if `ceph-osd(+0x57f956) [0x562cbd77f956]` has the same
    /// difference between address and offset.
    static let ceph = StackCard(
        name: "ceph",
        summary: "crashes of Ceph’s daemons: “*** Caught signal (Segmentation fault) **”, “ceph version …”",
        openings: [.start("*** Caught signal ("), .start("ceph version ")],
        maxUnrecognizedLines: 3,
        read: { line in
            let text = line.trimmed()
            if text.hasPrefix("ceph version ") || text.hasPrefix("in thread ") { return .skipped }
            guard text.hasPrefix("*** Caught signal (") else { return nil }
            return .cause(SignalText.cause(signal: SignalText.name(ofDescriptionIn: text), text))
        })
}
