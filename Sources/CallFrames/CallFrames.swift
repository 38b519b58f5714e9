package import BinaryPrimitives
package import ObjectFiles

/// How to go from a frame of a stack to its caller's: the rules that compilers leave in `.eh_frame`
/// and `.debug_frame` for every address of code.
///
/// For example, at `push %rbp`'s end of an x86-64 function the caller's stack pointer, CFA, is
/// `rsp` and 16, and its `rbp` is in memory at CFA - 16.
package struct CallFrames: Sendable {
    private let exceptions: ExceptionFrames?
    /// Read for the first address that the exception frames do not cover: it has no table, and most files
    /// with it have `.eh_frame` too.
    private let debug: LazyValue<DebugFrames?>
    private let architecture: String

    /// - Parameter isRelocated: the object is one in a process's memory, where all addresses are the process's.
    /// - Returns: `nil` if the file has frames in neither section.
    package init?(_ object: ObjectFile, isRelocated: Bool = false) {
        exceptions = ExceptionFrames(object, isRelocated: isRelocated)
        debug = LazyValue { DebugFrames(object) }
        architecture = object.architecture.family
        if exceptions == nil, debug.get() == nil { return nil }
    }

    /// The rules for an instruction's address: of a return address, for the byte before it (DWARF
    /// 5, section 6.4.4).
    /// - Returns: `nil` if no function of the file holds it, or its description cannot be read up
    ///   to there.
    package func rules(at address: LinkAddress) -> FrameRules? {
        if let exceptions, let found = exceptions.described(containing: address) {
            return exceptions.withBytes { rules(at: address, found, exceptions.section, $0) }
        }
        guard let debug = debug.get(), let found = debug.described(containing: address) else { return nil }
        return debug.contents.withBytes { rules(at: address, found, debug.section, $0) }
    }

    /// Returns the rules from the frame description that begins `position` bytes after the start of
    /// `__eh_frame`, as Apple's compact unwind information refers to it.
    package func rules(at address: LinkAddress, byEntryAt position: UInt64) -> FrameRules? {
        guard let exceptions, let found = exceptions.described(byEntryAt: position), found.range.contains(address) else { return nil }
        return exceptions.withBytes { rules(at: address, found, exceptions.section, $0) }
    }

    /// The range of the function that holds an address; `nil` if no frame description covers it.
    package func range(containing address: LinkAddress) -> Range<LinkAddress>? {
        exceptions?.range(containing: address) ?? debug.get()?.range(containing: address)
    }

    private func rules(at address: LinkAddress, _ found: DescribedRange, _ section: CallFrameSection, _ bytes: RawSpan) -> FrameRules? {
        guard let entry = try? section.entry(at: found.offset, in: bytes), let commonOffset = entry.common,
            let commonEntry = try? section.entry(at: commonOffset, in: bytes), let common = try? section.common(commonEntry, in: bytes),
            let function = try? section.function(entry, common, in: bytes), common.isUnderstood, function.isUnderstood,
            common.segmentSelectorSize == 0
        else { return nil }
        var machine = FrameMachine(common, start: found.range.lowerBound.value, architecture: architecture)
        guard Self.run(&machine, common.instructions, common, to: nil, section, bytes) else { return nil }
        machine.beginFunction()
        guard Self.run(&machine, function.instructions, common, to: address.value, section, bytes) else { return nil }
        return FrameRules(
            function: found.range, frame: machine.row.frame, registers: machine.row.registers, returnRegister: common.returnRegister,
            isSignalFrame: common.isSignalFrame, expressions: Self.expressions(of: machine.row, bytes))
    }

    /// Executes instructions up to the first that begins a row after an address.
    private static func run(
        _ machine: inout FrameMachine, _ range: Range<Int>, _ common: CommonInformation, to address: UInt64?, _ section: CallFrameSection,
        _ bytes: RawSpan
    ) -> Bool {
        var isSound = true
        let isRead = section.forEachInstruction(in: range, addressSize: common.addressSize, of: bytes) { instruction in
            if let address, let next = machine.address(behind: instruction), next > address { return false }
            do throws(FrameFlaw) { _ = try machine.execute(instruction) } catch { isSound = false }
            return isSound
        }
        return isRead && isSound
    }

    private static func expressions(of row: FrameRow, _ bytes: RawSpan) -> [Range<Int>: [UInt8]] {
        var expressions: [Range<Int>: [UInt8]] = [:]
        for case .expression(let range, _) in [row.frame] + row.registers.values {
            expressions[range] = bytes.clamped(to: range).text.copied()
        }
        return expressions
    }
}

/// Rules for the caller's registers at one address of a function.
package struct FrameRules: Sendable {
    /// The function's addresses.
    package let function: Range<LinkAddress>
    /// Rule for the canonical frame address (CFA): on most machines, the caller's stack pointer.
    package let frame: FrameRule
    /// Rules by DWARF register number; a register without a rule is `unspecified`, which usually means that
    /// it has the same value.
    package let registers: [UInt64: FrameRule]
    /// The column of the return address.
    package let returnRegister: UInt64
    /// The caller was interrupted by a signal, so its address is an instruction's, not a return address.
    package let isSignalFrame: Bool
    let expressions: [Range<Int>: [UInt8]]

    /// The bytes of a rule's DWARF expression.
    package func expression(_ range: Range<Int>) -> [UInt8] { expressions[range] ?? [] }
}
