/// Values by the codes of a unit's abbreviations. Compilers number them from 1, so that nearly all are in an array.
struct CodeTable<Value> {
    private var dense: [Value?] = []
    private var sparse: [UInt64: Value] = [:]
    private static var denseLimit: UInt64 { 1 << 16 }

    /// The value of a code; `nil` if it has none.
    @inline(__always)
    subscript(code: UInt64) -> Value? {
        get { code < UInt64(dense.count) ? dense[Int(code)] : code < Self.denseLimit ? nil : sparse[code] }
        set {
            guard code < Self.denseLimit else { return sparse[code] = newValue }
            while dense.count <= Int(code) { dense.append(nil) }
            dense[Int(code)] = newValue
        }
    }

    mutating func removeAll() {
        dense.removeAll(keepingCapacity: true)
        sparse.removeAll(keepingCapacity: true)
    }
}
