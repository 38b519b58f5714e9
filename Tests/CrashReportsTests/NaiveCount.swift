/// Counts a log's frames and images without any of the parsers, by a plain search. The parsers' own
/// counts are compared with the result.
struct NaiveCount {
    var frames = 0
    /// `nil` if the format lists none.
    var images: Int?
    /// Number of frames that name each image, by the image's name as the frames print it; `nil` if
    /// a plain search cannot find it.
    var framesByImage: [String: Int]?

    /// The counters by the format's folder: one line for each format, its function in
    /// `NaiveCount+FORMAT.swift` if it is longer than a line.
    static let counters: [String: @Sendable (String) -> NaiveCount] = [
        "address-list": { text in
            // A memory map beside the list does not belong to it.
            let list = text.split(separator: "\n").filter { !$0.contains(" r-xp ") }.joined(separator: "\n")
            return NaiveCount(
                frames: list.split { !($0.isHexDigit || $0.isLetter || "_.+/".contains($0)) }.count {
                    !$0.allSatisfy(\.isNumber) || $0.count > 3
                })
        },
        "android-anr": androidANR,
        "android-tombstone": androidTombstone,
        "abrt-json": { NaiveCount(frames: $0.occurrences(of: "\"address\":")) },
        "apple-crash": appleCrash,
        "apple-sample": appleSample,
        "apple-ips-legacy": appleCrash,
        "apple-spindump": appleSpindump,
        "apple-ips": appleIPS,
        "apple-leaks": appleLeaks,
        "apple-panic": applePanic,
        "bsd-panic": bsdPanic,
        "fuchsia-crash": fuchsiaCrash,
        "chromium-misc": chromium,
        "kernel-oops": kernelOops,
        "kernel-segfault": kernelSegfault,
        "jvm-mixed-stacks": mixedStacks,
        "julia-crash": julia,
        "winedbg": wine,
        "go-panic": go,
        "java-trace": java,
        "jvm-hserr": hotspot,
        "jvm-javacore": javacore,
        "kscrash-json": kscrash,
        "metrickit": metrickit,
        "microdump": microdump,
        "node-native": nodeNative,
        "nsexception-console": nsexceptionConsole,
        "python-trace": python,
        "rust-panic": rust,
        "sanitizer-asan": sanitizer,
        "sanitizer-gwp-asan": { NaiveCount(frames: sanitizer($0).frames) },
        "sanitizer-hwasan": sanitizer,
        "sanitizer-libfuzzer": sanitizer,
        "sanitizer-lsan": sanitizer,
        "sanitizer-msan": sanitizer,
        "sanitizer-tsan": sanitizer,
        "sanitizer-ubsan": sanitizer,
        "apport": apport,
        "gdb-bt": gdbBacktrace,
        "glibc-backtrace": glibcBacktrace,
        "perf-script": perfScript,
        "sentry-event-json": sentryEvent,
        "swift-backtrace": swiftBacktrace,
        "symbolizer-markup": symbolizerMarkup,
        "systemd-coredump": systemdCoredump,
        "swift-runtime-trace": { NaiveCount(frames: lines($0).filter(isAppleRow).count) },
        "swift-server-backtrace": {
            NaiveCount(frames: lines($0).filter { $0.first.map { isAddress($0.prefix { $0 != "," }) } ?? false }.count)
        },
        "unreal": unreal,
        "windows-cdb": windowsDebugger,
        "xorg-backtrace": xorg,
    ]

    /// The counters of binary formats.
    static let binaryCounters: [String: @Sendable ([UInt8]) -> NaiveCount] = [
        "android-tombstone-pb": { androidTombstoneProtobuf($0) }, "plcrashreporter": { plcrashreporter($0) },
    ]

    // MARK: What counters are made of

    /// The lines of a log without colours, as tokens between blanks.
    static func lines(_ text: String) -> [[Substring]] {
        plain(text).split(whereSeparator: \.isNewline).map { $0.split { $0 == " " || $0 == "\t" } }
    }

    /// A number, then somewhere an address.
    static func isAppleRow(_ tokens: [Substring]) -> Bool {
        guard let first = tokens.first, !first.isEmpty else { return false }
        let number = first.hasPrefix("#") ? first.dropFirst() : first
        return number.allSatisfy(\.isNumber) && tokens.dropFirst().contains { isAddress($0) }
    }

    static func isAddress(_ token: Substring) -> Bool {
        token.hasPrefix("0x") && token.count > 2 && token.dropFirst(2).allSatisfy(\.isHexDigit)
    }

    /// Without colours.
    private static func plain(_ text: String) -> String {
        guard text.utf8.contains(0x1B) else { return text }
        var result = ""
        var isEscape = false
        for scalar in text.unicodeScalars {
            if scalar == "\u{1B}" {
                isEscape = true
            } else if isEscape {
                if scalar.properties.isAlphabetic { isEscape = false }
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension NaiveCount {
    @Sendable static func appleCrash(_ text: String) -> NaiveCount {
        let lines = lines(text)
        let images = lines.filter { $0.count > 3 && $0[0].hasPrefix("0x") && $0[1] == "-" && $0[2].hasPrefix("0x") }
        return NaiveCount(frames: lines.filter(isAppleRow).count, images: images.count)
    }

    @Sendable static func nsexceptionConsole(_ text: String) -> NaiveCount {
        let lines = lines(text)
        let numbers = lines.filter { $0.count == 1 && $0[0].allSatisfy { $0.isNumber || $0 == "," } }.count
        let list = lines.first { $0.first?.hasPrefix("(0x") == true }?.count ?? 0
        return NaiveCount(frames: lines.filter(isAppleRow).count + numbers + list)
    }

    @Sendable static func swiftBacktrace(_ text: String) -> NaiveCount {
        if text.contains("\"kind\": \"crashReport\"") {
            return NaiveCount(frames: text.occurrences(of: "\"kind\":") - 1, images: text.occurrences(of: "\"baseAddress\""))
        }
        return NaiveCount(frames: lines(text).filter(isSwiftRow).count, images: text.occurrences(of: "–0x"))
    }

    private static func isSwiftRow(_ tokens: [Substring]) -> Bool {
        guard let first = tokens.first else { return false }
        if tokens == ["..."] { return true }
        guard first.allSatisfy(\.isNumber) else { return false }
        return tokens.last == "..." || tokens.contains { isAddress($0) } || tokens.contains("at")
    }
}

extension String {
    /// How often `part` occurs, byte for byte.
    func occurrences(of part: String) -> Int {
        let bytes = Array(utf8)
        let part = Array(part.utf8)
        guard let first = part.first else { return 0 }
        return bytes.indices.count { bytes[$0] == first && bytes[$0...].starts(with: part) }
    }
}
