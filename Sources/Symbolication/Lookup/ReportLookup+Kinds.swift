internal import BinaryPrimitives
internal import CrashLogModel
internal import Demangling
internal import SymbolFiles
internal import SymbolSources

/// Checks addresses against the code of the images.
extension ReportLookup {
    /// Evidence of the report about the code of one image, for files that only a name or a path ties to it.
    func evidence(of number: Int, _ request: ImageRequest) -> CodeEvidence {
        var evidence = CodeEvidence(origin: origin, otherMachine: otherMachine, printedAt: options.printedAt)
        guard request.id == nil, options.adjustment == .auto, let own = lookups[number], !StackRows.isPatched(report.images[number], report)
        else { return evidence }
        var stack: [CodeEvidence.Claim] = []
        var current: FramePosition.Stack?
        var below: [Bool] = []
        // A profile has millions of rows; a few hundred prove as much.
        for lookup in own.prefix(Self.maxClaims) {
            if current != lookup.position.stack {
                if !stack.isEmpty { evidence.stacks.append(stack) }
                stack = []
                current = lookup.position.stack
                below = StackRows.belowTrampolines(thread(lookup.position.stack), of: report)
            }
            let frame = thread(lookup.position.stack).frames[lookup.position.frame]
            let isSure = !frame.isUnreliable && frame.depth == nil && !below[lookup.position.frame]
            let kind: CodeEvidence.Kind =
                switch frame.kind {
                // A list does not say what its addresses are.
                case _ where report.format == "address-list": isSure ? .unknown : .any
                case .returnAddress where isSure: .returnAddress
                // The first row may be the instruction that failed.
                case .exact where isSure && lookup.position.frame > 0: .movedBack
                default: .any
                }
            stack.append(CodeEvidence.Claim(row: lookup.position.frame, place: lookup.raw, kind: kind))
        }
        if !stack.isEmpty { evidence.stacks.append(stack) }
        return evidence
    }

    static let maxClaims = 1024

    /// Whether an image has more addresses than their results are remembered (`CachingSource`).
    private func isProfile(_ image: Int) -> Bool { lookups[image]?.count ?? 0 > Self.maxAddresses }

    private static let maxAddresses = 8192

    private func isPatched(_ image: Int) -> Bool {
        report.images.indices.contains(image) && StackRows.isPatched(report.images[image], report)
    }

    func thread(_ stack: FramePosition.Stack) -> ThreadTrace {
        switch stack {
        case .exception: report.exceptionBacktrace ?? ThreadTrace(index: 0)
        case .additional(let index): report.additionalBacktraces[index]
        case .thread(let index): report.threads[index]
        }
    }

