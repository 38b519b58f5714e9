internal import BinaryPrimitives
internal import Console
internal import SymbolSources
internal import Symbolication
internal import Synchronization

/// Writes results one after the other into its own memory, so that several processors can each write a part
/// of a batch.
final class ResultWriter: Sendable {
    private struct State: ~Copyable {
        var names: PrintedNames
        var frames: [PrintedFrame] = []
        var output = OutputText()
    }

    private let state: Mutex<State>

    init(_ tool: some AddressTool) { state = Mutex(State(names: tool.makeNames())) }

    /// - Parameters:
    ///   - range: of the questions.
    ///   - results: not used if a file's index gives the results.
    func write(_ range: Range<Int>, of queries: [AddressQuery], _ results: OpenedFiles.Results, _ tool: some AddressTool) {
        state.withLock { state in
            if range.count >= Self.manyQueries {
                state.names.reserveCapacity(Self.bytesOfMany)
                state.output.reserveCapacity(Self.bytesOfMany)
            }
            var next = range.lowerBound
            while next < range.upperBound {
                let end = tool.files.endOfIndexed(queries, next..<range.upperBound)
                if end > next {
                    // Other processors read the same pages of it for their parts.
                    let isOneFile = next == range.lowerBound && end == range.upperBound
                    Self.writeIndexed(next..<end, of: queries, among: isOneFile ? queries.count : end - next, tool, &state)
                    next = end
                    continue
                }
                state.names.forgetIfLarge()
                if queries[next].subject != .code {
                    tool.appendOther(queries[next], &state.names, to: &state.output)
                    next += 1
                    continue
                }
                state.frames.removeAll(keepingCapacity: true)
                let resultIndex = results.resultIndices[next]
                if resultIndex >= 0, !results.detailed.isEmpty {
                    state.names.append(results.detailed[resultIndex], to: &state.frames)
                } else if resultIndex >= 0, case .found(let found) = results.plain[resultIndex] {
                    for frame in found { state.frames.append(state.names.frame(frame, isOneOfMany: results.plain.count > 1)) }
                    if !results.discriminators.isEmpty {
                        state.frames[0].discriminator = results.discriminators[resultIndex]
                    }
                    if !results.areNamedByDebugInformation.isEmpty {
                        state.frames[state.frames.count - 1].isNamedByDebugInformation = results.areNamedByDebugInformation[resultIndex]
                    }
                }
                tool.complete(&state.frames, &state.names, for: queries[next])
                tool.append(state.frames, state.names, for: queries[next], to: &state.output)
                next += 1
            }
        }
    }

    /// Writes the results of questions about one file that has an index: each is a search of a quarter of a
    /// microsecond.
    /// - Parameter count: number of queries that are answered from the index now, by all processors.
    private static func writeIndexed(
        _ range: Range<Int>, of queries: [AddressQuery], among count: Int, _ tool: some AddressTool, _ state: inout State
    ) {
        guard let number = queries[range.lowerBound].file, let file = tool.files[number], let index = tool.files.index(of: file) else {
            return
        }
        index.forEachResult(at: queries[range].map(\.address), among: count) { offset, result, frames in
            let query = queries[range.lowerBound + offset]
            state.names.forgetIfLarge()
            state.frames.removeAll(keepingCapacity: true)
            if result != .debugInformation, file.hasOtherFiles {
                if case .found(let found)? = file.results(at: [query.address]).first {
                    for frame in found { state.frames.append(state.names.frame(frame, isOneOfMany: true)) }
                    if tool.files.needsDiscriminators {
                        state.frames[0].discriminator = file.resultsWithRows(at: [query.address]).1[0].discriminator
                    }
                }
            } else {
                for frame in 0..<frames.count {
                    state.frames.append(state.names.frame(frames[frame], of: index, number: number, among: count))
                }
                if tool.files.needsDiscriminators, frames.count > 0 { state.frames[0].discriminator = UInt64(frames[0].discriminator) }
            }
            tool.append(state.frames, state.names, for: query, to: &state.output)
        }
    }

    /// Number of queries from which their texts get memory at once: an array that grows is copied to fresh pages each time, and pages that
    /// are not used cost nothing.
    private static let manyQueries = 100
    private static let bytesOfMany = 1 << 20

    /// Moves the written results to `output`.
    func flush(to output: inout StandardOutput) {
        state.withLock { state in
            output.append(state.output.bytes)
            state.output.removeAll()
        }
    }
}
