import BinaryPrimitives
import CrashLogModel
import SymbolSources
import Symbolication
import TestSupport

/// A crash of which it is known which bug it is: a row of `Fixtures/grouping/crashes.tsv`, which
/// `scripts/checks/grouping-set` makes.
struct LabelledCrash {
    var program: String
    var bug: String
    var build: String
    /// How the log was taken: `gdb`, `backtrace-stripped`, …
    var way: String
    var report: SymbolicatedReport

    var label: String { program + "/" + bug }
    /// Neither the symbols nor the log have names: nothing but offsets is known of the program's
    /// own code.
    var isStripped: Bool { way.hasSuffix("-stripped") }
}

/// Reads the set. Rows are `function`, `image` and `frame`, each numbered by its index among its
/// own kind, then `crash`.
struct LabelledCrashes {
    private(set) var crashes: [LabelledCrash] = []

    private var functions: [FrameResult.Function] = []
    private var images: [BinaryImage] = []
    private var frames: [[String]] = []

    init() throws {
        let text = String(decoding: try readFile(TestPaths.fixture("grouping/crashes.tsv")), as: UTF8.self)
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            switch fields[0] {
            case "function": functions.append(Self.function(fields))
            case "image": images.append(Self.image(fields))
            case "frame": frames.append(fields)
            case "crash": crashes.append(crash(fields))
            default: preconditionFailure("a row of an unknown kind: \(fields[0])")
            }
        }
    }

    private static func plain(_ text: String) -> String? { text.isEmpty ? nil : text }

    /// function, name, mangled name, `i` for inlined, file (of what line does not count)
    private static func function(_ fields: [String]) -> FrameResult.Function {
        let location = plain(fields[4]).map { SourceLocation(file: $0, line: 1) }
        return FrameResult.Function(
            name: fields[1], mangledName: plain(fields[2]) ?? fields[1], offset: nil, isInlined: fields[3] == "i", location: location)
    }

    /// image, name, path, identity
    private static func image(_ fields: [String]) -> BinaryImage {
        var image = BinaryImage(name: fields[1], path: plain(fields[2]))
        image.id = plain(fields[3]).flatMap { ImageID(text: $0) }
        return image
    }

    /// crash, program, bug, build, way, format, kind of the cause, type, signal, stacks
    /// (`crashed:`, `thread:` or `exception:` and numbers of frames)
    private func crash(_ fields: [String]) -> LabelledCrash {
        var report = CrashReport(format: fields[5])
        report.images = images
        if let kind = CrashCause.Kind(rawValue: fields[6]) {
            var cause = CrashCause(kind: kind)
            cause.type = Self.plain(fields[7])
            cause.signal = Self.plain(fields[8])
            report.cause = cause
        }
        var answered: [(trace: ThreadTrace, outcomes: [FrameOutcome], name: Substring)] = []
        for stack in fields[9...] {
            guard let colon = stack.firstIndex(of: ":") else { continue }
            let rows = stack[stack.index(after: colon)...].split(separator: " ").compactMap { Int($0) }.map { frames[$0] }
            var trace = ThreadTrace(index: answered.count, crashed: stack.hasPrefix("crashed"))
            trace.frames = rows.enumerated().map { frame($1, $0) }
            answered.append((trace, rows.map(outcome), stack[..<colon]))
        }
        report.threads = answered.filter { $0.name != "exception" }.map(\.trace)
        report.exceptionBacktrace = answered.first { $0.name == "exception" }?.trace
        var result = SymbolicatedReport(report: report)
        result.images = images.map { ImageOutcome(image: $0, status: .found) }
        result.threads = answered.filter { $0.name != "exception" }.map(\.outcomes)
        result.exceptionBacktrace = answered.first { $0.name == "exception" }?.outcomes ?? []
        return LabelledCrash(program: fields[1], bug: fields[2], build: fields[3], way: fields[4], report: result)
    }

    // frame, kind, `i` for inlined, image, offset, status, printed name, printed file, functions
    private func frame(_ fields: [String], _ index: Int) -> Frame {
        let kind: Frame.Kind =
            switch fields[1] {
            case "programCounter": .programCounter
            case "exact": .exact
            case "asyncResumePoint": .asyncResumePoint
            case "truncated": .truncated
            case "omitted": .omitted(count: 1)
            default: .returnAddress
            }
        var frame = Frame(index: index, kind: kind, address: RuntimeAddress(0x1000), range: 0..<0)
        frame.isInlined = fields[2] == "i"
        frame.image = Int(fields[3])
        if let name = Self.plain(fields[6]) {
            frame.printed = PrintedSymbol(name: name, location: Self.plain(fields[7]).map { SourceLocation(file: $0, line: 1) })
        }
        return frame
    }

    private func outcome(_ fields: [String]) -> FrameOutcome {
        let numbers = fields[8].split(separator: " ").compactMap { Int($0) }
        let image = Int(fields[3])
        var outcome: FrameOutcome
        if !numbers.isEmpty {
            let result = FrameResult(functions: numbers.map { functions[$0] }, imageName: image.map { images[$0].name } ?? "")
            outcome = FrameOutcome(.resolved(result, fields[5] == "symbolOnly" ? .symbolTable : .debugInformation))
        } else {
            outcome = FrameOutcome(fields[2] == "i" ? .partOfNextFrame : .unresolved("no symbols"))
        }
        outcome.image = image
        outcome.imageOffset = UInt64(fields[4].dropFirst(2), radix: 16).map { ImageOffset($0) }
        return outcome
    }
}
