extension CrashReport {
    /// Returns the report with every frame's range moved by `distance` bytes: from a part of a log
    /// to the whole, or back.
    package func moved(by distance: Int) -> CrashReport {
        guard distance != 0 else { return self }
        var moved = self
        moved.changeStacks { $0.move(by: distance) }
        if !restored.isEmpty { moved.restored[0].map = restored[0].map.moved(by: distance) }
        return moved
    }
}

extension ThreadTrace {
    fileprivate mutating func move(by distance: Int) {
        for index in frames.indices {
            let range = frames[index].range
            frames[index].range = range.lowerBound + distance..<range.upperBound + distance
        }
    }
}
