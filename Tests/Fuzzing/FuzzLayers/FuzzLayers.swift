internal import LogChecks

/// Any bytes as the text below a layer, which the first byte selects.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let kind = input.first else { return 0 }
    let layer = LayerChecks.layers[Int(kind) % LayerChecks.layers.count]
    let raw = Array(input.dropFirst())
    for problem in [LayerChecks.problemOfMap(layer, raw), LayerChecks.problemOfEdits(layer, raw)] {
        precondition(problem == nil, "\(layer): \(problem ?? "")")
    }
    return 0
}
