internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel
internal import CrashReports
internal import LogChecks

/// Any bytes as a JSON document, whose every value must be in the one around it, in order; and as a
/// document of one format, which the first byte picks: JSON's, and those with bytes that identify
/// them.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let value = try? JSONParser().parse(input.span) { check(value, in: 0..<count) }
    LogChecks.check(CrashLog.parse(input.span), input)
    guard let pick = input.first else { return 0 }
    let formats = FormatRegistry.standard.documentFormats
    let format = formats[Int(pick) % formats.count]
    let log = format.magic + input.dropFirst()
    LogChecks.check(CrashLog.parse(log.span, formatName: format.name), log)
    return 0
}

private func check(_ value: JSONValue, in outer: Range<Int>) {
    precondition(value.range.lowerBound >= outer.lowerBound && value.range.upperBound <= outer.upperBound && !value.range.isEmpty)
    var position = value.range.lowerBound + 1
    for child in value.elements + value.members.map(\.value) {
        check(child, in: position..<value.range.upperBound)
        position = child.range.upperBound
    }
    for member in value.members { precondition(member.keyRange.upperBound <= member.value.range.lowerBound) }
}
