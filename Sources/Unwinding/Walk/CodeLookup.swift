internal import BinaryPrimitives
internal import CallSites

/// Looks up addresses as code of the process, and caches the results.
struct CodeLookup {
    let modules: ModuleMap
    let memory: Memory
    let processor: Processor
    let entry: UInt64?
    /// Whether the memory has every range that was mapped, as a core has, saved or not.
    let knowsMappings: Bool
    private let cache = Cache()
    /// Number of bits of an address; the bits above are those of a pointer's signature (arm64).
    private let addressBits: UInt64

    /// - Parameter codeMask: the bits of an instruction's address that a signature may be in, as a
    ///   core of Linux notes them; `nil` where that is not known.
    init(_ modules: ModuleMap, _ memory: Memory, _ processor: Processor, codeMask: UInt64?, entry: UInt64?, knowsMappings: Bool) {
        self.entry = entry
        self.knowsMappings = knowsMappings
        self.modules = modules
        self.memory = memory
        self.processor = processor
        if let codeMask, codeMask != 0 {
            addressBits = UInt64(codeMask.trailingZeroBitCount)
        } else {
            // Linux has 39 bits at least; more if a module is above.
            addressBits = max(39, UInt64(64 - modules.end.leadingZeroBitCount))
        }
    }

    /// An address without Thumb bit and without signature.
    func plain(_ address: UInt64) -> UInt64 {
        if processor.hasThumbBit { return address & ~1 }
        return stripped(address)
    }

    /// An address without signature. One of the upper half (bit 55) is the kernel's.
    func stripped(_ address: UInt64) -> UInt64 {
        // The highest bit of an address of 31 bits says that it has that many.
        if processor == .s390 { return address & 0x7fff_ffff }
        guard processor == .arm64, addressBits < 55 else { return address }
        let mask = ~UInt64(0) << addressBits
        return address >> 55 & 1 == 0 ? address & ~mask : address | mask
    }

    /// Whether code may be at an address: in a module, or in memory that can be executed.
    func isCode(_ address: UInt64) -> Bool {
        let address = plain(address)
        return modules.module(holding: address) != nil || memory.isExecutable(address)
    }

    /// Whether nothing can be at an address: it is not mapped, or the processor has no such address (x86-64: bits 47 to 63 differ).
    func isNowhere(_ address: UInt64) -> Bool {
        let address = plain(address)
        guard address >= 1 << 16, modules.module(holding: address) == nil else { return false }
        if processor == .x86_64, address >> 47 != 0, address >> 47 != 0x1ffff { return true }
        return knowsMappings && !memory.maps(address)
    }

    /// Whether bytes in memory show that an address is no return address: of an ELF header, or no call is before it.
    private func isRefutedByMemory(_ address: UInt64, in module: UnwindModule) -> Bool {
        let start = module.range.lowerBound
        if address - start < MappedHeaders.byteCount(memory, at: start) { return true }
        func byte(_ distance: UInt64) -> UInt64? { memory.read(address &- distance, size: 1) }
        switch processor {
        case .x86_64, .i386:
            guard (1...7).allSatisfy({ byte($0) != nil }) else { return false }
            // E8: a direct call; FF /2: one through a register or memory, of two to seven bytes.
            return byte(5) != 0xe8 && !(2...7).contains { byte($0) == 0xff && byte($0 - 1).map { $0 >> 3 & 7 == 2 } ?? false }
        case .arm64:
            // BL; BLR and its signed forms (Arm ARM, C4.1.88).
            return memory.read(address &- 4, size: 4).map { $0 >> 26 != 0x25 && $0 & 0xfefff000 != 0xd63f_0000 } ?? false
        case .sparc64, .sparc:
            // CALL; JMPL into %o7. A delay slot is between them and the address.
            return memory.read(address &- 8, size: 4).map { $0 >> 30 != 1 && $0 & 0xfff8_0000 != 0x9fc0_0000 } ?? false
        default: return false
        }
    }

