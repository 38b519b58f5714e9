internal import BinaryPrimitives
internal import ObjectFiles

/// Reads the calls of one unit, or of some of its functions.
struct CallSiteReader {
    private let unit: Unit
    private let references: EntryReferences
    /// Entries of the functions that are read, ascending; `nil`: the whole unit is.
    private let positions: [Int]?
    private let resolvesTargets: Bool
    private var collected: CollectedRanges
    private var result: CallSiteEntries
    private var found: [(entry: CallSiteEntries.Entry, origin: AttributeValue?)] = []
    /// By the offset of a function's entry in the unit, also of the abstract one that a function
    /// with code comes from.
    private var starts: [Int: LinkAddress] = [:]
    /// By their codes the abbreviations that were met of functions and calls; `nil`: it is of something else.
    private var layouts: [UInt64: Layout?] = [:]

    private struct Layout {
        var isFunction: Bool
        var attributes: [AttributeSpecification]
    }

    /// - Parameters:
    ///   - positions: of the entries of functions, in bytes from the unit's header, ascending; `nil`: the whole unit is
    ///     read.
    ///   - resolvesTargets: whether the called functions are wanted.
    init(_ unit: Unit, _ units: UnitTable, functionsAt positions: [Int]? = nil, resolvesTargets: Bool = true) {
        self.unit = unit
        self.resolvesTargets = resolvesTargets
        self.positions = positions
        references = EntryReferences(units: units)
        collected = unit.collectedRanges()
        result = CallSiteEntries(unit: unit.header.offset)
    }

    consuming func read(_ bytes: RawSpan) -> CallSiteEntries {
        // gcc counts the calls of a function before it says that all have entries. clang says so of
        // every function that it optimises, and leaves out calls of helpers of the runtime library
        // and calls through memory (`DwarfDebug::constructCallSiteEntryDIEs`).
        let content = EntryContent(at: unit.header.firstEntry - unit.header.offset, of: unit, bytes)
        let producer = content.flatMap { unit.string($0[Attribute.producer], bytes) } ?? ""
        let isTrusted = producer.hasPrefix("GNU ")
        if let positions {
            var end = 0
            // A nested function is read with the one around it.
            for position in positions where position >= end { end = walk(EntryWalk(unit, at: position), bytes, trusting: isTrusted) }
        } else {
            walk(EntryWalk(unit), bytes, trusting: isTrusted)
        }
        result.functions.sort { $0.lowerBound < $1.lowerBound }
        result.complete.sort { $0.lowerBound < $1.lowerBound }
        for (entry, origin) in found {
            // Code that the linker removed is in no function.
            let last = LinkAddress(entry.returnAddress.value - 1)
            guard result.functions.holds(last) else { continue }
            var entry = entry
            if resolvesTargets, let origin { addTarget(origin, to: &entry, bytes) }
            result.entries.append(entry)
        }
        result.entries.sort { $0.returnAddress < $1.returnAddress }
        if positions != nil { result.starts = starts }
        return result
    }

    /// - Returns: where the walk ended, in bytes from the unit's header.
    @discardableResult
    private mutating func walk(_ start: EntryWalk, _ bytes: RawSpan, trusting isTrusted: Bool) -> Int {
        var walk = start
        while let shape = (try? walk.next(bytes)) ?? nil {
            if shape.holdsCalls, let layout = layout(walk.code) {
                // Values that cannot be read are left out.
                if layout.isFunction {
                    try? readFunction(at: walk.entry, walk.position, layout.attributes, bytes, isTrusted)
                } else {
                    try? readCall(at: walk.position, layout.attributes, bytes)
                }
            }
            do throws(ReadError) { try walk.pass(shape, bytes) } catch { break }
        }
        return walk.position
    }

    private mutating func layout(_ code: UInt64) -> Layout? {
        if let known = layouts[code] { return known }
        var layout: Layout?
        if let abbreviation = unit.abbreviations.abbreviation(code) {
            switch abbreviation.tag {
            case Tag.subprogram: layout = Layout(isFunction: true, attributes: Array(unit.abbreviations.attributes(of: abbreviation)))
            case Tag.callSite, Tag.gnuCallSite:
                layout = Layout(isFunction: false, attributes: Array(unit.abbreviations.attributes(of: abbreviation)))
            default: break
            }
        }
        layouts[code] = .some(layout)
        return layout
    }

    /// - Parameters:
    ///   - entry: where it is, in bytes from the unit's header.
    ///   - position: where its first attribute is.
    private mutating func readFunction(
        at entry: Int, _ position: Int, _ attributes: [AttributeSpecification], _ bytes: RawSpan, _ isTrusted: Bool
    ) throws(ReadError) {
        var (low, high, list): (AttributeValue?, AttributeValue?, AttributeValue?)
        var origins: [AttributeValue] = []
        var isComplete = false
        let sizes = unit.sizes
        var cursor = try bytes.from(UInt64(position))
        for attribute in attributes {
            switch attribute.name {
            case Attribute.lowPC: low = try cursor.readAddress(attribute.form, implicit: attribute.implicit, sizes)
            case Attribute.highPC: high = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes)
            case Attribute.ranges: list = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes)
            case Attribute.abstractOrigin, Attribute.specification:
                origins.append(try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes))
            case Attribute.callAllCalls, Attribute.callAllSourceCalls, Attribute.gnuAllCallSites, Attribute.gnuAllSourceCallSites:
                isComplete = isTrusted
                try cursor.skip(attribute.step, sizes)
            default: try cursor.skip(attribute.step, sizes)
            }
        }
        guard low != nil || list != nil else { return }
        collected.removeAll()
        try? unit.appendRanges(low: low, high: high, ranges: list, to: &collected)
        for range in collected.ranges {
            let range = LinkAddress(range.start)..<LinkAddress(range.end)
            result.functions.append(range)
            if isComplete { result.complete.append(range) }
        }
        guard let start = collected.ranges.first.map({ LinkAddress($0.start) }) else { return }
        starts[entry] = start
        for case .unitReference(let position) in origins { if let position = Int(exactly: position) { starts[position] = start } }
    }

    /// - Parameter position: where its first attribute is, in bytes from the unit's header.
    private mutating func readCall(at position: Int, _ attributes: [AttributeSpecification], _ bytes: RawSpan) throws(ReadError) {
        var (returnPC, callPC, origin): (AttributeValue?, AttributeValue?, AttributeValue?)
        var (isTail, isPretended) = (false, false)
        let sizes = unit.sizes
        var cursor = try bytes.from(UInt64(position))
        for attribute in attributes {
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
        guard !isTail, !isPretended, let returnPC, let address = (try? unit.address(returnPC)) ?? nil, address > 0,
            !unit.isTombstone(address)
        else { return }
        let call = callPC.flatMap { (try? unit.address($0)) ?? nil }
        let entry = CallSiteEntries.Entry(
            returnAddress: LinkAddress(address), call: call.flatMap { $0 < address ? LinkAddress($0) : nil }, target: nil)
        found.append((entry, origin))
    }

    /// Finds where the function begins that a call names.
    private func addTarget(_ origin: AttributeValue, to entry: inout CallSiteEntries.Entry, _ bytes: RawSpan) {
        if case .unitReference(let position) = origin {
            guard let position = Int(exactly: position) else { return }
            entry.target = starts[position]
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
