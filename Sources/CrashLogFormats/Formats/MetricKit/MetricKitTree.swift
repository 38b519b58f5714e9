internal import BinaryPrimitives
internal import CrashLogModel

/// A `callStackTree`: stacks as frames within frames.
///
///     {"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[
///       {"binaryUUID":"…","offsetIntoBinaryTextSegment":46380,"sampleCount":1,"binaryName":"App","address":4310988076,"subFrames":[…]}]}]}
///
/// `MetricKitOrder` decides which end is which. A crash's threads are stacks, what was sampled is a
/// call tree.
struct MetricKitTree {
    private let tree: JSONValue
    private let kind: MetricKitDiagnostic.Kind?
    private let bases: MetricKitImageBases

    init(_ tree: JSONValue, kind: MetricKitDiagnostic.Kind?) {
        self.tree = tree
        self.kind = kind
        bases = MetricKitImageBases(tree)
    }

    func add(to report: inout CrashReport, images: inout ImageTable) {
        let stacks = tree["callStacks"]?.elements ?? []
        let order = MetricKitOrder(tree, isCrash: kind.map { $0 == .crash })
        if !order.isCertain {
            report.notes.append(
                "Nothing in the call stacks shows which end is the outermost caller: the \(order.callersComeFirst ? "first" : "last") frame of each is taken for it."
            )
        }
        for stack in stacks.prefix(Limits.standard.threads) where report.threads.count < Limits.standard.threads {
            let roots = stack["callStackRootFrames"]?.elements ?? []
            let isAttributed = stack["threadAttributed"]?.isTrue ?? false
            // A thread that a diagnostic is attributed to ended the process only if the diagnostic
            // is a crash.
            var thread = ThreadTrace(index: report.threads.count, crashed: isAttributed && (kind == .crash || kind == nil))
            if tree["callStackPerThread"]?.isTrue == false { thread.name = "all threads" }
            // If the log does not name the kind, a stack that was seen only once is a crash's.
            let isStack = !order.callersComeFirst || kind == .crash || kind == nil && !order.isSampled
            thread.isCallTree = !isStack
            addFrames(roots, to: &thread, images: &images)
            if isStack, order.callersComeFirst { MetricKitTree.reverse(&thread.frames) }
            MetricKitTree.decideKinds(&thread)
            report.threads.append(thread)
        }
        if bases.inconsistent > 0 {
            report.notes.append(
                "\(bases.inconsistent) frames have an address and an offset that do not match (their difference cannot be the start of an image): they are not looked up."
            )
        }
    }

    /// Innermost first, as in every report.
    private static func reverse(_ frames: inout [Frame]) {
        frames.reverse()
        for index in frames.indices { frames[index].index = index }
    }

    /// Depth first, as the document has them.
    private func addFrames(_ roots: [JSONValue], to thread: inout ThreadTrace, images: inout ImageTable) {
        var waiting = roots.reversed().map { (value: $0, depth: 0) }
        while let (value, depth) = waiting.popLast(), thread.frames.count < Limits.standard.framesPerThread {
            guard value.isObject else { continue }
            var frame = frame(value, index: thread.frames.count, images: &images)
            if thread.isCallTree {
                frame.depth = depth
                frame.samples = value["sampleCount"]?.int
            }
            thread.frames.append(frame)
            waiting += (value["subFrames"]?.elements ?? []).reversed().map { ($0, depth + 1) }
        }
    }

    private func frame(_ value: JSONValue, index: Int, images: inout ImageTable) -> Frame {
        let address = value["address"]?.unsigned
        // The frame's range includes its sub-frames: a result is inserted at its beginning.
        var frame = Frame(index: index, kind: .returnAddress, address: address.map { RuntimeAddress($0) }, range: value.range)
        frame.imageName = value["binaryName"]?.string
        let id = value["binaryUUID"]?.string.flatMap { ImageID(text: $0) }
        if let base = bases.base(of: value) {
            frame.image = images.index(ofImageAt: RuntimeAddress(base)) { MetricKitTree.image(frame.imageName, id) }
            frame.imageOffset = address.map { ImageOffset($0 - base) }
        } else {
            frame.image = images.index(ofImageNamed: frame.imageName ?? "", id: id)
            // Without an address there is nothing that the offset could contradict.
            if address == nil { frame.imageOffset = value["offsetIntoBinaryTextSegment"]?.unsigned.map { ImageOffset($0) } }
        }
        var printed = PrintedSymbol()
        printed.name = value["symbolName"]?.string.flatMap { JSONFrame.isName($0) ? $0 : nil }
        if printed.name != nil { printed.offset = value["offsetIntoSymbol"]?.unsigned }
        if let file = value["fileName"]?.string, !file.isEmpty {
            printed.location = SourceLocation(file: file, line: value["lineNumber"]?.int ?? 0)
        }
        if printed != PrintedSymbol() { frame.printed = printed }
        return frame
    }

