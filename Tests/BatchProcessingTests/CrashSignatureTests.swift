import BinaryPrimitives
import CrashLogModel
import Reporting
import SymbolSources
import Symbolication
import TestReports
import Testing

@testable import BatchProcessing

/// Small symbolicated reports, made by hand.
struct CrashSignatureTests {
    /// A row: the data of one frame.
    private struct Row {
        var functions: [(name: String, file: String?)] = []
        var module = "harbor"
        var offset: UInt64 = 0
        var path: String?

        static func named(_ name: String, _ file: String? = "/src/harbor.c", module: String = "harbor") -> Row {
            Row(functions: [(name, file)], module: module)
        }
        static func unnamed(_ offset: UInt64, module: String = "harbor", path: String? = nil) -> Row {
            Row(module: module, offset: offset, path: path)
        }
    }

    private static func report(
        _ rows: [Row], signal: String? = "SIGSEGV", build: String = "aa00", format: String = "apple-crash",
        cause kind: CrashCause.Kind = .signal,
        type: String? = nil, crashed: Bool = true
    ) -> SymbolicatedReport {
        var report = CrashReport(format: format)
        if signal != nil || type != nil {
            var cause = CrashCause(kind: kind)
            cause.signal = signal
            cause.type = type
            report.cause = cause
        }
        var outcomes: [FrameOutcome] = []
        var trace = ThreadTrace(index: 0, crashed: crashed)
        for (index, row) in rows.enumerated() {
            var image = BinaryImage(name: row.module, path: row.path ?? "/home/a/\(row.module)")
            image.id = ImageID(text: build)
            report.images.append(image)
            trace.frames.append(Frame(index: index, kind: .returnAddress, address: RuntimeAddress(0x1000), range: 0..<0))
            var outcome = FrameOutcome(.unresolved("no symbols"))
            if !row.functions.isEmpty {
                let functions = row.functions.enumerated().map { number, function in
                    FrameResult.Function(
                        name: function.name, mangledName: function.name, offset: nil, isInlined: number + 1 < row.functions.count,
                        location: function.file.map { SourceLocation(file: $0, line: 7) })
                }
                outcome = FrameOutcome(.resolved(FrameResult(functions: functions, imageName: row.module), .debugInformation))
            }
            outcome.image = index
            outcome.imageOffset = ImageOffset(row.offset)
            outcomes.append(outcome)
        }
        report.threads = [trace]
        var result = SymbolicatedReport(report: report)
        result.images = report.images.map { ImageOutcome(image: $0, status: .found) }
        result.threads = [outcomes]
        return result
    }

    private static func signature(_ rows: [Row], build: String = "aa00") -> CrashSignature { CrashSignature(report(rows, build: build)) }

    @Test func titleAndLevels() {
        let made = CrashSignature(
            Self.report(
                [
                    .named("raise", module: "libc.so.6"), .named("abort", module: "libc.so.6"),
                    .named("__assert_fail", module: "libc.so.6"),
                    .named("Mold::pour(long*)"), .named("std::sort<int*>(int*, int*)", "/usr/include/c++/12/bits/stl_algo.h"),
                    Row(functions: [("Smelter::smelt()", "/src/a.cpp"), ("run(int)", "/src/a.cpp")]), .named("dispatch"), .named("main"),
                    .named("__libc_start_main", module: "libc.so.6"),
                ], signal: "SIGABRT"))
        #expect(made.title == "SIGABRT in Mold::pour | Smelter::smelt | run")
        #expect(made.exact.text == "SIGABRT\nMold::pour\nstd::sort\nSmelter::smelt\nrun\ndispatch\nmain")
        #expect(made.ownCode.text == "crash\nMold::pour\nSmelter::smelt\nrun")
        #expect(made.absence == nil && !made.lacksSymbols)
    }

    /// The algorithm's published value for this text (FNV-1a, 64 bits):
    /// http://www.isthe.com/chongo/src/fnv/test_fnv.c
    @Test func hashIsStable() {
        #expect(StableHash.text("foobar") == "85944171f73967e8")
        #expect(StableHash.text("") == "cbf29ce484222325")
    }

