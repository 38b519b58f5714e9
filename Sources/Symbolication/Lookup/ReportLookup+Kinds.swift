internal import BinaryPrimitives
internal import CrashLogModel
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
        var isBelowScan = false
        // A profile has millions of rows; a few hundred prove as much.
        for lookup in own.prefix(Self.maxClaims) {
            if current != lookup.position.stack {
                if !stack.isEmpty { evidence.stacks.append(stack) }
                stack = []
                current = lookup.position.stack
                isBelowScan = false
                below = StackRows.belowTrampolines(thread(lookup.position.stack), of: report)
            }
            let frame = frame(lookup.position)
            // A frame that rules find from a scanned one may be as wrong; and an address between an image's parts is not its own.
            isBelowScan = isBelowScan || frame.trust == .scan
            let isOther = frame.trust != nil && frame.image == nil
            let isSure = !frame.isUnreliable && !isBelowScan && !isOther && frame.depth == nil && !below[lookup.position.frame]
            let kind: CodeEvidence.Kind =
                switch frame.kind {
                // A list does not say what its addresses are.
                case _ where report.format == "address-list": isSure ? .unknown : .any
                case .returnAddress where isSure: .returnAddress
                // The first row may be the instruction that failed.
                case .exact where isSure && lookup.position.frame > 0: .movedBack
                default: .any
                }
            stack.append(
                CodeEvidence.Claim(row: lookup.position.frame, location: lookup.raw, kind: kind, function: function(of: frame, request)))
        }
        if !stack.isEmpty { evidence.stacks.append(stack) }
        return evidence
    }

    private static let maxClaims = 1024

    /// The function of a frame of WebAssembly, as the log has it.
    private func function(of frame: Frame, _ request: ImageRequest) -> CodeEvidence.Function? {
        guard request.architecture == .wasm32 else { return nil }
        // A function that others were inlined into has its name from the debug information.
        let name = frame.printed?.location == nil ? frame.printed?.name : nil
        return frame.functionNumber == nil && name == nil ? nil : CodeEvidence.Function(number: frame.functionNumber, name: name)
    }

    /// Confirms or corrects the kinds that formats give to the frames' addresses, by the code of the images.
    mutating func decideKinds(_ requested: [Int: Requested], _ unslid: [UnslidImage]) {
        guard report.obstacle == nil else { return }
        let codes = codes(of: requested, unslid)
        guard !codes.isEmpty else { return }
        let rowsByStack = knownRows(in: codes)
        let stacks =
            (report.exceptionBacktrace == nil ? [] : [FramePosition.Stack.exception])
            + report.additionalBacktraces.indices.map { .additional($0) } + report.threads.indices.map { .thread($0) }
        let listed = report.images.count
        var findings: Findings = [:]
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
            var rows = kindRows(thread, known, codes, below: below, afterCallees: afterCallees, &findings)
            readTrampolineNames(&rows, known) { image in
                requested[image]?.symbols.source ?? unslid[safe: image - listed]?.symbols.source
            }
            apply(FrameKinds(rows, isList: report.format == "address-list"), to: stack, thread, known)
            moveInterrupted(rows, in: stack, thread, known, codes)
        }
    }

    /// On Windows, libbacktrace subtracts 1 from every address that libgfortran prints, also from that of the instruction which an
    /// exception interrupted (`simple_unwind` of `libbacktrace/simple.c`: the unwinder never says that it has that instruction). It is in
    /// the row below those of the system's dispatcher, and in no call, as all others are: it is looked up one byte later.
    private mutating func moveInterrupted(
        _ rows: [FrameKinds.Row], in stack: FramePosition.Stack, _ thread: ThreadTrace, _ known: KnownRows, _ codes: [Int: CodeWitness]
    ) {
        guard report.format == "gfortran", rows.count(where: { $0.finding == .inCall }) > 1 else { return }
        let index = rows.indices.dropFirst().first { index in
            guard rows[index].kind == .exact, rows[index].finding == .noCall, let image = known[index]?.image else { return false }
            return known[index - 1]?.image != image && codes[image]?.isMappedBySections == true
        }
        guard let index, let (image, lookup) = known[index], let raw = lookups[image]?[lookup].raw, let next = raw.nextByte else { return }
        lookups[image]?[lookup].raw = next
        let position = FramePosition(stack: stack, frame: index)
        result.report.changeFrame(at: position) { $0.kind = .programCounter }
        update(position) {
            $0.kindEvidence = .noCall
            $0.lookupAddress = $0.lookupAddress.map { RuntimeAddress($0.value &+ 1) }
        }
        result.notes.append(
            "frame \(thread.frames[index].index) is the instruction that was executing, which libgfortran prints less 1: it is looked up one byte later"
        )
    }

    /// Code of the images that the frames' kinds are checked against, by the images' numbers.
    private func codes(of requested: [Int: Requested], _ unslid: [UnslidImage]) -> [Int: CodeWitness] {
        let needed = StackRows.areKnown(report) ? requested.filter { !$0.value.symbols.isProven } : requested
        var codes = needed.compactMapValues(\.symbols.code)
        for (index, file) in unslid.enumerated() { codes[report.images.count + index] = file.symbols.code }
        return codes.filter { !isPatched($0.key) && !(isProfile($0.key) && $0.value.isDescribed) }
    }

    private func isPatched(_ image: Int) -> Bool { report.images[safe: image].map { StackRows.isPatched($0, report) } ?? false }

    /// Whether an image has more addresses than their results are remembered (`CachingSource`).
    private func isProfile(_ image: Int) -> Bool { lookups[image]?.count ?? 0 > Self.maxAddresses }

    private static let maxAddresses = 8192

    /// The image and lookup of each row of one stack, by the row's index.
    private typealias KnownRows = [Int: (image: Int, lookup: Int)]

    private func knownRows(in codes: [Int: CodeWitness]) -> [FramePosition.Stack: KnownRows] {
        var rowsByStack: [FramePosition.Stack: KnownRows] = [:]
        for (image, own) in lookups where codes[image] != nil {
            for (index, lookup) in own.enumerated() {
                rowsByStack[lookup.position.stack, default: [:]][lookup.position.frame] = (image, index)
            }
        }
        return rowsByStack
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

    /// Returns the rows of a stack, by their index, whose address is past the function that their caller has
    /// called: a function that does not return.
    ///
    ///     [ 2] 0x104a383f8   outer + 32       outer ends in a call of abort; its return address is the first byte of main
    ///     [ 3] 0x104a38408   main + 16        the call before it calls outer
    ///
    /// Looked up as it is, row 2 would be `main`. The row that called it shows that it is `outer`:
    /// regardless of other facts, the address is a return address.
    ///
    /// A row that has called nothing is not checked: it is the position of the processor.
    private func rowsAfterCallees(
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
        guard let (image, lookup) = known[row], let location = lookups[image]?[lookup].raw,
            let address = codes[image]?.linkAddress(of: location)
        else { return nil }
        return (image, address)
    }

    /// Findings about addresses, by the number of the image.
    private typealias Findings = [Int: [LinkAddress: CodeWitness.Finding]]

    /// Reads what the images' code shows of each row of a stack.
    private func kindRows(
        _ thread: ThreadTrace, _ known: KnownRows, _ codes: [Int: CodeWitness], below: [Bool], afterCallees: Set<Int>,
        _ findings: inout Findings
    ) -> [FrameKinds.Row] {
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
            row.isInjectedCall = SignalFrame.isInjectedCall(frame.printed?.name)
            if row.isInjectedCall || SignalFrame.isHandler(frame.printed) { row.trampoline = .trampolineName }
            if !frame.isInlined, let (image, address) = linked(index, known, codes), let code = codes[image] {
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
        return rows
    }

    /// Reads from symbols whether the row above an interrupted one is a trampoline, where its code does not show it.
    private func readTrampolineNames(
        _ rows: inout [FrameKinds.Row], _ known: KnownRows, source: (_ image: Int) -> (any SymbolSource)?
    ) {
        for index in rows.indices where rows[index].mayBeInterrupted && rows[index].kind == .returnAddress {
            guard let above = rows[..<index].lastIndex(where: { !$0.isInlined }), rows[above].trampoline == nil,
                !rows[above].isTrampolineKnown, let (image, lookup) = known[above], let location = lookups[image]?[lookup].raw,
                let source = source(image)
            else { continue }
            // A debug file has no code, but has names for it. The row of the trampoline is its
            // first byte; any other may be one past its function, after a call that does not
            // return.
            let names = LocationLookup(source).results(for: [(location, false), (location, true)]).map { found in
                if case .found(let functions) = found.result { functions.last?.name } else { nil as String? }
            }
            rows[above].trampoline = SignalFrame.isHandler(name: names.first ?? nil) ? .trampolineName : nil
            rows[above].isTrampolineKnown = names.contains { $0 != nil }
        }
    }

    /// Takes decided kinds over into the report and the lookups.
    private mutating func apply(
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

extension ImageLocation {
    /// The location one byte later; `nil` where it is not a number.
    fileprivate var nextByte: ImageLocation? {
        switch self {
        case .offset(let offset): .offset(ImageOffset(offset.value &+ 1))
        case .linkAddress(let address): .linkAddress(LinkAddress(address.value &+ 1))
        default: nil
        }
    }
}

/// Notes for the user where the code shows that addresses are of another kind than their format says.
enum KindNotes {
    /// Maximum number of frames that are named if many have the same evidence.
    private static let namedFrames = 3

    static func sentences(_ kinds: FrameKinds, _ thread: ThreadTrace) -> [String] {
        var sentences: [String] = []
        let changes = kinds.changes.sorted { $0.key < $1.key }.filter { !thread.frames[$0.key].isInlined }
        let uncalled = changes.filter { $0.value.kind == .programCounter && $0.value.evidence == .noCall }.map {
            thread.frames[$0.key].index
        }
        if uncalled.count > namedFrames {
            let named = uncalled.prefix(namedFrames).map(String.init).joined(separator: ", ")
            let rest = uncalled.count - namedFrames
            sentences.append(
                "frames \(named) and \(rest) more are instructions that were executing, not return addresses: no call returns to their addresses"
            )
        }
        for (index, change) in changes where change.kind == .programCounter {
            let number = thread.frames[index].index
            let proof: String
            switch change.evidence {
            // The log itself shows it by the name.
            case .trampolineName: continue
            case .trampolineFrameDescription, .trampolineInstructions:
                let how = change.evidence == .trampolineInstructions ? "its instructions" : "its frame description"
                proof = "frame \(number - 1) is the trampoline of signal handlers, by \(how)"
            case .noCall where uncalled.count > namedFrames: continue
            case .noCall: proof = "no call returns to its address"
            case .calls, .undecided: continue
            }
            sentences.append("frame \(number) is the instruction that was executing, not a return address: \(proof)")
        }
        if let rule = kinds.rule, let change = changes.first(where: { $0.value.evidence == .calls })?.value {
            let shown = "\(rule.shown) of \(rule.compared) frames that could be compared show it"
            sentences.append(
                change.kind == .returnAddress
                    ? "the addresses are return addresses: calls return to them (\(shown))"
                    : "the addresses are inside of calls, and are looked up unadjusted (\(shown))")
        }
        return sentences
    }
}
