internal import BinaryPrimitives

/// The native stack that Node prints before it ends itself, and the JavaScript one below it:
///
///     FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
///     ----- Native stack trace -----
///
///      1: 0xb78db3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]
///      4: 0x10fb205  [node]
///
///     ----- JavaScript stack trace -----
///
///     1: runScriptInThisContext (node:internal/vm:209:10)
///
/// Written by `DumpNativeBacktrace` and `DumpJavaScriptBacktrace` in Node's `src/debug_utils.cc`; before Node 20 without the headings.
/// The rows name their file and not where it was loaded: a `node` that is not position-independent, as the project's own builds are not, can be answered all the same.
public struct NodeNativeTrace: LineFormat {
    public static let name = "node-native"
    public static let summary = "Node’s native stacks: fatal errors, assertions, process.abort()"
    public static let triggers = ["----- Native stack trace -----", "FATAL ERROR: ", " 1: 0x"]

    private var message: String?
    private var frames: [Frame] = []
    private var scripts: [Frame] = []
    private var paths: [String?] = []
    private var hasHeading = false
    private var isScript = false

    public init() {}

    public static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = line.trimmed()
        if text.equals("----- Native stack trace -----") { return .certain }
        if text.hasPrefix("FATAL ERROR: ") { return .possible }
        // Node before 20: the first row is in Node's own function.
        guard let row = NodeRow(line), row.index == 1, row.path != nil else { return .none }
        return row.printed?.name?.hasPrefix("node::") == true ? .certain : .possible
    }

    public mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if text.count == 0 { return .unknown }
        if text.equals("----- Native stack trace -----") {
            guard frames.isEmpty else { return .rejected }
            hasHeading = true
            return .more
        }
        if text.hasPrefix("FATAL ERROR: ") {
            guard frames.isEmpty, message == nil else { return .rejected }
            message = text.from("FATAL ERROR: ".utf8.count).text
            return .more
        }
        if text.equals("----- JavaScript stack trace -----") {
            guard !isScript else { return .rejected }
            isScript = true
            return .more
        }
        return isScript ? takeScript(line, at: place) : takeFrame(line, at: place)
    }

    private mutating func takeFrame(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        guard let row = NodeRow(line), frames.count < Limits.standard.framesPerThread else {
            return frames.isEmpty && !hasHeading ? .unknown : .rejected
        }
        if row.index <= frames.last?.index ?? 0, !row.isInlined, frames.last?.isInlined == false { return .rejected }
        var frame = Frame(index: row.index, kind: .returnAddress, address: RuntimeAddress(row.address), place: place)
        frame.printed = row.printed
        frame.isInlined = row.isInlined
        frame.imageName = row.path
        frames.append(frame)
        paths.append(row.path)
        return .more
    }

    private mutating func takeScript(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        guard let row = NodeScriptRow(line), scripts.count < Limits.standard.framesPerThread, row.index > scripts.last?.index ?? 0 else {
            return .rejected
        }
        var frame = Frame(index: row.index, kind: .exact, address: nil, place: place)
        frame.printed = row.printed
        scripts.append(frame)
        return .more
    }

    public mutating func finish() -> [CrashReport] {
        guard !frames.isEmpty else { return [] }
        var report = CrashReport(format: NodeNativeTrace.name)
        report.process.name = "node"
        report.cause = CrashCause(kind: .runtimeError)
        report.cause?.type = message == nil ? "native stack trace" : "FATAL ERROR"
        report.cause?.message = message
        var images = ImageTable()
        var isMoved = false
        for index in frames.indices {
            guard let path = paths[index], let address = frames[index].address else { continue }
            frames[index].image = images.index(ofImageNamed: lastPathComponent(path), id: nil)
            frames[index].imagePlace = NodeNativeTrace.place(address)
            isMoved = isMoved || frames[index].imagePlace == nil
        }
        report.images = images.images
        if isMoved { report.notes.append("the log does not say where its libraries and position-independent programs were loaded") }
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        if !scripts.isEmpty { report.additionalBacktraces = [ThreadTrace(index: 0, name: "JavaScript stack trace", frames: scripts)] }
        return [report]
    }

    /// `backtrace(3)` gives return addresses; Node leaves the first, its own, out. Below 4 GB lie programs that are not position-independent: there the address is as linked.
    /// Linux loads others, and every library, far above on the 64-bit machines that Node runs on.
    private static func place(_ address: RuntimeAddress) -> ImagePlace? {
        address.value < 1 << 32 ? .linkAddress(LinkAddress(address.value)) : nil
    }
}
