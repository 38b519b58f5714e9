internal import BinaryPrimitives

/// Decodes all code of an image, function by function.
struct WholeText {
    private let sites: CallSites
    private let text: CodeText
    private let machine: Machine

    init(_ sites: CallSites, _ text: CodeText, _ machine: Machine) {
        self.sites = sites
        self.text = text
        self.machine = machine
    }

    func forEachCall(_ body: (CallSite) -> Bool) {
        let regions = sites.regions.get()
        for part in text.parts {
            let isDone = text.withBytes(of: part) { code in
                var position = part.base
                let end = part.addresses.upperBound.value
                while position < end {
                    let region = regions.region(at: position)
                    let next = min(region.range.upperBound, end)
                    let code = code.clamped(to: 0..<Int(clamping: next - part.base))
                    guard forEachCall(region.kind, position..<next, part, code, body) else { return false }
                    position = next
                }
                return true
            }
            guard isDone else { return }
        }
    }

    private func forEachCall(
        _ kind: CodeRegions.Kind, _ region: Range<UInt64>, _ part: CodeText.Part, _ code: RawSpan, _ body: (CallSite) -> Bool
    ) -> Bool {
        if kind == .data { return true }
        switch machine {
        case .x86(let set): return sweep(set, region, part, code, body)
        case .arm64(let set): return sweep(set, region, part, code, body)
        case .arm(let arm, let thumb):
            switch kind {
            case .thumb: return sweep(thumb, region, part, code, body)
            case .unknown where !part.isStubs: return tryBoth(region, body)
            default: return sweep(arm, region, part, code, body)
            }
        case .riscv(let set): return sweep(set, region, part, code, body)
        case .powerPC(let set): return sweep(set, region, part, code, body)
        case .s390(let set): return sweep(set, region, part, code, body)
        case .mips(let set): return sweep(set, region, part, code, body)
        case .loongArch(let set): return sweep(set, region, part, code, body)
        case .sparc(let set): return sweep(set, region, part, code, body)
        }
    }

    /// Decodes each function by itself: an instruction that cannot be decoded does not affect the next
    /// function.
    private func sweep<Set: InstructionSet>(
        _ set: Set, _ region: Range<UInt64>, _ part: CodeText.Part, _ code: RawSpan, _ body: (CallSite) -> Bool
    ) -> Bool {
        let sweep = Sweep(set: set, base: part.base, maxBytes: sites.maxBytes)
        let sites = sites
        func sweepPiece(_ piece: Range<UInt64>) -> Bool {
            let first = Int(clamping: piece.lowerBound - part.base)
            let bytes = code.clamped(to: 0..<Int(clamping: piece.upperBound - part.base))
            return sweep.forEachCall(from: first, in: bytes) { position, instruction in
                guard let site = sites.site(position, instruction, part.base) else { return true }
                return body(site)
            }
        }
        guard !Set.isFixed else { return sweepPiece(region) }
        var position = region.lowerBound
        for start in sites.starts.starts(in: region) where start > position {
            guard sweepPiece(position..<start) else { return false }
            position = start
        }
        return sweepPiece(position..<region.upperBound)
    }

    /// Finds the calls in code that may be ARM or Thumb: those of either instruction set.
    private func tryBoth(_ region: Range<UInt64>, _ body: (CallSite) -> Bool) -> Bool {
        // Ways to read Thumb meet after some instructions.
        let search = TextSearch(sites, text, machine, maxBytes: 0)
        var address = (region.lowerBound &+ 3) & ~1
        while address <= region.upperBound {
            if case .call(let site) = search.call(returningTo: LinkAddress(address)), !body(site) { return false }
            address &+= 2
        }
        return true
    }
}
