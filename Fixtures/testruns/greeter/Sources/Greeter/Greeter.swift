public func greet(_ name: String) -> String { "Hello, " + name }
public func head(_ values: [Int]) -> Int { values[0] }
