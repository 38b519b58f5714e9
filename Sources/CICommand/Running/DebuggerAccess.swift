internal import BinaryPrimitives
internal import LibC

/// Whether the system lets a debugger look at processes of the same user that it has not started.
package enum DebuggerAccess {
    /// Reason why it does not; `nil` if it does.
    ///
    /// The Linux kernel's module Yama lets a process be traced by its ancestors alone
    /// (`kernel.yama.ptrace_scope` 1, the default of Ubuntu and of GitHub's machines), by
    /// administrators (2), or by nobody (3). A debugger that is started for the question is a
    /// sibling.
    package static var refusal: String? {
        let bytes = (try? FileDescriptor.readAll(atPath: "/proc/sys/kernel/yama/ptrace_scope")) ?? []
        guard let digit = bytes.first, digit > UInt8(ascii: "0"), digit == UInt8(ascii: "3") || geteuid() != 0 else { return nil }
        return "kernel.yama.ptrace_scope is \(Character(UnicodeScalar(digit))): sudo sysctl kernel.yama.ptrace_scope=0 allows it"
    }
}
