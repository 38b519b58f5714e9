import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Compares with the programs whose samples the corpus holds: abrt-dump-oops, syzkaller,
/// ClusterFuzz.
@Suite(.enabled(if: TestPaths.corpus != nil, "there is no corpus"))
struct KernelOopsUpstreamTests {
    private static let upstream = (TestPaths.corpus ?? "") + "/expected/upstream/"

    private func log(_ name: String) -> SampleLog { SampleLog(corpus: "kernel-oops/" + name) }
    private func text(_ name: String) -> String { String(decoding: TestPaths.bytes(of: Self.upstream + name), as: UTF8.self) }

    /// The symbols of a text, each row's last: `name+0x1/0x2`.
    private func symbols(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").filter { line in
            !["WARNING:", "BUG:", "LR [", " at: ", "LR is at", "RIP: 003", "RIP  ["].contains { line.contains($0) }
                && !line.contains("() (")
        }.compactMap { line in
            line.split { " ()".contains($0) }.last { $0.contains("+0x") && $0.contains("/0x") }.map {
                String($0.split(separator: ":").last ?? $0)
            }
        }
    }

    private func symbols(_ report: CrashReport, _ log: SampleLog) -> [String] {
        symbols(report.allFrames.map { log.text(of: $0) }.joined(separator: "\n"))
    }

    /// abrt counts oopses, names the kernel and keeps each oops's lines. It takes machine checks
    /// for oopses; they have no stack.
    @Test(arguments: [
        ("abrt-cut_here.test", "abrt-cut_here.right"), ("abrt-kernel_panic_oom.test", "abrt-kernel_panic_oom.right"),
        ("satyr-arm-hung-task-oops", "abrt-oops-kernel-panic-hung-tasks-arm.right"),
        ("abrt-oops-without-addrs.test", "abrt-oops-without-addrs.right"),
        ("abrt-oops10_s390x.test", "abrt-oops10_s390x.right"), ("abrt-oops5.test", "abrt-oops5.right"),
        ("abrt-oops8_ppc64.test", "abrt-oops8_ppc64.right"),
        ("abrt-oops_broken_bios.test", "abrt-oops_broken_bios.right"),
        ("abrt-oops_recursive_locking1.test", "abrt-oops_recursive_locking1.right"),
    ])
    func `abrt finds the same oops, kernel and rows`(sample: String, answer: String) throws {
        let log = log(sample)
        let report = try log.report()
        let right = text(answer)
        #expect(right.hasPrefix("abrt-dump-oops: Found oopses: 1\n"))
        let version = try #require(right.split(separator: "\n").first { $0.hasPrefix("Version: ") }).dropFirst("Version: ".count)
        #expect(report.platform?.hasPrefix("Linux \(version)") == true)
        let rows = symbols(right)
        let stacks = symbols(report, log).filter { symbol in
            !["find_ref_lock", "__driver_attach", "v4l2_ctrl"].contains { symbol.hasPrefix($0) }
        }
        #expect(!rows.isEmpty)
        #expect(stacks == rows.filter { symbol in !["find_ref_lock", "__driver_attach", "v4l2_ctrl"].contains { symbol.hasPrefix($0) } })
    }

    /// Which of our types each beginning of syzkaller's titles is.
    private static let types: [(title: String, type: String)] = [
        ("KASAN: ", "KASAN"), ("KCSAN: ", "KCSAN"), ("KFENCE: ", "KFENCE"), ("UBSAN: ", "UBSAN"), ("WARNING: kernel stack", "WARNING"),
        ("WARNING in", "WARNING"),
        ("WARNING: ", "WARNING"), ("kernel BUG", "kernel BUG"), ("memory leak", "memory leak"), ("BUG: soft lockup", "soft lockup"),
        ("BUG: ", "BUG"),
        ("general protection fault", "general protection fault"), ("divide error", "divide error"), ("possible deadlock", "lockdep"),
        ("INFO: trying to register", "lockdep"), ("INFO: Allocated", "slab"), ("INFO: suspicious RCU", "RCU"),
        ("INFO: rcu detected stall", "RCU stall"), ("UBSAN", "UBSAN"),
        ("KFENCE", "KFENCE"), ("kernel panic", "Kernel panic"),
    ]
    /// Logs for which syzkaller's title is about another line than the report's first.
    private static let different = [
        // A log cut at its front: the first line that can be known is a `Call Trace:`; syzkaller
        // takes the next report's title.
        "syzkaller-linux-107.txt": "call trace", "syzkaller-linux-124.txt": "call trace", "syzkaller-linux-133.txt": "call trace",
        // “kernel tried to execute NX-protected page” comes before syzkaller's line.
        "syzkaller-linux-101.txt": "BUG",
    ]

    @Test func `syzkaller's titles are of the same kind`() throws {
        var compared = 0
        for line in text("syzkaller-meta.tsv").split(separator: "\n") where line.hasPrefix("logs/kernel-oops/") && line.contains("TITLE: ")
        {
            let name = String(line.split(separator: "\t")[0].dropFirst("logs/kernel-oops/".count))
            let title = try #require(line.split(separator: "\t").last).dropFirst("TITLE: ".count)
            let known = try #require(Self.types.first { title.hasPrefix($0.title) }, "\(title)")
            let report = try #require(log(name).parsed().reports.first, "\(name)")
            if let other = Self.different[name] {
                #expect(report.cause?.type == other || report.cause?.type == known.type, "\(name)")
            } else {
                #expect(report.cause?.type == known.type, "\(name): \(title)")
            }
            compared += 1
        }
        #expect(compared > 50)
    }

    /// The part of a log that syzkaller would send to a list.
    @Test(arguments: [5, 7, 338]) func `syzkaller's reports hold the same rows`(number: Int) throws {
        let log = log("syzkaller-linux-\(number).txt")
        let report = try log.report()
        let rows = symbols(text("syzkaller-linux-\(number).report.txt"))
        // A report that ends before a panic's own stack has fewer.
        // It leaves out what may be left over from before.
        let kept = report.stacks.flatMap(\.frames).filter { !$0.isUnreliable }.sorted { $0.range.lowerBound < $1.range.lowerBound }
        let ours = symbols(kept.map { log.text(of: $0) }.joined(separator: "\n"))
        #expect(Array(ours.prefix(rows.count)) == rows)
    }

    /// ClusterFuzz's three frames, without those that only walk the stack and report.
    @Test func `ClusterFuzz's frames are among ours in this order`() throws {
        for (name, frames) in [
            ("clusterfuzz-kasan_gpf.txt", ["keyring_destroy", "key_gc_unused_keys.constprop.1", "process_one_work"]),
            ("clusterfuzz-kasan_oob_read.txt", ["platform_match", "__device_attach_driver", "bus_for_each_drv"]),
        ] {
            let names = try log(name).report().threads[0].frames.compactMap { $0.printed?.name }
            var rest = names[...]
            for frame in frames {
                let index = try #require(rest.firstIndex(of: frame), "\(name): \(frame) of \(names)")
                rest = rest[(index + 1)...]
            }
        }
    }
}
