internal import BinaryPrimitives
internal import ObjectFiles
internal import Unwinding

/// Opens the bytes as a PE image, looks up everything that one can have, and unwinds stacks in its functions, which are the bytes
/// too.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    guard let file = try? MappedFile(bytes: bytes, name: "input"), let object = (try? ObjectFiles.openAll(file))?.first,
        object.description.container == .pe
    else { return 0 }
    for section in object.description.sections {
        precondition(section.fileRange.upperBound <= count)
        _ = try? object.contents(of: section).withBytes { $0.byteCount }
    }
    var names = 0
    try? object.forEachSymbol { symbol in
        names += symbol.name.text(in: object).utf8.count
        return true
    }
    guard let table = FunctionTable(object) else { return 0 }
    var addresses: [LinkAddress] = []
    for range in table.allRanges().prefix(32) {
        precondition(range.lowerBound < range.upperBound)
        for distance: UInt64 in [0, 1, 4, 8, 20] { addresses.append(LinkAddress(range.lowerBound.value &+ distance)) }
        for distance: UInt64 in [1, 2, 4, 8] { addresses.append(LinkAddress(range.upperBound.value &- distance)) }
    }
    for address in addresses {
        if let entry = table.entry(containing: address) { precondition(entry.range.contains(address)) }
    }
    if let processor = Processor(object.architecture) { unwind(UnwindTables([object]), processor, addresses, bytes) }
    return 0
}

/// Unwinds a stack of some bytes from each address, in an image that is mapped where it is linked.
private func unwind(_ tables: UnwindTables, _ processor: Processor, _ addresses: [LinkAddress], _ bytes: RawSpan) {
    var limits = Limits.standard
    (limits.framesPerThread, limits.scannedWordsPerStack) = (16, 64)
    let base: UInt64 = 0x7000_0000_0000
    let memory = Memory([.init(address: base, .bytes(bytes.prefix(4096).text.copied()))], .littleEndian)
    let module = UnwindModule(0..<base) { UnwindModule.Image(tables, bias: 0) }
    let unwinder = Unwinder(ModuleMap([module]), memory, processor, usesFramePointers: false, limits: limits)
    for address in addresses {
        var registers = Registers(processor, programCounter: address.value, stackPointer: base)
        for register in 0..<31 where register != processor.stackPointer && register != processor.programCounter {
            registers[register] = register == processor.link ? address.value &+ 64 : base + UInt64(register * 16)
        }
        let unwound = unwinder.stack(from: registers)
        precondition((1...16).contains(unwound.frames.count))
        for (frame, caller) in zip(unwound.frames, unwound.frames.dropFirst()) where !caller.isExact {
            precondition(caller.stackPointer > frame.stackPointer || frame.isExact)
        }
    }
}
