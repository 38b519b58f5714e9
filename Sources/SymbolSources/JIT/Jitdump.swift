internal import BinaryPrimitives

/// Reads `jit-PID.dump`: what a runtime writes for `perf inject --jit` (Linux, `tools/perf/Documentation/jitdump-specification.txt`).
///
///     header   magic "JiTD", version, size of the header, ELF machine, filling, process, time, flags
///     record   type, size of the whole record, time, then by its type:
///       0 JIT_CODE_LOAD        process, thread, vma, address, size, index, name and zero, code
///       1 JIT_CODE_MOVE        process, thread, vma, old address, new address, size, index
///       2 JIT_CODE_DEBUG_INFO  address, count, then rows of address, line, discriminator, file and zero; before the code's own record
struct Jitdump {
    let machine: UInt16
    let process: Int
    private let order: ByteOrder
    private let headerSize: Int

    /// - Returns: `nil` if it is none.
    init?(_ bytes: RawSpan) {
        guard let magic = try? bytes.value(UInt32.self, at: 0, .littleEndian), magic == Self.magic || magic == Self.magic.byteSwapped
        else { return nil }
        let order: ByteOrder = magic == Self.magic ? .littleEndian : .bigEndian
        guard let size = try? bytes.value(UInt32.self, at: 8, order), size >= 40,
            let machine = try? bytes.value(UInt32.self, at: 12, order), let process = try? bytes.value(UInt32.self, at: 20, order)
        else { return nil }
        self.order = order
        self.machine = UInt16(truncatingIfNeeded: machine)
        self.process = Int(process)
        headerSize = Int(size)
    }

    private static let magic: UInt32 = 0x4a69_5444

    /// Returns the functions, and by how many bytes the addresses of rows are too large. A function without a name is one that was moved
    /// away.
    /// - Parameter limit: maximum number of functions.
    func functions(_ bytes: RawSpan, limit: Int) -> (functions: [GeneratedCode.Function], rowBias: UInt64) {
        var functions: [GeneratedCode.Function] = []
        // LLVM and V8 add the size of the ELF header that perf puts before the code; perf's agent for Java does not.
        var leastDistance = UInt64.max
        /// Index of the latest function at an address.
        var latest: [UInt64: Int] = [:]
        var lines: [UInt64: GeneratedCode.Lines] = [:]
        var offset = headerSize
        var order = 0
        while functions.count < limit, let type = try? bytes.value(UInt32.self, at: offset, self.order),
            let size = (try? bytes.value(UInt32.self, at: offset + 4, self.order)).map({ Int($0) }), size >= 16,
            size <= bytes.byteCount - offset
        {
            // A record has the fields of its type, or it is passed over.
            let record = try? bytes.slice(at: UInt64(offset), count: UInt64(size))
            func word(_ at: Int) -> UInt64? { try? bytes.value(UInt64.self, at: offset + at, self.order) }
            switch type {
            case 0 where size > 56:
                guard let record, let start = word(32), let length = word(40), length > 0,
                    case let (end, overflow) = start.addingReportingOverflow(length), !overflow,
                    var name = try? record.from(56), let text = try? name.readCString()
                else { break }
                latest[start] = functions.count
                let first = offset + 56
                functions.append(
                    GeneratedCode.Function(range: start..<end, name: first..<first + text.byteCount, lines: lines[start], order: order))
                lines[start] = nil
            case 1 where size >= 64:
                guard let old = word(32), let start = word(40), let length = word(48), length > 0,
                    case let (end, overflow) = start.addingReportingOverflow(length), !overflow,
                    let index = latest[old]
                else { break }
                var moved = functions[index]
                (moved.range, moved.order) = (start..<end, order)
                functions[index].name = 0..<0
                latest[old] = nil
                latest[start] = functions.count
                functions.append(moved)
            case 2 where size >= 32:
                guard let start = word(16), let count = word(24) else { break }
                if let first = word(32) { leastDistance = min(leastDistance, first &- start) }
                lines[start] = GeneratedCode.Lines(rows: offset + 32..<offset + size, count: Int(clamping: count), start: start)
            default: break
            }
            order += 1
            offset += size
        }
        let header: UInt64 = 64
        return (functions, leastDistance >= header && leastDistance != .max ? header : 0)
    }

    /// Returns the file and line of the last row at or before an address.
    /// - Parameter address: as in the function's rows.
    /// - Returns: `nil` if there is none, or if the rows are not credible: V8 before version 12 writes other bytes than files' names.
    func location(of address: UInt64, in lines: GeneratedCode.Lines, size: UInt64, bias: UInt64, _ bytes: RawSpan) -> SourceLocation? {
        var best: (distance: UInt64, row: Row)?
        for row in rows(of: lines, bytes) {
            let distance = row.address &- bias &- lines.start
            // The end of the code may have a row, too.
            guard distance <= size, row.line >= 0, Self.isPath(bytes, row.file) else { return nil }
            if distance <= address &- lines.start, distance >= best?.distance ?? 0 { best = (distance, row) }
        }
        guard let row = best?.row, row.line > 0 else { return nil }
        return SourceLocation(file: bytes.clamped(to: row.file).string(), line: row.line)
    }

    private static func isPath(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        let name = bytes.clamped(to: range)
        guard name.byteCount > 0, name.byteCount <= Limits.standard.nameLength,
            let text = String(validating: (0..<name.byteCount).map { name.byte(at: $0) }, as: UTF8.self)
        else { return false }
        return text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) }
    }

    private struct Row {
        var address: UInt64
        var line: Int
        /// Range of the file's name in the dump.
        var file: Range<Int>
    }

    private func rows(of lines: GeneratedCode.Lines, _ bytes: RawSpan) -> [Row] {
        var rows: [Row] = []
        var offset = lines.rows.lowerBound
        var file: Range<Int>?
        while rows.count < lines.count, let address = try? bytes.value(UInt64.self, at: offset, order),
            let line = try? bytes.value(Int32.self, at: offset + 8, order)
        {
            let start = offset + 16
            var rest = bytes.clamped(to: min(start, lines.rows.upperBound)..<lines.rows.upperBound)
            guard let name = try? rest.readCString() else { break }
            // One byte, 0xff, means the file of the row before.
            if !(name.byteCount == 1 && name.byte(at: 0) == 0xff) { file = start..<start + name.byteCount }
            offset = start + name.byteCount + 1
            rows.append(Row(address: address, line: Int(line), file: file ?? start..<start))
        }
        return rows
    }
}
