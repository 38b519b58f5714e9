internal import BinaryPrimitives
internal import CallFrames
internal import ObjectFiles

/// Writes call frame information, entry by entry.
struct FrameText {
    let section: SectionBytes
    let frames: CallFrameSection
    let output: DumpOutput
    let registers: DWARFRegisterNames?
    let architecture: String
    /// An address as it is printed.
    let printed: (UInt64) -> UInt64
    /// Writes expressions of bytes of the section.
    let expression: (Range<Int>) -> Void
    let report: (String) -> Void

    private struct Common {
        var information: CommonInformation
        var instructions: [CallFrameInstruction]
    }

    func writeAll(only wanted: UInt64?) {
        if wanted == nil { output.byte(0x0a) }
        if let problem = section.withBytes(from: 0, { (bytes: RawSpan) in write(bytes, only: wanted) }) { report(problem) }
    }

    /// - Returns: what is damaged; then entries after it are not read.
    private func write(_ bytes: RawSpan, only wanted: UInt64?) -> String? {
        var commons: [Int: Common] = [:]
        var offset = 0
        while offset < section.count {
            let isWanted = wanted == nil || wanted == UInt64(offset)
            guard let entry = try? frames.entry(at: offset, in: bytes) else {
                return "the frame entry at \(hexadecimal(offset)) is cut short"
            }
            if entry.length == 0 {
                if isWanted { writeEnd(entry) }
                return nil
            }
            if entry.isCommon {
                guard let information = try? frames.common(entry, in: bytes), information.isUnderstood,
                    let instructions = instructions(information.instructions, information.addressSize, bytes)
                else { return "the common frame entry at \(hexadecimal(offset)) is damaged" }
                let common = Common(information: information, instructions: instructions)
                commons[offset] = common
                if isWanted { write(common, entry) }
            } else {
                let common = entry.common.flatMap { commons[$0] }
                let size = common?.information.addressSize ?? frames.addressSize
                guard common != nil || !frames.isExceptions, let function = try? frames.function(entry, common?.information, in: bytes),
                    function.isUnderstood, let instructions = instructions(function.instructions, size, bytes)
                else { return "the frame entry at \(hexadecimal(offset)) is damaged" }
                if isWanted { write(function, instructions, common, entry) }
            }
            offset = entry.end
        }
        return nil
    }

    private func instructions(_ range: Range<Int>, _ addressSize: Int, _ bytes: RawSpan) -> [CallFrameInstruction]? {
        var instructions: [CallFrameInstruction] = []
        let isRead = frames.forEachInstruction(in: range, addressSize: addressSize, of: bytes) {
            instructions.append($0)
            return true
        }
        return isRead ? instructions : nil
    }

    /// The zero that ends `.eh_frame`; the other section has none, so that LLVM takes it for common
    /// information.
    private func writeEnd(_ entry: CallFrameSection.Entry) {
        if frames.isExceptions {
            output.plainHex(UInt64(entry.offset), 8)
            return output.text(" ZERO terminator\n")
        }
        write(Common(information: CommonInformation(offset: entry.offset), instructions: []), entry)
    }

    /// The target of a pointer. If `.eh_frame` has no address, LLVM leaves out the pointer's own address.
    private func target(_ pointer: EncodedPointer?) -> UInt64? {
        pointer?.target(section: frames.address == 0 ? nil : frames.address)
    }

    private func writeStart(_ entry: CallFrameSection.Entry, _ id: UInt64) {
        let digits = 2 * entry.offsetSize
        output.plainHex(UInt64(entry.offset), 8)
        output.byte(0x20)
        output.plainHex(entry.length, digits)
        output.byte(0x20)
        output.plainHex(id, frames.isExceptions ? 8 : digits)
    }