    /// The crash begins below a signal's trampoline; the handler above it is in every log of the
    /// program.
    @Test func sentinels() {
        let made = Self.signature([
            .named("print_where_we_are"), .named("<signal handler called>", nil, module: "libc.so.6"), .named("pour"), .named("main"),
        ])
        #expect(made.title == "SIGSEGV in pour | main")
        let panic = Self.signature([
            .named("rust_panic", "/rustc/x/library/std/src/panicking.rs"),
            .named("std::panicking::begin_panic_handler", "/rustc/x/library/std/src/panicking.rs"),
            .named("core::panicking::panic_fmt", "/rustc/x/library/core/src/panicking.rs"), .named("ledger::entry", "/src/ledger.rs"),
        ])
        #expect(panic.ownCode.text == "crash\nledger::entry\nin harbor")
    }

    /// The log lists an inlined call, and the symbols of its holder do not have it: the call is
    /// shown all the same. Where they have it, it is shown once.
    @Test func inlinedRowsOfTheLog() {
        func made(_ functions: [(name: String, file: String?)]) -> CrashSignature {
            var report = Self.report([.named("Take"), .init(functions: functions), .named("run")])
            report.report.threads[0].frames[0].isInlined = true
            report.report.threads[0].frames[0].printed = PrintedSymbol(name: "Take")
            report.threads[0][0].result = .partOfNextFrame
            return CrashSignature(report)
        }
        #expect(made([("add", "/src/a.c")]).title == "SIGSEGV in Take | add | run")
        #expect(made([("Take", "/src/a.c"), ("add", "/src/a.c")]).title == "SIGSEGV in Take | add | run")
    }

