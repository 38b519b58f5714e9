internal import BinaryPrimitives
internal import CICommand
import Reporting
internal import TestReports

/// Reads the bytes as the console of a test runner, as a stream of events, as a JUnit report, or as
/// a path, and writes what became of them in every way.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    let repository = RepositoryPaths(root: "/nowhere/repository", workingDirectory: "/nowhere")
    var collector = FailureCollector(
        repository: repository, ownCode: OwnCodeRule(own: ["a"], notOwn: ["b"]), excerpts: SourceExcerpts(root: nil))
    var rest = bytes.span
    while let line = rest.readLine() { collector.add(line: line) }
    collector.add(eventStream: bytes.span)
    collector.add(signal: 11)
    var failures = collector.finish()
    for index in failures.indices where index % 2 == 0 {
        let text = failures[index].message
        failures[index].location = Failure.Location(path: text.isEmpty ? "x" : text, line: 1, column: 1)
        failures[index].stacks = [Failure.Stack(title: text, frames: [])]
    }
    let commands = GitHubAnnotations().render(failures)
    // A line for each annotation, and one for those that are left out.
    precondition(commands.count { $0 == 0x0A } == min(failures.count, 10) + (failures.count > 10 ? 1 : 0))
    _ = GitHubSummary().render(failures)
    _ = GitLabCodeQuality().render(failures)
    _ = SARIFReport(version: "0").render(failures)
    let report = JUnitReport().render([JUnitReport.Suite(name: "fuzz", startedAt: 0, failures: failures)])
    _ = repository.find(String(decoding: bytes.prefix(300), as: UTF8.self))
    _ = SourceExcerpts(root: nil)
    func symbolicate(_ text: [UInt8]) -> [UInt8] { text + [0x5D, 0x5D, 0x3E, 0x1B, 0xFF] }
    _ = try? JUnitRewriter().rewritten(bytes, path: "fuzz", symbolicate: symbolicate)
    // The rewriter accepts the reports that cairn writes.
    do { _ = try JUnitRewriter().rewritten(report, path: "fuzz", symbolicate: symbolicate) } catch { fatalError("\(error)") }
    return 0
}
