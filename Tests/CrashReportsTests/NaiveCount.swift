/// Counts a log's frames and images without any of the parsers, by a plain search. The parsers' own
/// counts are compared with the result.
struct NaiveCount {
    var frames = 0
    /// `nil` if the format lists none.
    var images: Int?
    /// Number of frames that name each image, by the image's name as the frames print it; `nil` if
    /// a plain search cannot find it.
    var framesByImage: [String: Int]?

    /// The counters by the format's folder: one line for each format, a function below if it is
    /// longer than a line.
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
        "javascript-error": javaScript,
        // `0: 0x7b - share`, and `- weigh`, which it was inlined into.
        "wasmtime": { NaiveCount(frames: $0.occurrences(of: " - ")) },
        "dotnet-exception": dotNet,
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
    // MARK: Apple

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

    /// A frame has an `imageOffset`, or is a pair of numbers in brackets; so are an exception's
    /// `rawCodes`, which are removed first. Images have a `source`, or are the beta's pairs; a
    /// stackshot's are shared by its reports.
    @Sendable static func appleIPS(_ text: String) -> NaiveCount {
        let text = text.replacing(#/"rawCodes"\s*:\s*\[[^\]]*\]/#, with: "")
        let pairs = text.matches(of: #/\[\s*\d+\s*,\s*\d+\s*\]/#).count
        let images = text.occurrences(of: "\"source\"") + text.matches(of: #/\[\s*"[0-9a-fA-F-]{36}"\s*,\s*\d+\s*\]/#).count
        return NaiveCount(
            frames: text.occurrences(of: "\"imageOffset\"") + pairs, images: text.contains("\"processByPid\"") ? nil : images)
    }

    /// Rows begin with their number in the first column and have an address after the image; a
    /// stack on one line has a bar before each function.
    @Sendable static func appleLeaks(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0, framesByImage: [:])
        for line in text.split(whereSeparator: \.isNewline) {
            let tokens = line.split { $0 == " " || $0 == "\t" }
            if tokens.count > 3, isAddress(tokens[0]), tokens[1] == "-" { count.images? += 1 }
            if line.contains(" |"), line.contains("thread") {
                for part in line.split(separator: "|").dropFirst() where part.contains(where: { !$0.isWhitespace }) {
                    count.frames += 1
                    let image = part.split(separator: " ").first { $0.hasPrefix("(") }.map { $0.dropFirst().dropLast() }
                    count.framesByImage?[image.map(String.init) ?? "", default: 0] += 1
                }
            } else if line.first?.isNumber == true, isAppleRow(tokens), let address = tokens.firstIndex(where: { isAddress($0) }) {
                count.frames += 1
                count.framesByImage?[tokens[1..<address].joined(separator: " "), default: 0] += 1
            }
        }
        return count
    }

    /// Rows are `0x… : 0x…` or `lr: 0x… fp: 0x…`. The kernel is one image, each extension with a
    /// range another; those they depend on are not counted.
    @Sendable static func applePanic(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0, framesByImage: [:])
        for tokens in lines(text) {
            if tokens.count > 2, isAddress(tokens[0]), tokens[1] == ":", isAddress(tokens[2]) {
                count.frames += 1
                count.framesByImage?[tokens.count > 3 ? String(tokens[3]) : "", default: 0] += 1
            } else if tokens.count == 4, tokens[0] == "lr:", tokens[2] == "fp:" {
                count.frames += 1
                count.framesByImage?["", default: 0] += 1
            } else if tokens.count == 1, tokens[0].contains(")["), tokens[0].contains("->") {
                count.images? += 1
            } else if tokens.count > 2, tokens[0] == "Kernel", tokens[1] == "UUID:" {
                count.images? += 1
            }
        }
        return count
    }

    /// In the call graph, every address in brackets is one frame; the image is in the last `(in …)`
    /// before them.
    @Sendable static func appleSample(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0, framesByImage: [:])
        var isGraph = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map({ $0.trimmingSuffix { $0 == "\r" } }) {
            if line.contains("Call graph:") { isGraph = true } else if line.isEmpty { isGraph = false }
            let tokens = line.split(separator: " ")
            if tokens.count > 3, tokens[0].hasPrefix("0x"), tokens[1] == "-" { count.images? += 1 }
            // cairn's own rows of inlined calls are not counted.
            guard isGraph, !line.contains(" [inlined]"), let list = tokens.last(where: { $0.hasPrefix("[0x") }) else { continue }
            let addresses = String(list).occurrences(of: "0x")
            count.frames += addresses
            let image = String(line).lastPart(between: "(in ", and: ")") ?? "???"
            count.framesByImage?[image, default: 0] += addresses
        }
        return count
    }

