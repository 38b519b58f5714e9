internal import BatchProcessing
internal import BinaryPrimitives
internal import CrashLogModel

/// Any bytes as the input of `cairn stream`: the first byte selects the parts in which it comes.
/// The records are the same for all parts, each line is one, and each has a reply that is one line
/// of JSON, and its own keys.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    let framing = first & 1 == 0 ? StreamFraming.ndjson : .lengths
    let records = records(bytes, framing, part: bytes.count)
    precondition(records == FuzzStream.records(bytes, framing, part: Int(first >> 1) + 1), "other records in other parts")
    if framing == .ndjson {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        precondition(records.count == lines.count - (lines.last?.isEmpty == true ? 1 : 0), "not a record for each line")
    }
    for record in records { check(record) }
    return 0
}

private func records(_ bytes: [UInt8], _ framing: StreamFraming, part: Int) -> [StreamRecord] {
    var reader = StreamReader(framing, largest: 1024)
    var rest = bytes[...]
    var records: [StreamRecord] = []
    while let record = try? reader.next({
        defer { rest = rest.dropFirst(part) }
        return Array(rest.prefix(part))
    }) { records.append(record) }
    return records
}

private func check(_ record: StreamRecord) {
    let line = StreamReply(StreamError(.input, "refused"), of: record).line
    precondition(line.last == 0x0A && line.count { $0 == 0x0A || $0 == 0x0D } == 1, "not one line")
    guard let value = try? JSONGrammar.document(line.span) else { preconditionFailure("not JSON") }
    precondition(value.isObject && value["schema"]?.int == 1, "not a reply")
    guard let question = try? StreamRequest(record) else { return }
    precondition(question.keys.members.elementsEqual(StreamKeys(record).members) { $0 == $1 }, "other keys")
}