    private static func image(_ name: String?, _ id: ImageID?) -> BinaryImage {
        return BinaryImage(name: name ?? "", id: id)
    }

    /// Decides which frames are return addresses. MetricKit's addresses are raw. In a crash the
    /// first frame of a thread is its program counter. In a tree of samples, that is the leaf of
    /// each branch: where nothing was called. (A frame that was sampled itself and in callees is
    /// taken for their caller.)
    private static func decideKinds(_ thread: inout ThreadTrace) {
        for index in thread.frames.indices {
            guard thread.isCallTree, let depth = thread.frames[index].depth else {
                thread.frames[index].kind = index == 0 ? .programCounter : .returnAddress
                continue
            }
            let next = index + 1 < thread.frames.count ? thread.frames[index + 1].depth ?? 0 : 0
            thread.frames[index].kind = next > depth ? .returnAddress : .programCounter
        }
    }
}

/// Load addresses of the images of a call-stack tree. No list gives them: they follow from the
/// frames.
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

    /// Possible load addresses of the image: by the key's name first, then as in iOS 14.
    private static func candidates(_ address: UInt64, _ offset: UInt64) -> [UInt64] {
        guard offset <= address else { return [] }
        return [address - offset, offset].filter { $0 > 0 && $0 & 0xFFF == 0 }
    }
}

/// Decides which end of a call-stack tree is the outermost caller. Apple's documentation does not
/// say, and it has changed.
///
/// A sampled tree is ordered as `sample` prints it: callers first, each count the sum of its
/// sub-frames' (KSCrash's MetricKit monitor and sentry-cocoa read it so). Crashes have been seen
/// both ways: in Apple's own example `libdyld`, where every main thread begins, is a sub-frame of
/// the app, and sentry-cocoa reversed them in 2022 (pull request 2502); since 2025 it takes the
/// root for the outermost caller (6908), and payloads of 2026 begin with `dyld`. So the tree itself
/// decides:
/// - a frame with several sub-frames called them;
/// - threads begin in `dyld`, `libdyld` or `libsystem_pthread`, so an end there is the outermost;
/// - threads that wait do so in `libsystem_kernel`, so an end there is the innermost.
struct MetricKitOrder {
    /// The roots are the outermost callers.
    let callersComeFirst: Bool
    /// Something in the tree shows it.
    let isCertain: Bool
    /// Frames were sampled more than once, or branch: the tree is not a single stack.
    let isSampled: Bool

    /// - Parameter isCrash: decides if nothing in the tree does; `nil` if the log does not say.
    init(_ tree: JSONValue, isCrash: Bool?) {
        var votes = 0
        var branches = tree["callStackPerThread"]?.isTrue == false
        var isCounted = false
        var isLong = false
        for stack in tree["callStacks"]?.elements ?? [] {
            let roots = stack["callStackRootFrames"]?.elements ?? []
            if roots.count > 1 { branches = true }
            guard let root = roots.first else { continue }
            var end = root
            while let subFrames = end["subFrames"]?.elements, let next = subFrames.first {
                if subFrames.count > 1 { branches = true }
                isLong = true
                end = next
            }
            if root["sampleCount"]?.int ?? 1 > 1 { isCounted = true }
            votes += MetricKitOrder.vote(root: root["binaryName"]?.string ?? "", end: end["binaryName"]?.string ?? "")
        }
        isSampled = branches || isCounted
        callersComeFirst = branches || (votes == 0 ? !(isCrash ?? !isCounted) : votes > 0)
        isCertain = branches || votes != 0 || !isLong
    }

    /// Positive: the root is the caller.
    private static func vote(root: String, end: String) -> Int {
        let beginnings: Set = ["dyld", "libdyld.dylib", "libsystem_pthread.dylib"]
        let kernel = "libsystem_kernel.dylib"
        return (beginnings.contains(root) ? 1 : 0) - (beginnings.contains(end) ? 1 : 0) + (end == kernel ? 1 : 0) - (root == kernel ? 1 : 0)
    }
}
