/// A row of a statement's result.
package struct Row {
    private enum Contents {
        /// The statement's own row, until its next step.
        case current
        case kept([ColumnValue])
    }

    private let statement: any PreparedStatement
    private let contents: Contents

    fileprivate init(_ statement: any PreparedStatement) {
        self.statement = statement
        contents = .current
    }

    /// A copy, which stays when the statement is used again.
    fileprivate init(copying statement: any PreparedStatement) {
        self.statement = statement
        contents = .kept((0..<statement.columnCount).map { statement.value($0) })
    }

    private func value(_ column: Int32) -> ColumnValue {
        guard case .kept(let values) = contents else { return statement.value(column) }
        return values.indices.contains(Int(column)) ? values[Int(column)] : .null
    }

    private func value(_ name: String) -> ColumnValue { statement.columns[name].map { value($0) } ?? .null }

    package subscript<Value: ColumnValueConvertible>(_ name: String) -> Value { Value(value(name)) ?? .missing }
    package subscript<Value: ColumnValueConvertible>(_ name: String) -> Value? { Value(value(name)) }

    package func value(at index: Int) -> ColumnValue { value(Int32(truncatingIfNeeded: index)) }

    // Value of a column, converted from the type that it was written as.
    package func text(_ index: Int) -> String? { String(value(Int32(truncatingIfNeeded: index))) }
    package func number(_ index: Int) -> Int64? { Int64(value(Int32(truncatingIfNeeded: index))) }
    package func count(_ index: Int) -> Int { number(index).flatMap { Int(exactly: $0) } ?? 0 }
    package func bits(_ index: Int) -> UInt64? { number(index).map { UInt64(bitPattern: $0) } }

    // MARK: Fetching

    /// The rows of a result, one after another.
    package struct Cursor {
        fileprivate let statement: any PreparedStatement

        /// The next row, which is valid until the one after it; `nil` at the end.
        package func next() throws(DatabaseError) -> Row? {
            guard try statement.step() else {
                statement.reset()
                return nil
            }
            return Row(statement)
        }

        /// Ends the reading where not all rows are wanted: a statement in the middle of its result
        /// keeps its transaction open.
        package func end() { statement.reset() }
    }

    /// - Parameter isLarge: the rows may not fit into memory.
    package static func fetchCursor(
        _ statement: any PreparedStatement, arguments: StatementArguments = [], isLarge: Bool = false
    ) throws(DatabaseError) -> Cursor {
        try statement.begin(arguments, isLarge: isLarge)
        return Cursor(statement: statement)
    }

    /// The first row; `nil` if there is no row.
    package static func fetchOne(_ statement: any PreparedStatement, arguments: StatementArguments = []) throws(DatabaseError) -> Row? {
        try statement.begin(arguments, isLarge: false)
        defer { statement.reset() }
        return try statement.step() ? Row(copying: statement) : nil
    }

    package static func fetchOne(_ database: any DatabaseConnection, sql: String, arguments: StatementArguments = []) throws(DatabaseError)
        -> Row?
    {
        try fetchOne(database.cachedStatement(sql: sql), arguments: arguments)
    }
}

extension ColumnValueConvertible {
    /// The first column of the first row; `nil` if there is no row, or if it is NULL.
    package static func fetchOne(_ statement: any PreparedStatement, arguments: StatementArguments = []) throws(DatabaseError) -> Self? {
        try statement.begin(arguments, isLarge: false)
        defer { statement.reset() }
        return try statement.step() ? Self(statement.value(0)) : nil
    }

    package static func fetchOne(_ database: any DatabaseConnection, sql: String, arguments: StatementArguments = []) throws(DatabaseError)
        -> Self?
    {
        try fetchOne(database.cachedStatement(sql: sql), arguments: arguments)
    }
}
