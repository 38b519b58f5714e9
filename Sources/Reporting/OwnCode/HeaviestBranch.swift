package import CrashLogModel

/// The branch of a call tree with the most samples: from the first row, at each fork, the callee with the most
/// samples; of equal callees the first.
package struct HeaviestBranch {
    /// Indices into the tree's frames, callers first.
    package let rows: [Int]

    package init(_ frames: [Frame]) {
        // From the last row to the first: when a row is met, all that it calls has been, and is the
        // best of the next depth.
        var best: [Int?] = []
        var callee = [Int?](repeating: nil, count: frames.count)
        for index in frames.indices.reversed() {
            guard let depth = frames[index].depth, let samples = frames[index].samples, !frames[index].isInlined, depth >= 0,
                depth <= frames.count
            else { continue }
            while best.count <= depth + 1 { best.append(nil) }
            callee[index] = best[depth + 1]
            best[depth + 1] = nil
            let rival = best[depth].flatMap { frames[$0].samples } ?? -1
            if samples >= rival { best[depth] = index }
        }
        var rows: [Int] = []
        var next = best.first ?? nil
        while let index = next {
            rows.append(index)
            next = callee[index]
        }
        self.rows = rows
    }
}
