internal import BinaryPrimitives
package import CrashReports
internal import SymbolSources
internal import Symbolication

/// Which code is the user's own, and where a report meets it first.
package struct OwnCode: Sendable {
    /// Images that the user calls their own, by name, or by the folders that their paths begin with; empty: every image that is not the system's.
    private let named: [String]

    init(named: [String] = []) { self.named = named }

    /// Where systems keep what they ship: an image below one of these is not the user's.
    private static let systemFolders = ["/usr/lib", "/usr/libexec", "/lib/", "/lib64/", "/System/", "/Library/Apple/", "/private/preboot/"]
    /// The Swift runtime's libraries, which programs carry along.
    private static let runtimePrefixes = ["libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime"]

    func isOwn(_ image: BinaryImage) -> Bool {
        guard !named.isEmpty else { return !Self.isSystem(image) }
        return named.contains { name in
            image.name == name || image.path == name || image.path.map { $0.hasPrefix(name.hasSuffix("/") ? name : name + "/") } == true
        }
    }

    /// An image that comes with the system or the language.
    package static func isSystem(_ image: BinaryImage) -> Bool {
        if runtimePrefixes.contains(where: image.name.hasPrefix) { return true }
        guard let path = image.path else { return false }
        return systemFolders.contains(where: path.hasPrefix)
    }

    /// The function where the cause is most likely to be looked for: the first one with a line outside the system's images, of the exception's stack
    /// if there is one, else of the crashed thread, else of the first. Where no function has a line, the first with a name outside the system's images.
    /// Of a call tree, the branch is followed that most samples took, from its end.
    func firstFrame(of report: SymbolicatedReport) -> (function: FrameAnswer.Function, image: String)? {
        var stacks: [[FrameOutcome]] = [report.exceptionBacktrace]
        let threads = zip(report.report.threads, report.threads)
        stacks += threads.filter(\.0.crashed).map(Self.innermostFirst)
        if !report.report.threads.contains(where: \.crashed) { stacks += threads.prefix(1).map(Self.innermostFirst) }
        let outcomes = stacks.joined().filter { outcome in
            outcome.image.map { report.images.indices.contains($0) && isOwn(report.images[$0].image) } ?? false
        }
        let answers = outcomes.compactMap(\.answer)
        let functions = answers.flatMap { answer in answer.functions.map { (function: $0, image: answer.imageName) } }
        return functions.first { Self.isWritten($0.function.location) } ?? functions.first
    }

    /// A stack as it is; of a call tree the heaviest branch, from its end.
    private static func innermostFirst(_ thread: ThreadTrace, _ outcomes: [FrameOutcome]) -> [FrameOutcome] {
        guard thread.isCallTree else { return Array(outcomes.dropFirst(thread.interruptedIndex)) }
        return HeaviestBranch(thread.frames).rows.reversed().filter(outcomes.indices.contains).map { outcomes[$0] }
    }

    /// A line of a file that somebody wrote: compilers give code that they make a line of zero, or a file named so.
    private static func isWritten(_ location: SourceLocation?) -> Bool {
        guard let location else { return false }
        return location.line > 0 && location.file != "<compiler-generated>" && !location.file.hasSuffix("/<compiler-generated>")
    }
}
