internal import BinaryPrimitives
internal import CallSites
internal import CrashLogModel
internal import ObjectFiles
internal import SymbolFiles

/// Evidence of a report about the code of one image: which of its addresses follow calls. A file that only a
/// name or a path ties to the image must fit it.
package struct CodeEvidence: Sendable, Hashable {
    /// Meaning of a row's address, by the writer of the row.
    enum Kind: Sendable, Hashable {
        /// Control returns to it.
        case returnAddress
        /// It was moved back into the call.
        case movedBack
        /// It is a return address, or was moved back, or neither; if most rows of its stack are one of these,
        /// all are.
        case unknown
        /// It may be any instruction: what was executing, or what a signal interrupted.
        case any
    }

    struct Claim: Sendable, Hashable {
        /// The row in its stack, innermost first.
        var row: Int
        var location: ImageLocation
        var kind: Kind
        /// WebAssembly: the function, as the log has it.
        var function: Function?
    }

    struct Function: Sendable, Hashable {
        var number: Int?
        var name: String?
    }

    /// The rows in the image, stack by stack.
    var stacks: [[Claim]] = []
    /// Origin of the log; `nil`: the image's own path on this machine does not count.
    var origin: LogOrigin?
    /// Why the log is from another machine; `nil` where nothing shows that it is.
    var otherMachine: String?
    /// When the trace of a live log began (`SymbolicatorOptions.printedAt`).
    var printedAt: Int64?

    /// Creates the evidence of a report whose stacks are not known yet.
    /// - Parameters:
    ///   - origin: origin of the log.
    ///   - otherMachine: why the log is from another machine.
    ///   - printedAt: when the trace of a live log began.
    package init(origin: LogOrigin?, otherMachine: String? = nil, printedAt: Int64? = nil) {
        self.origin = origin
        self.otherMachine = otherMachine
        self.printedAt = printedAt
    }

    /// How the files' code fits, and where they are files of this machine, whether they can be
    /// those of the crash.
    func verdict(on files: [AcceptedSymbolFile], _ witness: CodeWitness?) -> CodeVerdict {
        if files.contains(where: { $0.proof == .path }) {
            guard let origin else { return .refused(.logHasNoIdentity) }
            if let otherMachine { return .refused(.otherMachine(otherMachine)) }
            if let witness, let outside = stacks.lazy.compactMap({ Self.addressOutside($0, witness) }).first {
                return .refused(.outsideFile(outside))
            }
            for file in files where (FileStamp(path: file.path)?.modified ?? .max) > origin.writtenAt { return .refused(.modifiedSince) }
        }
        let isNewer = files.contains { $0.proof == .name && FileStamp.isModified($0.path, after: printedAt) }
        let verdict = witness.flatMap { verdictOnFunctions($0) ?? verdictOnCalls($0) } ?? .unknown
        // Builds that differ only in their lines have the same functions and calls.
        switch verdict {
        case .unknown where isNewer: return .refused(.newerThanTrace)
        case .fits where isNewer && files.contains(where: \.isReplacement): return .refused(.newerThanTrace)
        case .unknown, .fits, .refused: return verdict
        }
    }

    /// Whether calls return to the return addresses of the log.
    private func verdictOnCalls(_ witness: CodeWitness) -> CodeVerdict {
        witness.read(stacks.joined().compactMap { witness.linkAddress(of: $0.location) })
        var count = Count()
        for stack in stacks { count.add(stack, witness) }
        if let misfit = count.misfit {
            return .refused(.noCallReturnsTo(misfit, fitting: count.fitting, addresses: count.fitting + count.misfits))
        }
        if let address = count.noInstruction { return .refused(.noInstructionAt(address)) }
        return count.fitting > 0 ? .fits(addresses: count.fitting) : .unknown
    }

    /// WebAssembly: whether the functions that the log gives are those at its positions, by their numbers, else by their names.
    /// - Returns: `nil` where the log or the file does not have them.
    private func verdictOnFunctions(_ witness: CodeWitness) -> CodeVerdict? {
        let claims = stacks.joined().compactMap { claim -> (offset: UInt64, function: Function)? in
            guard let function = claim.function, case .fileOffset(let offset) = claim.location else { return nil }
            return (offset, function)
        }
        guard !claims.isEmpty, let found = witness.numberedFunctions(at: claims.map { .fileOffset($0.offset) }) else { return nil }
        var fitting = 0
        for ((offset, function), own) in zip(claims, found) {
            if let number = function.number {
                guard own?.number == number else {
                    return .refused(.otherFunction(at: offset, log: "\(number)", file: own.map { "\($0.number)" }))
                }
                fitting += 1
            } else if let name = function.name {
                if own?.name == name {
                    fitting += 1
                } else if own == nil || own?.name.map(Self.isMangled) == false {
                    return .refused(.otherFunction(at: offset, log: name, file: own?.name))
                }
            }
        }
        return fitting > 0 ? .fits(addresses: fitting) : nil
    }

    /// Engines demangle names, each in its own way.
    private static func isMangled(_ name: String) -> Bool { ["_Z", "_R", "$s", "$S"].contains { name.hasPrefix($0) } }

    private static func addressOutside(_ stack: [Claim], _ witness: CodeWitness) -> LinkAddress? {
        guard let size = witness.imageSize else { return nil }
        for claim in stack {
            // A return address may be one past the last byte.
            if let address = witness.linkAddress(of: claim.location), let offset = address.offset(fromImageBase: witness.base),
                offset.value > size
            {
                return address
            }
        }
        return nil
    }

    /// How many addresses fit.
    private struct Count {
        var fitting = 0
        var misfits = 0
        var misfit: LinkAddress?
        var noInstruction: LinkAddress?

        /// Rows of one file that must fit where one below another file's row does not.
        private static let fitsAroundInterruption = 4

        mutating func add(_ stack: [Claim], _ witness: CodeWitness) {
            var found: [(claim: Claim, address: LinkAddress, finding: CodeWitness.Finding)] = []
            var trampoline: Int?
            for claim in stack {
                guard let address = witness.linkAddress(of: claim.location) else { continue }
                if claim.kind == .returnAddress, witness.trampoline(at: address).proof != nil {
                    // The handler returns to it, although nothing calls the handler; and what is
                    // below it was interrupted.
                    trampoline = claim.row
                    fitting += 1
                    continue
                }
                guard claim.kind != .any, trampoline.map({ claim.row != $0 + 1 }) ?? true else { continue }
                found.append((claim, address, witness.finding(at: address)))
            }
            let returns = found.count { $0.finding == .afterCall }
            let inside = found.count { $0.finding == .inCall }
            // Rows of one writer agree: if all are in calls, the writer moves them back, regardless of its
            // format; and the other way round.
            let movesBack = returns == 0 && inside > 1 ? true : inside == 0 && returns > 1 ? false : nil
            if found.contains(where: { $0.claim.kind == .unknown }) {
                guard let movesBack, 2 * (movesBack ? inside : returns) > found.count else {
                    // Then they are exact, or it is another build: an instruction begins at each,
                    // or at one of four. The log may also have an address in the middle of an
                    // instruction.
                    let odd = found.filter { witness.callSites?.isInstruction(at: $0.address) == false }
                    if 3 * odd.count > found.count { noInstruction = noInstruction ?? odd.first?.address }
                    return
                }
            }
            var odd: [(row: Int, address: LinkAddress)] = []
            var fits = 0
            for (claim, address, finding) in found {
                switch (finding, movesBack ?? (claim.kind == .movedBack)) {
                case (.unknown, _): break
                case (.betweenCalls, _), (.afterCall, false), (.inCall, true): fits += 1
                default: if !witness.isFunctionStart(address) { odd.append((claim.row, address)) }
                }
            }
            odd.removeAll { row, _ in
                found.contains { $0.claim.row == row - 1 && witness.isInjectedCall(returningTo: $0.address) }
            }
            // Some handlers write the program counter over the row of the trampoline: the second
            // row, or the third where the handler calls another function for the stack (Redis:
            // `trace[1] = getMcontextEip(uc)`). And the handler's rows may have been cut off, so
            // that the first is what was executing.
            if odd.count == 1, (0...2).contains(odd[0].row), found.count(where: { $0.claim.row > odd[0].row }) >= 2, fits >= 2 { odd = [] }
            // Below the rows of the system's dispatcher is the code that an exception interrupted (libgfortran on Windows).
            if odd.count == 1, fits >= Self.fitsAroundInterruption, !found.contains(where: { $0.claim.row == odd[0].row - 1 }) { odd = [] }
            fitting += fits
            misfits += odd.count
            misfit = misfit ?? odd.first?.address
        }
    }
}
