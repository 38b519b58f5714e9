internal import BinaryPrimitives
internal import CallFrames
internal import CallSites
package import ObjectFiles

/// The unwind tables of one image's files. Each table is read when the first address needs it.
package final class UnwindTables: Sendable {
    private let callFrames: LazyValue<[Described]>
    private let packedFrames: LazyValue<[Described]>
    private let exceptionIndex: LazyValue<ExceptionIndex?>
    private let compact: LazyValue<(table: CompactUnwindTable, code: ImageBytes)?>
    private let windows: LazyValue<[WindowsUnwindTable]>
    private let sites: LazyValue<CallSites?>
    private let goTable: LazyValue<GoLineTable?>
    let trampolines: LazyValue<SignalTrampolines>
    private let breakpad: BreakpadFrames?

    /// The beginnings of gcc's cold parts of functions, such as `main.cold`: a jump leads there, with a frame on the stack.
    private let coldParts: LazyValue<Set<UInt64>>

    private struct Described: Sendable {
        var frames: CallFrames
        var order: ByteOrder
        var addressSize: Int
        var swapsFrameRegisters: Bool

        init?(_ object: ObjectFile, isRelocated: Bool = false) {
            guard let frames = CallFrames(object, isRelocated: isRelocated) else { return nil }
            self.frames = frames
            order = object.description.byteOrder
            addressSize = object.description.addressSize
            swapsFrameRegisters = object.description.swapsFrameRegisters
        }

        func rule(_ rules: FrameRules) -> UnwindRule {
            .rules(rules, order, addressSize: addressSize, swapsFrameRegisters: swapsFrameRegisters)
        }
    }

    /// - Parameters:
    ///   - files: object files of one image: its binary, its debug file or dSYM, or both.
    ///   - breakpad: a symbol file of the image; used if the others have no rule.
    ///   - areRelocated: the objects are those in a process's memory, where all addresses are the process's.
    package init(_ files: [ObjectFile], breakpad: BreakpadFrames? = nil, areRelocated: Bool = false) {
        self.breakpad = breakpad
        callFrames = LazyValue { files.compactMap { Described($0, isRelocated: areRelocated) } }
        // Android's libraries of 32-bit ARM have `.debug_frame` there.
        packedFrames = LazyValue { files.compactMap { try? $0.miniDebugInformation() }.compactMap { Described($0) } }
        exceptionIndex = LazyValue { files.lazy.compactMap { ExceptionIndex($0) }.first }
        compact = LazyValue { files.lazy.compactMap { file in CompactUnwindTable(file).map { ($0, ImageBytes(file)) } }.first }
        windows = LazyValue { files.compactMap { WindowsUnwindTable($0) } }
        sites = LazyValue { CallSites(files) }
        goTable = LazyValue { files.lazy.filter(\.isOfGo).compactMap { $0.goLineTable() }.first }
        coldParts = LazyValue { Self.coldParts(of: files) }
        trampolines = LazyValue { SignalTrampolines(files) }
    }

    /// Returns the rule for an address.
    /// - Parameters:
    ///   - address: the instruction's; for a return address, the address of a byte of the call.
    ///   - offset: the same from the module's first byte.
    ///   - isReturn: a call that has the byte returns.
    func rule(at address: LinkAddress, offset: UInt64, isReturn: Bool, _ processor: Processor) -> UnwindRule? {
        if let rule = compactRule(at: address, processor) { return rule }
        let windows = windows.get()
        for table in windows {
            if let frame = table.frame(at: address, isReturn: isReturn) { return .windows(frame) }
        }
        // DWARF's rules have the ranges of their functions; the index of ARM treats a function without rules
        // as part of the one before it (AOSP, `ElfInterfaceArm::Step`, uses the same order).
        for described in callFrames.get() {
            if let rules = described.frames.rules(at: address) { return described.rule(rules) }
        }
        let entry = exceptionIndex.get()?.entry(for: address.value)?.entry
        if case .instructions(let bytes)? = entry { return .exceptionIndex(bytes) }
        for described in packedFrames.get() {
            if let rules = described.frames.rules(at: address) { return described.rule(rules) }
        }
        if let rules = breakpad?.rules(at: offset) { return .breakpad(rules) }
        if processor == .i386, let frame = breakpad?.windowsFrame(at: offset) { return .breakpadWindows(frame) }
        if !isReturn, !windows.isEmpty, sites.get()?.isCode(address) == true { return .windows(.leaf) }
        return entry == .cannotUnwind ? .cannotUnwind : nil
    }

    private func compactRule(at address: LinkAddress, _ processor: Processor) -> UnwindRule? {
        guard let (table, code) = compact.get(), let entry = table.entry(for: address),
            let encoding = CompactEncoding(entry.encoding, processor)
        else { return nil }
        switch encoding {
        case .frame(let below, let saved): return .frame(below: below, registers: saved)
        case .frameless(let size, let saved): return .frameless(size: size, registers: saved)
        case .framelessIndirect(let offset, let adjustment, let saved):
            guard let start = entry.start.advanced(by: UInt64(offset)),
                let size = code.withBytes(at: start, { try? $0.value(UInt32.self, at: 0, .littleEndian) }) ?? nil
            else { return nil }
            return .frameless(size: Int(size) + adjustment, registers: saved)
        case .description(let position):
            for described in callFrames.get() {
                let rules = described.frames.rules(at: address, byEntryAt: UInt64(position)) ?? described.frames.rules(at: address)
                if let rules { return described.rule(rules) }
            }
            return nil
        }
    }

    /// Whether a call may return to an address: not if it follows no call, or is outside every function.
    /// - Parameter offset: the address from the module's first byte.
    func mayReturn(to address: LinkAddress, offset: UInt64) -> Bool {
        let sites = sites.get()
        switch sites?.call(returningTo: address, wantsTarget: false) {
        case .call?: return true
        case .noCall?: return false
        case .unknown?, nil:
            guard address.value > 0 else { return false }
            let call = LinkAddress(address.value - 1)
            // Headers and data of the image.
            if let sites, !sites.code.isEmpty, !sites.isCode(call) { return false }
            let frames = callFrames.get()
            if windows.get().contains(where: { $0.hasFunction(at: call) }) { return true }
            if frames.isEmpty, let breakpad { return offset > 0 && breakpad.hasFunction(at: offset - 1) }
            return frames.isEmpty || frames.contains { $0.frames.range(containing: call) != nil }
        }
    }

    private static func coldParts(of files: [ObjectFile]) -> Set<UInt64> {
        var found: Set<UInt64> = []
        for file in files {
            try? file.forEachSymbol { symbol in
                if symbol.kind == .function, symbol.name.text(in: file).contains(".cold") { found.insert(symbol.address.value) }
                return true
            }
        }
        return found
    }

    /// Returns how the code of the function that holds an address leads to its caller; `nil` if it does not say.
    /// - Parameters:
    ///   - address: an instruction's, or where a call returns.
    ///   - isThumb: whether it is Thumb code.
    ///   - maxBytes: bytes of code that may be read; those of the function are subtracted.
    func layout(at address: LinkAddress, isReturn: Bool, _ processor: Processor, isThumb: Bool, maxBytes: inout Int) -> CodeLayout? {
        guard !isReturn || address.value > 0, let sites = sites.get() else { return nil }
        return sites.withFunction(containing: isReturn ? LinkAddress(address.value - 1) : address) { start, code in
            guard code.byteCount <= maxBytes, !coldParts.get().contains(start.value) else { return nil }
            maxBytes -= code.byteCount
            let offset = Int(clamping: address.value &- start.value)
            return CodeLayout(code, at: offset, isReturn: isReturn, address: start.value, processor, isThumb: isThumb)
        }
    }

    /// Whether a call in a function is known to return to an address.
    func followsCall(_ address: LinkAddress) -> Bool {
        guard address.value > 0, let sites = sites.get(), case .call = sites.call(returningTo: address, wantsTarget: false) else {
            return false
        }
        return sites.functionStart(containing: LinkAddress(address.value - 1)) != nil
    }

    /// Returns the function that the call before a return address calls; `nil` if the call is through a
    /// register or a stub, or the function is not known.
    func target(ofCallReturningTo address: LinkAddress) -> LinkAddress? {
        guard let sites = sites.get(), case .call(let site) = sites.call(returningTo: address), let target = site.target,
            !sites.isStub(target)
        else { return nil }
        return target
    }

    /// Whether a function with rules begins at an address or one byte before it, so that no call precedes the
    /// address.
    func isEntered(at address: LinkAddress) -> Bool {
        func start(_ address: UInt64) -> UInt64? {
            callFrames.get().lazy.compactMap { $0.frames.range(containing: LinkAddress(address)) }.first?.lowerBound.value
        }
        // glibc's i386 has a `nop` there.
        if address.value > 0, let before = start(address.value - 1) {
            if before == address.value - 1 { return true }
            guard start(address.value) != before else { return false }
        }
        return start(address.value) == address.value && sites.get()?.call(returningTo: address, wantsTarget: false) == .noCall
    }

    /// The function that holds an address, if it is one of these of Go's runtime.
    func goRuntimeFunction(containing address: LinkAddress) -> GoRuntimeFunction? {
        guard let result = goTable.get()?.results(for: [address]).first ?? nil, let function = result.functions.last else { return nil }
        return GoRuntimeFunction(name: function.name)
    }

    /// The first byte of the function that holds an address; `nil` where that is not known.
    func functionStart(containing address: LinkAddress, offset: UInt64) -> LinkAddress? {
        for described in callFrames.get() {
            if let range = described.frames.range(containing: address) { return range.lowerBound }
        }
        if let start = sites.get()?.functionStart(containing: address) { return start }
        return breakpad?.functionStart(containing: offset).map { LinkAddress(address.value &- (offset - $0)) }
    }
}

extension ObjectFile {
    /// Whether Go's linker made it; in a position-independent program that the system's linker made, the table has no section of its own.
    fileprivate var isOfGo: Bool {
        description.sections.contains { [".gopclntab", ".data.rel.ro.gopclntab", ".go.buildinfo"].contains($0.name) }
    }
}
