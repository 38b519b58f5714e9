import CReader

public struct Bridge {
    public var spans: [Int]
    public var name: String?

    public init(spans: [Int], name: String? = nil) {
        self.spans = spans
        self.name = name
    }

    public func title() -> String {
        name!
    }

    public func span(_ index: Int) -> Int {
        spans[index]
    }

    public func load(_ kilograms: Int) -> Int {
        if kilograms > 1000 { fatalError("too heavy: \(kilograms)") }
        return kilograms / spans.count
    }

    public func firstReading() -> Int {
        Int(reader_first(nil))
    }

    public func reading(_ index: Int) -> Int {
        Int(reader_at(Int32(index)))
    }
}
