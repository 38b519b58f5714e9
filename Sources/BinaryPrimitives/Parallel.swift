internal import Dispatch
internal import Synchronization

/// Work that is spread over the processors.
public enum Parallel {
    /// Transforms each element, several at once.
    /// - Parameter chunk: elements that one processor takes at a time: many where one costs little.
    /// - Returns: the results in the order of the elements.
    public static func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element], chunk: Int = 16, _ transform: @Sendable (Element) -> Result
    ) -> [Result] {
        let size = max(1, chunk)
        let count = (elements.count + size - 1) / size
        // One piece of work needs no other thread.
        guard count > 1 else { return elements.map(transform) }
        let parts = Mutex<[(index: Int, results: [Result])]>([])
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let results = elements[index * size..<min(elements.count, (index + 1) * size)].map(transform)
            parts.withLock { $0.append((index, results)) }
        }
        return parts.withLock { $0.sorted { $0.index < $1.index }.flatMap(\.results) }
    }
}