    /// glibc's trampoline has no symbol: `backtrace_symbols` prints `libc.so.6(+0x3c050)`. It begins at a multiple of 16
    /// (`objdump -d` of Debian 12's libc.so.6: 3c050).
    @Test func `a handler above the unnamed trampoline of a signal is left out`() {
        let libc = "/lib/x86_64-linux-gnu/libc.so.6"
        func title(_ rows: [Row]) -> String { Self.signature(rows).title }
        let trampoline = Row.unnamed(0x3c050, module: "libc.so.6", path: libc)
        #expect(title([.named("onCrash"), trampoline, .named("pour"), .named("main")]) == "SIGSEGV in pour | main")
        #expect(title([.named("report"), .named("onCrash"), trampoline, .named("pour"), .named("main")]) == "SIGSEGV in pour | main")
        // The same without names: what the handler's offset is says nothing.
        let unnamed = Self.signature([.unnamed(0x120), trampoline, .unnamed(0x240), .unnamed(0x360)])
        #expect(unnamed.exact.text == "SIGSEGV\nharbor+0x240@aa00\nharbor+0x360@aa00")
        // Functions that the library calls: a thread's first, one that compares.
        #expect(title([.named("worker"), .unnamed(0x94ac3, module: "libc.so.6", path: libc)]) == "SIGSEGV in worker")
        #expect(
            title([.named("compare"), .unnamed(0x41234, module: "libc.so.6", path: libc), .named("sort_rows"), .named("main")])
                == "SIGSEGV in compare | sort_rows | main")
        // No handler's stack begins in the C library.
        #expect(title([trampoline, .named("pour"), .named("main")]) == "SIGSEGV in pour | main")
    }

    /// A stack overflow ends in whichever function of the cycle, at whichever depth.
    @Test func `an endless recursion is one crash, whichever function is on top`() {
        func made(_ depth: Int, from first: Int, _ signal: String = "SIGSEGV") -> CrashSignature {
            let round = ["eval_expr", "eval_call", "eval_block"]
            let names = (0..<depth).map { round[($0 + first) % 3] }
            return CrashSignature(Self.report((names + ["run_script", "main"]).map { Row.named($0) }, signal: signal))
        }
        let expected = "SIGSEGV\neval_block\neval_expr\neval_call\nrun_script\nmain"
        for (depth, first) in [(60, 0), (61, 0), (91, 1), (92, 2), (34, 2)] { #expect(made(depth, from: first).exact.text == expected) }
        // GDB's first row has no address, and so no module.
        var first = Self.report(
            ((0..<60).map { ["eval_expr", "eval_call", "eval_block"][$0 % 3] } + ["run_script", "main"]).map { Row.named($0) })
        first.threads[0][0].image = nil
        #expect(CrashSignature(first).exact.text == expected)
        // A parser that fails some calls deep fails in its own function.
        #expect(made(7, from: 0).exact != made(7, from: 1).exact)
        // With the log's word for it, the function that had no room left says nothing either.
        var report = Self.report((["strlen", "eval_expr", "eval_expr", "eval_expr", "main"]).map { Row.named($0) })
        report.report.cause?.message = "stack-overflow on address 0x7ffc3f1f0ff8"
        #expect(CrashSignature(report).exact.text == "SIGSEGV\neval_expr\nmain")
    }

    /// Which of the two accesses a sanitizer meets first differs from run to run.
    @Test func `a data race is one bug in either order of its accesses`() {
        func made(_ first: [String], _ second: [String]) -> CrashSignature {
            var report = Self.report(
                first.map { Row.named($0) }, signal: nil, format: "sanitizer-tsan", cause: .runtimeError, type: "data race")
            let other = Self.report(second.map { Row.named($0) })
            report.report.additionalBacktraces = [
                ThreadTrace(index: 0, name: "Previous read of size 4 at 0x7b25 by main thread:", frames: other.report.threads[0].frames)
            ]
            report.additionalBacktraces = [other.threads[0]]
            return CrashSignature(report)
        }
        let add = ["Counter::add(int)", "Pool::work()"]
        let get = ["Counter::get()", "report()", "main"]
        #expect(made(add, get).exact == made(get, add).exact)
        #expect(made(add, get).ownCode.text == "race\nCounter::add\nPool::work\nCounter::get\nreport")
        #expect(made(add, get).title == "data race in Counter::add | Counter::get")
        // Another function that races with the first is another bug.
        let reset = made(add, ["Counter::reset()", "restart()", "main"])
        #expect(CrashGroups([made(add, get), made(get, add), reset]).groups.map(\.members.count) == [2, 1])
    }

    /// Linux names such memory by its address, Android by what it is for.
    @Test(arguments: ["<anonymous:7b0a5d2000>", "[anon:dalvik-jit-code-cache]", "/memfd:jit-cache (deleted)", "[heap]"])
    func `code that was compiled while the program ran decides nothing`(module: String) {
        let made = Self.signature([.unnamed(0x40, module: module), .named("interpret"), .named("main")])
        #expect(made.exact.text == "SIGSEGV\ninterpret\nmain")
        // With a name of `perf-PID.map` it is shown, and the program's own code decides.
        let named = Self.signature([.named("py::load:/app/cfg.py", nil, module: module), .named("interpret"), .named("main")])
        #expect(named.ownCode.text == "crash\ninterpret\nin harbor")
    }

    /// The rows of sanitizers, glibc and Android have an offset from the load bias, whether or not there are symbols.
    @Test func `a module and its offset are enough, if nothing has names`() {
        func made(_ offsets: [UInt64], build: String = "00d72786a723") -> CrashSignature {
            var report = Self.report(offsets.map { _ in .unnamed(0, module: "shop") }, build: build)
            for (index, offset) in offsets.enumerated() {
                report.report.threads[0].frames[index].imageLocation = .linkAddress(LinkAddress(offset))
                report.threads[0][index].imageOffset = nil
            }
            return CrashSignature(report)
        }
        let first = made([0x11c2, 0x11ce, 0x1207])
        #expect(first.absence == nil && first.lacksSymbols)
        #expect(first.exact.text == "SIGSEGV\nshop+0x11c2@00d72786a723\nshop+0x11ce@00d72786a723\nshop+0x1207@00d72786a723")
        #expect(first.title == "SIGSEGV in shop+0x11c2 | shop+0x11ce | shop+0x1207")
        let groups = CrashGroups([
            first, made([0x11c2, 0x11ce, 0x1207]), made([0x91c2, 0x95ce, 0x9907]), made([0x11c2, 0x11ce, 0x1207], build: "ffffffffffff"),
        ])
        #expect(groups.groups.map(\.members.count).sorted() == [1, 1, 2])
        #expect(groups.groupIndices[0] == groups.groupIndices[1])
        // An address of the process is no offset: it is another in each run.
        var moving = Self.report([.unnamed(0)])
        moving.report.threads[0].frames[0].address = RuntimeAddress(0x5581_c2a3_b401)
        moving.report.threads[0].frames[0].imageLocation = .linkAddress(LinkAddress(0x5581_c2a3_b401))
        moving.threads[0][0].imageOffset = nil
        #expect(CrashSignature(moving).absence == .onlyNoise)
        // The same address with symbols in another report gives it its group.
        var named = Self.report(
            [.named("Cart::total()", module: "shop"), .named("Shop::open()", module: "shop"), .named("serve", module: "shop")],
            build: "00d72786a723")
        for (index, offset) in [0x11c2, 0x11ce, 0x1207].enumerated() { named.threads[0][index].imageOffset = ImageOffset(UInt64(offset)) }
        #expect(CrashGroups([first, CrashSignature(named)]).groups.count == 1)
    }

    /// One function, and what went wrong in it.
    @Test func `overloads of one function are two bugs`() {
        func made(_ name: String) -> CrashSignature { Self.signature([.named(name), .named("serve"), .named("main")]) }
        let groups = CrashGroups(
            [
                made("Handler::handle(int)"), made("Handler::handle(char const*)"), made("Handler::handle(int) const"),
                made("Handler::handle(char const * __ptr64)"),
            ])
        #expect(groups.groups.map(\.members) == [[0, 2], [1, 3]] || groups.groups.map(\.members) == [[1, 3], [0, 2]])
        // A debugger that prints no types: the one overload that is known.
        #expect(CrashGroups([made("Handler::handle(int)"), made("Handler::handle")]).groups.count == 1)
    }

    /// The types that AddressSanitizer gives (`asan_errors.cpp`).
    @Test func `kinds of invalid accesses in one function are so many bugs`() {
        func made(_ type: String?, _ signal: String? = nil) -> CrashSignature {
            CrashSignature(
                Self.report(
                    [.named("Image::row"), .named("Image::blur"), .named("main")], signal: signal,
                    format: signal == nil ? "sanitizer-asan" : "gdb-bt",
                    cause: signal == nil ? .runtimeError : .signal, type: type))
        }
        func count(_ signatures: CrashSignature...) -> Int { CrashGroups(signatures).groups.count }
        let overflow = made("heap-buffer-overflow")
        #expect(count(overflow, made("heap-use-after-free")) == 2)
        #expect(count(made("heap-use-after-free"), made("attempting double-free")) == 2)
        // The function was given the memory, wherever that was.
        #expect(count(overflow, made("stack-buffer-overflow"), made("global-buffer-overflow")) == 1)
        // A signal, of the same program without a sanitizer, may be either.
        #expect(count(overflow, made(nil, "SIGSEGV")) == 1)
        // Two are known, and it cannot be determined which is meant: it is alone.
        #expect(count(overflow, made("heap-use-after-free"), made(nil, "SIGSEGV")) == 3)
        // The group of a report alone is that of its own code, as for a signal: `cairn groups merge` compares the kinds.
        #expect(overflow.group == made(nil, "SIGSEGV").group)
    }

    /// Messages of `runtime/error.go` and `runtime/map.go`, and of `core::option` and `core::panicking`.
    @Test(arguments: [
        ("go-panic", "runtime error: invalid memory address or nil pointer dereference", "panic: nil dereference"),
        ("go-panic", "assignment to entry in nil map", "panic: nil map"),
        ("go-panic", "runtime error: index out of range [5] with length 3", "panic: index out of range"),
        ("go-panic", "runtime error: slice bounds out of range [:5] with capacity 3", "panic: slice bounds"),
        ("go-panic", "runtime error: integer divide by zero", "panic: division by zero"),
        ("go-panic", "close of closed channel", "panic: closed channel"),
        ("rust-panic", "called `Option::unwrap()` on a `None` value", "panic: unwrap of None"),
        ("rust-panic", "index out of bounds: the len is 3 but the index is 5", "panic: index out of range"),
        ("rust-panic", "attempt to add with overflow", "panic: arithmetic overflow"), ("go-panic", "order 17 is not open", "panic"),
    ])
    func `errors that a runtime checks for are told apart`(format: String, message: String, label: String) {
        func made(_ message: String) -> CrashSignature {
            var report = Self.report(
                [.named("Store.get"), .named("handle"), .named("serve")], signal: nil, format: format, cause: .runtimeError, type: "panic")
            report.report.cause?.message = message
            return CrashSignature(report)
        }
        #expect(made(message).kind.label == label)
        #expect(CrashGroups([made(message), made("already borrowed")]).groups.count == (label == "panic" ? 1 : 2))
    }

    @Test(arguments: 1...4) func recursionStandsOnce(length: Int) {
        let round = ["walk", "visit", "expand", "follow"].prefix(length)
        func made(depth: Int) -> CrashSignature {
            let rounds = (0..<depth).flatMap { _ in round }
            return Self.signature((["leaf"] + rounds + ["start_walk", "run"]).map { Row.named($0) })
        }
        #expect(made(depth: 1).exact.text == (["SIGSEGV", "leaf"] + round + ["start_walk", "run"]).joined(separator: "\n"))
        #expect(made(depth: 8).exact == made(depth: 1).exact)
        #expect(made(depth: 9).exact == made(depth: 1).exact)
    }

    /// Linux marks such rows with `?`: what they name returned long ago.
    @Test func leftoversOnTheStackDoNotCount() {
        func made(_ leftovers: [String]) -> CrashSignature {
            var report = Self.report((["pour"] + leftovers + ["fill", "run"]).map { Row.named($0) })
            for index in leftovers.indices { report.report.threads[0].frames[1 + index].isUnreliable = true }
            return CrashSignature(report)
        }
        #expect(made([]).exact.text == "SIGSEGV\npour\nfill\nrun")
        for leftovers in [["print_banner"], ["wake", "settle"]] {
            #expect(made(leftovers).exact == made([]).exact)
            #expect(made(leftovers).title == "SIGSEGV in pour | fill | run")
        }
    }

    @Test func hiddenNamesAreNotMerged() {
        let one = Self.signature([
            .init(functions: [("<redacted>", nil)], offset: 0x100), .init(functions: [("<redacted>", nil)], offset: 0x200),
        ])
        let other = Self.signature([
            .init(functions: [("<redacted>", nil)], offset: 0x180), .init(functions: [("<redacted>", nil)], offset: 0x280),
        ])
        #expect(one.ownCode != other.ownCode && one.exact != other.exact)
        #expect(one.title == "SIGSEGV in harbor+0x100 | harbor+0x200")
    }

    // MARK: Frames without a name

    /// A library without symbols on top, and one between, in two builds: the named own code
    /// identifies the bug.
    @Test func unnamedFramesDoNotSplitByBuild() {
        func rows(_ shift: UInt64) -> [Row] {
            [.unnamed(0x10 + shift, module: "libvendor.so"), .named("load"), .unnamed(0x40 + shift), .named("open"), .named("main")]
        }
        let one = Self.signature(rows(0), build: "aa01")
        let other = Self.signature(rows(0x20), build: "aa02")
        #expect(one.ownCode == other.ownCode && one.exact == other.exact)
        #expect(one.exact.text == "SIGSEGV\nlibvendor.so\nload\nharbor\nopen\nmain")
        #expect(!one.lacksSymbols)
    }

    /// Without names, logs of one build are together, and logs of two builds are not, even with
    /// equal offsets.
    @Test func placesCountInOneBuild() {
        let rows: [Row] = [.unnamed(0x1234), .unnamed(0x5678)]
        let one = Self.signature(rows, build: "aa01")
        #expect(one.lacksSymbols)
        #expect(one.ownCode.text == "crash\nharbor+0x1234@aa01\nharbor+0x5678@aa01")
        #expect(Self.signature(rows, build: "aa01").ownCode == one.ownCode)
        #expect(Self.signature(rows, build: "aa02").ownCode != one.ownCode)
    }

    /// The crashed function has no name, and its callers in the same image have names: two such
    /// offsets are two bugs.
    @Test func unnamedCrashPlaceCounts() {
        let one = Self.signature([.unnamed(0x100), .named("open"), .named("run")])
        let other = Self.signature([.unnamed(0x900), .named("open"), .named("run")])
        #expect(one.ownCode != other.ownCode)
        #expect(CrashGroups([one, other]).groups.count == 2)
    }

    /// A log that gains symbols is in the group of those that had them, and nothing else was looked
    /// up.
    @Test func gainingSymbolsMoves() {
        let before = Self.signature([.unnamed(0x100), .unnamed(0x200), .unnamed(0x300)], build: "bb01")
        let answered: [Row] = [
            .init(functions: [("pour", "/src/a.c")], offset: 0x100), .init(functions: [("fill", "/src/a.c")], offset: 0x200),
            .init(functions: [("run", "/src/a.c")], offset: 0x300),
        ]
        let after = Self.signature(answered, build: "bb01")
        let others = Self.signature([.named("pour"), .named("fill"), .named("run")], build: "cc02")
        #expect(CrashGroups([before, others]).groups.count == 2)
        #expect(after.ownCode == others.ownCode)
        #expect(CrashGroups([after, others]).groups.count == 1)
        // With a symbolicated log of its build beside it, the offsets have names, and it is found
        // to be the same without symbols of its own.
        #expect(CrashGroups([before, after, others]).groups.count == 1)
    }

    // MARK: Kinds and what is missing

    @Test func kindsAreKeptApart() {
        let rows: [Row] = [.named("wait_for"), .named("sync"), .named("run")]
        let crash = CrashSignature(Self.report(rows))
        let hang = CrashSignature(Self.report(rows, signal: nil, format: "android-anr", cause: .other, type: "ANR"))
        let leak = CrashSignature(Self.report(rows, signal: nil, format: "sanitizer-lsan", cause: .other, type: "leak"))
        let exception = CrashSignature(
            Self.report(rows, signal: nil, format: "java-trace", cause: .languageException, type: "java.lang.IllegalStateException"))
        let asan = CrashSignature(Self.report(rows, signal: nil, format: "sanitizer-asan", cause: .other, type: "heap-use-after-free"))
        #expect(hang.title == "ANR in wait_for | sync | run")
        #expect(leak.title == "leak in wait_for | sync | run")
        #expect(exception.title == "java.lang.IllegalStateException in wait_for | sync | run")
        #expect(exception.ownCode.text.hasPrefix("exception java.lang.IllegalStateException\n"))
        #expect(Set([crash, hang, leak, exception].map(\.ownCode.hash)).count == 4)
        // The same access, met by a sanitizer: separate in the exact signature, and one bug
        // otherwise.
        #expect(asan.exact != crash.exact && asan.ownCode == crash.ownCode)
        #expect(Set(CrashGroups([crash, hang, leak, exception, asan]).groupIndices).count == 4)
    }

    @Test func absencesHaveReasons() {
        let empty = CrashSignature(Self.report([]))
        #expect(empty.absence == .noFrames && empty.title == "SIGSEGV: the log has no frames")
        var many = Self.report([.named("f")], crashed: false)
        many.report.threads.append(many.report.threads[0])
        many.threads.append(many.threads[0])
        let unmarked = CrashSignature(many)
        #expect(unmarked.absence == .noCrashingThread)
        #expect(unmarked.title == "SIGSEGV: the log marks no thread as crashed")
        let noise = Self.signature([.named("abort", module: "libc.so.6"), .named("__libc_start_main", module: "libc.so.6")])
        #expect(noise.absence == .onlyNoise)
        #expect(noise.ownCode.text == "crash\nthe stack has only functions that every crash has")
    }

    @Test func ownCodeAsTheUserSaysIt() {
        let rows: [Row] = [.named("parse", "/src/vendor-kit/a.c"), .named("load"), .named("run")]
        #expect(CrashSignature(Self.report(rows)).ownCode.text == "crash\nparse\nload\nrun")
        let said = CrashSignature(Self.report(rows), ownCode: OwnCodeRule(notOwn: ["/src/vendor-kit"]))
        #expect(said.ownCode.text == "crash\nload\nrun")
    }

    @Test func titlesAreOneLineAndShort() {
        let made = Self.signature([.named("f\u{1B}[31m\n" + String(repeating: "x", count: 5000)), .named("g"), .named("h")])
        #expect(made.title.utf8.count <= SignatureLimits.standard.titleBytes + 4)
        #expect(made.title.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }
}
