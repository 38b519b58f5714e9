internal import BinaryPrimitives

/// A `callStackTree`: stacks as frames within frames.
///
///     {"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[
///       {"binaryUUID":"…","offsetIntoBinaryTextSegment":46380,"sampleCount":1,"binaryName":"App","address":4310988076,"subFrames":[…]}]}]}
///
/// Which end is which is not in Apple's documentation. In a crash the root is where the thread was, and a frame's only sub-frame is its caller (in Apple's own example
/// `libdyld`, where every main thread begins, is a sub-frame of the app; in crashes that people posted, threads end in `libsystem_pthread`). What was sampled (hangs, CPU, disk
/// writes, launches) is a tree as `sample` prints it: the root is the outermost caller, and its count the sum of its sub-frames' (KSCrash's MetricKit monitor and
/// sentry-cocoa's read them so).
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
        for (index, stack) in stacks.prefix(Limits.standard.threads).enumerated() {
            let roots = stack["callStackRootFrames"]?.elements ?? []
            let isAttributed = stack["threadAttributed"]?.isTrue ?? false
            // What is attributed to a thread of another diagnostic than a crash did not end the process.
            var thread = ThreadTrace(index: index, crashed: isAttributed && (kind == .crash || kind == nil))
            if tree["callStackPerThread"]?.isTrue == false { thread.name = "all threads" }
            thread.isCallTree = beginsWithCallers(roots)
            addFrames(roots, to: &thread, images: &images)
            MetricKitTree.decideKinds(&thread)
            report.threads.append(thread)
        }
        if bases.inconsistent > 0 {
            report.notes.append(
                "\(bases.inconsistent) frames have an address and an offset that do not fit together (their difference is no place where an image can begin): they are not looked up."
            )
        }
    }

    /// Whether the roots are the outermost callers. Without a diagnostic around the tree, what it looks like decides: a frame that several others were called from, or
    /// stacks of all threads in one tree, cannot be a crash; a root in the library where threads begin is an outermost caller.
    private func beginsWithCallers(_ roots: [JSONValue]) -> Bool {
        if let kind { return kind != .crash }
        if tree["callStackPerThread"]?.isTrue == false { return true }
        var node = roots.count == 1 ? roots.first : nil
        if roots.count > 1 { return true }
        let root = node
        var depth = 0
        while let subFrames = node?["subFrames"]?.elements, !subFrames.isEmpty, depth < Limits.standard.jsonDepth {
            if subFrames.count > 1 { return true }
            node = subFrames.first
            depth += 1
        }
        return depth > 0 && MetricKitTree.isWhereThreadsBegin(root) && !MetricKitTree.isWhereThreadsBegin(node)
    }

    private static func isWhereThreadsBegin(_ frame: JSONValue?) -> Bool {
        ["libsystem_pthread.dylib", "libdyld.dylib", "dyld"].contains(frame?["binaryName"]?.string)
    }

    /// Depth first, as the document has them: a crash's frames innermost first, a sampled tree's callers first.
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
        // The place holds the sub-frames, too: an answer is put in at its beginning.
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
        printed.name = value["symbolName"]?.string.flatMap { KSCrashStack.isName($0) ? $0 : nil }
        if printed.name != nil { printed.offset = value["offsetIntoSymbol"]?.unsigned }
        if let file = value["fileName"]?.string, !file.isEmpty {
            printed.location = SourceLocation(file: file, line: value["lineNumber"]?.int ?? 0)
        }
        if printed != PrintedSymbol() { frame.printed = printed }
        return frame
    }

    private static func image(_ name: String?, _ id: ImageID?) -> BinaryImage {
        var image = BinaryImage(name: name ?? "")
        image.id = id
        return image
    }

    /// Decides which frames are return addresses. MetricKit's addresses are raw. In a crash the first frame of a thread is its program counter. In a tree of samples, that is
    /// the leaf of each branch: where nothing was called. (A frame that was sampled itself and in callees is taken for their caller.)
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
