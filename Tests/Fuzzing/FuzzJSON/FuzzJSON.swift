import BinaryPrimitives
import CrashReports

/// Any bytes as JSON: every value must lie in the one around it, in order.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let value = try? JSONParser().parse(input.span) { check(value, in: 0..<count) }
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
