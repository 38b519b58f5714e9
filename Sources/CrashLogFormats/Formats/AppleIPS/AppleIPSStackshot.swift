internal import BinaryPrimitives
internal import CrashLogModel

/// The stacks of all processes in an `.ips`: a stackshot (`bug_type` 288, 509), and what a panic on
/// iOS (`panic-full`, 210) adds to its text.
///
///     {"processByPid":{"371":{"pid":371,"procname":"Music","threadById":{"6570":{"id":6570,"name":"…","dispatch_queue_label":"…",
///       "kernelFrames":[[1,240316]],"userFrames":[[7,3608],[0,1024]]}}}},"binaryImages":[["01d2a9d5-…",4297424896,"P"],…]}
///
/// A frame is a pair of an index into `binaryImages` and an offset; images have no names, only
/// identities.
struct AppleIPSStackshot {
    private let body: JSONValue

    init(_ body: JSONValue) { self.body = body }

    var holdsProcesses: Bool { body["processByPid"]?.isObject ?? false }

    /// A report for each process that has stacks, in the document's order. All share the document's
    /// images; each report keeps those that its frames lie in.
    func reports(like model: CrashReport) -> [CrashReport] {
        let images = (body["binaryImages"]?.elements ?? []).prefix(Limits.standard.images).map(AppleIPSImage.pair)
        var reports: [CrashReport] = []
        for member in (body["processByPid"]?.members ?? []).prefix(Limits.standard.threads) {
            var report = model
            report.process = ProcessDescription()
            report.notes = []
            let name = member.value["procname"]?.string
            report.process.name = name?.isEmpty ?? true ? nil : name
            report.process.pid = member.value["pid"]?.int ?? Int(member.key)
            var used = UsedImages(images)
            for (index, entry) in (member.value["threadById"]?.members ?? []).prefix(Limits.standard.threads).enumerated() {
                let thread = AppleIPSStackshot.thread(entry, index: index, &used)
                if !thread.frames.isEmpty { report.threads.append(thread) }
            }
            guard !report.threads.isEmpty else { continue }
            report.images = used.kept
            reports.append(report)
        }
        return reports
    }

    private static func thread(_ entry: JSONMember, index: Int, _ images: inout UsedImages) -> ThreadTrace {
        let value = entry.value
        let label = value["name"]?.string ?? value["dispatch_queue_label"]?.string ?? value["queue"]?.string
        var thread = ThreadTrace(index: value["id"]?.int ?? Int(entry.key) ?? index, name: label?.isEmpty ?? true ? nil : label)
        let kernel = frames(value["kernelFrames"], isKernel: true, from: 0, &images)
        thread.frames = kernel + frames(value["userFrames"], isKernel: false, from: kernel.count, &images)
        return thread
    }

    /// Innermost first, the kernel's before the program's.
    ///
    /// The program's first frame is where it was when it entered the kernel or was stopped: its
    /// program counter. The kernel's are all return addresses: a thread that waits got there by a
    /// call.
    private static func frames(_ list: JSONValue?, isKernel: Bool, from start: Int, _ images: inout UsedImages) -> [Frame] {
        var frames: [Frame] = []
        for (index, element) in (list?.elements ?? []).prefix(Limits.standard.framesPerThread).enumerated() {
            var frame = AppleIPSFrame.frame(element, index: start + index, images: images.all)
            frame.image = frame.image.map { images.index(of: $0) }
            frames.append(frame)
        }
        frames.decideKinds(isFirstExact: !isKernel)
        return frames
    }
}

/// The images of a document that one process' frames lie in.
private struct UsedImages {
    let all: [BinaryImage]
    private(set) var kept: [BinaryImage] = []
    private var positions: [Int: Int] = [:]

    init(_ all: [BinaryImage]) { self.all = all }

    /// - Parameter index: an index into `all`.
    mutating func index(of index: Int) -> Int {
        if let position = positions[index] { return position }
        positions[index] = kept.count
        kept.append(all[index])
        return kept.count - 1
    }
}
