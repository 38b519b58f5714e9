import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

struct KernelOopsTests {
    private func symbolOrAddress(_ frame: Frame) -> String {
        guard case .symbol(let symbol)? = frame.imageLocation else { return frame.address?.description ?? "-" }
        return "\(symbol.name)+\(symbol.offset)"
    }

    // MARK: What is reported

    @Test func `a real oops tells its cause, process, kernel, registers and module`() throws {
        // Written by Debian's 6.1.0-56-amd64 in QEMU: a warning, a stack on demand, an oops, the
        // processors' stacks, a panic.
        let log = SampleLog(fixture: "kernel-oops/KernelModule/console.log")
        let reports = log.parsed().reports
        #expect(reports.map { $0.cause?.type } == ["WARNING", "call trace", "BUG", "call trace", "Kernel panic"])
        let report = try #require(reports.first { $0.cause?.type == "BUG" })
        #expect(
            report.cause?.message == "kernel NULL pointer dereference, address: 0000000000000008"
                && report.cause?.codes == "0000 [#1] PREEMPT SMP NOPTI")
        #expect(report.cause?.address == RuntimeAddress(8))
        #expect(report.process.name == "busybox" && report.process.pid == 88 && report.architecture == .x86_64)
        #expect(report.platform?.hasPrefix("Linux 6.1.0-56-amd64 on QEMU Standard PC") == true)
        #expect(report.threads.count == 1 && report.threads[0].crashed)
        let frames = report.threads[0].frames
        let expected = ["crash_step+6", "crash_walk+17", "crash_example_init+83", frames[3].hex, "do_one_initcall+89"]
        #expect(frames.prefix(5).map(symbolOrAddress) == expected && frames[3].hex.hasPrefix("0xffffffffc0"))
        #expect(frames.prefix(2).map(\.kind) == [.programCounter, .returnAddress])
        #expect(frames.prefix(5).map(\.isUnreliable) == [false, false, false, true, false])
        #expect(report.images.map(\.name) == ["CrashModule.ko", "vmlinux"])
        #expect(frames.prefix(5).map(\.image) == [0, 0, 0, nil, 1])
        let registers = try #require(report.threads[0].registers)
        #expect(registers.values.first { $0.name == "RDI" }?.value == 0 && registers.values.first { $0.name == "RSP" } != nil)
        // The registers of the interrupted system call are not those of the oops: RAX was the
        // oops's, not ffffffffffffffda.
        #expect(registers.values.first { $0.name == "RAX" }?.value != 0xffff_ffff_ffff_ffda)
    }

    @Test func `build IDs of the kernel and of modules are the images' own`() throws {
        // The formats of 5.14: BUILD_ID_FMT of `lib/dump_stack.c`, and `[%s %20phN]` of
        // `kernel/kallsyms.c`.
        let report = try SampleLog(
            """
            CPU: 0 PID: 7 Comm: a b Tainted: G        W          5.14.0 #1 c15bceefbf84f6f2d3467011b006ccc8bfce2d1d
            Call Trace:
             one+0x1/0x2
             two+0x1/0x2 [nf_tables 2457c4ab6eee4b60562e267931fb73354cbd6e22]
            """
        ).report()
        #expect(report.process.name == "a b" && report.platform == "Linux 5.14.0")
        #expect(report.images.map(\.name) == ["vmlinux", "nf_tables.ko"])
        #expect(
            report.images.map { $0.id?.hexadecimal } == [
                "c15bceefbf84f6f2d3467011b006ccc8bfce2d1d", "2457c4ab6eee4b60562e267931fb73354cbd6e22",
            ])
    }

    @Test func `stacks of another meaning keep their headings`() throws {
        let report = try SampleLog(
            """
            BUG: KASAN: use-after-free in reader+0x10/0x20
            Read of size 4 at addr ffff8801c1afdb5c by task a/3568
            CPU: 1 PID: 3568 Comm: a Not tainted 4.14.0 #52
            Call Trace:
             dump_stack+0x194/0x257
             reader+0x10/0x20

            Allocated by task 3568:
             save_stack+0x43/0xd0
             maker+0x1/0x2 [m]

            Freed by task 9:
             kfree+0xca/0x250

            Last potentially related work creation:
             queue_work+0x1/0x2
            """
        ).report()
        #expect(report.cause?.type == "KASAN" && report.cause?.message == "use-after-free in reader+0x10/0x20")
        #expect(report.cause?.address == RuntimeAddress(0xffff_8801_c1af_db5c))
        #expect(report.threads.map(\.frames.count) == [2])
        #expect(
            report.additionalBacktraces.map(\.name) == [
                "Allocated by task 3568:", "Freed by task 9:", "Last potentially related work creation:",
            ])
        #expect(report.additionalBacktraces.map(\.frames.count) == [2, 1, 1])
    }

    @Test func `locks are listed with the place that took each`() throws {
        let report = try SampleLog(
            """
            [   28.5] [ INFO: possible recursive locking detected ]
            [   28.5] 3.1.0-0.rc0.git19.1.fc17.x86_64 #1 Not tainted
            [   28.5] modprobe/684 is trying to acquire lock:
            [   28.5]  (&hdl->lock){+.+...}, at: [<ffffffffa02919ba>] find_ref_lock+0x24/0x46 [videodev]
            [   28.5] 2 locks held by modprobe/684:
            [   28.5]  #0:  (&a){......}, at: [<ffffffff81314d0c>] __driver_attach+0x3b/0x82
            [   28.5]  #1:  (rcu_read_lock){.+.+..}, at: [<ffffffff810b9b28>] rcu_lock_acquire+0x0/0x29
            """
        ).report()
        #expect(report.platform == "Linux 3.1.0-0.rc0.git19.1.fc17.x86_64" && report.architecture == .x86_64)
        #expect(report.threads.isEmpty && report.additionalBacktraces.map(\.frames.count) == [1, 2])
        // Zero: the address that was taken is the function's own.
        #expect(report.additionalBacktraces[1].frames.map(\.kind) == [.returnAddress, .exact])
    }

    @Test func `another beginning behind a stack is another report, a panic is not`() throws {
        let oops = "BUG: kernel NULL pointer dereference, address: 0\nRIP: 0010:a+0x1/0x2\nCall Trace:\n b+0x1/0x2\n---[ end trace 1 ]---\n"
        let panic = "Kernel panic - not syncing: Fatal exception\n"
        #expect(SampleLog(oops + panic).parsed().reports.count == 1)
        #expect(SampleLog(oops + oops + panic).parsed().reports.count == 2)
        let second = try SampleLog(oops + panic + "CPU: 0 PID: 1 Comm: x Not tainted 1 #1\nCall Trace:\n c+0x1/0x2\n").report()
        #expect(second.threads.map(\.name) == [nil, "Kernel panic - not syncing: Fatal exception"])
        #expect(SampleLog("Kernel panic - not syncing: VFS: Unable to mount root fs\n").parsed().reports.count == 1)
        #expect(SampleLog("He said: Kernel panic - not syncing, and left\nCall Tracey: me\nBUG: fixed\n").parsed().reports.isEmpty)
    }

    // MARK: Rows of all ages and machines

    /// The program counter's line, its symbol and offset, and whether it is a program counter.
    @Test(arguments: [
        ("RIP: 0010:f+0x24/0x30", "f+36", true), ("RIP: 0010:[<ffffffff82d4e304>]  [<ffffffff82d4e304>] f+0x24/0x30", "f+36", true),
        ("RIP  [<ffffffff81171b02>] f+0x42/0xc0", "f+66", true), ("IP: [<ffffffff82d4e304>] f+0x24/0x30", "f+36", true),
        ("EIP is at f.part.8+0x3/0x5 [wl]", "f.part.8+3", true), ("PC is at f+0x184/0x2b0", "f+388", true),
        ("pc : f+0xc8/0x1b0", "f+200", true), ("epc : f+0x48/0xa0", "f+72", true), ("epc   : 80123456 f+0x10/0x20", "f+16", true),
        ("NIP [c000000008068dfc] .f+0x27c/0x390", ".f+636", true),
        ("Krnl PSW : 0704f00180000000 000003ff8086d03a (f+0x3a/0x1000 [m])", "f+58", true),
        (" f+0x45/0x6c", "f+69", false), (" ? f+0x45/0x6c [m]", "f+69", false), (" [<ffffffff81b2e7d9>] ? f+0x45/0x6c", "f+69", false),
        ("([<000000000045400c>] f+0x9c/0xa4)", "f+156", false),
        ("[c000000010f93150] [c000000008028668] .f+0x128/0x170 (unreliable)", ".f+296", false),
        ("[<c0014990>] (unwind_backtrace+0x0/0xf4) from [<c005ccb8>] (f+0x14f8/0x1b98)", "f+5368", false),
        ("[<c0014558>] (show_stack) from [<c059798c>] (f+0x7c/0xc8)", "f+124", false),
        (" unwind_backtrace from f+0x10/0x14", "f+16", false),
        (" <IRQ>  [<ffffffff81656735>] f+0x19/0x1b", "f+25", false),
        (" <IRQ> [  168.317567]  [<ffffffff81eb4be9>] f+0xc1/0x128", "f+193", false),
        (" f+0x20/0x38 (P)", "f+32", true), (" f+0x20/0x38 (C)", "f+32", false),
        ("[<ffffffffa02ff000>] ? 0xffffffffa02fefff", "0xffffffffa02ff000", false),
        ("[00000000004209f4] f+0x14/0x20", "f+20", false),
    ])
    func `a row tells its place`(row: String, expected: String, isCounter: Bool) throws {
        let report = try SampleLog("BUG: unable to handle kernel paging request at 1\nCall Trace:\n\(row)\n").report()
        let frame = try #require(report.threads.flatMap(\.frames).first)
        #expect(symbolOrAddress(frame) == expected)
        #expect(frame.kind == (isCounter ? .programCounter : .returnAddress))
        #expect(frame.isUnreliable == (row.contains("? ") || row.contains("unreliable")))
    }

    @Test(arguments: [
        "RIP: 0033:0x452879", "RIP: 0023:0xf7fd5c79", "[dead000000000108] *pgd=0000000000000000", "lr : f+0x1/0x2", "LR is at f+0x1/0x2",
        " 0000000000000009 ffff88014f057818 ffffffff81662d11", "Code: 89 df e8 62", " r7:df912310 r6:df912140",
        "f+0x11e/0x140() (Not tainted)",
        "Modules linked in: a b", "GPR00: c000000008068df8 c000000010f930b0",
    ])
    func `what is no row of the kernel's stack is none`(line: String) {
        let reports = SampleLog("BUG: unable to handle kernel paging request at 1\nCall Trace:\n\(line)\n").parsed().reports
        #expect(reports.flatMap(\.allFrames).isEmpty)
    }

    /// arm64 and riscv walk from the exception's registers on, so that the first row is the program
    /// counter once more.
    @Test func `the first row may be the program counter again`() throws {
        let log = SampleLog(
            """
            Unable to handle kernel NULL pointer dereference at virtual address 0000000000000010
            Internal error: Oops: 96000004 [#1] PREEMPT SMP
            pc : f+0x10/0x40
            lr : g+0x20/0x40
            sp : ffff80001000bd10
            x29: ffff80001000bd10 x28: ffff0000c0a80000
            Call trace:
             f+0x10/0x40
             g+0x20/0x40
             el0_svc+0x20/0x50
            """)
        let report = try log.report()
        #expect(report.architecture == .arm64 && report.cause?.address == RuntimeAddress(0x10))
        #expect(report.threads[0].frames.map(symbolOrAddress) == ["f+16", "g+32", "el0_svc+32"])
        #expect(report.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
        #expect(log.text(of: report.threads[0].frames[0]) == " f+0x10/0x40")
    }

    @Test func `x86 repeats the program counter at the end, and an interrupt has its own in the middle`() throws {
        let report = try SampleLog(
            """
            BUG: unable to handle kernel NULL pointer dereference at           (null)
            RIP: 0010:[<0000000000000000>]  [<          (null)>]           (null)
            Call Trace:
             <IRQ>
             timer+0x1/0x2
             </IRQ>
            RIP: 0010:loop+0x9/0x10
            RSP: 0018:ffff88806436f548 EFLAGS: 00010246
             caller+0x1/0x2
            RIP: 0033:0x452879
            RIP  [<          (null)>]           (null)
            """
        ).report()
        #expect(report.threads.map { $0.frames.map(symbolOrAddress) } == [["0x0", "timer+1", "loop+9", "caller+1"]])
        #expect(report.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress, .programCounter, .returnAddress])
    }

    // MARK: Results

    @Test func `a row gets file and line behind its place, inlined calls stand above`() throws {
        let log = SampleLog(
            "[    1.0][    C0] BUG: KASAN: x in f+0x1/0x2\r\n[    1.0][    C0] RIP: 0010:f+0x1/0x2\r\n[    1.0][    C0] Call Trace:\r\n[    1.0][    C0]  ? g+0x1/0x02 [m]\r\n"
                + "[    1.0][    C0]  [<ffffffff82d1b1d9>] h+0x141/0x185\r\n[    1.0][    C0] [<c0014990>] (i+0x0/0xf4) from [<c005ccb8>] (j+0x8/0x98)\r\n"
        )
        func result(_ frame: Frame) -> FrameResult? {
            .function("whatever", offset: 1, "/build/linux-6.1/debian/build/mm/slab.c", 40).inlining(
                "inner", "/usr/src/linux/include/linux/mm.h", 7)
        }
        let symbolicated = log.symbolicated(result)
        #expect(
            symbolicated.text
                == "[    1.0][    C0] BUG: KASAN: x in f+0x1/0x2\r\n[    1.0][    C0] RIP: 0010:inner include/linux/mm.h:7 [inline]\r\n"
                + "[    1.0][    C0] RIP: 0010:f+0x1/0x2 mm/slab.c:40\r\n[    1.0][    C0] Call Trace:\r\n"
                + "[    1.0][    C0]  ? inner include/linux/mm.h:7 [inline] [m]\r\n[    1.0][    C0]  ? g+0x1/0x02 mm/slab.c:40 [m]\r\n"
                + "[    1.0][    C0]  [<     inline     >] inner include/linux/mm.h:7\r\n[    1.0][    C0]  [<ffffffff82d1b1d9>] h+0x141/0x185 mm/slab.c:40\r\n"
                + "[    1.0][    C0] [<c0014990>] (i+0x0/0xf4) from [<     inline     >] (inner include/linux/mm.h:7)\r\n"
                + "[    1.0][    C0] [<c0014990>] (i+0x0/0xf4) from [<c005ccb8>] (j+0x8/0x98 mm/slab.c:40)\r\n")
        #expect(symbolicated.symbolicated(result).text == symbolicated.text)
        let frames = try symbolicated.report().threads[0].frames
        #expect(frames.map(\.isInlined) == [true, false, true, false, true, false, true, false])
        #expect(frames.filter { !$0.isInlined }.map(symbolOrAddress) == ["f+1", "g+1", "h+321", "j+8"])
        // A listed inlined call has the address of the function that contains it.
        #expect(frames[4].address == frames[5].address && frames[4].imageLocation == frames[5].imageLocation)
    }

    @Test func `a kernel without names is answered with what it would have printed`() throws {
        let log = SampleLog("Call Trace:\n[<c0014990>] 0xc0014990\n 0xfdc88c28\n")
        let symbolicated = log.symbolicated { _ in .function("f", offset: 0x10, "/src/kernel/sched/core.c", 4) }
        #expect(symbolicated.text == "Call Trace:\n[<c0014990>] f+0x10 kernel/sched/core.c:4\n [<fdc88c28>] f+0x10 kernel/sched/core.c:4\n")
        #expect(try symbolicated.report().threads[0].frames.map(\.hex) == ["0xc0014990", "0xfdc88c28"])
    }

    /// Logs that scripts have rewritten: syzkaller's, kernel-sanitizers' symbolizer.py's,
    /// scripts/decode_stacktrace.sh's.
    @Test func `logs that were answered by scripts are read and left alone`() throws {
        let log = SampleLog(
            """
            Call trace:
            [<     inline     >] __dump_stack lib/dump_stack.c:15
            [<ffffffc00195c384>] dump_stack+0x90/0x140 lib/dump_stack.c:50
             sock_sendmsg_nosec net/socket.c:633 [inline]
             sock_sendmsg+0xcf/0x110 net/socket.c:643
             [<     inlined    >] ? finish_task_switch+0x12a/0x1cc atomic_read arch/x86/include/asm/atomic.h:26
             [<ffffffff92703a04>] ? finish_task_switch+0x12a/0x1cc include/linux/perf_event.h:692 (discriminator 3)
             ? proc_register (fs/proc/generic.c:377 (discriminator 3))
             nft_do_chain (net/netfilter/nf_tables_core.c:240 net/netfilter/nf_tables_core.c:10) nf_tables
            """)
        let frames = try log.report().threads[0].frames
        #expect(
            frames.map { $0.printed.flatMap(\.name) ?? "" } == [
                "__dump_stack", "dump_stack", "sock_sendmsg_nosec", "sock_sendmsg", "atomic_read", "finish_task_switch", "proc_register",
                "nft_do_chain",
            ])
        #expect(frames.map { $0.printed?.location?.line ?? 0 } == [15, 50, 633, 643, 26, 692, 377, 240])
        #expect(frames.map(\.isInlined) == [true, false, true, false, true, false, false, false])
        #expect(log.symbolicated { _ in .function("f", offset: 1, "/a/mm/b.c", 2) }.text == log.text)
    }
}

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
    func `abrt finds the same oops, kernel and rows`(sample: String, result: String) throws {
        let log = log(sample)
        let report = try log.report()
        let right = text(result)
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
