import BinaryPrimitives
import CrashLogModel
import Reporting
import SymbolFiles
import SymbolSources
import Symbolication
import TestSupport

@testable import TestReports

/// A repository in a temporary folder, and reports about its files.
struct Scene {
    let root: String

    /// - Parameter files: paths from the root on, and what is in them.
    static func with<Result>(_ files: [String: String], _ body: (Scene) throws -> Result) throws -> Result {
        try withTemporaryFolder { folder in
            let root = folder + "/repo"
            for (path, text) in files {
                try makeFolders(Path.directory(of: root + "/" + path))
                try writeFile(root + "/" + path, Array(text.utf8))
            }
            try makeFolders(root + "/.git")
            return try body(Scene(root: root))
        }
    }

    func paths(workingDirectory: String? = nil, map: PathMap = PathMap()) -> RepositoryPaths {
        RepositoryPaths(root: root, workingDirectory: workingDirectory ?? root, map: map)
    }

    func collector(own: [String] = [], notOwn: [String] = []) -> FailureCollector {
        FailureCollector(repository: paths(), ownCode: OwnCodeRule(own: own, notOwn: notOwn), excerpts: SourceExcerpts(root: root))
    }

    /// A function on a stack, in an image by its path.
    struct Call {
        var name: String?
        var file: String?
        var line = 0
        var column = 0
        var image = "/srv/app"
        var unresolved = "no symbol file for app"
    }

    /// A report whose threads have these calls, innermost first; the first thread crashed.
    static func report(_ threads: [[Call]], format: String = "swift-backtrace", _ change: (inout CrashReport) -> Void = { _ in })
        -> SymbolicatedReport
    {
        var report = CrashReport(format: format)
        var outcomes: [[FrameOutcome]] = []
        var images: [String] = []
        for (number, calls) in threads.enumerated() {
            var frames: [Frame] = []
            var results: [FrameOutcome] = []
            for (index, call) in calls.enumerated() {
                if !images.contains(call.image) { images.append(call.image) }
                var frame = Frame(index: index, kind: .returnAddress, address: RuntimeAddress(0x1000 + UInt64(index)), range: 0..<0)
                frame.image = images.firstIndex(of: call.image)
                frames.append(frame)
                var outcome = FrameOutcome(.unresolved(call.unresolved))
                if let name = call.name {
                    let function = FrameResult.Function(
                        name: name, mangledName: name, offset: 4, isInlined: false,
                        location: call.file.map { SourceLocation(file: $0, line: call.line, column: call.column) })
                    outcome.result = .resolved(FrameResult(functions: [function], imageName: Path.name(of: call.image)), .debugInformation)
                }
                outcome.image = frame.image
                results.append(outcome)
            }
            report.threads.append(ThreadTrace(index: number, crashed: number == 0, frames: frames))
            outcomes.append(results)
        }
        report.images = images.map { BinaryImage(name: Path.name(of: $0), path: $0) }
        report.cause = CrashCause(kind: .signal)
        report.cause?.type = "Bad pointer dereference"
        report.cause?.address = RuntimeAddress(0)
        change(&report)
        var symbolicated = SymbolicatedReport(report: report)
        symbolicated.threads = outcomes
        symbolicated.images = report.images.map { ImageOutcome(image: $0, status: .found) }
        return symbolicated
    }

    static let libc = "/usr/lib/x86_64-linux-gnu/libc.so.6"
}

extension FailureCollector {
    /// Lines of output.
    mutating func add(text: String) {
        let bytes = Array(text.utf8)
        var rest = bytes.span
        while let line = rest.readLine() { add(line: line) }
    }
}