    private func write(_ entryCommon: Common, _ entry: CallFrameSection.Entry) {
        let common = entryCommon.information
        let isLong = entry.offsetSize == 8
        writeStart(entry, frames.isExceptions ? 0 : isLong ? UInt64.max : 0xffff_ffff)
        output.text(isLong ? " CIE\n  Format:                DWARF64\n" : " CIE\n  Format:                DWARF32\n")
        if frames.isExceptions, common.version != 1 { output.text("WARNING: unsupported CIE version\n") }
        output.text("  Version:               \(common.version)\n  Augmentation:          \"")
        output.name(common.augmentation)
        output.text("\"\n")
        if common.version >= 4 {
            output.text("  Address size:          \(common.addressSize)\n  Segment desc size:     \(common.segmentSelectorSize)\n")
        }
        output.text("  Code alignment factor: \(UInt32(truncatingIfNeeded: common.codeAlignment))\n")
        output.text("  Data alignment factor: \(Int32(truncatingIfNeeded: common.dataAlignment))\n")
        output.text("  Return address column: \(Int32(truncatingIfNeeded: common.returnRegister))\n")
        if let personality = target(common.personality) {
            output.text("  Personality Address: ")
            output.plainHex(personality, 16)
            output.byte(0x0a)
        }
        if !common.augmentationData.isEmpty {
            output.text("  Augmentation data:    ")
            for index in common.augmentationData {
                output.byte(0x20)
                // In capitals, which nothing else has.
                output.text(Self.capitals(section[index]))
            }
            output.byte(0x0a)
        }
        output.byte(0x0a)
        write(entryCommon.instructions, common, from: nil)
        output.byte(0x0a)
        var machine = FrameMachine(common, start: nil, architecture: architecture)
        finish(run(&machine, entryCommon.instructions) { write($0) }, machine.row, !entryCommon.instructions.isEmpty)
    }

    /// Gives each row that is complete before the last to `body`.
    /// - Returns: what is wrong; `nil` if nothing is.
    private func run(
        _ machine: inout FrameMachine, _ instructions: [CallFrameInstruction], _ body: (FrameRow) -> Void
    ) -> FrameFlaw? {
        for instruction in instructions {
            do throws(FrameFlaw) { if let row = try machine.execute(instruction) { body(row) } } catch { return error }
        }
        return nil
    }

    private static func capitals(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return text.utf8.count == 1 ? "0" + text : text
    }

    private func write(
        _ function: FrameDescription, _ instructions: [CallFrameInstruction], _ common: Common?, _ entry: CallFrameSection.Entry
    ) {
        let isLong = entry.offsetSize == 8
        let target = function.start?.target(section: frames.address) ?? 0
        let start = printed(target)
        writeStart(entry, entry.id)
        output.text(" FDE cie=")
        if let common { output.plainHex(UInt64(common.information.offset), 8) } else { output.text("<invalid offset>") }
        output.text(" pc=")
        output.plainHex(start, 8)
        output.text("...")
        output.plainHex(start &+ (function.size ?? 0), 8)
        output.text(isLong ? "\n  Format:       DWARF64\n" : "\n  Format:       DWARF32\n")
        if let data = self.target(function.languageData) {
            output.text("  LSDA Address: ")
            output.plainHex(data, 16)
            output.byte(0x0a)
        }
        write(instructions, common?.information ?? CommonInformation(offset: 0), from: start)
        output.byte(0x0a)
        guard let common else {
            output.byte(0x0a)
            return report("the frame entry of \(hexadecimal(Int(clamping: start))) has no common entry")
        }
        var machine = FrameMachine(common.information, start: start, architecture: architecture)
        var rows: [FrameRow] = []
        var flaw = run(&machine, common.instructions) { rows.append($0) }
        if flaw == nil {
            machine.beginFunction()
            flaw = run(&machine, instructions) { rows.append($0) }
        }
        if flaw == nil { rows.forEach { write($0) } }
        finish(flaw, machine.row, !common.instructions.isEmpty || !instructions.isEmpty)
    }

    private func finish(_ flaw: FrameFlaw?, _ last: FrameRow, _ hasRows: Bool) {
        if let flaw {
            report("frame instructions cannot be followed: \(flaw.message)")
        } else if hasRows, !last.isEmpty {
            write(last)
        }
        output.byte(0x0a)
    }

    private func register(_ number: UInt64) {
        output.text(registers?[number] ?? "reg\(UInt32(truncatingIfNeeded: number))")
    }

