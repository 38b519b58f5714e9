internal import BinaryPrimitives

/// Looks for the call at one address in the code.
struct TextSearch {
    private let sites: CallSites
    private let text: CodeText
    private let machine: Machine
    /// Maximum number of bytes that are decoded for one address.
    private let maxBytes: Int

    init(_ sites: CallSites, _ text: CodeText, _ machine: Machine, maxBytes: Int? = nil) {
        self.sites = sites
        self.text = text
        self.machine = machine
        self.maxBytes = maxBytes ?? sites.maxBytes
    }

    func call(returningTo address: LinkAddress) -> CallEvidence {
        let address = machine.cleared(address.value)
        guard address > 0, let part = text.part(holding: LinkAddress(address - 1)) else { return .unknown }
        return evidence(in: part, around: address - 1) { returning(to: address, $0, $1, $2, part, $3) }
    }

    func call(containing address: LinkAddress) -> CallEvidence {
        let address = machine.cleared(address.value)
        guard let part = text.part(holding: LinkAddress(address)) else { return .unknown }
        return evidence(in: part, around: address) { containing(address, $0, $1, $2, part, $3) }
    }

    func isInstruction(at address: LinkAddress) -> Bool? {
        let address = machine.cleared(address.value)
        guard let part = text.part(holding: LinkAddress(address)) else { return nil }
        switch evidence(in: part, around: address, { beginning(address, $0, $1, part, $3) }) {
        case .call: return true
        case .noCall: return false
        case .unknown: return nil
        }
    }

    private enum Kind { case any, arm, thumb }

    /// Looks in the region of an address; if it is not known which of ARM's two instruction sets it
    /// has, in both.
    /// - Parameter ask: called with the instruction set to use, the positions of the region, and the part's
    ///   bytes up to the region's end.
    private func evidence(
        in part: CodeText.Part, around address: UInt64, _ ask: (Kind, Range<Int>, UInt64, RawSpan) -> CallEvidence
    ) -> CallEvidence {
        let region = sites.regions.get().region(at: address)
        let low = max(region.range.lowerBound, part.base) - part.base
        let high = min(region.range.upperBound, part.addresses.upperBound.value) - part.base
        let positions = Int(clamping: low)..<max(Int(clamping: low), Int(clamping: high))
        return text.withBytes(of: part) { whole in
            let code = whole.clamped(to: 0..<positions.upperBound)
            switch region.kind {
            case .data: return .unknown
            case .code: return ask(.any, positions, address, code)
            case .arm: return ask(.arm, positions, address, code)
            case .thumb: return ask(.thumb, positions, address, code)
            case .unknown:
                // Linkers write stubs in ARM.
                if part.isStubs { return ask(.arm, positions, address, code) }
                return joined(ask(.arm, positions, address, code), ask(.thumb, positions, address, code))
            }
        }
    }

    /// Combines the evidence of both instruction sets, for code that may be ARM or Thumb.
    private func joined(_ arm: CallEvidence, _ thumb: CallEvidence) -> CallEvidence {
        switch (arm, thumb) {
        case (.call(let one), .call(let other)):
            // A call in either; its target is not known.
            var site = one
            if one.target != other.target { site.target = nil }
            return .call(site)
        case (.call, _): return arm
        case (_, .call): return thumb
        case (.noCall, .noCall): return .noCall
        default: return .unknown
        }
    }

    // MARK: By machine

    private func returning(
        to address: UInt64, _ kind: Kind, _ region: Range<Int>, _ last: UInt64, _ part: CodeText.Part, _ code: RawSpan
    ) -> CallEvidence {
        switch (machine, kind) {
        case (.x86(let set), _): returning(set, to: address, region, part, code)
        case (.arm64(let set), _): returning(set, to: address, region, part, code)
        case (.arm(_, let set), .thumb): returning(set, to: address, region, part, code)
        case (.arm(let set, _), _): returning(set, to: address, region, part, code)
        case (.riscv(let set), _): returning(set, to: address, region, part, code)
        case (.powerPC(let set), _): returning(set, to: address, region, part, code)
        case (.s390(let set), _): returning(set, to: address, region, part, code)
        case (.mips(let set), _): returning(set, to: address, region, part, code)
        case (.loongArch(let set), _): returning(set, to: address, region, part, code)
        case (.sparc(let set), _): returning(set, to: address, region, part, code)
        }
    }

    private func containing(
        _ address: UInt64, _ kind: Kind, _ region: Range<Int>, _ last: UInt64, _ part: CodeText.Part, _ code: RawSpan
    ) -> CallEvidence {
        switch (machine, kind) {
        case (.x86(let set), _): containing(set, address, region, part, code)
        case (.arm64(let set), _): containing(set, address, region, part, code)
        case (.arm(_, let set), .thumb): containing(set, address, region, part, code)
        case (.arm(let set, _), _): containing(set, address, region, part, code)
        case (.riscv(let set), _): containing(set, address, region, part, code)
        case (.powerPC(let set), _): containing(set, address, region, part, code)
        case (.s390(let set), _): containing(set, address, region, part, code)
        case (.mips(let set), _): containing(set, address, region, part, code)
        case (.loongArch(let set), _): containing(set, address, region, part, code)
        case (.sparc(let set), _): containing(set, address, region, part, code)
        }
    }

