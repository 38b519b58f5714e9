package import BinaryPrimitives
package import DWARF
package import ObjectFiles

/// The calls in an image's code: their return addresses and targets.
///
/// Nothing is read before it is needed. One lookup reads the bytes before the address and, if those may be a
/// call, decodes the function from its start.
package final class CallSites: Sendable {
    /// `nil` if no file has code, or the machine is not known.
    let text: (CodeText, Machine)?
    let starts: CodeFunctionStarts
    let regions: LazyValue<CodeRegions>
    /// Calls from debug information, used if no file has code.
    let entries: CallSiteTable?
    /// The targets of calls are not filled in yet.
    let isRelocatable: Bool
    /// Maximum number of bytes that are decoded for one address.
    let maxBytes: Int
    /// Address ranges of the executable sections, ascending.
    package let code: [Range<LinkAddress>]

    /// - Parameters:
    ///   - files: object files of one image: its binary, its debug file or dSYM, or both. Code comes from the first that
    ///     has its bytes, functions' starts from all. Debug information is used where no file has code.
    ///   - recorded: returns the calls that an index of the debug information has.
    ///   - entries: returns the first bytes of the functions that hold the given addresses, as far as these
    ///     have been looked up.
    /// - Returns: `nil` if no file has code or entries of calls, or the machine is not known.
    package init?(
        _ files: [ObjectFile], recorded: @escaping @Sendable () -> (any RecordedCallSites)? = { nil },
        entries knownEntries: @escaping @Sendable ([LinkAddress]) -> [LinkAddress?] = { _ in [] }
    ) {
        var text: (CodeText, Machine)?
        var textFile = files.first
        for file in files {
            guard let found = CodeText(file), let machine = Machine(file) else { continue }
            (text, textFile) = ((found, machine), file)
            break
        }
        let entries = text == nil ? CallSiteTable(files, recorded: recorded) : nil
        guard text != nil || entries != nil else { return nil }
        self.text = text
        self.entries = entries
        isRelocatable = textFile?.description.kind == .relocatable
        maxBytes = textFile?.limits.sweptCode ?? Limits.standard.sweptCode
        starts = CodeFunctionStarts(files, entries: knownEntries)
        let machine = text?.1
        regions = LazyValue { machine.map { CodeRegions(of: files, $0) } ?? .plain }
        code = text?.0.parts.map(\.addresses) ?? Self.executableSections(files)
    }

    private static func executableSections(_ files: [ObjectFile]) -> [Range<LinkAddress>] {
        for file in files {
            let ranges = file.description.sections.filter { $0.isExecutable && $0.isLoaded && $0.size > 0 }.compactMap { section in
                section.address.advanced(by: section.size).map { section.address..<$0 }
            }
            if !ranges.isEmpty { return ranges.sorted { $0.lowerBound < $1.lowerBound } }
        }
        return []
    }

    /// Whether an address is in an executable section.
    package func isCode(_ address: LinkAddress) -> Bool { code.range(holding: address) != nil }

    private func mayEndCall(at address: LinkAddress) -> Bool {
        code.isEmpty || address.value > 0 && isCode(LinkAddress(address.value - 1))
    }

    /// Calls are read from debug information, because no file has the code.
    package var areFromDebugInformation: Bool { text == nil }

    /// Prepares `call` for these addresses. Each symbol table is then read once, and, if calls come from debug information, each of its units.
    /// - Parameter lookUp: looks addresses up in the files, so that one pass is enough for these lookups and for `read`; with
    ///   the calls there if they come from debug information. `nil`: nothing else is looked up.
    package func read(_ addresses: [LinkAddress], lookUp: ((_ addresses: [LinkAddress], CollectedCallSites?) -> Void)? = nil) {
        let addresses = addresses.filter { isCode($0) || mayEndCall(at: $0) }
        guard text == nil, let entries else {
            let candidates = Set(addresses.flatMap { $0.value > 0 ? [$0, LinkAddress($0.value - 1)] : [$0] }).sorted()
            return starts.read(candidates.filter { isCode($0) }) { lookUp?(candidates, nil) }
        }
        guard let lookUp else { return entries.read(addresses) }
        let wanted = entries.withBytesBefore(addresses)
        guard !wanted.isEmpty else { return }
        let found = CollectedCallSites(of: entries.object)
        lookUp(wanted, found)
        entries.keep(found)
        // The calls around cached results were not collected: they are read now, in one pass.
        entries.read(addresses)
        starts.read(wanted) {}
    }

    /// Whether the call that returns to an address calls a function.
    /// - Parameters:
    ///   - function: its first byte.
    ///   - inner: any address in it, preferably one that was prepared with `read`.
    ///   - distance: a call may go to so many bytes after the function's first (ppc64's local entry).
    package func calls(
        _ function: LinkAddress, holding inner: LinkAddress, returningTo address: LinkAddress, within distance: UInt64 = 0
    ) -> Bool {
        guard text != nil else {
            guard let entries, mayEndCall(at: address), code.isEmpty || isCode(inner) else { return false }
            return entries.calls(function, holding: inner, returningTo: address)
        }
        guard case .call(let site) = call(returningTo: address), let target = site.target else { return false }
        return target.value &- function.value <= distance
    }

    /// Whether a call returns to an address.
    /// - Parameter wantsTarget: `false` allows a result without the called function, which avoids reading whole units of
    ///   debug information.
    package func call(returningTo address: LinkAddress, wantsTarget: Bool = true) -> CallEvidence {
        guard let (text, machine) = text else {
            guard let entries, mayEndCall(at: address) else { return .unknown }
            return entries.call(returningTo: address, wantsTarget: wantsTarget)
        }
        return TextSearch(self, text, machine).call(returningTo: address)
    }

    /// Returns the return addresses of calls in code whose low twelve bits are `bits`, ascending; empty if
    /// calls come from debug information.
    package func returnAddresses(withLowBits bits: UInt64) -> [UInt64] {
        guard let (text, machine) = text else { return [] }
        var found: [UInt64] = []
        for part in text.parts {
            text.withBytes(of: part) { code in
                // Control returns to one past the last byte, too.
                for address in stride(from: part.base & ~0xfff | bits, through: part.addresses.upperBound.value, by: 0x1000) {
                    guard address > part.base else { continue }
                    // Most bytes cannot end a call.
                    if case .x86(let set) = machine, !set.mayEndCall(at: Int(truncatingIfNeeded: address - part.base), in: code) {
                        continue
                    }
                    if case .call = TextSearch(self, text, machine).call(returningTo: LinkAddress(address)) { found.append(address) }
                }
            }
        }
        return found
    }

    /// Whether an address is inside a call instruction, including its first byte. Writers that move return
    /// addresses back print such addresses. On MIPS and SPARC the delay slot counts too.
    package func call(containing address: LinkAddress) -> CallEvidence {
        guard let (text, machine) = text else {
            guard let entries, code.isEmpty || isCode(address) else { return .unknown }
            return entries.call(containing: address)
        }
        return TextSearch(self, text, machine).call(containing: address)
    }

    /// Whether an instruction begins at an address. That is true of every program counter, and on x86 of one
    /// random number in four.
    /// - Returns: `nil` where that cannot be known.
    package func isInstruction(at address: LinkAddress) -> Bool? {
        guard let (text, machine) = text else { return nil }
        return TextSearch(self, text, machine).isInstruction(at: address)
    }

    /// Calls `body` with every call of the image, ascending. Reads all code.
    /// - Parameter body: returns `false` to stop.
    package func forEachCall(_ body: (CallSite) -> Bool) {
        guard let (text, machine) = text else {
            entries?.forEachCall(body)
            return
        }
        WholeText(self, text, machine).forEachCall(body)
    }

    /// All addresses that calls return to, ascending, each once. Reads all code, or all debug information.
    /// - Parameter limit: maximum number of addresses.
    package func returnAddresses(limit: Int) -> [UInt64] {
        if text == nil { return Array((entries?.returnAddresses() ?? []).prefix(limit)) }
        var addresses: [UInt64] = []
        forEachCall { call in
            addresses.append(call.returnAddress.value)
            return addresses.count < limit
        }
        return addresses
    }

    /// The start of the function that holds an address, as frame descriptions, function starts or
    /// symbols say; `nil` where it is not known.
    package func functionStart(containing address: LinkAddress) -> LinkAddress? {
        let part = code.range(holding: address)
        guard part != nil || code.isEmpty else { return nil }
        return starts.start(of: address, in: part)
    }

    /// Calls `body` with the code of the function that holds an address, and the address of its first byte.
    /// - Returns: `nil` if the function is not known, or no file has its code.
    package func withFunction<Result>(containing address: LinkAddress, _ body: (LinkAddress, RawSpan) -> Result?) -> Result? {
        guard let (text, _) = text, let part = text.part(holding: address), let range = starts.range(of: address, in: part.addresses)
        else { return nil }
        let start = Int(clamping: range.lowerBound.value - part.base)
        let end = min(Int(clamping: range.upperBound.value - part.base), start + maxBytes)
        return text.withBytes(of: part) { body(range.lowerBound, $0.clamped(to: start..<end)) }
    }

    /// Whether an address is in a section of stubs, or is the first of a function that only jumps
    /// to another: a direct call there has another function as its true target.
    package func isStub(_ address: LinkAddress) -> Bool {
        guard let (text, machine) = text else { return false }
        if text.part(holding: address)?.isStubs == true { return true }
        return Stubs(text: text, machine: machine).isJump(address)
    }
}

extension [Range<LinkAddress>] {
    /// Returns the range that holds an address. The ranges must be ascending and must not overlap.
    fileprivate func range(holding address: LinkAddress) -> Range<LinkAddress>? {
        let next = partitionPoint { $0.lowerBound > address }
        return next > 0 && self[next - 1].contains(address) ? self[next - 1] : nil
    }
}
