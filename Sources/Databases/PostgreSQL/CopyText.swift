internal import CLibpq

extension ServerConnection {
    package func load(
        _ table: String, _ columns: [String], _ next: () throws(DatabaseError) -> StatementArguments?
    ) throws(DatabaseError) {
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        _ = try run("COPY \"\(table)\" (\(names)) FROM STDIN")
        var text = CopyText()
        do {
            while let row = try next() {
                text.append(row)
                if text.bytes.count >= 1 << 16 { try send(&text) }
            }
            try send(&text)
        } catch {
            _ = unsafe libpq.functions.PQputCopyEnd(handle, "given up")
            drain()
            throw error
        }
        guard unsafe libpq.functions.PQputCopyEnd(handle, nil) == 1 else { throw failure }
        defer { drain() }
        _ = unsafe try checked(libpq.functions.PQgetResult(handle))
    }

    private func send(_ text: inout CopyText) throws(DatabaseError) {
        let count = Int32(truncatingIfNeeded: text.bytes.count)
        let status = unsafe text.bytes.withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe libpq.functions.PQputCopyData(handle, $0.baseAddress, count) }
        }
        guard status == 1 else { throw failure }
        text.bytes.removeAll(keepingCapacity: true)
    }

    private var failure: DatabaseError { DatabaseError(kind: isAlive ? .other : .unavailable, message: lastError) }
}

/// Rows as COPY reads them: a line each, a tab between columns
/// (https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2).
struct CopyText {
    var bytes: [UInt8] = []

    mutating func append(_ row: StatementArguments) {
        for (index, value) in row.values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\t")) }
            append(value)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func append(_ value: ColumnValue) {
        guard let text = value.serverText else {
            bytes += "\\N".utf8
            return
        }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case UInt8(ascii: "\r"): bytes += "\\r".utf8
            case UInt8(ascii: "\t"): bytes += "\\t".utf8
            default: bytes.append(byte)
            }
        }
    }
}
