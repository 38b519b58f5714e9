/// The tests that have begun and not ended, in the order in which they began.
///
/// Swift Testing starts all tests of a run at once, so that a test is looked up by its name and not searched for.
struct RunningTests: Sendable {
    /// `nil`: the test has ended. The last one has not.
    private var started: [String?] = []
    /// Indices in `started` of the tests of each name, ascending.
    private var indices: [String: [Int]] = [:]
    private var count = 0

    /// Tests that are kept; further ones are not known to run.
    private static let maxCount = 4096

    var isEmpty: Bool { count == 0 }
    /// The test that began last.
    var last: String? { started.last ?? nil }
    /// The oldest first.
    var names: [String] { started.compactMap { $0 } }

    func contains(_ name: String) -> Bool { indices[name] != nil }

    mutating func start(_ name: String) {
        guard count < Self.maxCount else { return }
        if started.count >= 2 * Self.maxCount { removeEnded() }
        indices[name, default: []].append(started.count)
        started.append(name)
        count += 1
    }

    /// Removes the test of this name that began last, if there is one.
    mutating func end(_ name: String) {
        guard var own = indices.removeValue(forKey: name), let index = own.popLast() else { return }
        if !own.isEmpty { indices[name] = own }
        started[index] = nil
        count -= 1
        while case .some(.none) = started.last { started.removeLast() }
    }

    private mutating func removeEnded() {
        let names = names
        (started, indices) = (names, [:])
        for (index, name) in names.enumerated() { indices[name, default: []].append(index) }
    }
}

extension RunningTests: CustomStringConvertible {
    var description: String { names.description }
}
