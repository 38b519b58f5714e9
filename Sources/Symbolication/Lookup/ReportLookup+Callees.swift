internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolSources

/// Rows whose address follows the last call of a function that does not return:
///
///     [ 2] 0x104a383f8   outer + 32       outer ends in a call of abort; its return address is the first byte of main
///     [ 3] 0x104a38408   main + 16        the call before it calls outer
///
/// Looked up as it is, row 2 would be `main`. The row that called it shows that it is `outer`:
/// regardless of other facts, the address is a return address.
extension ReportLookup {
    /// The image and lookup of each row of one stack, by the row's index.
    typealias KnownRows = [Int: (image: Int, lookup: Int)]

    /// Returns the rows of a stack, by their index, whose address is past the function that their caller has
    /// called.
    ///
    /// A row that has called nothing is not checked: it is the position of the processor.
    func rowsAfterCallees(
        _ thread: ThreadTrace, _ known: KnownRows, _ codes: [Int: CodeWitness], isCandidate: (Int) -> Bool
    ) -> Set<Int> {
        var found: Set<Int> = []
        guard thread.frames.indices.contains(where: isCandidate) else { return found }
        for (row, caller) in Self.callers(thread) where isCandidate(row) {
            guard let own = linked(row, known, codes), let above = linked(caller, known, codes), own.image == above.image,
                let code = codes[own.image], code.finding(at: own.address) == .afterCall,
                let function = code.functionEnding(at: own.address),
                code.calls(function, holding: LinkAddress(own.address.value - 1), returningTo: above.address)
            else { continue }
            found.insert(row)
        }
        return found
    }

    /// Pairs each row with the row that called it. Inlined calls are not rows of their own.
    private static func callers(_ thread: ThreadTrace) -> [(row: Int, caller: Int)] {
        var pairs: [(row: Int, caller: Int)] = []
        guard thread.isCallTree else {
            let own = thread.frames.indices.filter { !thread.frames[$0].isInlined }
            for (row, caller) in zip(own, own.dropFirst()) { pairs.append((row, caller)) }
            return pairs
        }
        // A tree has its callers first; `Frame.depth` is the number of them.
        var path: [Int] = []
        for index in thread.frames.indices where !thread.frames[index].isInlined {
            path.removeLast(max(0, path.count - (thread.frames[index].depth ?? 0)))
            if path.count > 1, let row = path.last { pairs.append((row, path[path.count - 2])) }
            path.append(index)
        }
        return pairs
    }

    private func linked(_ row: Int, _ known: KnownRows, _ codes: [Int: CodeWitness]) -> (image: Int, address: LinkAddress)? {
        guard let (image, lookup) = known[row], let place = lookups[image]?[lookup].raw,
            let address = codes[image]?.linkAddress(of: place)
        else { return nil }
        return (image, address)
    }
}
