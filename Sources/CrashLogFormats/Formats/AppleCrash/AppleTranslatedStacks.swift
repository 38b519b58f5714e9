internal import BinaryPrimitives
internal import CrashLogModel

/// The stacks of PowerPC code in a report of Rosetta's, below its images: a heading and rows for
/// each thread (`AppleTranslatedRow`).
struct AppleTranslatedStacks {
    private var threads: [ThreadTrace] = []

    /// Takes a line.
    /// - Returns: whether it is a heading or a row of such a stack.
    mutating func take(_ line: Span<UInt8>, at place: Range<Int>) -> Bool {
        if let heading = AppleTranslatedRow.heading(line) {
            guard threads.count < Limits.standard.threads else { return false }
            threads.append(
                ThreadTrace(index: heading.index, name: "Translated code, thread \(heading.index)", crashed: heading.crashed))
            return true
        }
        guard let last = threads.indices.last, let row = AppleTranslatedRow(line) else { return false }
        threads[last].frames.add(row.frame(threads[last].frames.count, at: place))
        return true
    }

    /// The stacks with frames; each begins at the program counter.
    var stacks: [ThreadTrace] {
        threads.filter { !$0.frames.isEmpty }.map { thread in
            var thread = thread
            AppleStack.decideKinds(&thread.frames, origin: .thread)
            return thread
        }
    }
}
