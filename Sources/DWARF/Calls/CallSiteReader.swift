internal import BinaryPrimitives
internal import ObjectFiles

/// Reads the calls of one unit, or of some of its functions.
struct CallSiteReader: SubroutineSink {
    var open = OpenEntries<Void>()
    static var readsInlinedCalls: Bool { false }

    private let unit: Unit
    private let references: EntryReferences
    /// Entries of the functions that are read, ascending; `nil`: the whole unit is.
    private let positions: [Int]?
    private let resolvesTargets: Bool
    /// Whether the attribute for functions of which all calls have entries can be relied on: gcc's can.
    private let isTrusted: Bool
    private var result: CallSiteEntries
    private var found: [FoundCall] = []
    /// First addresses of functions with code, by their entries and by the abstract entries that these refer to.
    private var starts = FunctionStarts()
    /// How entries of calls are read, by their abbreviations' codes.
    private var plans = CodeTable<CallPlan>()
    /// Whether the entries of functions say that all their calls have entries.
    private var completes = CodeTable<Bool>()

    private struct FoundCall {
        var returnAddress: UInt64
        /// Zero: not given.
        var call: UInt64
        var origin: AttributeValue?
    }

    /// How the entries of calls with one abbreviation are read.
    private struct CallPlan {
        /// Offsets of the return address and of the called function's reference (`ref4`), in bytes from the first attribute, where
        /// nothing else is to be read, as in most calls of gcc. -1: attribute by attribute; of the reference also: there is none.
        var returnOffset: Int32 = -1
        var originOffset: Int32 = -1

        init() {}

        /// - Returns: `nil` where more than a return address and a reference of fixed sizes is to be read.
        init?(_ attributes: AttributeList) {
            var offset: Int32 = 0
            for attribute in attributes {
                // Both at a fixed distance, before anything of variable size.
                switch attribute.name {
                case Attribute.callReturnPC where attribute.form == Form.addr, Attribute.lowPC where attribute.form == Form.addr:
                    returnOffset = offset
                case Attribute.callOrigin where attribute.form == Form.ref4, Attribute.abstractOrigin where attribute.form == Form.ref4:
                    originOffset = offset
                case Attribute.callReturnPC, Attribute.lowPC, Attribute.callOrigin, Attribute.abstractOrigin, Attribute.callPC,
                    Attribute.callTailCall, Attribute.gnuTailCall, Attribute.callTarget, Attribute.gnuCallSiteTarget:
                    return nil
                default: break
                }
                guard attribute.step.code >= 0 else { return nil }
                offset += Int32(attribute.step.code)
            }
            guard returnOffset >= 0 else { return nil }
        }
    }

    /// - Parameters:
    ///   - bytes: the unit, from its header to its end.
    ///   - positions: of the entries of functions, in bytes from the unit's header, ascending; `nil`: the whole unit is
    ///     read.
    ///   - resolvesTargets: whether the called functions are wanted.
    init(_ unit: Unit, _ units: UnitTable, _ bytes: RawSpan, functionsAt positions: [Int]? = nil, resolvesTargets: Bool = true) {
        self.unit = unit
        self.resolvesTargets = resolvesTargets
        self.positions = positions
        references = EntryReferences(units: units)
        result = CallSiteEntries(unit: unit.header.offset)
        // gcc counts the calls of a function before it says that all have entries. clang says so of
        // every function that it optimises, and leaves out calls of helpers of the runtime library
        // and calls through memory (`DwarfDebug::constructCallSiteEntryDIEs`).
        let content = EntryContent(at: unit.header.firstEntry - unit.header.offset, of: unit, bytes)
        let producer = content.flatMap { unit.string($0[Attribute.producer], bytes) } ?? ""
        isTrusted = producer.hasPrefix("GNU ")
    }

    /// - Parameter bytes: the unit, from its header to its end.
    consuming func read(_ bytes: RawSpan) -> CallSiteEntries {
        var reader = self
        var walk = SubroutineWalk()
        // Entries before the damage are kept.
        if let positions = reader.positions {
            try? walk.run(functionsAt: positions, of: reader.unit, bytes, &reader)
        } else {
            try? walk.run(reader.unit, bytes, &reader)
        }
        return reader.entries(bytes)
    }

    /// The calls that were read.
    consuming func entries(_ bytes: RawSpan) -> CallSiteEntries {
        result.functions.sort { $0.lowerBound < $1.lowerBound }
        result.complete.sort { $0.lowerBound < $1.lowerBound }
        result.entries.reserveCapacity(found.count)
        for call in found {
            // Code that the linker removed is in no function.
            guard result.functions.holds(LinkAddress(call.returnAddress - 1)) else { continue }
            var entry = CallSiteEntries.Entry(
                returnAddress: LinkAddress(call.returnAddress), call: call.call > 0 ? LinkAddress(call.call) : nil, target: nil)
            if resolvesTargets, let origin = call.origin { addTarget(origin, to: &entry, bytes) }
            result.entries.append(entry)
        }
        result.entries.sort { $0.returnAddress < $1.returnAddress }
        if positions != nil { starts.forEach { result.starts[$0] = LinkAddress($1) } }
        return result
    }

    // MARK: Entries

    mutating func noteDamage(_ damage: DWARFError) {}

    mutating func appendAbstract(_ entry: SubroutineLocation, _ plans: inout SubroutinePlans, _ bytes: RawSpan) {
        open.append((), depth: entry.depth)
    }

    mutating func append(_ subroutine: SubroutineEntry, _ entry: SubroutineLocation, _ ranges: [AddressRange], _ bytes: RawSpan) {
        appendFunction(subroutine, entry, ranges, bytes)
        open.append((), depth: entry.depth)
    }

