internal import BinaryPrimitives
internal import CrashLogModel

/// Groups of signatures that another engine has collected, as `cairn batch` makes them from the
/// signatures of its store.
///
/// The same set of signatures gives the same groups, in any order and with any number of repeats.
package struct MergedGroups {
    private enum Line {
        /// Its keys, and the numbers of its signatures: one for each report.
        case signatures(StreamKeys, Range<Int>)
        case refused(StreamReply)
    }

    private var lines: [Line] = []
    private var signatures: [CrashSignature] = []

    package init() {}

    /// Adds what `cairn stream --with stack` wrote of a log.
    package mutating func add(_ record: StreamRecord) {
        do throws(StreamError) {
            let (keys, found) = try Self.read(record)
            lines.append(.signatures(keys, signatures.count..<signatures.count + found.count))
            signatures += found
        } catch {
            lines.append(.refused(StreamReply(error, of: record)))
        }
    }

    private static func read(_ record: StreamRecord) throws(StreamError) -> (StreamKeys, [CrashSignature]) {
        switch record {
        case .refused(_, let error): throw error
        case .pair: throw StreamError(.input, "expected a line")
        case .line(let line):
            let value: JSONValue
            do throws(LogError) { value = try JSONGrammar.document(line.span, limits: .standard) } catch {
                throw StreamError(.input, error.description)
            }
            let reports = [value] + (value["more"]?.elements ?? [])
            let signatures = reports.compactMap { StoredSignature($0)?.signature }
            guard signatures.count == reports.count else {
                throw StreamError(.input, "expected columns of cairn stream --with stack: signature, family, kind, title, stack")
            }
            return (StreamKeys(value, in: line.span), signatures)
        }
    }

    /// For each record its keys, and the name and the title of its group, then those of the log's
    /// other reports: `null` for a signature without a usable stack, which may be of any bug.
    package func replies() -> [StreamReply] {
        let groups = CrashGroups(signatures)
        return lines.map { line in
            switch line {
            case .refused(let reply): return reply
            case .signatures(let keys, let numbers):
                let found = numbers.map { members(of: groups.groups[groups.groupIndices[$0]]) }
                let more: WrittenJSON? = found.count > 1 ? .array(found.dropFirst().map { .object($0) }) : nil
                return StreamReply(keys, (found.first ?? []) + [("more", more)])
            }
        }
    }

    private func members(of group: CrashGroups.Group) -> [(key: String, value: WrittenJSON?)] {
        let isNone = signatures[group.leader].absence != nil
        return [("group", isNone ? .null : .string(group.hash)), ("title", isNone ? .null : .string(group.title))]
    }
}

extension StoredSignature {
    /// As `StreamRow` writes it.
    fileprivate init?(_ record: JSONValue) {
        func text(_ name: String) -> String? { record[name]?.string }
        guard let family = text("family"), let kindLabel = text("kind"), let title = text("title"), let exact = text("signature"),
            let frames = text("stack")
        else { return nil }
        self.init(
            family: family, kindLabel: kindLabel, title: title, exact: exact, ownCode: text("group") ?? "",
            lacksSymbols: record["lacks_symbols"]?.isTrue == true, absence: text("absence"), frames: frames)
    }
}
