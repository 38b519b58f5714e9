internal import BinaryPrimitives
internal import Demangling

/// Any bytes as a name: nothing traps, a name that is not read is unchanged, and plain forms keep
/// to their limit.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let name = String(decoding: input, as: UTF8.self)
    var limits = Limits()
    limits.nameLength = 1 << 16
    for style in Demangler.Style.allCases {
        let result = Demangler(style: style, limits: limits).read(name)
        precondition(!result.staysMangled || result.text == name)
        // The limit is looked at once a step, and a step may write a piece of the name. Swift's own
        // demangler, which reads `$s`, has no limit.
        precondition(result.scheme == .swift || result.text.utf8.count <= limits.nameLength + 4 * name.utf8.count + 1024)
    }
    return 0
}
