internal import BinaryPrimitives
internal import DWARF

extension EntryText {
    /// A value as its form is written.
    func write(_ value: DumpValue) {
        let shows = options.showsAddresses
        switch value.form {
        case Form.addr: if shows { output.hex(context.printedAddress(value.raw), 2 * value.unit.addressSize) }
        case _ where value.isAddressIndex: writeIndexedAddress(value)
        case Form.flagPresent: output.text("true")
        case Form.flag, Form.data1: output.hex(value.raw, 2)
        case Form.data2: output.hex(value.raw, 4)
        case Form.data4: output.hex(value.raw, 8)
        case Form.data8: output.hex(value.raw, 16)
        case Form.refSig8, Form.refAddr: if shows { output.hex(value.raw, 16) }
        case Form.data16:
            let bytes = context.section(of: value.unit).bytes(in: value.bytes)
            for byte in bytes { output.plainHex(UInt64(byte), 2) }
        case Form.string:
            output.text("\"")
            output.escaped(context.section(of: value.unit), value.bytes)
            output.text("\"")
        case Form.exprloc, Form.block, Form.block1, Form.block2, Form.block4: writeBlock(value)
        case Form.sdata, Form.implicitConst: output.signed(Int64(bitPattern: value.raw))
        case Form.udata: output.decimal(value.raw)
        case Form.strp, Form.lineStrp, Form.strx, Form.strx1, Form.strx2, Form.strx3, Form.strx4, Form.gnuStrIndex, Form.gnuStrpAlt:
            writeString(value)
        case Form.ref1, Form.ref2, Form.ref4, Form.ref8, Form.refUdata: writeReference(value)
        case Form.gnuRefAlt:
            guard shows else { return }
            output.text("<alt ")
            output.hex(value.raw, 1)
            output.text(">")
        case Form.rnglistx:
            output.text("indexed (")
            output.hex(value.raw & 0xffff_ffff, 1)
            output.text(") rangelist = ")
        case Form.loclistx:
            output.text("indexed (")
            output.hex(value.raw & 0xffff_ffff, 1)
            output.text(") loclist = ")
        case Form.secOffset: if shows { output.hex(value.raw, 2 * value.unit.offsetSize) }
        default:
            output.text("DW_FORM(")
            output.hex(UInt64(value.form), 4)
            output.text(")")
        }
    }

    private func writeIndexedAddress(_ value: DumpValue) {
        let address = context.address(value)
        if address == nil || options.isVerbose, options.showsAddresses {
            output.text("indexed (")
            if value.form == Form.llvmAddrxOffset {
                output.plainHex(value.raw >> 32, 8)
                output.text(") + ")
                output.hex(value.raw & 0xffff_ffff, 1)
                output.text(" address = ")
            } else {
                output.plainHex(value.raw & 0xffff_ffff, 8)
                output.text(") address = ")
            }
        }
        guard let address else { return output.text("<unresolved>") }
        if options.showsAddresses { output.hex(address, 2 * value.unit.addressSize) }
    }

    private func writeBlock(_ value: DumpValue) {
        guard value.raw > 0, options.showsAddresses else { return }
        let digits =
            switch value.form {
            case Form.block1: 2
            case Form.block2: 4
            case Form.block4: 8
            default: 1
            }
        output.text("<")
        output.hex(value.raw, digits)
        output.text("> ")
        let bytes = context.section(of: value.unit)
        for position in value.bytes {
            output.plainHex(UInt64(bytes[position]), 2)
            output.byte(0x20)
        }
    }

    private func writeString(_ value: DumpValue) {
        if options.isVerbose {
            switch value.form {
            case Form.strp, Form.lineStrp:
                output.text(value.form == Form.strp ? " .debug_str[" : " .debug_line_str[")
                output.hex(value.raw, 2 * value.unit.offsetSize)
                output.text("] = ")
            case Form.gnuStrpAlt:
                output.text("alt indirect string, offset: ")
                output.hex(value.raw, 1)
            default:
                output.text("indexed (")
                output.plainHex(value.raw & 0xffff_ffff, 8)
                output.text(") string = ")
            }
        }
        guard let text = context.string(value) else { return }
        output.text("\"")
        output.escaped(text.section, text.range)
        output.text("\"")
    }

    private func writeReference(_ value: DumpValue) {
        let shows = options.showsAddresses
        if options.isVerbose {
            if shows {
                output.text("cu + ")
                output.hex(value.raw, [Form.ref1: 2, Form.ref2: 4, Form.ref4: 4, Form.ref8: 8][value.form] ?? 1)
            }
            output.text(" => {")
        }
        if shows { output.hex(value.raw &+ UInt64(value.unit.offset), 8) }
        if options.isVerbose { output.text("}") }
    }
}
