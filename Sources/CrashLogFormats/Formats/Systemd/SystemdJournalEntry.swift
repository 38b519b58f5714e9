internal import BinaryPrimitives
package import CrashLogModel

/// A crash in the journal as `journalctl -o json` prints it: systemd-coredump's message and fields
/// (`src/coredump/coredump.c`), one object for each entry.
///
///     {"MESSAGE":"Process 3252 (segv.sh) of user 1000 dumped core.\n\nStack trace of thread 3252:\n#0  0x00007fe849946d79 …","COREDUMP_EXE":"/usr/bin/bash","COREDUMP_SIGNAL_NAME":"SIGSEGV",…}
///
/// `COREDUMP_PROC_MAPS` is null in it unless `--all` was given.
package struct SystemdJournalEntry: DocumentFormat {
    package static let name = StackCards.systemd.name
    package static let summary = StackCards.systemd.summary
    package static let triggers = ["\"COREDUMP_", "dumped core"]

    package static func begins(_ start: Span<UInt8>) -> Confidence {
        guard firstByte(start) == UInt8(ascii: "{") else { return .none }
        if start.contains("\"COREDUMP_") { return .certain }
        return start.contains("\"MESSAGE\"") && start.contains("dumped core") ? .possible : .none
    }

    package static func parse(_ document: Span<UInt8>) throws(LogError) -> [CrashReport] {
        let root = try JSONParser().parse(document)
        var rows = RowStacks(family: name)
        var fields = SystemdFields()
        for member in root.members {
            if member.key == "MESSAGE", member.value.string != nil {
                readMessage(document, member.value.range, &rows)
            } else if let value = member.value.string {
                _ = fields.read(member.key, value)
            }
        }
        guard var report = rows.finish().first else {
            throw LogError("this journal entry has no stack", expected: "a MESSAGE of systemd-coredump with “Stack trace of thread”", at: 0)
        }
        fields.apply(to: &report)
        guard let identities = root["COREDUMP_PACKAGE_JSON"]?.string else { return [report] }
        readBuildIDs(identities, &report)
        return [report]
    }

    /// The message's lines, which end with the two bytes of an escape.
    private static func readMessage(_ document: Span<UInt8>, _ string: Range<Int>, _ rows: inout RowStacks) {
        var start = string.lowerBound + 1
        var position = start
        let end = string.upperBound - 1
        while position < end {
            if document[position] == UInt8(ascii: "\\") {
                if document.at(position + 1) == UInt8(ascii: "n") {
                    _ = rows.consume(document.clamped(to: start..<position), at: start..<position)
                    start = position + 2
                }
                position += 1
            }
            position += 1
        }
        if start < end { _ = rows.consume(document.clamped(to: start..<end), at: start..<end) }
    }

    /// Reads the build IDs of `{"libc.so.6":{"type":"deb","buildId":"…"},…}`, from the modules'
    /// notes (systemd 250 and later).
    private static func readBuildIDs(_ text: String, _ report: inout CrashReport) {
        guard let root = try? JSONParser().parse(Array(text.utf8).span) else { return }
        let members = root.members
        var numbers: [String: Int] = [:]
        for (number, member) in members.enumerated() {
            let name = Path.foreignName(of: member.key)
            if numbers[name] == nil { numbers[name] = number }
        }
        for index in report.images.indices where report.images[index].id == nil {
            guard let number = numbers[report.images[index].name] else { continue }
            report.images[index].id = members[number].value["buildId"]?.string.flatMap { ImageID(text: $0) }
        }
    }

    package static func edits(of report: CrashReport, results: [(frame: Frame, result: FrameResult)], in log: Span<UInt8>) -> [TextEdit] {
        RowStacks.edits(of: report, results: results, in: log)
    }
}
