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
            // What is attributed to a thread of another diagnostic than a crash did not end the
            // process.
            var thread = ThreadTrace(index: report.threads.count, crashed: isAttributed && (kind == .crash || kind == nil))
            if tree["callStackPerThread"]?.isTrue == false { thread.name = "all threads" }
            // Of what the log does not name, a stack that was met once is a crash's.
            let isStack = !order.callersComeFirst || kind == .crash || kind == nil && !order.isSampled
            thread.isCallTree = !isStack
            addFrames(roots, to: &thread, images: &images)
            if isStack, order.callersComeFirst { MetricKitTree.turnRound(&thread.frames) }
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
    private static func turnRound(_ frames: inout [Frame]) {
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
        // The place holds the sub-frames, too: a result is put in at its beginning.
        var frame = Frame(index: index, kind: .returnAddress, address: address.map { RuntimeAddress($0) }, place: value.range)
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
