internal import BinaryPrimitives
internal import CrashLogModel

/// Where the images of a call-stack tree begin, which no list gives: it follows from their frames.
///
/// `offsetIntoBinaryTextSegment` is the frame's distance from the start of its image (whose
/// `__TEXT` segment begins there), so the image begins at `address` minus it. In crashes of iOS 14
/// the key holds the image's load address itself (ChimeHQ's Meter, issue 3: address 4308000108,
/// “offset” 4307976192 = 0x100c68000 in all frames of one binary). The two are distinguished by
/// what a load address is: a multiple of a page, of 4 KB at least. A simulated payload of Xcode has
/// numbers that are neither.
struct MetricKitImageBases {
    /// The frames whose numbers fit neither reading.
    let inconsistent: Int
    /// By UUID, where images begin according to frames that can only be read in one way.
    private let known: [String: Set<UInt64>]

    init(_ tree: JSONValue) {
        var known: [String: Set<UInt64>] = [:]
        var inconsistent = 0
        var waiting = (tree["callStacks"]?.elements ?? []).flatMap { $0["callStackRootFrames"]?.elements ?? [] }
        while let frame = waiting.popLast() {
            waiting += frame["subFrames"]?.elements ?? []
            guard let address = frame["address"]?.unsigned, let offset = frame["offsetIntoBinaryTextSegment"]?.unsigned else { continue }
            let candidates = MetricKitImageBases.candidates(address, offset)
            if candidates.isEmpty { inconsistent += 1 }
            if candidates.count == 1 { known[frame["binaryUUID"]?.string ?? "", default: []].insert(candidates[0]) }
        }
        self.known = known
        self.inconsistent = inconsistent
    }

    /// - Returns: the base of the frame's image; `nil` if the log does not have it.
    func base(of frame: JSONValue) -> UInt64? {
        guard let address = frame["address"]?.unsigned, let offset = frame["offsetIntoBinaryTextSegment"]?.unsigned else { return nil }
        let candidates = MetricKitImageBases.candidates(address, offset)
        // A frame at the start of a page can be read in both ways; then another frame of its image
        // decides.
        let others = known[frame["binaryUUID"]?.string ?? ""] ?? []
        return candidates.first { others.contains($0) } ?? candidates.first
    }

    /// The places where the image may begin: by the key's name first, then as in iOS 14.
    private static func candidates(_ address: UInt64, _ offset: UInt64) -> [UInt64] {
        guard offset <= address else { return [] }
        return [address - offset, offset].filter { $0 > 0 && $0 & 0xFFF == 0 }
    }
}
