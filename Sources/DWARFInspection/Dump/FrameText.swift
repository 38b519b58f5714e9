#if Inspection
    internal import BinaryPrimitives
    internal import ObjectFiles

    /// Writes call frame information.
    struct FrameText {
        let reader: FrameReader
        let output: DumpOutput
        let registers: RegisterNames?
        let architecture: String
        /// Writes expressions of bytes of the section.
        let expression: (Range<Int>) -> Void
        let report: (String) -> Void

        func writeAll(only wanted: UInt64?) {
            if wanted == nil { output.byte(0x0a) }
            let problem = reader.forEach { offset, length, size, entry in
                guard wanted == nil || wanted == UInt64(offset) else { return }
                output.plainHex(UInt64(offset), 8)
                switch entry {
                case .terminator:
                    if reader.isExceptions { return output.text(" ZERO terminator\n") }
                    write(FrameCommonEntry(offset: offset), length, size)
                case .common(let common): write(common, length, size)
                case .function(let function): write(function, length, size)
                }
            }
            if let problem { report(problem) }
        }

        private func writeStart(_ length: UInt64, _ id: UInt64, _ size: Int) {
            output.byte(0x20)
            output.plainHex(length, size == 8 ? 16 : 8)
            output.byte(0x20)
            output.plainHex(id, size == 8 && !reader.isExceptions ? 16 : 8)
        }

        private func write(_ common: FrameCommonEntry, _ length: UInt64, _ size: Int) {
            writeStart(length, reader.isExceptions ? 0 : size == 8 ? UInt64.max : 0xffff_ffff, size)
            output.text(size == 8 ? " CIE\n  Format:                DWARF64\n" : " CIE\n  Format:                DWARF32\n")
            if reader.isExceptions, common.version != 1 { output.text("WARNING: unsupported CIE version\n") }
            output.text("  Version:               \(common.version)\n  Augmentation:          \"")
            output.name(common.augmentation)
            output.text("\"\n")
            if common.version >= 4 {
                output.text("  Address size:          \(common.addressSize)\n  Segment desc size:     \(common.segmentSize)\n")
            }
            output.text("  Code alignment factor: \(UInt32(truncatingIfNeeded: common.codeAlignment))\n")
            output.text("  Data alignment factor: \(Int32(truncatingIfNeeded: common.dataAlignment))\n")
            output.text("  Return address column: \(Int32(truncatingIfNeeded: common.returnRegister))\n")
            if let personality = common.personality {
                output.text("  Personality Address: ")
                output.plainHex(personality, 16)
                output.byte(0x0a)
            }
            if !common.augmentationData.isEmpty {
                output.text("  Augmentation data:    ")
                for place in common.augmentationData {
                    output.byte(0x20)
                    // In capitals, which nothing else has.
                    output.text(Self.capitals(reader.section[place]))
                }
                output.byte(0x0a)
            }
            output.byte(0x0a)
            write(common.instructions, common, from: nil)
            output.byte(0x0a)
            var row = FrameRow()
            let hasRows = !common.instructions.isEmpty
            finish(row.apply(common.instructions, common, initial: nil, architecture: architecture) { write($0) }, row, hasRows)
        }

        private static func capitals(_ byte: UInt8) -> String {
            let text = String(byte, radix: 16, uppercase: true)
            return text.utf8.count == 1 ? "0" + text : text
        }

        private func write(_ function: FrameReader.Function, _ length: UInt64, _ size: Int) {
            writeStart(length, function.commonPointer, size)
            output.text(" FDE cie=")
            if let common = function.common { output.plainHex(UInt64(common.offset), 8) } else { output.text("<invalid offset>") }
            output.text(" pc=")
            output.plainHex(function.start, 8)
            output.text("...")
            output.plainHex(function.start &+ function.size, 8)
            output.text(size == 8 ? "\n  Format:       DWARF64\n" : "\n  Format:       DWARF32\n")
            if let data = function.languageData {
                output.text("  LSDA Address: ")
                output.plainHex(data, 16)
                output.byte(0x0a)
            }
            let common = function.common ?? FrameCommonEntry(offset: 0)
            write(function.instructions, common, from: function.start)
            output.byte(0x0a)
            guard function.common != nil else {
                output.byte(0x0a)
                return report("the frame entry of \(hexadecimal(Int(clamping: function.start))) has no common entry")
            }
            var row = FrameRow(address: function.start)
            var rows: [FrameRow] = []
            var problem = row.apply(common.instructions, common, initial: nil, architecture: architecture) { rows.append($0) }
            if problem == nil {
                let initial = row.registers
                problem = row.apply(function.instructions, common, initial: initial, architecture: architecture) { rows.append($0) }
            }
            if problem == nil { rows.forEach { write($0) } }
            finish(problem, row, !common.instructions.isEmpty || !function.instructions.isEmpty)
        }

        private func finish(_ problem: String?, _ last: FrameRow, _ hasRows: Bool) {
            if let problem { report("frame instructions cannot be followed: \(problem)") } else if hasRows, !last.isEmpty { write(last) }
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

        private func write(_ instructions: [FrameInstruction], _ common: FrameCommonEntry, from start: UInt64?) {
            var address = start
            for instruction in instructions {
                output.text("  ")
                output.text(instructionName(instruction.code))
                output.text(":")
                for (kind, value) in zip(FrameInstruction.kinds(instruction.code) ?? [], instruction.operands) {
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

        private func write(_ rule: FrameRow.Rule) {
            switch rule {
            case .unspecified: output.text("unspecified")
            case .undefined: output.text("undefined")
            case .same: output.text("same")
            case .constant(let value): output.signed(Int64(value))
            case .frame(let offset, let isDereferenced):
                output.text(isDereferenced ? "[CFA" : "CFA")
                if offset != 0 { output.withSign(Int64(offset)) }
                if isDereferenced { output.text("]") }
            case .register(let number, let offset, let space):
                register(number)
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
            let found = DumpedSections.sections(name, of: object.file).first
            let isExceptions = name == ".eh_frame"
            let reader = FrameReader(
                section: section, isExceptions: isExceptions,
                address: description.sectionsArePlaced ? 0 : found?.address.value ?? 0, addressSize: description.addressSize,
                printed: { object.sections.printed($0) })
            let expression: (Range<Int>) -> Void = { bytes in
                ExpressionText(
                    context: nil, registers: object.registers, unit: nil, addressSize: description.addressSize, offsetSize: nil,
                    isVerbose: options.isVerbose
                ).write(section.part(bytes), to: output)
            }
            let text = FrameText(
                reader: reader, output: output, registers: object.registers, architecture: object.file.architecture.family,
                expression: expression, report: object.report)
            text.writeAll(only: wanted)
        }
    }
#endif
