internal import BinaryPrimitives

extension MachOSymbolTable {
    /// `N_ARM_THUMB_DEF` of symbols and the lowest bit of function starts, in 32-bit ARM; and the
    /// entries of `LC_DATA_IN_CODE` (`data_in_code_entry`).
    func codeMarks(in object: ObjectFile) throws(ObjectFileError) -> [CodeMark] {
        var marks: [CodeMark] = []
        if object.architecture.hasThumbBit {
            try forEachRecord(in: object) { record in
                let number = Int(record.section)
                guard !record.isDebugging, record.type & 0x0e == 0x0e, number >= 1, number <= object.description.sections.count,
                    object.description.sections[number - 1].isExecutable
                else { return true }
                let isThumb = record.descriptor & 0x0008 != 0 || record.value & 1 != 0
                marks.append(CodeMark(address: LinkAddress(record.value & ~1), kind: isThumb ? .thumb : .arm))
                return true
            }
            let starts = object.file.bytes(in: functionStarts)
            for start in FunctionStarts.decode(starts.span.rawBytes, from: object.baseAddress, clearingThumbBit: false).addresses {
                marks.append(CodeMark(address: LinkAddress(start.value & ~1), kind: start.value & 1 != 0 ? .thumb : .arm))
            }
        }
        guard let layout else { return marks }
        let entries = object.file.bytes(in: dataInCode)
        var bytes = entries.span.rawBytes
        while let offset = try? bytes.readUInt32(layout), let length = try? bytes.read(UInt16.self, layout.byteOrder),
            (try? bytes.skip(2)) != nil
        {
            guard length > 0, let address = object.baseAddress.advanced(by: UInt64(offset)) else { continue }
            marks.append(CodeMark(address: address, kind: .data, size: UInt64(length)))
        }
        return marks
    }
}
