/// Values by a number, for few numbers that come again and again: functions of neighbouring
/// addresses, their files.
///
/// A dictionary costs the first who makes one of its type a search through all conformances of the
/// program, as much as a lookup; so there is none until the numbers are many.
struct ValuesByNumber<Value> {
    private var keys: [Int] = []
    private var values: [Value] = []
    private var indices: [Int: Int]?

    /// Numbers that are searched one by one.
    private static var few: Int { 32 }

    /// The value that was kept for a number; `nil` if none was.
    subscript(key: Int) -> Value? {
        if let indices { return indices[key].map { values[$0] } }
        var index = keys.count
        while index > 0 {
            index -= 1
            if keys[index] == key { return values[index] }
        }
        return nil
    }

    /// Keeps a value for a number that has none.
    mutating func keep(_ value: Value, for key: Int) {
        values.append(value)
        if indices == nil {
            keys.append(key)
            if keys.count > Self.few { indices = Dictionary(keys.enumerated().map { ($1, $0) }) { first, _ in first } }
        } else {
            indices?[key] = values.count - 1
        }
    }
}
