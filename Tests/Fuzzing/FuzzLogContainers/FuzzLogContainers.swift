internal import BinaryPrimitives
import CrashLogModel
internal import CrashReports

/// Any bytes as a log that may be compressed, to its end and within its limits; and once more as it
/// was kept, which gives the same text.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    var limits = Limits()
    limits.expandedLog = 1 << 18
    limits.logExpansion = 2
    var log = LogBytes(input, path: "a", limits: limits)
    var text: [UInt8] = []
    while let part = read(&log) { text += part }
    precondition(text.count <= max(1 << 18, 2 * count), "a log of \(count) bytes became \(text.count)")
    precondition(read(&log) == nil, "more came behind the end")
    let problem = log.problem
    precondition(problem?.description.contains("\n") != true, "the problem has several lines")
    var kept = LogInput(log.unpacked(text))
    var again: [UInt8] = []
    var stream = LogStream()
    while let part = try? kept.next() {
        again += part
        stream.feed(part.span) { _, _ in }
    }
    stream.finish { _, _ in }
    precondition(kept.encoding != .utf8 || again == text, "the text is another one when it is read again")
    precondition(kept.problem == problem, "the problem is another one when it is read again")
    _ = kept.problems(of: stream)
    // Whether a process's memory is in it, also in a report of apport; nothing is lost where not.
    limits.unpackedMemory = 1 << 18
    if let file = unsafe try? MappedFile(bytes: RawSpan(_unsafeStart: start, byteCount: count), name: "a") {
        var log = LogBytes(file, limits: limits)
        if let found = try? log.memory() {
            precondition(found.file.size <= max(1 << 19, 4 * count), "memory of \(count) bytes became \(found.file.size)")
        } else {
            var rest: [UInt8] = []
            while let part = read(&log) { rest += part }
            precondition(rest == text, "looking for memory has changed the log")
        }
    }
    return 0
}

private func read(_ log: inout LogBytes) -> [UInt8]? { (try? log.next()) ?? nil }
