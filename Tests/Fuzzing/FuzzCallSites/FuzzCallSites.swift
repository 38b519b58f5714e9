internal import BinaryPrimitives
internal import CallSites
internal import ObjectFiles

/// Reads the bytes as an object file, and as the code of every machine, and looks up calls all over
/// them.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    if let file = try? MappedFile(bytes: bytes, name: "input"), let objects = try? ObjectFiles.openAll(file) {
        lookUpCalls(objects)
        for object in objects { lookUpCalls([object]) }
    }
    // The first byte chooses a machine; all of them in turn would be slow.
    guard count > 1, count < 1 << 16 else { return 0 }
    let machines: [UInt64] = [62, 3, 183, 40, 243, 21, 20, 22, 8, 258, 43, 2]
    let choice = bytes.byte(at: 0)
    let code = bytes.clamped(to: 1..<count)
    let made = wrap(code, machine: machines[Int(choice) % machines.count], isWide: choice & 0x40 == 0, isBig: choice & 0x80 != 0)
    if let file = try? MappedFile(bytes: made.span.rawBytes, name: "input"), let object = try? ObjectFiles.openAll(file).first {
        lookUpCalls([object])
    }
    return 0
}

private func lookUpCalls(_ objects: [ObjectFile]) {
    let trampolines = SignalTrampolines(objects)
    guard let sites = CallSites(objects) else { return }
    var last = LinkAddress(0)
    var calls: [CallSite] = []
    sites.forEachCall { site in
        precondition(site.call < site.returnAddress)
        last = max(last, site.returnAddress)
        if calls.count < 64 { calls.append(site) }
        return true
    }
    for site in calls {
        // A lookup finds each call site that the walk finds, unless the function's start is unknown
        // to it.
        if case .call(let found) = sites.call(returningTo: site.returnAddress) { precondition(found.returnAddress == site.returnAddress) }
    }
    let ends = sites.code.prefix(4).flatMap { [$0.lowerBound.value, $0.upperBound.value] }
    for value in ends + [0, last.value, 0x1000, .max] {
        for distance: UInt64 in 0..<24 {
            let address = LinkAddress(value &- 8 &+ distance)
            if case .call(let site) = sites.call(returningTo: address) { precondition(site.returnAddress.value | 1 == address.value | 1) }
            if case .call(let site) = sites.call(containing: address) { precondition(site.call <= address) }
            if let start = sites.functionStart(containing: address) { precondition(start <= address) }
            _ = sites.isStub(address)
            if trampolines.proof(at: address) != nil { precondition(trampolines.isKnown(address)) }
        }
    }
}

/// An ELF file of one executable section, at 0x1000 (gABI, chapter 4).
private func wrap(_ code: RawSpan, machine: UInt64, isWide: Bool, isBig: Bool) -> [UInt8] {
    var file: [UInt8] = []
    func put(_ value: UInt64, _ size: Int) {
        for index in 0..<size { file.append(UInt8(truncatingIfNeeded: value >> UInt64((isBig ? size - 1 - index : index) * 8))) }
    }
    let (word, headerSize) = isWide ? (8, 64) : (4, 52)
    let names: [UInt8] = Array("\0.text\0.n\0".utf8)
    let end = headerSize + code.byteCount
    file += [0x7f, 0x45, 0x4c, 0x46, isWide ? 2 : 1, isBig ? 2 : 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    put(3, 2)
    put(machine, 2)
    put(1, 4)
    for value in [0, 0, end + names.count] { put(UInt64(value), word) }
    put(0, 4)
    for value in [headerSize, isWide ? 56 : 32, 0, isWide ? 64 : 40, 3, 2] { put(UInt64(value), 2) }
    for index in 0..<code.byteCount { file.append(code.byte(at: index)) }
    file += names
    for section in [(0, 0, 0, 0, 0, 0), (1, 1, 6, 0x1000, headerSize, code.byteCount), (7, 3, 0, 0, end, names.count)] {
        put(UInt64(section.0), 4)
        put(UInt64(section.1), 4)
        for value in [section.2, section.3, section.4, section.5] { put(UInt64(value), word) }
        put(0, 8)
        for _ in 0..<2 { put(1, word) }
    }
    return file
}
