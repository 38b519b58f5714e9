internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Stacks of Dart code compiled ahead of time, without names: Flutter's with `--split-debug-info`.
    ///
    ///     *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
    ///     pid: 77, tid: 4567, name io.flutter.1.ui
    ///     os: ios arch: arm64 comp: no sim: no
    ///     build_id: '4c4c44f655553144a1c78f23af66dda8'
    ///     isolate_dso_base: 104a38000, vm_dso_base: 104a38000
    ///         #00 abs 0000000104a383f8 virt 00000000000003f8 _kDartIsolateSnapshotInstructions+0x70
    ///
    /// `StackTrace::ToCString` (`runtime/vm/object.cc`) prints, like Android's debuggerd, addresses of calls: one less
    /// than the return address (`call_addr = is_future_listener ? pc : pc - 1`; a listener is shown by the first byte
    /// of its function). `virt` is the distance of the address from `isolate_dso_base`, which is the address as linked.
    /// Snapshots that are not ELF have no `virt`, and only count from their symbol. The debug file
    /// (`app.android-arm64.symbols`) has the build ID.
    static let dart = StackCard(
        name: "dart",
        summary: "Dart and Flutter: stacks without names, of programs with --split-debug-info or --dwarf-stack-traces",
        openings: [
            .start("isolate_dso_base: "), .start("os: android arch: "), .start("os: ios arch: "), .anywhere(" virt 0"),
            .anywhere(" _kDartIsolate"),
        ],
        isCertain: true,
        rule: .movedBack,
        offsets: .imageStart,
        maxUnrecognizedLines: 8,
        read: { DartText.read($0) },
        readRow: { line in
            let start = DartText.rowStart(line)
            guard var row = StackRow(line, from: start) else { return nil }
            guard row.linkAddress != nil else { return start > 0 ? row : nil }
            // The symbol covers the whole snapshot.
            row.symbol = StackRow.Symbol()
            return row
        })

    /// Crashes of the Dart machine itself: its profiler unwinds the stack in the signal handler.
    ///
    ///     ===== CRASH =====
    ///     si_signo=Segmentation fault(11), si_code=1, si_addr=0x8
    ///     version=2.10.4 (stable) on "android_ia32"
    ///       pc 0xd0416679 fp 0xf95fd558 /data/app/x/lib/x86/libflutter.so+0x1216679
    ///
    /// `Profiler::DumpStackTrace` (`runtime/vm/profiler.cc`) begins with the context of the signal: the first row was
    /// executing, the others are return addresses. The offset counts from the library's first byte (`dli_fbase`,
    /// `runtime/vm/native_symbol_posix.cc`).
    static let dartVM = StackCard(
        name: "dart-vm",
        summary: "crashes of the Dart machine: “===== CRASH =====”, rows with pc and fp",
        openings: [.start("===== CRASH =====")],
        rule: .firstIsProgramCounter,
        offsets: .imageStart,
        maxUnrecognizedLines: 8,
        claimsLine: { $0.contains("pc 0x") && $0.contains(" fp 0x") && $0.contains("+0x") },
        read: { line in
            let text = line.trimmed()
            if text.hasPrefix("===== CRASH =====") || text.hasPrefix("version=") || text.hasPrefix("pid=") { return .skipped }
            if text.hasPrefix("-- End of DumpStackTrace") { return .last }
            guard text.hasPrefix("si_signo=") else { return nil }
            return .cause(DartText.signal(text))
        })
}

enum DartText {
    /// Start of a row in its line. Crashlytics prints each row as a function's name: `0  ???   0x0 (null).    #00 abs 0000000106d377c7 _kDart…`.
    static func rowStart(_ line: Span<UInt8>) -> Int {
        guard let mark = line.firstRange(of: " abs ") else { return 0 }
        guard let hash = line.lastIndex(of: UInt8(ascii: "#"), before: mark.lowerBound, from: 0), hash > 0 else { return 0 }
        return line.upTo(hash).contains("(null).") ? hash : 0
    }

    static func read(_ line: Span<UInt8>) -> StackLine? {
        var rest = line.trimmed()
        if rest.hasPrefix("*** *** ***") { return .skipped }
        if rest.consume("pid: "), let pid = rest.readDecimal() { return .process(name: nil, pid: Int(exactly: pid)) }
        if rest.consume("os: ") { return system(rest) }
        if rest.consume("build_id: '"), let end = rest.firstIndex(of: UInt8(ascii: "'")) {
            return ImageID(text: rest.upTo(end)).map { .program($0) } ?? .skipped
        }
        if rest.consume("isolate_dso_base: ") {
            return rest.readHexadecimal().map { .program(nil, base: RuntimeAddress($0)) } ?? .skipped
        }
        if rest.hasPrefix("isolate_instructions: ") || rest.hasPrefix("vm_dso_base: ")
            || rest.hasPrefix("Warning: This VM has been configured")
        {
            return .skipped
        }
        return rest.equals("<asynchronous suspension>") ? .skipped : nil
    }

    /// Reads the system: `android arch: arm64 comp: yes sim: no`.
    private static func system(_ text: Span<UInt8>) -> StackLine? {
        guard let range = text.firstRange(of: " arch: ") else { return nil }
        var rest = text.from(range.upperBound)
        return .architecture(Architecture(writtenName: rest.readToken().text))
    }

    /// Reads the signal: `si_signo=Segmentation fault(11), si_code=1, si_addr=0x8`.
    static func signal(_ text: Span<UInt8>) -> CrashCause {
        var cause = CrashCause(kind: .signal)
        if let open = text.firstIndex(of: UInt8(ascii: "(")) {
            if let number = text.from(open + 1).leadingDecimal { cause.signal = SignalName.posix(number) ?? "\(number)" }
            cause.type = text.clamped(to: 9..<open).text
        }
        if let range = text.firstRange(of: "si_addr=") {
            cause.address = text.from(range.upperBound).leadingAddress.map { RuntimeAddress($0) }
        }
        return cause
    }
}