    private func instructionName(_ code: UInt8) -> String {
        switch code {
        case 0x2d:
            architecture == "arm64" ? "DW_CFA_AARCH64_negate_ra_state" : architecture.hasPrefix("sparc") ? "DW_CFA_GNU_window_save" : ""
        case 0x2e: ["i386", "x86_64"].contains(architecture) ? "DW_CFA_GNU_args_size" : ""
        default: DWARFNames.frameInstructions.name(UInt64(code)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }

    private func write(_ instructions: [CallFrameInstruction], _ common: CommonInformation, from start: UInt64?) {
        var address = start
        for instruction in instructions {
            output.text("  ")
            output.text(instructionName(instruction.code))
            output.text(":")
            for (index, kind) in (CallFrameInstruction.operands(instruction.code) ?? []).enumerated() {
                let value = instruction[index]
                output.byte(0x20)
                switch kind {
                case .address:
                    output.plainHex(value, 1)
                    address = value
                case .offset: output.withSign(Int64(bitPattern: value))
                case .codeDelta:
                    output.signed(Int64(bitPattern: value &* max(1, common.codeAlignment)))
                    if common.codeAlignment == 0 { output.text("*code_alignment_factor") }
                    if let before = address, common.codeAlignment != 0 {
                        let next = before &+ value &* common.codeAlignment
                        output.text(" to ")
                        output.hex(next, 1)
                        address = next
                    }
                case .signedData, .unsignedData:
                    output.signed(Int64(bitPattern: value) &* (common.dataAlignment == 0 ? 1 : common.dataAlignment))
                    if common.dataAlignment == 0 { output.text("*data_alignment_factor") }
                case .register: register(value)
                case .addressSpace: output.text("in addrspace\(value)")
                case .expression: if let bytes = instruction.expression { expression(bytes) }
                }
            }
            output.byte(0x0a)
        }
    }

    private func write(_ row: FrameRow) {
        output.text("  ")
        if let address = row.address {
            output.hex(address, 1)
            output.text(": ")
        }
        output.text("CFA=")
        write(row.frame)
        var isFirst = true
        for (number, rule) in row.registers.sorted(by: { $0.key < $1.key }) {
            output.text(isFirst ? ": " : ", ")
            isFirst = false
            register(number)
            output.text("=")
            write(rule)
        }
        output.byte(0x0a)
    }

    private func write(_ rule: FrameRule) {
        switch rule {
        case .unspecified: output.text("unspecified")
        case .undefined: output.text("undefined")
        case .same: output.text("same")
        case .constant(let value): output.signed(value)
        case .frame(let offset, let isDereferenced):
            output.text(isDereferenced ? "[CFA" : "CFA")
            // As wide as LLVM's.
            if Int32(truncatingIfNeeded: offset) != 0 { output.withSign(Int64(Int32(truncatingIfNeeded: offset))) }
            if isDereferenced { output.text("]") }
        case .register(let number, let offset, let space):
            register(number)
            let offset = Int32(truncatingIfNeeded: offset)
            if offset != 0 || space != nil { output.withSign(Int64(offset)) }
            if let space { output.text(" in addrspace\(space)") }
        case .expression(let bytes, let isDereferenced):
            if isDereferenced { output.text("[") }
            expression(bytes)
            if isDereferenced { output.text("]") }
        }
    }
}

extension Dumper {
    /// `.debug_frame` and `.eh_frame`.
    func dumpFrames(_ name: String, only wanted: UInt64?) {
        let section = object.sections[name]
        let description = object.file.description
        let found = object.file.debugSections(named: name).first
        let isExceptions = name == ".eh_frame"
        let frames = CallFrameSection(
            isExceptions: isExceptions, address: found?.address.value ?? 0,
            addressSize: description.addressSize, byteOrder: description.byteOrder)
        let expression: (Range<Int>) -> Void = { bytes in
            ExpressionText(
                context: nil, registers: object.registers, unit: nil, addressSize: description.addressSize, offsetSize: nil,
                isVerbose: options.isVerbose
            ).write(section.part(bytes), to: output)
        }
        let text = FrameText(
            section: section, frames: frames, output: output, registers: object.registers,
            architecture: object.file.architecture.family, printed: { object.sections.printed($0) }, expression: expression,
            report: object.report)
        text.writeAll(only: wanted)
    }
}