    /// Appends a subprogram's ranges.
    mutating func appendFunction(_ function: SubroutineEntry, _ entry: SubroutineLocation, _ ranges: [AddressRange], _ bytes: RawSpan) {
        guard let start = ranges.first?.start else { return }
        let isComplete = isTrusted && isComplete(entry.code)
        for range in ranges {
            let range = LinkAddress(range.start)..<LinkAddress(range.end)
            result.functions.append(range)
            if isComplete { result.complete.append(range) }
        }
        starts.keep(start, of: entry.position)
        if function.hasSeveralOrigins {
            forEachOrigin(of: entry, bytes) { starts.keep(start, of: $0) }
        } else if case .unitReference(let position)? = function.origin, let position = Int(exactly: position) {
            starts.keep(start, of: position)
        }
    }

    private mutating func isComplete(_ code: UInt64) -> Bool {
        if let known = completes[code] { return known }
        let names = [Attribute.callAllCalls, Attribute.callAllSourceCalls, Attribute.gnuAllCallSites, Attribute.gnuAllSourceCallSites]
        let table = unit.abbreviations
        let isComplete = table.abbreviation(code).map { table.attributes(of: $0).contains { names.contains($0.name) } } ?? false
        completes[code] = isComplete
        return isComplete
    }

    private func forEachOrigin(of entry: SubroutineLocation, _ bytes: RawSpan, _ body: (Int) -> Void) {
        guard let content = EntryContent(at: entry.position, of: unit, bytes) else { return }
        for case .unitReference(let position)? in [content[Attribute.abstractOrigin], content[Attribute.specification]] {
            if let position = Int(exactly: position) { body(position) }
        }
    }

    mutating func appendCall(_ code: UInt64, at position: Int, _ bytes: RawSpan) {
        let plan = plan(code)
        // Values that cannot be read are left out.
        guard plan.returnOffset >= 0 else { return (try? readCall(code, at: position, bytes)) ?? () }
        let sizes = unit.sizes
        guard let address = try? bytes.unsigned(size: Int(sizes.addressSize), at: position &+ Int(plan.returnOffset), sizes.byteOrder)
        else {
            return
        }
        var origin: AttributeValue?
        if plan.originOffset >= 0 {
            guard let offset = try? bytes.value(UInt32.self, at: position &+ Int(plan.originOffset), sizes.byteOrder) else { return }
            origin = .unitReference(UInt64(offset))
        }
        append(returningTo: address, call: 0, origin)
    }

    private mutating func append(returningTo address: UInt64, call: UInt64, _ origin: AttributeValue?) {
        guard address > 0, !unit.isTombstone(address) else { return }
        found.append(FoundCall(returnAddress: address, call: call < address ? call : 0, origin: origin))
    }

    private mutating func plan(_ code: UInt64) -> CallPlan {
        if let known = plans[code] { return known }
        let table = unit.abbreviations
        let plan = table.abbreviation(code).flatMap { CallPlan(table.attributes(of: $0)) } ?? CallPlan()
        plans[code] = plan
        return plan
    }

    /// - Parameter position: where its first attribute is, in bytes from the unit's header.
    private mutating func readCall(_ code: UInt64, at position: Int, _ bytes: RawSpan) throws(ReadError) {
        guard let abbreviation = unit.abbreviations.abbreviation(code) else { return }
        var (returnPC, callPC, origin): (AttributeValue?, AttributeValue?, AttributeValue?)
        var (isTail, isPretended) = (false, false)
        let sizes = unit.sizes
        var cursor = try bytes.from(UInt64(position))
        for attribute in unit.abbreviations.attributes(of: abbreviation) {
            switch attribute.name {
            // The latter of GNU's entries.
            case Attribute.callReturnPC, Attribute.lowPC:
                returnPC = try cursor.readAddress(attribute.form, implicit: attribute.implicit, sizes)
            case Attribute.callPC: callPC = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes)
            case Attribute.callOrigin, Attribute.abstractOrigin:
                origin = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes)
            case Attribute.callTailCall, Attribute.gnuTailCall:
                isTail = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes).number != 0
            case Attribute.callTarget, Attribute.gnuCallSiteTarget:
                let block = try cursor.readRawValue(attribute.form, attribute.step, implicit: attribute.implicit, sizes)
                // gcc takes `vzeroupper` for a call, to the address zero (`*avx_vzeroupper_callee_abi` of its
                // `sse.md`): so in glibc's string functions.
                isPretended =
                    block.isBlock && block.count == 1 && bytes.byte(at: bytes.byteCount - block.bytesBeforeEnd) == Operation.lit0
            default: try cursor.skip(attribute.step, sizes)
            }
        }
        guard !isTail, !isPretended, let returnPC, let address = (try? unit.address(returnPC)) ?? nil else { return }
        append(returningTo: address, call: callPC.flatMap { (try? unit.address($0)) ?? nil } ?? 0, origin)
    }

    /// Finds where the function begins that a call names.
    private func addTarget(_ origin: AttributeValue, to entry: inout CallSiteEntries.Entry, _ bytes: RawSpan) {
        if case .unitReference(let position) = origin {
            guard let position = Int(exactly: position) else { return }
            entry.target = starts.start(of: position).map { LinkAddress($0) }
            if entry.target == nil, positions != nil { entry.openTarget = .inUnit(position) }
        } else if positions != nil {
            // Another unit is not opened while this one may be on its way out of a compressed section.
            entry.openTarget = .elsewhere
        } else {
            entry.target = references.open(origin, from: unit, bytes, in: .info) { other, _, _, content in
                guard let low = content[Attribute.lowPC], let address = (try? other.address(low)) ?? nil, !other.isTombstone(address)
                else { return nil }
                return LinkAddress(address)
            }
        }
    }
}
