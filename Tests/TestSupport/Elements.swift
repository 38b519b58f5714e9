/// Collects what a function that calls back for each element gives:
/// `elements { try object.forEachSymbol($0) }`.
package func elements<Element>(_ forEach: (_ body: (Element) -> Bool) throws -> Void) rethrows -> [Element] {
    var found: [Element] = []
    try forEach { element in
        found.append(element)
        return true
    }
    return found
}