    /// Confirms or corrects the kinds that formats give to the frames' addresses, by the code of the images.
    mutating func decideKinds(_ requested: [Int: Requested], _ unslid: [UnslidImage]) {
        guard report.obstacle == nil else { return }
        let needed = StackRows.areKnown(report) ? requested.filter { !$0.value.symbols.isProven } : requested
        var codes = needed.compactMapValues(\.symbols.code)
        for (index, file) in unslid.enumerated() { codes[report.images.count + index] = file.symbols.code }
        codes = codes.filter { !isPatched($0.key) && !(isProfile($0.key) && $0.value.isDescribed) }
        guard !codes.isEmpty else { return }
        var rowsByStack: [FramePosition.Stack: KnownRows] = [:]
        for (image, own) in lookups where codes[image] != nil {
            for (index, lookup) in own.enumerated() {
                rowsByStack[lookup.position.stack, default: [:]][lookup.position.frame] = (image, index)
            }
        }
        let stacks =
            (report.exceptionBacktrace == nil ? [] : [FramePosition.Stack.exception])
            + report.additionalBacktraces.indices.map { .additional($0) } + report.threads.indices.map { .thread($0) }
        var findings: [Int: [LinkAddress: CodeWitness.Finding]] = [:]
        read(codes)
        for stack in stacks {
            guard let known = rowsByStack[stack] else { continue }
            let thread = thread(stack)
            let below = StackRows.belowTrampolines(thread, of: report)
            let afterCallees = rowsAfterCallees(thread, known, codes) { thread.frames[$0].kind != .returnAddress || below[$0] }
            // Writers that record which instruction was interrupted are also right about the other rows.
            guard StackRows.mayBeInterrupted(report), !thread.isCallTree else {
                apply(FrameKinds(afterCallees: afterCallees), to: stack, thread, known)
                continue
            }
            var rows: [FrameKinds.Row] = []
            rows.reserveCapacity(thread.frames.count)
            var (above, aboveThat): (Int?, Int?)
            for (index, frame) in thread.frames.enumerated() {
                var row = FrameKinds.Row(
                    kind: frame.kind, isInlined: frame.isInlined, mayBeInterrupted: below[index],
                    isAfterCallee: afterCallees.contains(index))
                // One row of no file below a handler of a known one may be a page that the kernel,
                // or an emulator, has made for the trampoline; several are code that was made at
                // run time.
                if row.mayBeInterrupted, let above, thread.frames[above].image == nil, known[above] == nil {
                    row.mayBeInterrupted = aboveThat.map { known[$0] != nil } ?? false
                }
                if !frame.isInlined { (aboveThat, above) = (above, index) }
                if SignalFrame.isHandler(frame.printed) { row.trampoline = .trampolineName }
                if let (image, lookup) = known[index], !frame.isInlined, let code = codes[image],
                    let place = lookups[image]?[lookup].raw, let address = code.linkAddress(of: place)
                {
                    if frame.kind == .returnAddress || frame.kind == .exact {
                        row.finding = findings[image]?[address] ?? code.finding(at: address)
                        findings[image, default: [:]][address] = row.finding
                    }
                    // A trampoline does not follow a call.
                    if frame.kind == .returnAddress, row.trampoline == nil, row.finding != .afterCall {
                        (row.trampoline, row.isTrampolineKnown) = code.trampoline(at: address)
                    } else {
                        row.isTrampolineKnown = row.finding != .unknown
                    }
                }
                rows.append(row)
            }
            for index in rows.indices where rows[index].mayBeInterrupted && rows[index].kind == .returnAddress {
                guard let above = rows[..<index].lastIndex(where: { !$0.isInlined }), rows[above].trampoline == nil,
                    !rows[above].isTrampolineKnown, let (image, lookup) = known[above], let place = lookups[image]?[lookup].raw,
                    let source = requested[image]?.symbols.source ?? unslid[safe: image - report.images.count]?.symbols.source
                else { continue }
                // A debug file has no code, but has names for it. The row of the trampoline is its
                // first byte; any other may be one past its function, after a call that does not
                // return.
                let names = PlaceLookup(source).answers(for: [(place, false), (place, true)]).map { found in
                    if case .found(let functions) = found.answer { functions.last?.name } else { nil as String? }
                }
                rows[above].trampoline = SignalFrame.isHandler(name: names.first ?? nil) ? .trampolineName : nil
                rows[above].isTrampolineKnown = names.contains { $0 != nil }
            }
            apply(FrameKinds(rows, isList: report.format == "address-list"), to: stack, thread, known)
        }
    }

    /// Prepares all addresses of the images. Where calls are read from debug information, these and the addresses are looked
    /// up in one pass, whose results the lookups after it get.
    private func read(_ codes: [Int: CodeWitness]) {
        for (image, code) in codes {
            let wanted = lookups[image] ?? []
            let isNeeded = StackRows.mayBeInterrupted(report) || wanted.contains { frame($0.position).kind != .returnAddress }
            if isNeeded { code.read(wanted.compactMap { code.linkAddress(of: $0.raw) }) }
        }
    }

    private func frame(_ position: FramePosition) -> Frame { thread(position.stack).frames[position.frame] }

    mutating func apply(
        _ kinds: FrameKinds, to stack: FramePosition.Stack, _ thread: ThreadTrace, _ known: KnownRows
    ) {
        for (index, change) in kinds.changes {
            let position = FramePosition(stack: stack, frame: index)
            result.report.changeFrame(at: position) { $0.kind = change.kind }
            var frame = thread.frames[index]
            frame.kind = change.kind
            let address = lookupAddress(frame)
            update(position) {
                $0.kindEvidence = change.evidence
                if $0.lookupAddress != nil { $0.lookupAddress = address }
            }
            if let (image, lookup) = known[index] { lookups[image]?[lookup].isAdjusted = frame.isAdjusted(.auto) }
        }
        for index in kinds.undecided {
            if let (image, lookup) = known[index] { lookups[image]?[lookup].isUndecided = true }
        }
        result.notes += KindNotes.sentences(kinds, thread)
    }
}