    /// A row has a count, maybe after a star, and ends in an address in brackets, followed only by
    /// remarks; or in an image and an offset into it. Lists of images have a range, which may end
    /// in `???`.
    @Sendable static func appleSpindump(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0, framesByImage: [:])
        for tokens in lines(text) {
            guard let first = tokens.first else { continue }
            let number = first.hasPrefix("*") ? first.dropFirst() : first
            if number.hasPrefix("0x"), tokens.count > 3, tokens[1] == "-" { count.images? += 1 }
            // cairn's own rows of inlined calls are not counted.
            guard tokens.count > 2, number.allSatisfy({ $0.isNumber }), !tokens.contains("[inlined]") else { continue }
            let address = tokens.lastIndex { $0 == "[0]" || $0.hasPrefix("[0x") && $0.hasSuffix("]") }
            let end = address ?? tokens.count
            let image = tokens[..<end].last.flatMap {
                $0.hasSuffix(")") && $0.dropLast().allSatisfy { $0.isNumber } ? imageName(tokens[..<end]) : nil
            }
            guard address != nil || image != nil else { continue }
            count.frames += 1
            count.framesByImage?[image ?? "???", default: 0] += 1
        }
        return count
    }

    /// Returns `Some App` from `start + 20 (main.m:3,4 in Some App + 12)`.
    private static func imageName(_ tokens: ArraySlice<Substring>) -> String? {
        guard let open = tokens.lastIndex(where: { $0.hasPrefix("(") }) else { return nil }
        var parts = tokens[open...].dropLast(2).map(String.init)
        parts[0].removeFirst()
        if let within = parts.lastIndex(of: "in") { parts.removeFirst(within + 1) }
        return parts.joined(separator: " ")
    }

    /// Each frame has an `offsetIntoBinaryTextSegment`, and its image's name in `binaryName`.
    @Sendable static func metrickit(_ text: String) -> NaiveCount {
        var byImage: [String: Int] = [:]
        for match in text.matches(of: #/"binaryName"\s*:\s*"([^"]*)"/#) { byImage[String(match.output.1), default: 0] += 1 }
        return NaiveCount(frames: text.occurrences(of: "\"offsetIntoBinaryTextSegment\""), framesByImage: byImage)
    }

    /// Frames of threads have `instruction_addr` (so do the notable addresses of none of the
    /// samples), those of a Bugsnag event `frameAddress`; a count of skipped frames that is not
    /// zero is a frame of its own. Images have `image_addr`; without a list the program has its
    /// identity in `app_uuid`, if a frame is in it.
    ///
    /// The images of a recrash report are only used where the report has none itself; Bugsnag's
    /// frames bring theirs along.
    @Sendable static func kscrash(_ text: String) -> NaiveCount {
        let skipped = text.matches(of: #/"skipped"\s*:\s*(\d+)/#).filter { $0.output.1 != "0" }.count
        let frames = text.occurrences(of: "\"instruction_addr\"") + text.occurrences(of: "\"frameAddress\"") + skipped
        var byImage: [String: Int] = [:]
        for match in text.matches(of: #/"object_name"\s*:\s*"([^"]*)"/#) { byImage[String(match.output.1), default: 0] += 1 }
        let images = Set(text.matches(of: #/"machoLoadAddress"\s*:\s*"([^"]*)"/#).map { String($0.output.1) }).count
        let program = text.firstMatch(of: #/"CFBundleExecutable"\s*:\s*"([^"]*)"/#).map { byImage[String($0.output.1)] != nil } ?? false
        let listed = max(text.occurrences(of: "\"image_addr\""), program && text.contains("\"app_uuid\"") ? 1 : 0)
        let isBugsnag = text.contains("\"frameAddress\"")
        return NaiveCount(
            frames: frames, images: isBugsnag ? images : listed,
            framesByImage: isBugsnag || skipped > 0 || text.occurrences(of: "\"object_name\"") != frames ? nil : byImage)
    }

    /// Frames are the only messages `StackFrame`, field 2 of a thread and 3 of an exception, that
    /// begin with field 3, the address: `12 LENGTH 18 …` and `1A LENGTH 18 …`, the address being a
    /// varint that ends with the message or before field 6, the symbol. Images are the only
    /// messages with field 5, the processor, of Mach's encoding: `2A LENGTH 08 01 10`.
    static func plcrashreporter(_ bytes: [UInt8]) -> NaiveCount {
        var frames = 0
        var images = 0
        for index in bytes.indices.dropLast(5) {
            if bytes[index] == 0x2A, bytes.dropFirst(index + 2).starts(with: [0x08, 0x01, 0x10]) { images += 1 }
            guard bytes[index] == 0x12 || bytes[index] == 0x1A, bytes[index + 2] == 0x18, bytes[index + 1] < 0x80 else { continue }
            let message = bytes.dropFirst(index + 3).prefix(Int(bytes[index + 1]) - 1)
            guard let last = message.firstIndex(where: { $0 < 0x80 }) else { continue }
            if last + 1 == message.endIndex || bytes[last + 1] == 0x32 { frames += 1 }
        }
        return NaiveCount(frames: frames, images: images)
    }

    // MARK: Android

    /// Rows are `#NN pc HEX MAPPING`, or what a tool has made of them (`#N 0x… in`,
    /// `#N 0x… (FILE+0x…)`). Images are the mappings with a path; one inside an APK differs by its
    /// offset. Rows of Java are below `java stacktrace:`.
    @Sendable static func androidTombstone(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0)
        var images: Set<String> = []
        var isJava = false
        for tokens in lines(text) {
            if tokens.count == 2, tokens[0] == "java", tokens[1] == "stacktrace:" { isJava = true }
            if tokens[0] == "memory" { isJava = false }
            if isJava, tokens[0] == "at" { count.frames += 1 }
            guard let row = tokens.firstIndex(where: { $0.hasPrefix("#") && $0.dropFirst().allSatisfy(\.isNumber) && $0.count > 1 }),
                row + 1 < tokens.count
            else { continue }
            if tokens[row + 1] == "pc" {
                count.frames += 1
                if let image = mapping(tokens[(row + 3)...]) { images.insert(image) }
            } else if isAddress(tokens[row + 1]), row + 2 < tokens.count, tokens[row + 2] == "in" || tokens[row + 2].hasPrefix("(/") {
                count.frames += 1
                if tokens[row + 2].hasPrefix("(/"), let plus = tokens[row + 2].firstIndex(of: "+") {
                    images.insert(String(tokens[row + 2][..<plus].dropFirst()))
                }
            }
        }
        count.images = images.count
        return count
    }

    /// Returns the path of `/data/app/x/base.apk (offset 0x2000) (f+1)`, with the offset if the
    /// library inside is not named.
    private static func mapping(_ tokens: ArraySlice<Substring>) -> String? {
        let start = tokens.first == "(offset" ? tokens.dropFirst(2) : tokens
        guard let path = start.first, path.hasPrefix("/") else { return nil }
        let isUnnamed = path.hasSuffix(".apk") && start.dropFirst().first == "(offset"
        return String(path) + (isUnnamed ? String(start.dropFirst(2).first ?? "") : "")
    }

    /// The same rows with `native:` in front or without, and Java's.
    @Sendable static func androidANR(_ text: String) -> NaiveCount {
        var count = androidTombstone(text)
        count.frames += lines(text).count { $0[0] == "at" && $0.count > 1 && $0[1].contains(".") }
        return count
    }

    /// Frames are the only messages that begin with the numbers 1, 2 and 3 (rel_pc, pc and sp), as
    /// fields 4 (of a thread, or of an allocation of memory) or 6 (of its release):
    /// `22 LENGTH 08 … 10 … 18 …`. A library's path is field 6, `32 LENGTH /…`, and the offset in
    /// an APK field 7 after it.
    static func androidTombstoneProtobuf(_ bytes: [UInt8]) -> NaiveCount {
        func number(_ position: inout Int) -> UInt64 {
            var (value, shift): (UInt64, UInt64) = (0, 0)
            while position < bytes.count, shift < 64 {
                value |= UInt64(bytes[position] & 0x7F) << shift
                shift += 7
                position += 1
                if bytes[position - 1] < 0x80 { break }
            }
            return value
        }
        var count = NaiveCount()
        var images: Set<String> = []
        for start in bytes.indices where bytes[start] == 0x22 || bytes[start] == 0x32 {
            var position = start + 1
            let length = number(&position)
            guard length > 6, length < 4096, position + Int(length) <= bytes.count else { continue }
            let end = position + Int(length)
            let isFrame = [0x08, 0x10, 0x18].allSatisfy { (key: UInt8) in
                guard position < end, bytes[position] == key else { return false }
                position += 1
                _ = number(&position)
                return true
            }
            guard isFrame else { continue }
            count.frames += 1
            // 4, the function's name, and 5, the offset in it.
            if position < end, bytes[position] == 0x22 {
                position += 1
                position = Int(number(&position)) + position
            }
            if position < end, bytes[position] == 0x28 {
                position += 1
                _ = number(&position)
            }
            guard position < end, bytes[position] == 0x32 else { continue }
            position += 1
            let size = Int(number(&position))
            let path = String(decoding: bytes[position..<min(position + size, end)], as: UTF8.self)
            position += size
            let isInArchive = path.hasSuffix(".apk") && position < end && bytes[position] == 0x38
            position += 1
            if path.hasPrefix("/") { images.insert(path + (isInArchive ? " \(number(&position))" : "")) }
        }
        count.images = images.count
        return count
    }

    // MARK: Kernels

    /// Lines that contain a location (`name+0x1/0x2`), an address in `[<>]` with a number or
    /// nothing known after it, or the word for an inlined call; without those that only give the
    /// origin of a warning or a block of memory, link registers, and the repeated line of the
    /// program counter.
    @Sendable static func kernelOops(_ text: String) -> NaiveCount {
        var count = 0
        var counters: Set<Substring> = []
        for tokens in lines(text) {
            // A line that lost its end has a prefix of its own in the middle: the text after it
            // counts.
            let kernel = tokens.firstIndex(of: "kernel:").map { tokens[($0 + 1)...] } ?? tokens[...]
            let parts = kernel.filter { $0 != "?" && $0 != "[" && !isTime($0) }.map { $0.hasPrefix("0010:") ? $0.dropFirst(5) : $0 }
            let location = parts.first(where: isLocation)
            let isNamed = ["WARNING:", "BUG:", "LR", "lr", "ra"].contains { parts.contains($0) } || parts.contains { $0.hasSuffix("()") }
            if parts.contains("INFO:"), parts.contains("in") { continue }
            if parts.contains("RIP:") || parts.contains("RIP") || parts.contains("IP:") || parts.contains("EIP:") || parts.contains("EIP")
                || parts.contains("PC")
            {
                guard let key = location ?? parts.first(where: { $0.hasPrefix("[<") }), !parts.contains(where: { $0.hasPrefix("0033:") })
                else { continue }
                // i386 and arm print address and location on two lines.
                let isFirstHalf = location == nil && (parts.contains("EIP:") || parts.contains("pc"))
                if !isFirstHalf, counters.insert(location ?? (parts.contains { $0.contains("(null)") } ? "(null)" : key)).inserted {
                    count += 1
                }
            } else if parts.contains("[inline]") || parts.contains("inlined") || parts.contains("inline") {
                count += 1
            } else if location != nil, !isNamed {
                count += 1
            } else if parts.count <= 3, let last = parts.last, isAddress(last) || isAddress(last.dropLast()), isCode(parts) {
                count += 1
            } else if parts.contains("from"), parts.contains(where: { $0.hasPrefix("[<") }) {
                count += 1
            }
        }
        return NaiveCount(frames: count)
    }

    /// `12.345678]`, `[1234.567890]`
    private static func isTime(_ token: Substring) -> Bool {
        token.hasSuffix("]") && token.contains(".") && token.allSatisfy { $0.isNumber || $0 == "." || $0 == "[" || $0 == "]" }
    }

    /// `name+0x1/0x2`, in brackets of any kind.
    private static func isLocation(_ token: Substring) -> Bool {
        let parts = token.split(separator: "+")
        guard parts.count == 2, parts[1].hasPrefix("0x"), parts[1].contains("/0x") else { return false }
        return !token.hasSuffix("()") && parts[0].contains { $0.isLetter }
    }

    /// An address in front, or nothing but the number (and the line's time).
    private static func isCode(_ parts: [Substring]) -> Bool {
        parts.contains { $0.hasPrefix("[<") || $0.hasPrefix("([<") } || parts.allSatisfy { isAddress($0) || $0.hasSuffix("]") || $0 == "[" }
    }

    /// Rows have ` at ` and a location, after a number and an address or a call in parentheses;
    /// without such rows ddb's `Stopped at` counts.
    @Sendable static func bsdPanic(_ text: String) -> NaiveCount {
        var rows = 0
        var stops = 0
        for tokens in lines(text) {
            if let at = tokens.firstIndex(of: "at"), at > 0, at + 1 < tokens.count {
                if tokens[at - 1].hasSuffix(")") || (isAddress(tokens[at - 1]) && tokens.contains { $0.hasPrefix("#") }) { rows += 1 }
                if tokens[0] == "Stopped", at == 1 { stops += 1 }
            }
        }
        return NaiveCount(frames: rows > 0 ? rows : stops)
    }

    /// Rows begin with `bt#` and a number, or, in the output of Fuchsia's symbolizer, with `#` and
    /// one; modules are `dso:` or `[[[ELF module`.
    @Sendable static func fuchsiaCrash(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0)
        for tokens in lines(text) {
            if tokens.contains("dso:") || (tokens.contains("[[[ELF") && tokens.contains("module")) { count.images? += 1 }
            guard let row = tokens.first(where: { $0.hasPrefix("bt#") || $0.hasPrefix("#") }),
                row.drop(while: { !$0.isNumber }).first != nil
            else { continue }
            let isRow =
                row.hasPrefix("bt#")
                ? !tokens.contains("end") : tokens.contains("in") || tokens.contains("•") || tokens.contains { $0.contains(")+0x") }
            if isRow, row.allSatisfy({ $0.isNumber || "bt#:.".contains($0) }) { count.frames += 1 }
        }
        return count
    }

    @Sendable static func symbolizerMarkup(_ text: String) -> NaiveCount {
        NaiveCount(frames: text.occurrences(of: "{{{bt:") + text.occurrences(of: "{{{pc:"), images: text.occurrences(of: "{{{module:"))
    }

    // MARK: Linux's own tools: glibc, gdb, apport, systemd-coredump, perf

    /// A row has `[0x…]` in it. Without a memory map an image is a file that rows name with a path,
    /// whole or relative; in a memory map, a path.
    @Sendable static func glibcBacktrace(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0)
        var paths: Set<Substring> = []
        var mapped: Set<Substring> = []
        for line in text.split(whereSeparator: \.isNewline) {
            if let open = line.firstRange(of: "[0x"), line[open.upperBound...].firstIndex(of: "]") != nil {
                count.frames += 1
                if line.first == "/" || line.hasPrefix("./") { paths.insert(line.prefix { $0 != "(" && $0 != "[" }) }
            }
            let tokens = line.split(separator: " ")
            if tokens.count == 6, tokens[0].contains("-"), tokens[3].contains(":"), tokens[5].first == "/" || tokens[5] == "[vdso]" {
                mapped.insert(tokens[5])
            }
        }
        // A program's own copy of its map is not a list of glibc's: only its files that frames are
        // in are images.
        let isOwn = !mapped.isEmpty && !text.contains("======= Memory map:")
        count.images = isOwn ? nil : mapped.isEmpty ? paths.count : mapped.count
        return count
    }

    /// A row begins with `#` and its number.
    @Sendable static func gdbBacktrace(_ text: String) -> NaiveCount {
        let rows = text.split(whereSeparator: \.isNewline).filter { line in
            let first = line.split(separator: " ").first ?? ""
            return (first.first == "#" && first.count > 1 && first.dropFirst().allSatisfy(\.isNumber)) || first == "[KCrash"
        }
        return NaiveCount(frames: rows.count)
    }

    /// gdb's rows; if there are none, the offsets that the signature adds to paths.
    @Sendable static func apport(_ text: String) -> NaiveCount {
        let rows = gdbBacktrace(text)
        guard rows.frames == 0, let signature = text.split(separator: "\n").first(where: { $0.hasPrefix("StacktraceAddressSignature: ") })
        else { return rows }
        return NaiveCount(frames: signature.split(separator: "+").count - 1)
    }

    /// A row has a number, an address and parentheses; in JSON the rows of a message are parted by
    /// an escape.
    @Sendable static func systemdCoredump(_ text: String) -> NaiveCount {
        let lines = text.split(whereSeparator: \.isNewline).flatMap { $0.split(separator: "\\n") }
        return NaiveCount(
            frames: lines.filter { line in
                let tokens = line.split(separator: " ")
                return tokens.count > 3 && tokens[0].first == "#" && isAddress(tokens[1]) && tokens[3].first == "("
            }.count)
    }

    /// The rows of stacks, and nothing else, begin with a tab.
    @Sendable static func perfScript(_ text: String) -> NaiveCount {
        NaiveCount(frames: text.split(whereSeparator: \.isNewline).filter { $0.first == "\t" }.count)
    }

    // MARK: Language runtimes

    /// Rows begin with one of six letters and two blanks (`J` with one) below the two headings and
    /// `# Problematic frame:`; or are alone. A library is a path in the list, or named by a row
    /// alone.
    @Sendable static func hotspot(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0)
        var isList = !text.contains("Native frames:") && !text.contains("Problematic frame:")
        var isMap = false
        var paths: Set<String> = []
        var last: (path: String, end: Substring) = ("", "")
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.hasSuffix("\r") ? line.dropLast() : line
            if line.hasPrefix("Native frames:") || line.hasPrefix("Java frames:") {
                isList = true
            } else if line.hasPrefix("# Problematic frame:") {
                isList = true
            } else if line.hasPrefix("Dynamic libraries:") {
                isMap = true
            } else if line.isEmpty || line == "#" {
                (isList, isMap) = (false, false)
            } else if isList {
                let row = line.hasPrefix("# ") ? line.dropFirst(2) : line
                if ["C  ", "V  ", "j  ", "v  ", "J ", "A  "].contains(where: { row.hasPrefix($0) }) { count.frames += 1 }
            } else if isMap {
                let tokens = line.split { $0 == " " || $0 == "\t" }
                guard let first = tokens.first else { continue }
                if first.hasPrefix("0x"), tokens.count > 1 {
                    count.images? += 1
                } else if tokens.count > 5, first.contains("-"), tokens[5].hasPrefix("/") || tokens[5] == "[vdso]" {
                    let ends = first.split(separator: "-")
                    // If the file's beginning comes again, it is another copy, unless it continues
                    // at the end of the last mapping.
                    let follows = last.path == tokens[5] && last.end == ends[0]
                    if (tokens[2].allSatisfy({ $0 == "0" }) && !follows) || paths.insert(String(tokens[5])).inserted { count.images? += 1 }
                    paths.insert(String(tokens[5]))
                    last = (String(tokens[5]), ends.last ?? "")
                }
            }
        }
        return count
    }

    @Sendable static func javacore(_ text: String) -> NaiveCount {
        NaiveCount(frames: text.occurrences(of: "4XENATIVESTACK  ") + text.occurrences(of: "4XESTACKTRACE  "))
    }

    /// A frame ends with a line that has a location (`file:12`) and perhaps an offset; C frames,
    /// and the lines of a signal, have a pc.
    @Sendable static func go(_ text: String) -> NaiveCount {
        var frames = 0
        var isInside = false
        var before = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("goroutine ") || line == "runtime stack:" || line.hasSuffix(" created at:") || line.contains(" by goroutine ")
            {
                isInside = true
            }
            if !isInside {
                if line.hasPrefix("[signal SIG") || line.hasPrefix("PC=0x") { frames += 1 }
            } else if line.hasPrefix("non-Go function at pc=") || line.hasPrefix("...") {
                frames += 1
            } else if isGoPlace(line), before.hasSuffix(")") || before.hasPrefix("created by ") {
                frames += 1
            }
            if line.hasPrefix("==") && line.contains("ERROR") { isInside = false }
            before = line
        }
        return NaiveCount(frames: frames)
    }

    static func isGoPlace(_ line: String) -> Bool {
        let word = line.split { $0 == " " || $0 == "\t" }.first ?? ""
        guard let colon = word.lastIndex(of: ":") else { return false }
        let digits = word[word.index(after: colon)...]
        return !digits.isEmpty && digits.allSatisfy(\.isNumber)
            && (word.contains(".go:") || word.contains(".s:") || word.contains("_cgo_gotypes"))
    }

    /// Rows begin with a number and a colon; `omitted` replaces rows; a row without either, in the
    /// column of the names, is a part of a frame; and `{:?}` has `{ fn: `.
    @Sendable static func rust(_ text: String) -> NaiveCount {
        var frames = text.occurrences(of: "{ fn: ")
        var isInside = false
        // Causes of an error have numbers, too: they are above the heading of the rows.
        var isCause = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let tokens = line.split(separator: " ")
            if !line.isEmpty, !line.hasPrefix(" ") { isCause = line == "Caused by:" }
            if isCause { continue }
            if line.hasPrefix(" "), let first = tokens.first, first.hasSuffix(":"), !first.dropLast().isEmpty,
                first.dropLast().allSatisfy(\.isNumber)
            {
                isInside = true
                frames += 1
            } else if line.contains("[... omitted") {
                frames += 1
            } else if line.isEmpty || !line.hasPrefix(" ") {
                isInside = false
            } else if isInside, tokens.first != "at" {
                frames += 1
            }
        }
        return NaiveCount(frames: frames)
    }

    @Sendable static func java(_ text: String) -> NaiveCount {
        let lines = lines(text)
        return NaiveCount(frames: lines.count { $0.first == "at" || ($0.first == "..." && $0.last == "more") })
    }

    @Sendable static func javaScript(_ text: String) -> NaiveCount {
        NaiveCount(frames: lines(text).count { $0.first == "at" || $0.first == "..." && $0.contains("matching") })
    }

    /// Mono prints an exception twice, the second time below this heading.
    @Sendable static func dotNet(_ text: String) -> NaiveCount {
        let first = text.firstRange(of: "[ERROR] FATAL UNHANDLED").map { String(text[..<$0.lowerBound]) } ?? text
        return NaiveCount(frames: lines(first).count { $0.first == "at" })
    }

    @Sendable static func python(_ text: String) -> NaiveCount {
        NaiveCount(
            frames: lines(text).count { $0.first == "File" } + text.occurrences(of: "  Binary file ")
                + text.occurrences(of: "[Previous line repeated")
                + text.occurrences(of: "<truncated rest of calls>"))
    }

    // MARK: Sanitizers

    /// A row begins with `#` and a number, and is indented or contains ` in `; Chromium's own rows,
    /// which some of these logs have too, are neither. The number is followed by an address, or the
    /// row ends with the module or the line.
    @Sendable static func sanitizer(_ text: String) -> NaiveCount {
        var frames = 0
        var modules: Set<Substring> = []
        var reports = 0
        for line in text.split(whereSeparator: \.isNewline) {
            let tokens = line.split(separator: " ")
            if line.contains("ERROR: ") && (line.contains("Sanitizer: ") || line.contains("libFuzzer: "))
                || line.contains(": runtime error: ")
            {
                reports += 1
            }
            guard let first = tokens.first, first.hasPrefix("#"), first.dropFirst().first?.isNumber == true, tokens.count > 1,
                first.dropFirst().allSatisfy({ $0.isNumber || $0 == "." }), line.first == " " || (tokens.count > 2 && tokens[2] == "in")
            else { continue }
            // Chromium's row with a blank before it.
            if tokens.last == "<unknown>" { continue }
            let isLocation = tokens.contains { $0.contains("+0x") && $0.hasSuffix(")") } || tokens.last?.contains(":") == true
            guard isAddress(tokens[1]) || isLocation || line.hasSuffix("]") else { continue }
            frames += 1
            // `(/path/lib.so+0x1234)`; a path with a blank is recognised by its end.
            if let module = tokens.last(where: { $0.hasSuffix(")") && $0.contains("+0x") }), let plus = module.lastIndex(of: "+") {
                modules.insert(module[..<plus].drop { $0 == "(" })
            }
        }
        // ThreadSanitizer's modules are names without a folder; in a log of several reports each
        // counts anew.
        let paths = modules.filter { $0.contains("/") || $0.contains("\\") }
        return NaiveCount(frames: frames, images: reports > 1 || paths.count != modules.count ? nil : paths.count)
    }

    // MARK: Programs and services

    /// `#N 0x…`, `[0x…]` at a line's beginning or after a name, `N: 0x…` (one row of V8's has a
    /// name alone), and Apple's rows. Files in parentheses are images.
    @Sendable static func chromium(_ text: String) -> NaiveCount {
        var images: Set<String> = []
        var frames = 0
        for tokens in lines(text.replacing("\u{2003}", with: " ")) {
            let isNumbered =
                tokens[0].hasPrefix("#") && tokens[0].count > 1 && tokens[0].dropFirst().allSatisfy(\.isNumber) && tokens.count > 1
            let isColon =
                tokens.count == 2 && tokens[0].hasSuffix(":") && tokens[0].dropLast().allSatisfy(\.isNumber) && tokens[0].count > 1
            let isBracket = tokens.contains { $0.hasPrefix("[0x") && $0.contains("]") }
            guard isNumbered || isColon || isBracket || isAppleRow(tokens) else { continue }
            frames += 1
            if isNumbered, tokens.count == 3, tokens[2].hasPrefix("(/"), let plus = tokens[2].firstIndex(of: "+") {
                images.insert(String(tokens[2][..<plus]))
            }
        }
        // Their paths are in the rows alone, so that they do not count as a list.
        return NaiveCount(frames: frames, images: nil)
    }

    /// `N: …` in both stacks.
    @Sendable static func nodeNative(_ text: String) -> NaiveCount {
        NaiveCount(
            frames: lines(text).count { $0.count > 1 && $0[0].hasSuffix(":") && $0[0].count > 1 && $0[0].dropLast().allSatisfy(\.isNumber) }
        )
    }

    /// A microdump with a `C` row is a frame; its `M` rows are images.
    @Sendable static func microdump(_ text: String) -> NaiveCount {
        var count = NaiveCount(frames: 0, images: 0)
        for dump in text.split(separator: "-----BEGIN BREAKPAD MICRODUMP-----").dropFirst(text.hasPrefix("-") ? 0 : 1)
        where dump.contains(": C ") {
            count.frames += 1
            count.images? += String(dump).occurrences(of: ": M ")
        }
        return count
    }

    /// `N: … [0x…]` after any text. Paths that begin with a slash are listed.
    @Sendable static func xorg(_ text: String) -> NaiveCount {
        var images: Set<Substring> = []
        var frames = 0
        for tokens in lines(text) {
            guard let row = tokens.firstIndex(where: { $0.hasSuffix(":") && $0.count > 1 && $0.dropLast().allSatisfy(\.isNumber) }),
                tokens.last?.hasPrefix("[0x") == true
            else { continue }
            frames += 1
            if tokens[row + 1].hasPrefix("/") { images.insert(tokens[row + 1]) }
        }
        return NaiveCount(frames: frames, images: images.count)
    }

    /// Frames have `instruction_addr` and their image's name in `package`; images have an
    /// `image_size`.
    @Sendable static func sentryEvent(_ text: String) -> NaiveCount {
        var byImage: [String: Int] = [:]
        for match in text.matches(of: #/"package"\s*:\s*"([^"]*)"/#) {
            let path = match.output.1.replacing("\\/", with: "/")
            byImage[path.split(separator: "/").last.map(String.init) ?? "", default: 0] += 1
        }
        return NaiveCount(
            frames: text.occurrences(of: "\"instruction_addr\""), images: text.occurrences(of: "\"image_size\""), framesByImage: byImage)
    }

    /// Rows that begin with at least two numbers of eight or sixteen hexadecimal digits (after a
    /// row's number, if there is one), or with `(Inline Function)`, and end with more.
    @Sendable static func windowsDebugger(_ text: String) -> NaiveCount {
        var count = 0
        for tokens in lines(text) {
            let tokens = tokens.filter { $0 != ":" }
            let numbers = tokens.map { token in
                [8, 16].contains(token.filter { $0 != "`" }.count) && token.allSatisfy { $0.isHexDigit || $0 == "`" }
            }
            let first = numbers.first == true ? 0 : 1
            let isNumbered = first == 0 || tokens.first?.allSatisfy(\.isHexDigit) == true
            let isRow = isNumbered && numbers.count > first + 2 && numbers[first] && numbers[first + 1]
            if isRow || tokens.contains("(Inline") { count += 1 }
        }
        return NaiveCount(frames: count)
    }

    /// Rows with an exclamation mark between a module and a function, and the modules alone in
    /// `<CallStack>`. The images are those of the rows that give their module's offset.
    @Sendable static func unreal(_ text: String) -> NaiveCount {
        var rows = text.split(whereSeparator: \.isNewline).count { line in
            line.split(separator: "!").count > 1
                && (line.contains("[Callstack] 0x") || line.contains("()") || line.contains("!UnknownFunction"))
        }
        if let element = text.firstPart(between: "<CallStack>", and: "</CallStack>") {
            rows = element.split(whereSeparator: \.isNewline).count
        }
        return NaiveCount(frames: rows)
    }

    // MARK: Formats whose rows give their kind in words

    /// A row of x86 has the program counter after `ip`; registers and MIPS' two lines have theirs
    /// after `epc`, `pc` and `ra`.
    @Sendable static func kernelSegfault(_ text: String) -> NaiveCount {
        NaiveCount(
            frames: lines(text).count { tokens in
                tokens.contains { $0 == "ip" || $0.hasPrefix("ip:") } || tokens.contains("epc")
                    || tokens.contains("ra") && tokens.contains("=")
            })
    }

    /// A row is an address and a tab, or a Java frame without one.
    @Sendable static func mixedStacks(_ text: String) -> NaiveCount {
        NaiveCount(frames: lines(text).count { $0.count > 1 && ($0[0].hasPrefix("0x") || $0[0] == "*") })
    }

    /// Between the heading and the sum of allocations all lines but one are rows.
    @Sendable static func julia(_ text: String) -> NaiveCount {
        NaiveCount(frames: lines(text).count { $0.contains("at") && $0[0] != "in" || $0[0] == "unknown" })
    }

    /// Rows have a number, an address, and a module after `in`.
    @Sendable static func wine(_ text: String) -> NaiveCount {
        NaiveCount(
            frames: lines(text).count { tokens in
                tokens.count > 3 && tokens.contains("in") && tokens[1].hasPrefix("0x")
                    && (tokens[0].hasPrefix("=>") || tokens[0].allSatisfy(\.isNumber))
            })
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

    /// The text between the last `start` and the next `end`.
    fileprivate func lastPart(between start: String, and end: Character) -> String? {
        var found: String?
        var rest = self[...]
        while let first = rest.firstRange(of: start) {
            rest = rest[first.upperBound...]
            found = rest.firstIndex(of: end).map { String(rest[..<$0]) }
        }
        return found
    }

    /// The text between the first `start` and the next `end`.
    fileprivate func firstPart(between start: String, and end: String) -> String? {
        guard let from = firstRange(of: start)?.upperBound, let to = self[from...].firstRange(of: end)?.lowerBound else { return nil }
        return String(self[from..<to])
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return rest
    }
}
