internal import BinaryPrimitives
internal import Serving

/// Any bytes as a form: a `Content-Type`, a line's end, and the body. Every field's content is in
/// the body, after the one before it; and a form whose last boundary is cut off is refused.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let line = input.prefix { $0 != 0x0A }
    let body = Array(input[line.endIndex...].dropFirst())
    let contentType = String(decoding: line, as: UTF8.self)
    guard let form = try? Multipart(body.span, contentType: contentType) else { return 0 }
    precondition(form.parts.count <= Limits.standard.formParts, "too many parts")
    var end = 0
    for part in form.parts {
        precondition(part.content.lowerBound >= end && part.content.upperBound <= body.count, "content outside of its part")
        end = part.content.upperBound
    }
    // Without the bytes after the last content, no boundary is left to end it.
    if !form.parts.isEmpty {
        precondition((try? Multipart(Array(body.prefix(end)).span, contentType: contentType)) == nil, "a form without an end")
    }
    return 0
}
