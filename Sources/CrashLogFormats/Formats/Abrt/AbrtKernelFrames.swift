internal import BinaryPrimitives
internal import CrashLogModel

/// The frames of a kernel's oops as satyr has read them:
///
///     {"address": 18446744072102181385, "reliable": true, "function_name": "cfg80211_roamed", "function_offset": 137, "function_length": 144, "module_name": "cfg80211"}
struct AbrtKernelFrames {
    private(set) var frames: [Frame] = []

    init(_ problem: JSONValue, _ table: inout ImageTable) {
        for element in (problem["frames"]?.elements ?? []).prefix(Limits.standard.framesPerThread) {
            // Newer kernels print no addresses: satyr writes 0.
            let address = element["address"]?.unsigned.flatMap { $0 == 0 ? nil : RuntimeAddress($0) }
            var frame = Frame(index: frames.count, kind: .returnAddress, address: address, place: element.range)
            frame.isInlined = element["inlined"]?.isTrue == true
            let module = element["module_name"]?.string
            frame.imageName = module ?? "vmlinux"
            if let name = element["function_name"]?.string, let offset = element["function_offset"]?.unsigned {
                let size = element["function_length"]?.unsigned.flatMap { $0 == 0 ? nil : $0 }
                let location = element["source_file"]?.string.flatMap { file in
                    element["source_line"]?.int.map { SourceLocation(file: file, line: $0) }
                }
                frame.printed = PrintedSymbol(name: name, offset: offset, location: location)
                frame.imagePlace = .symbol(SymbolPlace(name: name, offset: offset, size: size))
            }
            frame.image = table.index(ofImageNamed: module.map { $0 + ".ko" } ?? "vmlinux", id: nil)
            frames.append(frame)
        }
        decideKinds(of: problem["raw_oops"]?.string ?? "")
    }

    /// The frames are those of the call trace, which are return addresses. The instruction pointer
    /// precedes them if the oops has one that is not in the trace. Its line in the kernel's own
    /// words has the same offset and length.
    private mutating func decideKinds(of oops: String) {
        guard case .symbol(let symbol)? = frames.first(where: { !$0.isInlined })?.imagePlace, let size = symbol.size else { return }
        let place = "+0x" + hexadecimal(symbol.offset, digits: 0) + "/0x" + hexadecimal(size, digits: 0)
        for line in oops.split(separator: "\n")
        where ["RIP", "EIP", "IP:", "PC is at", "NIP [", "pc :"].contains(where: { line.contains($0) }) {
            guard line.contains(place), let first = frames.firstIndex(where: { !$0.isInlined }) else { continue }
            for index in 0...first { frames[index].kind = .programCounter }
        }
    }
}
