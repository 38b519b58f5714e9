internal import TestSupport

/// A contribution to `.debug_line` made of decisions: a header whose lengths, tables and counts
/// agree, and a program of opcodes with the operands that they have (DWARF 5, section 6.2).
struct LineRecipe {
    let shape: RecipeShape

    /// - Parameter strings: offsets in `.debug_line_str`.
    func bytes(_ decisions: inout Decisions, strings: [Int]) -> [UInt8] {
        // The line table has a version of its own: compilers of DWARF 5 units write tables of
        // version 5, assemblers of any version.
        let version = decisions.isOne(in: 8) ? 2 + UInt16(decisions.below(4)) : shape.version
        var header = ByteWriter(shape.order)
        header.put(decisions.isOne(in: 8) ? decisions.byte() : 1)
        if version >= 4 { header.put(decisions.isOne(in: 6) ? decisions.byte() : 1) }
        header.put(UInt8(1))
        header.put(decisions.isOne(in: 8) ? decisions.byte() : UInt8(bitPattern: -5))
        header.put(decisions.isOne(in: 8) ? decisions.byte() : 14)
        // The first special opcode: 13, as in DWARF 3 to 5, 10 as in DWARF 2, or one that leaves
        // known opcodes out or has unknown ones.
        let base = decisions.pick([13, 13, 13, 10, 1, 4, 20, 255] as [UInt8])
        header.put(base)
        let counts: [UInt8] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]
        for opcode in 1..<max(1, Int(base)) {
            let known = opcode <= counts.count ? counts[opcode - 1] : UInt8(decisions.below(4))
            header.put(decisions.isOne(in: 32) ? decisions.byte() : known)
        }
        if version >= 5 { tables5(&decisions, strings, &header) } else { tables(&decisions, &header) }
        var body = ByteWriter(shape.order)
        body.put(version)
        if version >= 5 {
            body.put(UInt8(shape.addressSize))
            body.put(UInt8(0))
        }
        body.putWord(UInt64(header.count), wide: shape.isWide)
        body.bytes += header.bytes
        program(&decisions, base, &body)
        var whole = ByteWriter(shape.order)
        if shape.isWide { whole.put(UInt32.max) }
        whole.putWord(UInt64(body.count), wide: shape.isWide)
        return whole.bytes + body.bytes
    }

    private func tables(_ decisions: inout Decisions, _ header: inout ByteWriter) {
        for _ in 0..<decisions.below(4) { header.put(text: decisions.pick(RecipeShape.names)) }
        header.put(UInt8(0))
        for _ in 0..<decisions.below(5) {
            header.put(text: decisions.pick(RecipeShape.names))
            for _ in 0..<3 { header.putULEB128(decisions.number()) }
        }
        header.put(UInt8(0))
    }

    /// Directories and files, each with a description of its columns (DWARF 5, section 6.2.4.1).
    private func tables5(_ decisions: inout Decisions, _ strings: [Int], _ header: inout ByteWriter) {
        for table in 0..<2 {
            // Path, directory, time, size, MD5, LLVM's source, and an unknown one.
            var columns: [(content: UInt64, form: UInt64)] = [(1, decisions.pick([0x08, 0x1f, 0x0e, 0x1a]))]
            if table == 1 { columns.append((2, decisions.pick([0x0f, 0x0b, 0x05]))) }
            for _ in 0..<decisions.below(3) {
                columns.append((decisions.pick([3, 4, 5, 0x2001, 0x3fff, 1]), decisions.pick([0x0f, 0x1e, 0x1f, 0x06, 0x09, 0x0a])))
            }
            header.put(UInt8(columns.count))
            for column in columns {
                header.putULEB128(column.content)
                header.putULEB128(column.form)
            }
            let count = decisions.isOne(in: 16) ? decisions.number() : UInt64(decisions.below(5))
            header.putULEB128(count)
            for _ in 0..<min(count, 8) {
                for column in columns { value(column.form, &decisions, strings, &header) }
            }
        }
    }

    private func value(_ form: UInt64, _ decisions: inout Decisions, _ strings: [Int], _ header: inout ByteWriter) {
        switch form {
        case 0x08: header.put(text: decisions.pick(RecipeShape.names))
        case 0x1f, 0x0e: header.putWord(UInt64(decisions.pick(strings + [0])), wide: shape.isWide)
        case 0x0b: header.put(UInt8(decisions.below(6)))
        case 0x05: header.put(UInt16(decisions.below(6)))
        case 0x06: header.put(UInt32(truncatingIfNeeded: decisions.number()))
        case 0x1e: header.bytes += [UInt8](repeating: decisions.byte(), count: 16)
        case 0x09:
            let bytes = decisions.readBytes(decisions.below(5))
            header.putULEB128(UInt64(bytes.count))
            header.bytes += bytes
        case 0x0a:
            let bytes = decisions.readBytes(decisions.below(5))
            header.put(UInt8(bytes.count))
            header.bytes += bytes
        default: header.putULEB128(decisions.number())
        }
    }

    private func program(_ decisions: inout Decisions, _ base: UInt8, _ body: inout ByteWriter) {
        for _ in 0..<2 + decisions.below(200) {
            if decisions.isUsedUp { break }
            switch decisions.below(16) {
            case 0: extended(2, address(&decisions), &body)
            case 1: extended(1, [], &body)
            case 2: extended(4, leb(decisions.number()), &body)
            case 3: extended(decisions.byte(), decisions.readBytes(decisions.below(6)), &body)
            case 4:
                body.put(UInt8(3))
                body.putSLEB128(Int64(bitPattern: decisions.number()) &- 64)
            case 5:
                body.put(UInt8(9))
                body.put(UInt16(truncatingIfNeeded: decisions.number()))
            case 6:
                body.put(decisions.pick([2, 4, 5, 12] as [UInt8]))
                body.putULEB128(decisions.number())
            case 7: body.put(decisions.pick([1, 6, 7, 8, 10, 11] as [UInt8]))
            // A special opcode, or another meaning that the byte has above this base.
            default: body.put(UInt8(clamping: Int(base) + decisions.below(240)))
            }
        }
        if !decisions.isOne(in: 8) { extended(1, [], &body) }
    }

    private func address(_ decisions: inout Decisions) -> [UInt8] {
        var operand = ByteWriter(shape.order)
        operand.put(shape.address(&decisions), size: shape.addressSize)
        return operand.bytes
    }

    private func leb(_ value: UInt64) -> [UInt8] {
        var operand = ByteWriter(shape.order)
        operand.putULEB128(value)
        return operand.bytes
    }

    private func extended(_ opcode: UInt8, _ operands: [UInt8], _ body: inout ByteWriter) {
        body.put(UInt8(0))
        body.putULEB128(UInt64(operands.count + 1))
        body.bytes += [opcode] + operands
    }
}
