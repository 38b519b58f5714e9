internal import BinaryPrimitives
internal import CLibelf

extension ELFSymbolTable {
    /// Mapping symbols (ELF for the ARM architecture, section 5.5.5; for AArch64, section 5.7.4;
    /// RISC-V psABI, "Mapping Symbol"). In a file of 32-bit ARM without them, functions, whose
    /// lowest bit says Thumb.
    func codeMarks(in object: ObjectFile) throws(ObjectFileError) -> [CodeMark] {
        guard let table, hasMappingSymbols, table.problem == nil else { return [] }
        var marks: [CodeMark] = []
        var functions: [CodeMark] = []
        let size = is64Bit ? MemoryLayout<Elf64_Sym>.size : MemoryLayout<Elf32_Sym>.size
        let count = table.fileRange.count / size
        var first = 1
        while first < count {
            let last = min(count, first + Self.recordsPerPiece)
            let start = table.fileRange.lowerBound
            let records = object.file.bytes(in: start + first * size..<start + last * size)
            var bytes = records.span.rawBytes
            while let record = try? bytes.read(bytes: size), let fields = fields(record, object.description.byteOrder) {
                guard let section = loadedSection(fields.section, fields.value) else { continue }
                let address = fields.value &+ (placements.isEmpty ? 0 : placements[section])
                if fields.type == STT_NOTYPE, fields.size == 0, let kind = mark(fields.name, object) {
                    marks.append(CodeMark(address: LinkAddress(address), kind: kind))
                } else if machine == EM_ARM, fields.type == STT_FUNC || fields.type == STT_ARM_TFUNC, fields.size > 0 {
                    let isThumb = address & 1 != 0 || fields.type == STT_ARM_TFUNC
                    functions.append(CodeMark(address: LinkAddress(address & ~1), kind: isThumb ? .thumb : .arm, size: fields.size))
                }
            }
            first = last
        }
        return marks.isEmpty ? functions : marks
    }

    private func fields(
        _ record: RawSpan, _ order: ByteOrder
    ) -> (name: UInt32, type: Int32, section: Int, value: UInt64, size: UInt64)? {
        let width = is64Bit ? 8 : 4
        guard let name = try? record.value(UInt32.self, at: 0, order),
            let info = try? record.value(UInt8.self, at: is64Bit ? 4 : 12, order),
            let section = try? record.value(UInt16.self, at: is64Bit ? 6 : 14, order),
            let value = try? record.unsigned(size: width, at: is64Bit ? 8 : 4, order),
            let size = try? record.unsigned(size: width, at: is64Bit ? 16 : 8, order)
        else { return nil }
        return (name, Int32(info & 0xf), Int(section), value, size)
    }

    /// `$a`, `$t`, `$d` or `$x`, alone, before a dot, or (in RISC-V) before the name of an
    /// instruction set.
    private func mark(_ name: UInt32, _ object: ObjectFile) -> CodeMark.Kind? {
        object.file.withBytes { bytes in
            guard let begin = try? bytes.clamped(to: strings).from(UInt64(name)) else { return nil }
            let text = begin.prefix(3)
            guard text.byteCount == 3, text.byte(at: 0) == UInt8(ascii: "$") else { return nil }
            let end = text.byte(at: 2)
            guard end == 0 || end == UInt8(ascii: ".") || (machine == EM_RISCV && end == UInt8(ascii: "r")) else { return nil }
            switch text.byte(at: 1) {
            case UInt8(ascii: "a"): return .arm
            case UInt8(ascii: "t"): return .thumb
            case UInt8(ascii: "x"): return .code
            case UInt8(ascii: "d"): return .data
            default: return nil
            }
        }
    }
}
