internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes and exceptions of ClickHouse since 2019:
    ///
    ///     <Fatal> BaseDaemon: (version 21.1.2.15, build id: CA7306E4531D31C8CA7306E4531D31C8CA7306E4) (from thread 55832) (query_id: x) Received signal Segmentation fault (11)
    ///     <Fatal> BaseDaemon: Stack trace: 0x10e30de3 0x10e3d2c3 0x10e3d826
    ///     <Fatal> BaseDaemon: 3. ./build/../src/harbour.cpp:1853: DB::Harbour::moor(int) @ 0x10e30de3 in /usr/bin/clickhouse
    ///
    /// The address is as linked, in the object that the row names: `physical_addr` of `StackTrace::forEachFrame`
    /// (`src/Common/StackTrace.cpp`). It is as unwound: return addresses. After a signal, the rows begin with the
    /// executing frame, which the constructor of `StackTrace` has found among them by the address of the signal's
    /// context. The rows keep their numbers: in a stack that begins with 0, that frame was not found. Newer servers
    /// print its address plus one (“a hack in libunwind”, according to the constructor), which is still in the
    /// instruction.
    static let clickhouse = StackCard(
        name: "clickhouse",
        summary: "crashes and exceptions of ClickHouse: rows “3. name @ 0x… in /usr/bin/clickhouse”",
        openings: [
            .anywhere("<Fatal> BaseDaemon: "), .anywhere(") (from thread "),
            .anywhere("Stack trace (when copying this message, always include"),
        ],
        addresses: .asLinked,
        maxUnrecognizedLines: 12,
        claimsLine: { ClickHouseLine.isRow($0) },
        read: ClickHouseLine.read,
        finish: { report in
            report.joinUnnamedProgram { $0.name.hasPrefix("clickhouse") }
            if report.cause?.kind == .signal, let first = report.threads.first?.frames.first, first.index > 0 {
                for index in report.threads[0].frames.indices {
                    guard report.threads[0].frames[index].address == first.address,
                        report.threads[0].frames[index].imageLocation == first.imageLocation
                    else { break }
                    report.threads[0].frames[index].kind = .programCounter
                }
            }
            report.process.name = report.process.name ?? report.images.first { $0.name.hasPrefix("clickhouse") }?.name
        })
}

extension CrashReport {
    /// Merges the program, whose build ID is in a heading, with the image that rows name.
    mutating func joinUnnamedProgram(where isProgram: (BinaryImage) -> Bool) {
        guard let id = images.first?.id, images[0].name == RowFrames.unnamed, images[0].path == nil,
            let index = images.firstIndex(where: isProgram), index > 0
        else { return }
        images[index].id = images[index].id ?? id
        images.removeFirst()
        changeStacks { stack in
            for row in stack.frames.indices {
                guard let image = stack.frames[row].image else { continue }
                stack.frames[row].image = image == 0 ? index - 1 : image - 1
            }
        }
    }
}

/// Reads the lines of ClickHouse's log around a stack.
enum ClickHouseLine {
    /// Whether the line is a row:
    /// `3. ./src/harbour.cpp:1853: DB::Harbour::moor(int) @ 0x10e30de3 in /usr/bin/clickhouse`.
    static func isRow(_ line: Span<UInt8>) -> Bool {
        guard let at = line.lastRange(of: " @ 0x") else { return false }
        let behind = line.from(at.upperBound)
        return behind.contains(" in /") && behind.contains("clickhouse")
    }

    static func read(_ line: Span<UInt8>) -> StackLine? {
        if let heading = line.firstRange(of: "Stack trace (when copying this message, always include"), line.contains(" @ 0x") {
            return rows(line, behind: heading)
        }
        guard line.firstRange(of: " @ 0x") == nil else { return nil }
        if let version = line.firstRange(of: "(version ") { return head(line.from(version.lowerBound)) }
        if line.contains("Stack trace: 0x") || line.contains("BaseDaemon: ####") || line.hasPrefix("####") { return .skipped }
        return nil
    }

    /// Reads the heading:
    /// `(version 21.1.2.15, build id: CA73…) (from thread 55832) … Received signal Segmentation fault (11)`.
    private static func head(_ text: Span<UInt8>) -> StackLine? {
        guard text.contains("(from thread "), let signal = text.lastRange(of: "eceived signal ") else {
            guard let label = text.firstRange(of: "build id: ") else { return nil }
            return id(text.from(label.upperBound))
        }
        let description = text.from(signal.upperBound)
        let name = SignalText.name(ofDescriptionIn: description) ?? number(description).flatMap { SignalName.posix($0) }
        var cause = SignalText.cause(signal: name, text.from(signal.lowerBound - 1))
        if cause.type == nil { cause.type = description.text }
        let label = text.firstRange(of: "build id: ")
        return .several([.cause(cause)] + (label.flatMap { id(text.from($0.upperBound)) }.map { [$0] } ?? []))
    }

    /// Reads the number of a signal: `Segmentation fault (11)`.
    private static func number(_ text: Span<UInt8>) -> UInt64? {
        guard let open = text.lastIndex(of: UInt8(ascii: "(")) else { return nil }
        return text.from(open + 1).leadingDecimal
    }

    /// Reads the rows of a stack in one line, as loggers write it: `…, always include the lines below): 0. f() @ 0xe5a9c1a in
    /// /usr/bin/clickhouse 1. g() @ 0x9e3c0ff in /usr/bin/clickhouse (version 22.8.1.1)`.
    private static func rows(_ line: Span<UInt8>, behind heading: Range<Int>) -> StackLine? {
        guard let mark = line.firstRange(of: "): ", from: heading.upperBound) else { return nil }
        var start = mark.upperBound
        var rows: [StackRow] = []
        while rows.count < Limits.standard.framesPerThread {
            while let byte = line.at(start), isBlank(byte) { start += 1 }
            guard let number = RowNumber(line, from: start), number.style == .dot,
                let at = line.firstRange(of: " @ 0x", from: number.end),
                let file = line.firstRange(of: " in /", from: at.upperBound)
            else { break }
            let end = line.firstIndex(of: UInt8(ascii: " "), from: file.upperBound) ?? line.count
            guard let row = StackRow(line.upTo(end), from: start, isLenient: true), row.isLocated else { break }
            rows.append(row)
            start = end
        }
        return rows.isEmpty ? nil : .several([.rows(rows), .last])
    }

    static func id(_ text: Span<UInt8>) -> StackLine? {
        var length = 0
        while let byte = text.at(length), hexadecimalValue(byte) != nil { length += 1 }
        return ImageID(text: text.upTo(length)).map { .program($0) }
    }
}
