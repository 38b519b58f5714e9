internal import BinaryPrimitives
package import CrashLogModel

/// Android's native crashes: a tombstone file, what crash_dump and debuggerd before it write to the
/// log under `DEBUG`, and xCrash's files of the same form:
///
///     *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
///     Build fingerprint: 'google/sailfish/sailfish:10/QP1A.190711.020/5800535:user/release-keys'
///     ABI: 'arm64'
///     pid: 21829, tid: 21850, name: worker  >>> com.example.shop <<<
///     signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0
///         x0  0000000000000003  x1  …
///     backtrace:
///         #00 pc 000000000000bd86  /data/app/com.example.shop/lib/arm64/libshop.so (sell+22) (BuildId: 6e21…)
///     --- --- --- --- --- --- --- --- --- --- --- --- --- --- --- ---
///     pid: 21829, tid: 21851, name: …
///
/// Written by `tombstone_proto_to_text` in system/core's `debuggerd/libdebuggerd`, before Android
/// 12 by `dump_thread` in its `tombstone.cpp`. Crash reporters copy parts of it, and people do, so
/// that a trace may begin at the line with the process, or at any frame.
package struct AndroidTombstone: LineFormat {
    package static let name = "android-tombstone"
    package static let summary = "Android’s native crashes: tombstones, logcat, xCrash"
    package static let triggers = ["*** *** *** *** ***", ", tid: ", "#00 pc ", "#00  pc ", " pc 0", ", Name:", AndroidFatalSignal.trigger]

    private enum Section {
        case head
        case backtrace
        /// Memory, maps, files: rows that are no frames.
        case memory
        case map
        case identities
        case java
    }

    private var section = Section.head
    private var head = AndroidHead()
    private var stacks = AndroidStacks()
    private var registers: [(name: String, value: UInt64)] = []
    private var identities: [(path: String, id: ImageID)] = []
    private var hasBanner = false
    private var isNewThread = false
    private var isInMessage = false
    private var hasFatalSignal = false
    /// The rows are of code that is translated.
    private var isGuest = false

    package init() {}

    package var awaitsOtherWriter: Bool { hasFatalSignal && !hasBegun }

    /// Anything has come but the C library's line.
    private var hasBegun: Bool { hasBanner || stacks.hasThread || !stacks.isEmpty }

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = line.trimmed()
        if isBanner(text, "*** ") { return .certain }
        if text.hasPrefix("pid: "), text.contains(", tid: ") { return AndroidThreadHeading(text) == nil ? .none : .certain }
        if AndroidFatalSignal(text) != nil { return .possible }
        if text.hasPrefix("Tid:"), AndroidThreadHeading(text) != nil { return .possible }
        return text.hasPrefix("#") && AndroidRow(text)?.namesMapping == true ? .possible : .none
    }

    /// `*** *** ***…`, `--- --- ---…`: sixteen of them; mails and issue trackers lose some.
    static func isBanner(_ text: Span<UInt8>, _ part: String) -> Bool {
        var rest = text
        var count = 0
        while rest.take(part) { count += 1 }
        return count >= 4 && part.hasPrefix(rest.text) && rest.count <= 3
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if text.count == 0 { return .unknown }
        if AndroidTombstone.isBanner(text, "*** ") {
            // The next crash.
            guard !hasBanner, stacks.isEmpty else { return .rejected }
            hasBanner = true
            return .more
        }
        if AndroidTombstone.isBanner(text, "--- ") {
            endRegisters()
            isNewThread = true
            section = .head
            return .more
        }
        if AndroidTombstone.isBanner(text, "+++ ") { return .more }
        if text.hasPrefix("pid: "), let heading = AndroidThreadHeading(text) { return take(heading) }
        if text.hasPrefix("Tid:"), let heading = AndroidThreadHeading(text) {
            isNewThread = true
            return take(heading)
        }
        if takeGuest(text) { return .more }
        if let fatal = AndroidFatalSignal(text) {
            guard !hasBegun else { return .rejected }
            hasFatalSignal = true
            head.take(fatal, text)
            return .more
        }
        if let row = AndroidRow(text) { return takeRow(row, at: place) }
        if let row = SanitizerRow(inAndroidLog: line) { return takeRow(row, at: place) }
        if let heading = AndroidTombstone.heading(text) { return open(heading, text) }
        if text.hasPrefix("Tombstone written to: ") { return .done }
        let verdict = takeInside(text, at: place)
        // Below the C library's line alone is a crash's first line, or nothing that belongs to it.
        return awaitsOtherWriter && verdict == .unknown ? .rejected : verdict
    }

    // MARK: Threads and frames

    private mutating func take(_ heading: AndroidThreadHeading) -> LineVerdict {
        endRegisters()
        let isFirst = !stacks.hasThread
        // Without a line between them, a second process is another crash.
        guard isFirst || isNewThread || stacks.isEmpty else { return .rejected }
        isNewThread = false
        isInMessage = false
        isGuest = false
        section = .head
        if isFirst {
            head.process.pid = heading.pid == 0 ? nil : heading.pid
            if let name = heading.processName { head.take(processName: name) }
        }
        stacks.openThread(index: heading.thread ?? 0, name: heading.name, crashed: isFirst)
        return .more
    }

    /// `Guest thread information for tid: 9981`, below a thread whose code is translated.
    private mutating func takeGuest(_ text: Span<UInt8>) -> Bool {
        var rest = text
        guard isNewThread, rest.take("Guest thread information for tid: "), let thread = rest.takeDecimal() else { return false }
        endRegisters()
        isNewThread = false
        isGuest = true
        section = .head
        stacks.openGuest(thread: Int(exactly: thread) ?? 0)
        return true
    }

    /// xCrash gives ART's trace of all threads in a file like a tombstone.
    private mutating func takeThread(_ text: Span<UInt8>, at place: Range<Int>) -> Bool {
        if text.at(0) == UInt8(ascii: "\""), let thread = AndroidANR.thread(text) {
            stacks.openThread(index: thread.index, name: thread.name, crashed: false)
            return true
        }
        guard stacks.hasThread, let row = AndroidJavaRow(text) else { return false }
        return stacks.add(row, at: place)
    }

    private mutating func takeRow(_ row: AndroidRow, at place: Range<Int>) -> LineVerdict {
        endRegisters()
        if head.crashType != "anr" { section = .backtrace }
        if !stacks.hasThread, section == .backtrace, let thread = head.thread {
            stacks.openThread(index: thread.index, name: thread.name, crashed: true)
        }
        var row = row
        if isGuest { row.architecture = head.guestArchitecture }
        return stacks.add(row, at: place) ? .more : .rejected
    }

    private mutating func takeRow(_ row: SanitizerRow, at place: Range<Int>) -> LineVerdict {
        if section == .head {
            // A sanitizer's report as the abort message.
            if !isInMessage { stacks.openAdditional("abort message") }
            isInMessage = true
            guard let unwound = row.unwound else { return .unknown }
            return stacks.add(unwound, isLinkAddress: true, at: place) ? .more : .rejected
        }
        guard section == .backtrace else { return .unknown }
        if let unwound = row.unwound { return stacks.add(unwound, at: place) ? .more : .rejected }
        // What a tool has made of a row: the library is gone, and what the number counts from with
        // it.
        let frame = Frame(index: row.index, kind: .exact, address: nil, place: place, printed: row.printed)
        return stacks.add(frame) ? .more : .rejected
    }

    private mutating func endRegisters() {
        stacks.setRegisters(registers)
        head.noteRegisters(registers)
        registers = []
    }

    // MARK: Headings

    private enum Heading {
        case backtrace
        case additional
        case section(Section)
    }

    private static func heading(_ text: Span<UInt8>) -> Heading? {
        if text.equals("backtrace:") || text.hasSuffix(" total frames") { return .backtrace }
        if text.hasPrefix("deallocated by thread ") || text.hasPrefix("allocated by thread ") { return .additional }
        if text.hasPrefix("memory map") { return .section(.map) }
        if text.equals("build id:") { return .section(.identities) }
        if text.equals("java stacktrace:") { return .section(.java) }
        let others = [
            "stack:", "memory near ", "code around ", "open files:", "logcat:", "memory info:", "network info:", "Memory tags around ",
            "total threads ", "dumped threads:", "--------- tail end of log ", "--------- log ", "No memory maps found",
        ]
        return others.contains { text.hasPrefix($0) } ? .section(.memory) : nil
    }

    private mutating func open(_ heading: Heading, _ text: Span<UInt8>) -> LineVerdict {
        endRegisters()
        switch heading {
        case .backtrace:
            section = .backtrace
            stacks.resumeThread()
        case .additional:
            section = .backtrace
            stacks.openAdditional(text.hasSuffix(":") ? text.upTo(text.count - 1).text : text.text)
        case .section(let next): section = next
        }
        if section == .java { stacks.openThread(index: 0, name: "java stacktrace", crashed: false) }
        return .more
    }

    // MARK: What is in the sections

    private mutating func takeInside(_ text: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        switch section {
        case .head:
            if head.crashType == "anr" {
                if takeThread(text, at: place) { return .more }
                if let source = AndroidSourceLine(text), stacks.add(source, at: place) { return .more }
            }
            if head.take(text) { return .more }
            return takeRegisters(text) ? .more : .unknown
        case .backtrace:
            if let source = AndroidSourceLine(text), stacks.add(source, at: place) { return .more }
            if text.hasPrefix("NOTE: ") { return .more }
            return head.take(text) ? .more : .unknown
        case .identities:
            guard let row = AndroidMapRow.identity(text), identities.count < Limits.standard.images else { return .unknown }
            identities.append(row)
            return .more
        case .map:
            guard let row = AndroidMapRow(text) else { return text.hasPrefix("--->") ? .more : .unknown }
            head.map.add(row)
            return .more
        case .java:
            guard let row = AndroidJavaRow(text) else { return .unknown }
            return stacks.add(row, at: place) ? .more : .rejected
        case .memory:
            // Words of the stack and of memory: `ff88c8a4  00001000`, `#00  ff88c8a4  00001000`.
            var rest = text
            if rest.take("#") {
                guard rest.takeDecimal() != nil else { return .unknown }
                rest.skipBlanks()
            }
            let word = rest.takeToken()
            return word.count >= 8 && AndroidTombstone.isHexadecimal(word) || text.hasPrefix("fd ") ? .more : .unknown
        }
    }

    private static func isHexadecimal(_ text: Span<UInt8>) -> Bool {
        for index in 0..<text.count where hexadecimalValue(text[index]) == nil { return false }
        return text.count > 0
    }

    /// `r0  00000003  r1  00000003`, `lr  00000060bc410db8  sp  0000007ffbea17c0`
    private mutating func takeRegisters(_ text: Span<UInt8>) -> Bool {
        var rest = text
        var taken: [(name: String, value: UInt64)] = []
        while rest.count > 0 {
            let name = rest.takeToken()
            rest.skipBlanks()
            let word = rest.takeToken()
            rest.skipBlanks()
            guard (1...8).contains(name.count), word.count == 8 || word.count == 16, let value = word.hexadecimal else { return false }
            taken.append((name.text, value))
        }
        guard !taken.isEmpty, registers.count + taken.count <= 256 else { return false }
        registers += taken
        return true
    }

    // MARK: The report

    package mutating func finish() -> [CrashReport] {
        endRegisters()
        guard !stacks.isEmpty else { return [] }
        let isANR = head.crashType == "anr"
        return [AndroidReport.make(isANR ? AndroidANR.name : AndroidTombstone.name, head: head, stacks: stacks, identities: identities)]
    }
}

extension AndroidMapRow {
    /// A row of xCrash's `build id:`: `/system/lib/libart.so (BuildId: 71c7…. FileSize: 5987060.
    /// LastModified: …)`
    static func identity(_ text: Span<UInt8>) -> (path: String, id: ImageID)? {
        guard text.hasPrefix("/"), let mark = text.firstRange(of: " (BuildId: ") else { return nil }
        var rest = text.from(mark.upperBound)
        rest = rest.upTo(rest.firstRange(of: ".")?.lowerBound ?? rest.firstRange(of: ")")?.lowerBound ?? 0)
        return ImageID(buildID: rest.text).map { (text.upTo(mark.lowerBound).text, $0) }
    }
}
