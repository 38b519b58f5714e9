internal import BinaryPrimitives

/// Symbolicates one log after another.
struct LogWorker: Sendable {
    let reader: LogReader
    let store: DatabaseStore
    let requirements: ResultRequirements
    let activity: BatchActivity

    struct Task: Sendable {
        /// In the order of the paths, from 0.
        var number: Int
        var file: LogTree.File
        /// The log that the file held before, and its bytes.
        var earlier: (content: ContentHash, size: Int64)?
    }

    /// A log that was looked up, and where it is.
    struct Result: Sendable {
        var number: Int
        var file: LogTree.File
        var stored: StoredFile?
        /// `nil` where the store has it already, or the file could not be opened.
        var outcome: LogOutcome?
        var problem: BatchProblem?
    }

    func symbolicate(_ task: Task) -> Result {
        let file = task.file
        activity.begin(file.path)
        defer { activity.end(file.path) }
        var result = Result(number: task.number, file: file)
        do throws(BatchProblem) {
            let content = try reader.content(of: file, first: task.earlier?.size)
            var stored = StoredFile(path: file.path, stamp: file.stamp, content: content.hash)
            if let earlier = task.earlier, content.beginning == earlier.content { stored.grownFrom = earlier.content }
            result.stored = stored
            // If the store cannot be queried, the error is reported when a result is written to it.
            if (try? store.has(content.hash, requirements)) == true { return result }
            result.outcome = reader.outcome(of: file, content)
        } catch { result.problem = error }
        return result
    }
}
