/// A minidump of Linux on x86-64 (minidumpapiset.h; Breakpad's `minidump_format.h`): one program,
/// and one thread whose frame pointers lead through `frames` callers.
func deepMinidump(frames: Int) -> [UInt8] {
    let (stack, code) = (0x7fff_0000, 0x40_0000)
    func numbers(_ values: [(value: Int, size: Int)]) -> [UInt8] {
        values.flatMap { value, size in (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    }
    // A saved frame pointer and a return address each; the last has no caller.
    let chain = (1...frames).flatMap { numbers([($0 < frames ? stack + 16 * $0 : 0, 8), ($0 < frames ? code + 0x100 + $0 : 0, 8)]) }
    var context = [UInt8](repeating: 0, count: 1232)
    // `ContextFlags`, `Rsp`, `Rbp`, `Rip`.
    for (offset, value, size) in [(48, 0x10_000b, 4), (152, stack, 8), (160, stack, 8), (248, code + 0x10, 8)] {
        context.replaceSubrange(offset..<offset + size, with: numbers([(value, size)]))
    }
    let path = Array("/app".utf16)
    let name = numbers([(path.count * 2, 4)] + path.map { (Int($0), 2) } + [(0, 2)])

    var file = numbers([(0x504d_444d, 4), (0xa793, 4), (3, 4), (32, 4), (0, 4), (1_700_000_000, 4), (0, 8)])
    let data = file.count + 3 * 12
    let (chainOffset, contextOffset) = (data, data + chain.count)
    let nameOffset = contextOffset + context.count
    let streams: [(type: Int, bytes: [UInt8])] = [
        // The processor 9, Linux.
        (7, numbers([(9, 2), (0, 4), (1, 1), (0, 1), (0, 12), (0x8201, 4), (0, 4)]) + [UInt8](repeating: 0, count: 28)),
        (
            3,
            numbers([
                (1, 4), (77, 4), (0, 20), (stack, 8), (chain.count, 4), (chainOffset, 4), (context.count, 4), (contextOffset, 4),
            ])
        ),
        (4, numbers([(1, 4), (code, 8), (0x1_0000, 4), (0, 8), (nameOffset, 4)]) + [UInt8](repeating: 0, count: 84)),
    ]
    var offset = nameOffset + name.count
    for stream in streams {
        file += numbers([(stream.type, 4), (stream.bytes.count, 4), (offset, 4)])
        offset += stream.bytes.count
    }
    return file + chain + context + name + streams.flatMap(\.bytes)
}
