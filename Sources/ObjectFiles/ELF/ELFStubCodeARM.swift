internal import BinaryPrimitives

extension ELFStubCode {
    /// Stubs of 32-bit ARM add up the slot's address in `ip`:
    /// `add ip, pc, #a; add ip, ip, #b; ldr pc, [ip, #c]!`, or
    /// `ldr ip, distance; add ip, ip, pc; ldr pc, [ip]` with the distance after (LLVM's where it is
    /// far, mold's). Before it may be the way in from Thumb code (`bx pc; nop`). A processor
    /// without ARM code has `movw ip, #a; movt ip, #b; add ip, pc; ldr.w pc, [ip]`.
    static func arm(_ bytes: RawSpan, _ start: Int, _ address: UInt64) -> Found? {
        if let found = thumb(bytes, start, address) { return found }
        var position = start
        if [0x46c0_4778, 0xe7fd_4778].contains(word(bytes, position)) { position += 4 }
        var ip: UInt32?
        for _ in 0..<6 {
            let code = word(bytes, position)
            // The value that reading `pc` gives.
            let counter = UInt32(truncatingIfNeeded: address &+ UInt64(position - start) &+ 8)
            switch (code & 0xffff_f000, ip) {
            case (0xe28f_c000, nil): ip = counter &+ rotated(code)
            case (0xe28c_c000, let sum?): ip = sum &+ rotated(code)
            case (0xe59f_c000, nil): ip = word(bytes, position + 8 + Int(code & 0xfff))
            case (0xe08c_c000, let sum?) where code == 0xe08c_c00f, (0xe08f_c000, let sum?) where code == 0xe08f_c00c: ip = sum &+ counter
            case (0xe5bc_f000, let sum?), (0xe59c_f000, let sum?):
                position += 4
                // Either LLVM's padding, or the distance.
                if word(bytes, position) == 0xd4d4_d4d4 || code & 0xffff_f000 == 0xe59c_f000 { position += 4 }
                return Found(.slot(UInt64(sum &+ code & 0xfff)), position - start)
            default: return nil
            }
            position += 4
        }
        return nil
    }

    /// An operand of eight bits, turned to the right by twice the four before them.
    private static func rotated(_ code: UInt32) -> UInt32 {
        let turn = (code >> 8 & 15) * 2
        return (code & 0xff) >> turn | (code & 0xff) << (32 - turn)
    }

    private static func thumb(_ bytes: RawSpan, _ start: Int, _ address: UInt64) -> Found? {
        func half(_ index: Int) -> UInt32 { UInt32((try? bytes.value(UInt16.self, at: start + index * 2, .littleEndian)) ?? 0) }
        func immediate(_ index: Int) -> UInt32 {
            (half(index) & 15) << 12 | (half(index) >> 10 & 1) << 11 | (half(index + 1) >> 12 & 7) << 8 | half(index + 1) & 0xff
        }
        guard half(0) & 0xfbf0 == 0xf240, half(1) & 0x8f00 == 0x0c00, half(2) & 0xfbf0 == 0xf2c0, half(3) & 0x8f00 == 0x0c00,
            half(4) == 0x44fc, half(5) == 0xf8dc, half(6) == 0xf000
        else { return nil }
        let counter = UInt32(truncatingIfNeeded: address &+ 8 &+ 4)
        return Found(.slot(UInt64((immediate(0) | immediate(2) << 16) &+ counter)), 16)
    }
}