    /// Caches of lookups: threads wait at the same addresses, and recursion returns to one.
    private final class Cache {
        var rules = RecentValues<UInt64, UnwindRule?>(count: 1 << 16)
        var returns = RecentValues<UInt64, Bool>(count: 1 << 16)
        var trampolines = RecentValues<UInt64, Bool>(count: 1 << 16)
        var returnRules = RecentValues<UInt64, (rule: UnwindRule?, isSynthetic: Bool)>(count: 1 << 16)
        var targets = RecentValues<UInt64, UInt64?>(count: 1 << 16)
        /// Bytes of code that may still be read for layouts.
        var codeBytes = 8 << 20
        var layouts = RecentValues<UInt64, CodeLayout?>(count: 1 << 12)
        var returnLayouts = RecentValues<UInt64, CodeLayout?>(count: 1 << 12)
        var goFunctions = RecentValues<UInt64, GoRuntimeFunction?>(count: 1 << 16)
    }

    /// Returns the rule for an address of an instruction.
    func rule(at address: UInt64) -> UnwindRule? {
        if let rule = cache.rules.value(for: address) { return rule }
        let rule = findRule(at: address, isReturn: false)
        cache.rules.insert(rule, for: address)
        return rule
    }

    private func findRule(at address: UInt64, isReturn: Bool) -> UnwindRule? {
        guard let module = modules.module(holding: address), let image = module.image.get() else { return nil }
        return image.tables.rule(
            at: LinkAddress(linked(address &- image.bias)), offset: address &- module.base, isReturn: isReturn, processor)
    }

    /// Returns the rule for a frame that is returned to. The call's last byte is in the calling function; the
    /// return address may be in the next one.
    /// - Returns: also whether a program made the frame without a call: it put a function's first byte on a
    ///   stack, as glibc's `makecontext` does with that of `__start_context`, and Go's handler of signals
    ///   with the instruction that crashed.
    func rule(returningTo address: UInt64) -> (rule: UnwindRule?, isSynthetic: Bool) {
        // A return address of 1 is zero without its Thumb bit.
        guard address > 0 else { return (nil, false) }
        if let cached = cache.returnRules.value(for: address) { return cached }
        let image = modules.module(holding: address)?.image.get()
        let isSynthetic = image?.tables.isEntered(at: LinkAddress(linked(address &- (image?.bias ?? 0)))) ?? false
        let found = (rule: isSynthetic ? rule(at: address) : findRule(at: address - 1, isReturn: true), isSynthetic: isSynthetic)
        cache.returnRules.insert(found, for: address)
        return found
    }

    /// Returns how the instructions of a function lead to its caller.
    /// - Parameters:
    ///   - counter: of the frame, with Thumb bit.
    ///   - isReturn: whether it is a return address.
    func layout(at counter: UInt64, isReturn: Bool) -> CodeLayout? {
        if let known = isReturn ? cache.returnLayouts.value(for: counter) : cache.layouts.value(for: counter) { return known }
        let address = plain(counter)
        var layout: CodeLayout?
        // In a big-endian process of ARM the order of instructions is not known.
        if processor != .arm || memory.byteOrder == .littleEndian, address > 0,
            let image = modules.module(holding: isReturn ? address - 1 : address)?.image.get()
        {
            layout = image.tables.layout(
                at: LinkAddress(linked(address &- image.bias)), isReturn: isReturn, processor,
                isThumb: processor.hasThumbBit && counter & 1 == 1, maxBytes: &cache.codeBytes)
        }
        if isReturn { cache.returnLayouts.insert(layout, for: counter) } else { cache.layouts.insert(layout, for: counter) }
        return layout
    }

