/// Value of a column. Bytes (BLOB) are read as text: a store has no bytes.
package enum ColumnValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
}

/// The values of a statement's parameters, in their order.
package struct StatementArguments: ExpressibleByArrayLiteral, Sendable {
    package private(set) var values: [ColumnValue]

    package init() { values = [] }

    package init(_ values: [ColumnValue]) { self.values = values }

    package init(arrayLiteral elements: (any ColumnValueConvertible)?...) { values = elements.map { $0?.columnValue ?? .null } }

    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum += right
        return sum
    }

    package static func += (left: inout Self, right: Self) { left.values += right.values }
}

/// A type that can be a parameter or a column.
package protocol ColumnValueConvertible {
    var columnValue: ColumnValue { get }
    /// - Returns: `nil` where the column holds something else: another program may have changed the
    ///   file.
    init?(_ value: ColumnValue)
    /// Value that replaces NULL if a value is required.
    static var missing: Self { get }
}

extension Int64: ColumnValueConvertible {
    package var columnValue: ColumnValue { .integer(self) }
    package init?(_ value: ColumnValue) {
        switch value {
        case .integer(let number): self = number
        case .real(let number): self.init(exactly: number)
        case .text, .null: return nil
        }
    }
    package static var missing: Int64 { 0 }
}

extension Int: ColumnValueConvertible {
    package var columnValue: ColumnValue { .integer(Int64(self)) }
    package init?(_ value: ColumnValue) {
        guard let number = Int64(value) else { return nil }
        self.init(exactly: number)
    }
    package static var missing: Int { 0 }
}

extension Bool: ColumnValueConvertible {
    package var columnValue: ColumnValue { .integer(self ? 1 : 0) }
    package init?(_ value: ColumnValue) {
        guard let number = Int64(value) else { return nil }
        self = number != 0
    }
    package static var missing: Bool { false }
}

extension String: ColumnValueConvertible {
    package var columnValue: ColumnValue { .text(self) }
    package init?(_ value: ColumnValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
    package static var missing: String { "" }
}
