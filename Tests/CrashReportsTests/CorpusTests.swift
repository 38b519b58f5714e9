import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Real logs from elsewhere, and the fixtures: each is recognised as its format, with as many
/// frames and images as a plain search finds in it.
struct CorpusTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        var path: String
        /// The folder's name, which is the format's.
        var folder: String
        var testDescription: String { folder + "/" + (path.split(separator: "/").last.map(String.init) ?? "") }
        var log: SampleLog { SampleLog(bytes: TestPaths.bytes(of: path)) }
        /// The formats of other traces in it.
        var others: Set<String> {
            CorpusTests.mixed.reduce(into: []) { others, entry in
                if path.hasSuffix(entry.key) || (entry.key.hasSuffix("/") && folder + "/" == entry.key) { others.formUnion(entry.value) }
            }
        }
    }

    static let formats = FormatRegistry.standard.names

    /// All logs of the corpus. Empty where there is no corpus; `the corpus is there` says so.
    static let corpus: [Sample] = samples(under: TestPaths.corpus.map { $0 + "/logs" } ?? "")
    static let fixtures: [Sample] = samples(under: TestPaths.fixture("logs")).filter { sample in
        ["expected", "addresses", "differences", "README"].allSatisfy { !sample.path.contains("/" + $0) }
    }
    /// Those that results can be written into.
    static let editable = ours.filter { sample in FormatRegistry.standard.formats.contains { $0.name == sample.folder && $0.acceptsResults }
    }
    static let ours = (corpus + fixtures).filter { sample in
        formats.contains(sample.folder) && !explained.keys.contains { sample.path.hasSuffix($0) }
    }
    /// Files of a format's folder that are not of the format, and why.
    static let explained = [
        "android-tombstone/clusterfuzz-check_failure_chrome_android.txt": "a tombstone's head alone: no stack follows",
        "chromium-misc/clusterfuzz-assert_in_drt_string.txt": "a layout test's text: no crash",
        "chromium-misc/clusterfuzz-centipede_slo.txt": "a fuzzer's log of an input that took too long: no stack",
        "chromium-misc/clusterfuzz-check_failure_with_comparison2.txt": "a failed check's message alone",
        "chromium-misc/clusterfuzz-gpu_failure.txt": "a browser's log in which its GPU process ended: no stack",
        "chromium-misc/clusterfuzz-missing_library_linux.txt": "the dynamic linker's message",
        "chromium-misc/clusterfuzz-v8_correctness_failure.txt": "a message of V8's correctness fuzzer: no stack",
        "chromium-misc/clusterfuzz-v8_fatal_error_partial.txt":
            "the message of a fatal error that was cut off before its stack",
        "chromium-misc/clusterfuzz-v8_javascript_assertion_should_pass.txt": "a script's output: no crash",
        "chromium-misc/clusterfuzz-v8_representation_changer_error.txt": "a fatal error's message alone",
        "go-panic/pprof-go.nomappings.crash": "a profile, and no log",
        "go-panic/syzkaller-gvisor-10.txt": "messages of a launcher, without a stack",
        "java-trace/clusterfuzz-jazzer_js_typescript.txt": "a JavaScript error: javascript-error",
        "jvm-hserr/krashpad-dataset49.txt": "the machine could not walk its stack: the list of native frames is empty",
        "jvm-hserr/krashpad-dataset91.txt": "a fragment without a stack",
        "jvm-javacore/datadog-redacted-truncated-ibmj9-8-javacore.txt": "cut off before the threads",
        "kernel-oops/abrt-mce2.test": "says that the hardware has told of errors, and has no stack",
        "kernel-oops/abrt-not_oops_foreign_hostname.test": "a line that says that the hardware has told of errors",
        "kernel-oops/clusterfuzz-trusty_symbolized_kernel_stacktrace.txt":
            "Trusty's kernel, which is not Linux; every row has its name, file and line",
        "kernel-oops/syzkaller-linux-420.txt": "a file system's messages: syzkaller's test that nothing is found",
        "kernel-oops/syzkaller-linux-93.txt": "a camera's messages: syzkaller's test that nothing is found",
        "metrickit/meter-xcode_simulated.crash":
            "what Meter's own translation of the payload beside it prints: the head of a text report, without a stack",
        "rust-panic/clusterfuzz-rust_assert.txt": "a panic without a backtrace; the stack is AddressSanitizer's",
        "rust-panic/clusterfuzz-rust_oom.txt": "an error without a backtrace; the stack is AddressSanitizer's",
        "rust-panic/clusterfuzz-rust_panic_fuchsia_asan.txt": "a panic without a backtrace; the stack is Fuchsia's",
        "sanitizer-asan/casr-24131eeed0916.txt": "libFuzzer's own report",
        "sanitizer-asan/clusterfuzz-asan_in_drt_string.txt": "a web page's text that names AddressSanitizer",
        "sanitizer-asan/clusterfuzz-check_eq_multiline.txt": "libFuzzer's own report, below Chromium's stack",
        "sanitizer-asan/clusterfuzz-dns.txt": "libFuzzer's own report",
        "sanitizer-asan/clusterfuzz-lkl_libfuzzer_symbolized.txt": "libFuzzer's own report, below the kernel's",
        "sanitizer-asan/clusterfuzz-suffixed_glibc_assert.txt":
            "made unrecognisable by its authors: `0xsfsdf908908` for addresses",
        "unreal/unreal_crash": "a compressed container of Unreal's crash reporter: `ForeignFileTests` reads what is in it",
    ]
    /// Logs that hold traces of other formats too, rightly: the ends of their paths, or folders,
    /// and those formats. Programs of Chromium's that ran under a sanitizer print their own stack
    /// first.
    static let mixed: [String: Set<String>] = [
        // A test of clusterfuzz' filter: an exception of Java among stacks of many kinds.
        "android-tombstone/": ["java-trace"],
        // A test of ClusterFuzz' filter: an exception of Java among stacks of many kinds.
        "android-tombstone/clusterfuzz-stack_filtering.txt": ["java-trace"],
        "glibc-assert/clusterfuzz-assert_glibc_with_glib.txt": ["sanitizer-ubsan"],
        "glibc-backtrace/made-glibc-bt_static.txt": ["address-list"],
        "go-panic/clusterfuzz-go_braces.txt": ["sanitizer-asan"],
        "go-panic/clusterfuzz-golang_fatal_error_stack_overflow.txt": ["sanitizer-asan"],
        "go-panic/clusterfuzz-golang_generic_panic_and_asan_abrt.txt": ["sanitizer-asan"],
        "go-panic/clusterfuzz-golang_new_crash_type_and_asan_abrt.txt": ["sanitizer-asan"],
        "go-panic/clusterfuzz-golang_panic_runtime_error_index_out_of_range_with_msan.txt": ["sanitizer-msan"],
        "go-panic/clusterfuzz-golang_panic_runtime_error_slice_bounds_out_of_range.txt": ["sanitizer-asan"],
        "rust-panic/clusterfuzz-rust_assert.txt": ["sanitizer-asan"],
        "rust-panic/clusterfuzz-rust_oom.txt": ["sanitizer-asan"],
        // WebKit's `WTFReportBacktrace` above the sanitizer's report, Abseil's stack of a failed
        // check, lldb's of the same crash.
        "sanitizer-asan/clusterfuzz-assert.txt": ["stack-rows"],
        "sanitizer-asan/clusterfuzz-absl_log_internal.txt": ["glog"],
        "nsexception-console/couchbase-CBL_Bug_Demo.txt": ["lldb-bt"],
        "sanitizer-asan/clusterfuzz-asan_breakpoint_with_check.txt": ["chromium-misc"],
        "sanitizer-asan/clusterfuzz-check_eq_multiline.txt": ["chromium-misc"],
        "sanitizer-asan/clusterfuzz-check_failure_with_handle_sigill=1.txt": ["chromium-misc"],
        "sanitizer-asan/clusterfuzz-chrome_check_semicolon.txt": ["chromium-misc"],
        "sanitizer-asan/clusterfuzz-v8_check_symbolized.txt": ["chromium-misc"],
        "sanitizer-asan/clusterfuzz-v8_error_with_small_number.txt": ["chromium-misc"],
        "sanitizer-asan/clusterfuzz-v8_process_oom.txt": ["chromium-misc"],
        "sanitizer-asan/clusterfuzz-v8_to_local_empty.txt": ["chromium-misc"],
        "sanitizer-libfuzzer/clusterfuzz-skia_abort.txt": ["chromium-misc"],
        "sanitizer-msan/clusterfuzz-check_failure_with_msan_abrt.txt": ["chromium-misc"],
        "sanitizer-ubsan/clusterfuzz-cfi_bad_cast.txt": ["chromium-misc"],
        // Xcode's organizer keeps text reports in a bundle.
        "xccrashpoint/": ["apple-crash"],
    ]

    private static func samples(under root: String) -> [Sample] {
        TestPaths.files(under: root).compactMap { path in
            let parts = path.dropFirst(root.count + 1).split(separator: "/")
            return parts.count > 1 ? Sample(path: path, folder: String(parts[0])) : nil
        }
    }

    @Test(.enabled(if: TestPaths.corpus == nil, "the corpus is there")) func `without a corpus only the fixtures are read`() {
        print("There is no corpus of logs (CAIRN_CORPUS, or shared/corpus beside the package): its tests have nothing to read.")
    }

    @Test func `the fixtures are there`() { #expect(Self.fixtures.count >= 30) }

    @Test(arguments: ours) func `a sample is recognised as its folder's format`(sample: Sample) {
        let log = sample.log.parsed()
        #expect(!log.reports.isEmpty, "\(log.problems)")
        let found = Set(log.reports.map(\.format))
        #expect(found.contains(sample.folder) && found.subtracting(sample.others) == [sample.folder])
        #expect(log.problems.isEmpty)
    }

    @Test(arguments: ours) func `every sample says what happened`(sample: Sample) {
        // A hang, a sample, a list of addresses and a block of memory have no cause; the second
        // trace of the “recrash” report is a part of the first.
        if ["apple-sample", "address-list"].contains(sample.folder) || sample.path.hasSuffix("malloc-history.txt") { return }
        // A stack that a user requested from a debugger has none either.
        if sample.path.hasSuffix("kv.txt") { return }
        // Stacks that a user requested, and samples; systemd's message alone does not name the
        // signal.
        if ["glibc-backtrace", "gdb-bt", "jvm-mixed-stacks", "perf-script", "systemd-coredump"].contains(sample.folder) { return }
        if ["abrt-json", "apport"].contains(sample.folder) {
            #expect(sample.log.parsed().reports.allSatisfy { $0.cause?.signal != nil || $0.cause?.type != nil })
            return
        }
        for report in sample.log.parsed().reports
        where !sample.path.contains("hang") && !sample.path.contains("recrash")
            && !report.notes.contains(where: {
                $0.contains(", with the cause,") || $0.contains("without the diagnostic") || $0.contains("not inside")
            })
        {
            // Rows alone do not give a cause.
            if report.format == "stack-rows" { continue }
            #expect(report.cause?.type != nil || report.format == "swift-runtime-trace" || report.cause?.kind == .languageException)
            if report.format == "swift-backtrace" { #expect(report.architecture != nil && report.platform != nil) }
        }
    }

    @Test(arguments: ours) func `no frame and no image is lost`(sample: Sample) throws {
        let log = sample.log
        let reports = log.parsed().reports.filter { $0.format == sample.folder }
        let frames = reports.reduce(0) { $0 + $1.allFrames.count }
        let images = reports.reduce(0) { $0 + $1.listedImages.count }
        let expected = try #require(
            NaiveCount.binaryCounters[sample.folder]?(log.bytes) ?? NaiveCount.counters[sample.folder]?(log.text),
            "no counter for \(sample.folder)")
        #expect(frames == expected.frames)
        if let count = expected.images { #expect(images == count) }
        if let byImage = expected.framesByImage {
            let found = reports.flatMap(\.allFrames).reduce(into: [:]) { counts, frame in counts[frame.imageName ?? "", default: 0] += 1 }
            #expect(found == byImage)
        }
    }

    @Test(arguments: ours) func `every frame with an address in a listed image has that image`(sample: Sample) {
        for report in sample.log.parsed().reports {
            for frame in report.allFrames {
                guard let address = frame.address else { continue }
                let containing = report.images.filter { $0.contains(address) && !$0.isPlaceholder }
                if !containing.isEmpty { #expect(frame.image.map { report.images[$0].contains(address) } == true) }
            }
        }
    }

    /// The formats find nothing in the logs of folders whose format is not read, except the reports
    /// that `mixed` lists.
    @Test(.enabled(if: TestPaths.corpus != nil, "there is no corpus")) func `no other log is claimed`() {
        for sample in Self.corpus where !Self.formats.contains(sample.folder) {
            let log = sample.log.parsed()
            #expect(Set(log.reports.map(\.format)).isSubset(of: sample.others), "\(sample.path)")
            #expect(log.reports.isEmpty == !log.problems.isEmpty, "\(sample.path): \(log.problems)")
        }
        #expect(Self.corpus.count > 400)
    }
}

extension CrashReport {
    /// The images of the log's list, without those whose base only a frame's row gives
    /// (`0x1000 + 20`).
    var listedImages: [BinaryImage] { images.filter { $0.path != nil || $0.id != nil || $0.size != nil } }
}
