/// Elements that wait, each of a client: clients take turns, so that one with many elements delays the others by one of its own at most.
///
/// Large elements have a limit of their own: while so many are in work, small ones pass those that wait.
struct FairQueue<Element> {
    private struct Entry {
        var element: Element
        var isLarge: Bool
    }

    /// Those of each client, oldest first; no client without one.
    private var waiting: [String: [Entry]] = [:]
    /// The clients, whose turn is next first.
    private var turns: [String] = []
    private(set) var count = 0

    mutating func add(_ element: Element, of client: String, isLarge: Bool) {
        if waiting[client] == nil { turns.append(client) }
        waiting[client, default: []].append(Entry(element: element, isLarge: isLarge))
        count += 1
    }

    /// Removes the oldest element of the client whose turn it is.
    /// - Parameter allowsLarge: `false`: the oldest small one, of the first client that has one.
    /// - Returns: `nil` where there is none.
    mutating func next(allowsLarge: Bool) -> (element: Element, isLarge: Bool)? {
        for (turn, client) in turns.enumerated() {
            guard let index = waiting[client]?.firstIndex(where: { allowsLarge || !$0.isLarge }),
                let entry = waiting[client]?.remove(at: index)
            else { continue }
            turns.remove(at: turn)
            endTurn(of: client)
            count -= 1
            return (entry.element, entry.isLarge)
        }
        return nil
    }

    private mutating func endTurn(of client: String) {
        if waiting[client]?.isEmpty == true { waiting[client] = nil } else { turns.append(client) }
    }

    /// Whether another client has at least two elements more than this one, so that one of them may give its place up.
    func hasHeavierClient(than client: String) -> Bool { heaviest.map { $0.client != client && $0.count > own(client) + 1 } ?? false }

    /// Whether elements of several clients wait.
    func hasOthers(than client: String) -> Bool { turns.contains { $0 != client } }

    /// Removes the newest element of the client that has most, if `hasHeavierClient`.
    mutating func displace(for client: String) -> Element? {
        guard hasHeavierClient(than: client), let heaviest = heaviest?.client, let entry = waiting[heaviest]?.popLast() else { return nil }
        count -= 1
        return entry.element
    }

    private func own(_ client: String) -> Int { waiting[client]?.count ?? 0 }

    private var heaviest: (client: String, count: Int)? {
        waiting.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }.map { ($0.key, $0.value.count) }
    }
}
