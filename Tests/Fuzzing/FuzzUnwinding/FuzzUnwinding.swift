internal import BinaryPrimitives
internal import MemoryImages
internal import ObjectFiles
internal import Unwinding

/// Reads the bytes as an object file, a core, and the unwind information of every kind, and unwinds
/// stacks with them, which are the bytes too.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    if let file = try? MappedFile(bytes: bytes, name: "input") {
        for object in (try? ObjectFiles.openAll(file)) ?? [] {
            guard let processor = Processor(object.architecture) else { continue }
            let code = object.description.sections.filter(\.isExecutable).prefix(3).flatMap {
                [$0.address.value, $0.address.value &+ $0.size / 2]
            }
            unwind(UnwindTables([object]), processor, object.description.byteOrder, code, bytes)
        }
        core(file)
        if count < 1 << 16 {
            let breakpad = UnwindTables([], breakpad: BreakpadFrames(file))
            for processor in [Processor.x86_64, .i386, .arm64] { unwind(breakpad, processor, .littleEndian, [0x1000, 0x1008], bytes) }
        }
    }
    guard count > 4, count < 1 << 16 else { return 0 }
    // The first byte chooses what the bytes are, and the second where the code begins among them.
    let choice = Int(bytes.byte(at: 0))
    let split = min(count, 2 + Int(bytes.byte(at: 1)) * 4)
    let (code, tables) = (bytes.clamped(to: 2..<split), bytes.clamped(to: split..<count))
    compact(tables)
    let kinds: [(machine: UInt64, isWide: Bool, isBig: Bool)] = [
        (62, true, false), (183, true, false), (3, false, false), (40, false, false), (22, true, true), (243, true, false),
        (21, true, false),
    ]
    let kind = kinds[choice % kinds.count]
    let table = kind.machine == 40 && choice & 0x80 != 0 ? ".ARM.exidx" : choice & 0x40 != 0 ? ".debug_frame" : ".eh_frame"
    let made = MadeImage(machine: kind.machine, isWide: kind.isWide, isBig: kind.isBig).bytes([
        (".text", code.text.copied()), (table, tables.text.copied()),
    ])
    if let file = try? MappedFile(bytes: made.span.rawBytes, name: "input"), let object = try? ObjectFiles.openAll(file).first,
        let processor = Processor(object.architecture)
    {
        unwind(UnwindTables([object]), processor, object.description.byteOrder, [0x1000, 0x1004, 0x1010], bytes)
    }
    return 0
}

/// Unwinds a stack of some bytes, in an image that is mapped where it is linked.
private func unwind(_ tables: UnwindTables, _ processor: Processor, _ order: ByteOrder, _ code: [UInt64], _ bytes: RawSpan) {
    var limits = Limits.standard
    (limits.framesPerThread, limits.scannedWordsPerStack, limits.signalFrames) = (64, 256, 4)
    let base: UInt64 = 0x7000_0000
    let stack = bytes.prefix(4096).text.copied()
    let memory = Memory([.init(address: base, .bytes(stack)), .init(address: base + 1 << 16, .bytes(stack), isExecutable: true)], order)
    let module = UnwindModule(0..<0x6fff_ffff) { UnwindModule.Image(tables, bias: 0) }
    let unwinder = Unwinder(ModuleMap([module]), memory, processor, limits: limits)
    for counter in code.prefix(8) {
        var registers = Registers(processor, programCounter: counter, stackPointer: base)
        for register in 0..<72 where register != processor.stackPointer && register != processor.programCounter {
            registers[register] = register == processor.link ? counter &+ 64 : base + UInt64(register * 16)
        }
        let unwound = unwinder.stack(from: registers)
        precondition(unwound.frames.count <= limits.framesPerThread)
        precondition(unwound.frames.first?.trust == .context)
        for (frame, caller) in zip(unwound.frames, unwound.frames.dropFirst()) where !caller.isExact {
            precondition(caller.stackPointer > frame.stackPointer || frame.isExact)
        }
    }
}

/// Reads the bytes as a core, of a program that is also the core.
private func core(_ file: MappedFile) {
    guard var image = try? CoreReader.read(file) else { return }
    let objects = (try? ObjectFiles.openAll(file)) ?? []
    if let object = objects.first { image.addFiles(program: object, path: "input") { _ in object } }
    image.threads.removeLast(max(0, image.threads.count - 4))
    var limits = Limits.standard
    (limits.framesPerThread, limits.scannedWordsPerStack) = (64, 256)
    for stack in image.stacks(image.modules { _ in ImageFiles(objects) }, limits: limits) {
        precondition((1...64).contains(stack.frames.count))
    }
}

/// Reads the bytes as `__unwind_info`.
private func compact(_ bytes: RawSpan) {
    let base = LinkAddress(0x1000)
    let table = CompactUnwindTable(.assembled(bytes.text.copied()), base: base, .littleEndian)
    for address: UInt64 in [0, 0x1000, 0x1001, 0x1100, 0x2000, 0x10_0000, .max] {
        guard let entry = table.entry(for: LinkAddress(address)) else { continue }
        precondition(entry.start >= base)
        for processor in Processor.allCases { _ = CompactEncoding(entry.encoding, processor) }
    }
}
