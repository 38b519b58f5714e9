internal import BinaryPrimitives
internal import CallSites
internal import CrashLogModel

/// Decides the kinds of the addresses of one stack: return addresses, addresses that their writer moved back,
/// or instructions that were executing.
///
/// The format gives the rule of its writer; the code of the images confirms it or not. In this order, for a row
/// that is a return address by its format:
///
/// 1. The row above is the trampoline of signal handlers: by its name, by its frame description
///    (augmentation `S`), or by its instructions. The row was interrupted.
/// 2. The address follows the last call of a function that does not return, and the row below calls
/// that function: a return address, regardless of other facts.
/// 3. All rows are inside of calls and none directly follows one: the writer moves them back.
/// 4. No call returns to the address. The row was interrupted, or a handler has put the program
///    counter there.
/// 5. The row above may be the trampoline and it is not known whether it is: the row is looked up both ways
/// (`undecided`).
struct FrameKinds {
    /// Facts about one row.
    struct Row {
        var kind: Frame.Kind
        var isInlined = false
        var finding = CodeWitness.Finding.unknown
        /// Evidence that the row is the trampoline.
        var trampoline: KindEvidence?
        /// Whether the row is a function that a signal's handler made the row below call, and not the trampoline.
        var isInjectedCall = false
        /// Whether its file is available and shows if it is the trampoline.
        var isTrampolineKnown = false
        /// Whether the row above may be the trampoline, by the log.
        var mayBeInterrupted = false
        /// The address is one past a function that ends in a call, and the row below has called
        /// that function.
        var isAfterCallee = false
    }

    /// Frames whose kind differs from their format's rule, with the evidence.
    private(set) var changes: [Int: (kind: Frame.Kind, evidence: KindEvidence)] = [:]
    /// Frames whose kind is undecided.
    private(set) var undecided: [Int] = []
    /// Number of rows that do not follow their format's rule, and number of rows that
    /// could be compared with it.
    private(set) var rule: (shown: Int, compared: Int)?

    /// - Parameters:
    ///   - rows: rows of one stack, innermost first.
    ///   - isList: whether the rows are a list of addresses, in which the first has no special meaning.
    init(_ rows: [Row], isList: Bool) {
        let own = rows.indices.filter { !rows[$0].isInlined }
        findTrampolines(rows, own)
        findCallees(rows, own)
        checkRule(rows, own, isList: isList)
        findInterrupted(rows, own)
        // An inlined call has the kind of the function that holds it.
        for index in rows.indices where rows[index].isInlined {
            guard let holder = own.first(where: { $0 > index }), rows[index].kind == rows[holder].kind else { continue }
            changes[index] = changes[holder]
        }
    }

    /// Creates the kinds of a stack whose writer gives all kinds correctly, except for the rows that are past
    /// the end of their function.
    init(afterCallees rows: Set<Int>) {
        for row in rows { changes[row] = (.returnAddress, .calls) }
    }

    private mutating func findTrampolines(_ rows: [Row], _ own: [Int]) {
        for (position, index) in own.enumerated() {
            guard let proof = rows[index].trampoline else { continue }
            // Nothing called the trampoline: the kernel put its first instruction on the handler's
            // stack.
            if rows[index].kind == .returnAddress, !rows[index].isInjectedCall { changes[index] = (.exact, proof) }
            guard position + 1 < own.count, rows[own[position + 1]].kind == .returnAddress else { continue }
            changes[own[position + 1]] = (.programCounter, proof)
        }
    }

    /// `outer` ends in a call of `abort`, `main` follows it, and the row below has called `outer`:
    /// the row's address is the first byte of `main`, and the row is `outer`'s.
    private mutating func findCallees(_ rows: [Row], _ own: [Int]) {
        for index in own where rows[index].isAfterCallee {
            changes[index] = rows[index].kind == .returnAddress ? nil : (.returnAddress, .calls)
        }
    }

    private mutating func checkRule(_ rows: [Row], _ own: [Int], isList: Bool) {
        let open = own.filter { changes[$0] == nil && rows[$0].finding != .unknown }
        func count(_ kind: Frame.Kind, _ finding: CodeWitness.Finding, from first: Int = 0) -> Int {
            open.count { $0 >= first && rows[$0].kind == kind && rows[$0].finding == finding }
        }
        let compared = open.count
        if count(.returnAddress, .inCall) > 1, count(.returnAddress, .afterCall) == 0 {
            rule = (count(.returnAddress, .inCall), compared)
            for index in own where changes[index] == nil && rows[index].kind == .returnAddress {
                changes[index] = (.exact, .calls)
            }
        }
        // The first row of a stack may be the instruction that failed.
        let first = isList ? 0 : 1
        let proven = own.count { rows[$0].isAfterCallee && rows[$0].kind == .exact }
        let behind = count(.exact, .afterCall, from: first) + proven
        if behind > 1, count(.exact, .inCall) == 0 {
            rule = (behind, compared + proven)
            for index in own where index >= first && changes[index] == nil && rows[index].kind == .exact {
                guard rows[index].finding != .noCall else { continue }
                changes[index] = (.returnAddress, .calls)
            }
        }
    }

    private mutating func findInterrupted(_ rows: [Row], _ own: [Int]) {
        var above: Int?
        for index in own {
            defer { above = index }
            guard changes[index] == nil, rows[index].kind == .returnAddress else { continue }
            switch rows[index].finding {
            case .noCall, .inCall: changes[index] = (.programCounter, .noCall)
            case .afterCall, .betweenCalls, .unknown:
                let isKnown = above.map { rows[$0].isTrampolineKnown } ?? true
                if rows[index].mayBeInterrupted, !isKnown { undecided.append(index) }
            }
        }
    }
}
