internal import BinaryPrimitives
package import CrashLogModel

/// Samples of a recording, as `xcrun xctrace export` writes them (tables `time-profile`, `cpu-profile`):
///
///     <trace-query-result>
///     <row><thread id="2" fmt="Main Thread 0x8d04d3 (Demo, pid: 77)"/><backtrace id="10">
///       <frame id="11" name="0x104a383f9" addr="0x104a383f9"><binary id="12" name="Demo" UUID="4C4C44F6-…" load-addr="0x104a38000" path="/tmp/Demo"/></frame>
///       <frame id="13" name="main" addr="0x104a38408"><binary ref="12"/></frame></backtrace></row>
///     <row><thread ref="2"/><backtrace id="15"><frame ref="11"/></backtrace></row>
///
/// An element that stood before is named by its `id` (Perfetto's `instruments_xml_tokenizer.cc` reads the same). Each thread is a call tree.
/// Instruments adds one to the program counter of each sample's first frame, so that all addresses are looked up one byte earlier.
package struct XCTrace: LineFormat {
    package static let name = "xctrace"
    package static let summary = "xctrace export: samples of Instruments’ recordings, as XML"
    package static let acceptsResults = false
    package static let triggers = ["<trace-query-result"]

    /// A node of a thread's call tree.
    private struct Node {
        var frame: Int
        var samples = 0
        var children: [Int] = []
    }

    /// Position of a node in the tree: its parent and its frame.
    private struct Edge: Hashable {
        var tree: Int
        var parent: Int?
        var frame: Int
    }

    private struct Tree {
        var name: String?
        var nodes: [Node] = []
        var roots: [Int] = []
    }

    private var frames: [Frame] = []
    private var frameIDs: [String: Int] = [:]
    private var images = ImageTable()
    private var imageIDs: [String: Int] = [:]
    private var stacks: [String: [Int]] = [:]
    private var trees: [Tree] = []
    private var treeIDs: [String: Int] = [:]
    private var process = ProcessDescription()
    /// The row that is being read: its thread, its frames so far (innermost first) and their elements.
    private var thread: Int?
    private var stack: [Int] = []
    private var openStacks: [String] = []
    private var frame: Int?
    /// There are more threads than are read: samples of an unknown one may be theirs.
    private var isLeftOut = false
    private var edges: [Edge: Int] = [:]
    /// Number of frames in `stacks`.
    private var kept = 0

    /// Beyond so many frames or nodes nothing is added: an hour at a sample each millisecond has some 100,000 different frames.
    private static let maxFrames = 1 << 18

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence { line.contains("<trace-query-result") ? .certain : .none }

    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict {
        var position = 0
        while let open = line.firstIndex(of: UInt8(ascii: "<"), from: position), open + 1 < line.count {
            guard let close = line.firstIndex(of: UInt8(ascii: ">"), from: open) else { break }
            position = close + 1
            let tag = line.clamped(to: open + 1..<close)
            if tag.hasPrefix("/trace-query-result") { return .done }
            if tag.equals("/row") {
                endRow()
            } else if !tag.hasPrefix("/") {
                read(tag, range.lowerBound + open..<range.lowerBound + position)
            }
        }
        return frames.count <= XCTrace.maxFrames ? .more : .rejected
    }

    // MARK: Elements

    private mutating func read(_ tag: Span<UInt8>, _ range: Range<Int>) {
        var rest = tag
        switch rest.readToken().text {
        case "thread": thread = tree(tag)
        case "backtrace", "tagged-backtrace":
            if let known = XCTrace.value("ref", tag) { stack = stacks[known] ?? [] }
            if let id = XCTrace.value("id", tag), openStacks.count < 4 { openStacks.append(id) }
        case "frame": addFrame(tag, range)
        case "binary": addImage(tag)
        default: break
        }
    }

    private mutating func tree(_ tag: Span<UInt8>) -> Int? {
        if let known = XCTrace.value("ref", tag) { return treeIDs[known] }
        guard trees.count < Limits.standard.threads else {
            isLeftOut = true
            return nil
        }
        let name = XCTrace.value("fmt", tag)
        if let id = XCTrace.value("id", tag) { treeIDs[id] = trees.count }
        trees.append(Tree(name: name))
        if process.name == nil, let name { readProcess(name) }
        return trees.count - 1
    }

    /// `Main Thread 0x8d04d3 (Demo, pid: 77)`
    private mutating func readProcess(_ name: String) {
        let bytes = Array(name.utf8)
        let text = bytes.span
        guard let mark = text.lastRange(of: ", pid: "), let open = text.upTo(mark.lowerBound).lastRange(of: " (") else { return }
        process.name = text.clamped(to: open.upperBound..<mark.lowerBound).text
        process.pid = text.from(mark.upperBound).leadingDecimal.flatMap { Int(exactly: $0) }
    }

    private mutating func addFrame(_ tag: Span<UInt8>, _ range: Range<Int>) {
        frame = nil
        guard stack.count < Limits.standard.framesPerThread else { return }
        if let known = XCTrace.value("ref", tag) {
            if let index = frameIDs[known] { stack.append(index) }
            return
        }
        let name = XCTrace.value("name", tag)
        let address = (XCTrace.value("addr", tag) ?? name).flatMap { $0.hasPrefix("0x") ? UInt64($0.dropFirst(2), radix: 16) : nil }
        let isNamed = name.map { !$0.isEmpty && !$0.hasPrefix("0x") } ?? false
        frame = frames.count
        stack.append(frames.count)
        if let id = XCTrace.value("id", tag) { frameIDs[id] = frames.count }
        frames.append(
            Frame(index: 0, kind: .returnAddress, address: address, range: range, printed: isNamed ? PrintedSymbol(name: name) : nil))
    }

    private mutating func addImage(_ tag: Span<UInt8>) {
        var index = XCTrace.value("ref", tag).flatMap { imageIDs[$0] }
        if index == nil,
            let base = XCTrace.value("load-addr", tag).flatMap({ $0.hasPrefix("0x") ? UInt64($0.dropFirst(2), radix: 16) : nil })
        {
            let name = XCTrace.value("name", tag)
            let path = XCTrace.value("path", tag)
            var image = BinaryImage(
                name: name ?? path.map(Path.foreignName) ?? "", path: path, id: XCTrace.value("UUID", tag).flatMap { ImageID(text: $0) })
            image.architecture = XCTrace.value("arch", tag).map { Architecture($0) }
            index = images.index(ofImageAt: RuntimeAddress(base)) { image }
        }
        if let id = XCTrace.value("id", tag), let index { imageIDs[id] = index }
        guard let frame, let index else { return }
        frames[frame].image = index
        frames[frame].imageName = images.images[index].name
        if let base = images.images[index].base, let address = frames[frame].address, base <= address {
            frames[frame].imageOffset = ImageOffset(address.value - base.value)
        }
    }

    /// The value of an attribute: ` addr="0x102c443a3"`.
    private static func value(_ key: String, _ tag: Span<UInt8>) -> String? {
        guard let start = tag.firstRange(of: " " + key + "=\""), let end = tag.firstIndex(of: UInt8(ascii: "\""), from: start.upperBound)
        else {
            return nil
        }
        let text = tag.clamped(to: start.upperBound..<end)
        return HTMLEntity.decoded(text).map { String(decoding: $0, as: UTF8.self) } ?? text.text
    }

    // MARK: Samples

    private mutating func endRow() {
        for id in openStacks where kept + stack.count <= XCTrace.maxFrames * 4 {
            stacks[id] = stack
            kept += stack.count
        }
        if !stack.isEmpty, thread != nil || !isLeftOut {
            if trees.isEmpty { trees.append(Tree()) }
            addSample(to: thread ?? trees.count - 1)
        }
        thread = nil
        stack = []
        openStacks = []
        frame = nil
    }

    private mutating func addSample(to index: Int) {
        var parent: Int?
        for frame in stack.reversed() {
            let edge = Edge(tree: index, parent: parent, frame: frame)
            let node: Int
            if let known = edges[edge] {
                node = known
            } else {
                guard edges.count < XCTrace.maxFrames else { return }
                node = trees[index].nodes.count
                edges[edge] = node
                trees[index].nodes.append(Node(frame: frame))
                if let parent { trees[index].nodes[parent].children.append(node) } else { trees[index].roots.append(node) }
            }
            trees[index].nodes[node].samples += 1
            parent = node
        }
    }

    package mutating func finish() -> [CrashReport] {
        endRow()
        var report = CrashReport(format: XCTrace.name)
        report.process = process
        for (index, tree) in trees.enumerated() where !tree.nodes.isEmpty {
            var thread = ThreadTrace(index: index, name: tree.name)
            thread.isCallTree = true
            var waiting = tree.roots.reversed().map { (node: $0, depth: 0) }
            while let (node, depth) = waiting.popLast(), thread.frames.count < Limits.standard.framesPerThread {
                var frame = frames[tree.nodes[node].frame]
                frame.index = thread.frames.count
                frame.depth = depth
                frame.samples = tree.nodes[node].samples
                thread.frames.append(frame)
                waiting += tree.nodes[node].children.reversed().map { ($0, depth + 1) }
            }
            report.threads.append(thread)
        }
        guard !report.threads.isEmpty else { return [] }
        images.assign(to: &report)
        return [report]
    }
}