    /// - Returns: a call of no length where an instruction begins.
    private func beginning(
        _ address: UInt64, _ kind: Kind, _ region: Range<Int>, _ part: CodeText.Part, _ code: RawSpan
    ) -> CallEvidence {
        switch (machine, kind) {
        case (.x86(let set), _): beginning(set, address, region, part, code)
        case (.arm64(let set), _): beginning(set, address, region, part, code)
        case (.arm(_, let set), .thumb): beginning(set, address, region, part, code)
        case (.arm(let set, _), _): beginning(set, address, region, part, code)
        case (.riscv(let set), _): beginning(set, address, region, part, code)
        case (.powerPC(let set), _): beginning(set, address, region, part, code)
        case (.s390(let set), _): beginning(set, address, region, part, code)
        case (.mips(let set), _): beginning(set, address, region, part, code)
        case (.loongArch(let set), _): beginning(set, address, region, part, code)
        case (.sparc(let set), _): beginning(set, address, region, part, code)
        }
    }

    private func beginning<Set: InstructionSet>(
        _ set: Set, _ address: UInt64, _ region: Range<Int>, _ part: CodeText.Part, _ code: RawSpan
    ) -> CallEvidence {
        guard address % UInt64(Set.unit) == 0 else { return .noCall }
        let position = Int(truncatingIfNeeded: address &- part.base)
        let sweep = Sweep(set: set, base: part.base, maxBytes: maxBytes)
        guard let found = sweep.instruction(holding: position, from: start(set, position, region, part), in: code) else { return .unknown }
        guard found.position == position else { return .noCall }
        return .call(CallSite(call: LinkAddress(address), returnAddress: LinkAddress(address), target: nil))
    }

    private func returning<Set: InstructionSet>(
        _ set: Set, to address: UInt64, _ region: Range<Int>, _ part: CodeText.Part, _ code: RawSpan
    ) -> CallEvidence {
        let position = Int(truncatingIfNeeded: address &- part.base)
        guard address % UInt64(Set.unit) == 0 else { return .noCall }
        guard set.mayEndCall(at: position, in: code) else { return .noCall }
        let sweep = Sweep(set: set, base: part.base, maxBytes: maxBytes)
        let start = start(set, position &- 1, region, part)
        guard let found = sweep.instruction(holding: position &- 1, from: start, in: code) else { return .unknown }
        if let site = site(found, part), site.returnAddress.value == address { return .call(site) }
        if Set.hasDelaySlots, let before = sweep.instruction(holding: position &- 1 &- Set.longest, from: start, in: code),
            let site = site(before, part), site.returnAddress.value == address
        {
            return .call(site)
        }
        return .noCall
    }

    private func containing<Set: InstructionSet>(
        _ set: Set, _ address: UInt64, _ region: Range<Int>, _ part: CodeText.Part, _ code: RawSpan
    ) -> CallEvidence {
        let position = Int(truncatingIfNeeded: address &- part.base)
        // Only if a call may return to one of the next addresses.
        let ends = (position &+ 1)...(position &+ Set.longest)
        guard Set.isFixed || ends.contains(where: { set.mayEndCall(at: $0, in: code) }) else { return .noCall }
        let sweep = Sweep(set: set, base: part.base, maxBytes: maxBytes)
        let start = start(set, position, region, part)
        guard let found = sweep.instruction(holding: position, from: start, in: code) else { return .unknown }
        if let site = site(found, part) { return .call(site) }
        if Set.hasDelaySlots, let before = sweep.instruction(holding: position &- Set.longest, from: start, in: code),
            let site = site(before, part), site.returnAddress.value > address
        {
            return .call(site)
        }
        return .noCall
    }

    /// Returns the position of an instruction at or before a position.
    private func start<Set: InstructionSet>(_ set: Set, _ position: Int, _ region: Range<Int>, _ part: CodeText.Part) -> Int {
        guard !Set.isFixed else { return region.lowerBound }
        let address = LinkAddress(part.base &+ UInt64(position))
        let nearest = sites.starts.nearest(to: address, in: part.addresses) &- part.base
        // A region that is marked as code begins with an instruction.
        return max(Int(clamping: nearest), region.lowerBound)
    }

    private func site<Set: InstructionSet>(_ found: Sweep<Set>.Found, _ part: CodeText.Part) -> CallSite? {
        sites.site(found.position, found.instruction, part.base)
    }
}

extension CallSites {
    /// - Returns: `nil` for an instruction that is no call.
    @inline(__always)
    func site(_ position: Int, _ instruction: Instruction, _ base: UInt64) -> CallSite? {
        guard instruction.call != .none else { return nil }
        let call = base &+ UInt64(truncatingIfNeeded: position)
        let target = instruction.call == .direct && !isRelocatable ? LinkAddress(instruction.target) : nil
        return CallSite(call: LinkAddress(call), returnAddress: LinkAddress(call &+ UInt64(instruction.returnDistance)), target: target)
    }
}