    /// Whether a signal handler returns to an address.
    func isTrampoline(_ address: UInt64) -> Bool {
        let address = plain(address)
        if let cached = cache.trampolines.value(for: address) { return cached }
        let isTrampoline =
            if let image = modules.module(holding: address)?.image.get() {
                image.tables.trampolines.get().proof(at: LinkAddress(linked(address &- image.bias))) != nil
            } else {
                SignalContext.isTrampoline(address, memory, processor)
            }
        cache.trampolines.insert(isTrampoline, for: address)
        return isTrampoline
    }

    /// Whether an address may be a return address: it follows a call of a module, in a function, or a signal
    /// handler returns to it.
    /// - Parameter onlyModules: code outside of modules does not count.
    func mayReturn(to address: UInt64, onlyModules: Bool = false) -> Bool {
        let address = plain(address)
        guard address > 4096, address & (processor.instructionAlignment - 1) == 0 else { return false }
        // The return address of a call at a module's end is outside of the module.
        guard let module = modules.module(holding: address - 1) else { return !onlyModules && memory.isExecutable(address) }
        guard let image = module.image.get() else { return !isRefutedByMemory(address, in: module) }
        if let cached = cache.returns.value(for: address) { return cached }
        let mayReturn =
            image.tables.mayReturn(to: LinkAddress(linked(address &- image.bias)), offset: address &- module.base) || isTrampoline(address)
        cache.returns.insert(mayReturn, for: address)
        return mayReturn
    }

    /// Whether an address follows a call in a function, as the code of a file shows.
    func followsCall(_ address: UInt64) -> Bool {
        let address = plain(address)
        guard address > 0, let image = modules.module(holding: address - 1)?.image.get() else { return false }
        return image.tables.followsCall(LinkAddress(linked(address &- image.bias)))
    }

    /// Whether both are in the same image, or one is in none.
    func areInOneImage(_ first: UInt64, _ second: UInt64) -> Bool {
        guard let first = modules.module(holding: plain(first)), let second = modules.module(holding: plain(second)) else { return true }
        return first.base == second.base
    }

    /// Returns the first byte of the function that the call before a return address calls; `nil` if the call
    /// is through a register or a stub, or the function is not known.
    func called(beforeReturningTo address: UInt64) -> UInt64? {
        let address = plain(address)
        if let target = cache.targets.value(for: address) { return target }
        var target: UInt64?
        if address > 0, let image = modules.module(holding: address - 1)?.image.get() {
            target = image.tables.target(ofCallReturningTo: LinkAddress(linked(address &- image.bias))).map {
                linked($0.value &+ image.bias)
            }
            target = target.map { functionStart($0) ?? $0 }
        }
        cache.targets.insert(target, for: address)
        return target
    }

    /// Returns the function of Go's runtime that made the call before a return address, if it is one whose caller is found in another way.
    func goRuntimeFunction(returningTo address: UInt64) -> GoRuntimeFunction? {
        let address = plain(address)
        guard address > 0 else { return nil }
        if let known = cache.goFunctions.value(for: address) { return known }
        var function: GoRuntimeFunction?
        if let image = modules.module(holding: address - 1)?.image.get() {
            function = image.tables.goRuntimeFunction(containing: LinkAddress(linked(address &- 1 &- image.bias)))
        }
        cache.goFunctions.insert(function, for: address)
        return function
    }

    /// The first byte of the function that holds an address.
    func functionStart(_ address: UInt64) -> UInt64? {
        let address = plain(address)
        guard let module = modules.module(holding: address), let image = module.image.get() else { return nil }
        let start = image.tables.functionStart(containing: LinkAddress(linked(address &- image.bias)), offset: address &- module.base)
        return start.map { linked($0.value &+ image.bias) }
    }

    /// Whether an address is in the program's first function, `_start`, which nothing calls.
    func isInEntryFunction(_ address: UInt64) -> Bool {
        guard let entry, let start = functionStart(address) else { return false }
        return start == plain(entry)
    }

    /// Cuts an address to the processor's width.
    func linked(_ address: UInt64) -> UInt64 { processor.cut(address) }
}
