internal import BinaryPrimitives
package import CrashLogModel

extension RowStacks {
    package mutating func finish() -> [CrashReport] {
        endStack()
        guard isStack else { return [] }
        // One writer wrote all of them.
        if stacks.contains(where: { $0.rule == .movedBack }) { for index in stacks.indices { stacks[index].rule = .movedBack } }
        report.format = card?.name ?? RowStacks.name
        // The program's name may be below its identity.
        if report.images.first?.name == RowFrames.unnamed, let name = report.process.name { report.images[0].name = name }
        report.architecture = report.architecture ?? card?.architecture
        var frames = RowFrames(card, images: report.images)
        for (index, stack) in stacks.enumerated() {
            let isCrashed = stack.isCrashed || (stacks.count == 1 || index == 0 && !stacks.contains(where: \.isCrashed))
            let index = stack.number ?? index
            var rows = frames.frames(of: stack)
            if !map.isEmpty { RowFrames.placeByMap(&rows, stack) }
            var trace = ThreadTrace(index: index, name: stack.name, crashed: isCrashed && !stack.isAdditional, frames: rows)
            if !stack.registers.isEmpty { trace.registers = RegisterState(values: stack.registers) }
            if stack.isAdditional { report.additionalBacktraces.append(trace) } else { report.threads.append(trace) }
            for row in stack.notUnderstood { report.notes.append("A row of this stack could not be parsed: \(row)") }
        }
        var table = ImageTable(map.isEmpty ? frames.images : map.all)
        table.assign(to: &report)
        card?.finish?(&report)
        return [report]
    }

    /// Whether the rows are enough. Without a card: two rows of one kind, which are no table of
    /// symbols or of load addresses.
    private var isStack: Bool {
        guard let first = stacks.first, card?.hasOwnRows == true || stacks.contains(where: { $0.entries.contains { $0.row.hasPlace } })
        else {
            return false
        }
        if let card, isHeaded || isForced || isClaimed && card.takesRowWithoutHeading, card.takesOneRow { return true }
        guard
            stacks.count > 1 || first.placed > 1
                || card.map({ $0.takesOneRow && $0.takesRowWithoutHeading }) == true && first.entries[0].row.hasSecondField
        else { return false }
        guard card == nil else { return true }
        let addresses = first.entries.compactMap(\.row.address)
        // Where files were loaded: `libc.so.6 => /lib/libc.so.6 (0x7f1c2a000000)`.
        if addresses.count > 1, addresses.allSatisfy({ $0 & 0xFFF == 0 }) { return false }
        return !isTable(first.entries, addresses)
    }

    /// Tables of symbols are sorted: linker maps and gdb's `info functions` by their addresses,
    /// nm's by their names. Rows that say more than a table's may rise for a while.
    private func isTable(_ entries: [RowStack.Entry], _ addresses: [UInt64]) -> Bool {
        guard entries.allSatisfy({ $0.row.number == nil }), addresses.count > 1 else { return false }
        // Uses of one symbol: relocations, jumps.
        if addresses.allSatisfy({ $0 == addresses[0] }), entries.allSatisfy({ !$0.isInlined }) { return true }
        let full = entries.count { $0.row.hasSecondField || $0.row.addressBracket != 0 || $0.module != nil }
        let rising = zip(addresses, addresses.dropFirst()).count { $0 < $1 }
        if full * 2 > entries.count { return addresses.count > 5 && rising == addresses.count - 1 }
        if rising * 8 > (addresses.count - 1) * 7 { return true }
        // Several names of one address: `data_start` and `__data_start`.
        let hasAliases = zip(entries, entries.dropFirst()).contains {
            $0.row.address == $1.row.address && $0.symbol != $1.symbol && !$0.isInlined && !$1.isInlined
        }
        if full == 0, hasAliases, zip(addresses, addresses.dropFirst()).allSatisfy({ $0 <= $1 }) { return true }
        let names = entries.compactMap(\.symbol)
        guard full == 0, names.count == entries.count else { return false }
        let inOrder = zip(names, names.dropFirst()).count { $0 < $1 }
        // A few names are in order by chance; few programs are below 16 MB.
        if names.count < 6 { return names.count > 3 && inOrder == names.count - 1 && addresses.allSatisfy { $0 < 0x100_0000 } }
        return inOrder * 8 > (names.count - 1) * 7
    }
}
