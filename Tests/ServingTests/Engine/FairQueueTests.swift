import Testing

@testable import Serving

/// Whose request is handled next.
@Suite struct FairQueueTests {
    private func queue(_ elements: [(client: String, name: String, isLarge: Bool)]) -> FairQueue<String> {
        var queue = FairQueue<String>()
        for element in elements { queue.add(element.name, of: element.client, isLarge: element.isLarge) }
        return queue
    }

    private func all(_ queue: FairQueue<String>, allowsLarge: Bool = true) -> [String] {
        var queue = queue
        var names: [String] = []
        while let next = queue.next(allowsLarge: allowsLarge) { names.append(next.element) }
        return names
    }

    @Test func `one client's elements keep their order`() {
        #expect(all(queue([("a", "1", false), ("a", "2", true), ("a", "3", false)])) == ["1", "2", "3"])
    }

    @Test func `clients take turns`() {
        let queue = queue([
            ("a", "a1", false), ("a", "a2", false), ("a", "a3", false), ("b", "b1", false), ("c", "c1", false), ("b", "b2", false),
        ])
        #expect(queue.count == 6)
        #expect(all(queue) == ["a1", "b1", "c1", "a2", "b2", "a3"])
    }

    @Test func `small ones pass large ones that may not begin`() {
        let queue = queue([("a", "large1", true), ("a", "small1", false), ("b", "large2", true), ("a", "small2", false)])
        #expect(all(queue, allowsLarge: false) == ["small1", "small2"])
        #expect(all(queue) == ["large1", "large2", "small1", "small2"])
    }

    @Test func `the client with most gives its newest up, and no client for itself or for an equal one`() {
        var queue = queue([("a", "a1", false), ("a", "a2", false), ("a", "a3", false), ("b", "b1", false)])
        #expect(queue.displace(for: "a") == nil)
        #expect(queue.displace(for: "b") == "a3")
        #expect(queue.displace(for: "b") == nil)
        #expect(queue.displace(for: "c") == "a2")
        #expect(all(queue) == ["a1", "b1"])
    }
}
