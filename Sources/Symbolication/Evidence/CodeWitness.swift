internal import BinaryPrimitives
internal import CallSites
internal import CrashLogModel
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources
internal import Synchronization

/// The code of one image as a witness: which of its addresses control returns to, and which belong
/// to the trampoline of signal handlers.
final class CodeWitness: Sendable {
    private let objects: [ObjectFile]
    private let known = Mutex<(sites: CallSites?, isRead: Bool)>((nil, false))
    private let table = Mutex<SiteTable?>(nil)
    private let trampolines: LazyValue<SignalTrampolines>
    /// Resolves addresses from the same files.
    private let source: @Sendable () -> (any SymbolSource)?

    /// - Parameter source: resolves addresses from the same files, and remembers its results (`CachingSource`), so that
    ///   addresses and the calls around them are read in one pass. Called when an address is read that neither code nor
    ///   frame descriptions cover.
    /// - Returns: `nil` where none of the files is an object file.
    init?(_ files: [any SymbolFile], source: @escaping @Sendable () -> (any SymbolSource)? = { nil }) {
        objects = files.compactMap { $0 as? ObjectFile }
        guard !objects.isEmpty else { return nil }
        self.source = source
        trampolines = LazyValue { [objects] in SignalTrampolines(objects) }
    }

    /// `nil` where the files hold neither code nor descriptions of calls.
    var callSites: CallSites? {
        let before = known.withLock { $0 }
        if before.isRead { return before.sites }
        let (source, base) = (source, base)
        let made = CallSites(
            objects, recorded: { source()?.recordedCallSites },
            entries: { addresses in
                source()?.frames(at: addresses).map { result in
                    if case .found(let frames) = result { frames.last?.entry?.linkAddress(imageBase: base) } else { nil }
                } ?? []
            })
        return known.withLock { known in
            if !known.isRead { known = (made, true) }
            return known.sites
        }
    }

    /// Reads all of the code at the first call.
    func siteTable(of sites: CallSites) -> SiteTable {
        table.withLock { known in
            if let known { return known }
            let made = SiteTable(sites, alignment: objects[0].description.loadAlignment)
            known = made
            return made
        }
    }

    /// Link address of the image's first mapped byte.
    var base: LinkAddress { objects[0].baseAddress }
    var architecture: Architecture { objects[0].architecture }
    var isMappedBySections: Bool { objects[0].description.isMappedBySections }
    var imageSize: UInt64? { objects.lazy.compactMap(\.imageSize).max() }

    /// WebAssembly: the functions at locations of the image; `nil` where no file has numbers of functions.
    func numberedFunctions(at locations: [ImageLocation]) -> [NumberedFunction?]? {
        let addresses = locations.map { linkAddress(of: $0) }
        let known = addresses.compactMap { $0 }
        guard let found = objects.lazy.compactMap({ $0.numberedFunctions(at: known) }).first else { return nil }
        var next = 0
        return addresses.map { address in
            guard address != nil else { return nil }
            defer { next += 1 }
            return found[next]
        }
    }

    /// A location in the image as an address in the file; `nil` for places that only a symbol table
    /// finds, and in files whose sections have no addresses.
    func linkAddress(of location: ImageLocation) -> LinkAddress? {
        guard !objects.contains(where: { $0.description.kind == .relocatable }) else { return nil }
        switch location {
        case .offset(let offset): return offset.linkAddress(imageBase: base)
        case .linkAddress(let address): return address
        case .fileOffset(let offset): return objects.linkAddress(ofFileOffset: offset)
        case .textOffset(let distance):
            let text = objects.lazy.compactMap { $0.section(named: ".text") ?? $0.section(named: "__text") }.first
            return text.map { LinkAddress($0.address.value &+ UInt64(bitPattern: distance)) }
        case .relativePC, .symbol, .mapping: return nil
        }
    }

    /// Relation of one address of a stack to the calls in the code.
    enum Finding: Sendable, Hashable {
        /// A call returns to it.
        case afterCall
        /// It is in a call instruction.
        case inCall
        /// Both: one call directly follows another.
        case betweenCalls
        /// The code is known, and there is no call.
        case noCall
        case unknown
    }

    /// Calls are read from debug information, because no file has the code.
    var isDescribed: Bool { callSites?.areFromDebugInformation ?? false }

    /// Prepares the other methods for these addresses, and lookups of them and of the bytes before them: where calls are
    /// read from debug information, one pass is enough for everything.
    func read(_ addresses: [LinkAddress]) {
        callSites?.read(addresses) { [source] addresses, calls in _ = source()?.frames(at: addresses, collecting: calls) }
    }

    func finding(at address: LinkAddress) -> Finding {
        guard let callSites, address.value > 0 else { return .unknown }
        switch (callSites.call(returningTo: address, wantsTarget: false), callSites.call(containing: address)) {
        case (.call, .call): return .betweenCalls
        case (.call, _): return .afterCall
        case (_, .call): return .inCall
        case (.noCall, _): return .noCall
        default: return .unknown
        }
    }

    /// Returns the start of the function that ends at an address, by the call in it that returns there; `nil`
    /// if no function ends or none begins there.
    ///
    /// A compiler puts nothing after the call of a function that does not return: the return
    /// address is the next function's first byte.
    func functionEnding(at address: LinkAddress) -> LinkAddress? {
        guard address.value > 0, functionStart(containing: address) == address else { return nil }
        return functionStart(containing: LinkAddress(address.value - 1))
    }

    /// The start of the function that holds an address; `nil` where it is not known.
    func functionStart(containing address: LinkAddress) -> LinkAddress? {
        callSites?.functionStart(containing: address)
    }

    /// Whether the call that returns to an address calls the function that begins at one address and holds another.
    func calls(_ function: LinkAddress, holding inner: LinkAddress, returningTo address: LinkAddress) -> Bool {
        callSites?.calls(function, holding: inner, returningTo: address) ?? false
    }

    /// Returns the evidence that the address is in the trampoline of signal handlers, and whether the files
    /// show if it is.
    func trampoline(at address: LinkAddress) -> (proof: KindEvidence?, isKnown: Bool) {
        switch trampolines.get().proof(at: address) {
        case .frameDescription?: (.trampolineFrameDescription, true)
        case .instructions?: (.trampolineInstructions, true)
        case nil: (nil, trampolines.get().isKnown(address))
        }
    }

    /// Whether the function that has made the call before an address is one that a signal's handler makes other code call: no call
    /// returns to the address of the row below.
    func isInjectedCall(returningTo address: LinkAddress) -> Bool {
        guard address.value > 0, case .found(let frames)? = source()?.frames(at: [LinkAddress(address.value - 1)]).first else {
            return false
        }
        return SignalFrame.isInjectedCall(frames.last?.name)
    }

    /// Whether a function begins at the address, or one instruction before it: programs push such
    /// addresses by hand as return addresses (`makecontext`, Go's `goexit`).
    func isFunctionStart(_ address: LinkAddress) -> Bool {
        guard let start = functionStart(containing: address) else { return false }
        return address.value - start.value <= 1 || (architecture.family == "arm64" && address.value - start.value == 4)
    }
}
