import TestSupport
import Testing

/// The crashes of `crash.c` on AArch64 and RISC-V: programs that were cross-built, and what they
/// printed under qemu-user (`Tests/Crashes/cross/build.sh`). `scripts/checks/verify-crashes` builds
/// and runs more of them.
struct CrashOfOtherMachinesTests {
    static let folder = TestPaths.root + "/Tests/Crashes/cross/"
    static let logs = ["arm64", "riscv64"].flatMap { machine in
        TestPaths.files(under: folder + machine).filter { $0.hasSuffix(".txt") }.map { String($0.dropFirst(folder.count)) }
    }

    private func compare(_ log: String, _ text: String) throws {
        let truth = try MarkedStacks(source: CrashingProgram.folder + "crash.c")
        let machine = log.prefix { $0 != "/" }
        let name = String(log.dropFirst(machine.count + 1).dropLast(".txt".count))
        let result = try cairn("-", "--symbols", Self.folder + machine + "/a", "--format", "json", "-q", input: text)
        let report = try #require(try jsonLogs(result).first, "\(result.errors)")
        let found = truth.own(report.threads[0].frames)
        #expect(found.count > 3)
        #expect(found == truth.expected(name, like: found))
    }

    /// qemu has a page of its own for the call of `rt_sigreturn`, and no name for it:
    /// `[0x5502864000]`.
    @Test(arguments: logs) func `the frame that a handler interrupted is exact`(log: String) throws {
        try compare(log, String(decoding: try readFile(Self.folder + log), as: UTF8.self))
    }

    /// On a machine the page is the kernel's, whose symbols are `__kernel_rt_sigreturn`
    /// (arch/arm64/kernel/vdso/sigreturn.S) and `__vdso_rt_sigreturn`
    /// (arch/riscv/kernel/vdso/rt_sigreturn.S).
    @Test(arguments: logs) func `a named trampoline decides it, too`(log: String) throws {
        let symbol = log.hasPrefix("arm64") ? "__kernel_rt_sigreturn" : "__vdso_rt_sigreturn"
        let text = String(decoding: try readFile(Self.folder + log), as: UTF8.self)
        let named = text.replacing(#/\n\[(0x[0-9a-f]+)\]\n/#) { "\nlinux-vdso.so.1(\(symbol)+0x0)[\($0.1)]\n" }
        try #require(named != text)
        try compare(log, named)
    }
}
