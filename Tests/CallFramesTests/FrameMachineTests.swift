import BinaryPrimitives
import CallFrames
import TestSupport
import Testing

/// Effects of instructions on the rules (DWARF 5, section 6.4.2), and damaged sections.
struct FrameMachineTests {
    /// Common information with a code alignment of 4 and a data alignment of -8, and registers'
    /// rules as they begin.
    private func machine(_ start: UInt64? = 0x1000, architecture: String = "x86_64") -> FrameMachine {
        var common = CommonInformation(offset: 0)
        (common.codeAlignment, common.dataAlignment) = (4, -8)
        return FrameMachine(common, start: start, architecture: architecture)
    }

    private let section = CallFrameSection(isExceptions: false, address: 0, addressSize: 8, byteOrder: .littleEndian)

    private func instructions(_ bytes: [UInt8]) -> [CallFrameInstruction] {
        var all: [CallFrameInstruction] = []
        let isRead = section.forEachInstruction(in: 0..<bytes.count, addressSize: 8, of: bytes.span.rawBytes) {
            all.append($0)
            return true
        }
        #expect(isRead)
        return all
    }

    /// - Returns: the rows before the last; `nil` if an instruction is rejected.
    private func run(_ machine: inout FrameMachine, _ bytes: [UInt8]) -> [FrameRow]? {
        var rows: [FrameRow] = []
        for instruction in instructions(bytes) {
            do throws(FrameFlaw) { if let row = try machine.execute(instruction) { rows.append(row) } } catch { return nil }
        }
        return rows
    }

    @Test func `a prologue moves the frame and saves a register`() throws {
        var machine = machine()
        // def_cfa r7, 8; offset r16, 1 (CFA + 1 * -8).
        #expect(run(&machine, [0x0c, 7, 8, 0x80 | 16, 1])?.isEmpty == true)
        machine.beginFunction()
        // advance_loc 1 (4 bytes of code); def_cfa_offset 16; offset r6, 2; advance_loc1 3;
        // def_cfa_register r6.
        let rows = try #require(run(&machine, [0x41, 0x0e, 16, 0x80 | 6, 2, 0x02, 3, 0x0d, 6]))
        #expect(rows.map(\.address) == [0x1000, 0x1004])
        #expect(rows[0].frame == .register(7, 8, addressSpace: nil))
        #expect(rows[0].registers == [16: .frame(-8, isDereferenced: true)])
        #expect(rows[1].frame == .register(7, 16, addressSpace: nil))
        #expect(rows[1].registers == [16: .frame(-8, isDereferenced: true), 6: .frame(-16, isDereferenced: true)])
        #expect(machine.row.address == 0x1010)
        #expect(machine.row.frame == .register(6, 16, addressSpace: nil))
    }

    @Test func `a kept state comes back, and a restored register has the rule of the common information`() throws {
        var machine = machine()
        #expect(run(&machine, [0x0c, 7, 8, 0x80 | 16, 1]) != nil)
        machine.beginFunction()
        // remember_state; def_cfa_offset 64; undefined r16; offset r3, 4; advance_loc 1;
        // restore_state.
        #expect(run(&machine, [0x0a, 0x0e, 64, 0x07, 16, 0x80 | 3, 4, 0x41, 0x0b])?.count == 1)
        #expect(machine.row.frame == .register(7, 8, addressSpace: nil))
        #expect(machine.row.registers == [16: .frame(-8, isDereferenced: true)])
        // same_value r16, restore r16; restore_extended r3: without a rule at first.
        #expect(run(&machine, [0x08, 16, 0xc0 | 16, 0x80 | 3, 4, 0x06, 3])?.isEmpty == true)
        #expect(machine.row.registers == [16: .frame(-8, isDereferenced: true)])
    }

    @Test func `offsets have signs, and values that are an address need no memory`() {
        var machine = machine()
        // def_cfa_sf r7, -2 (16); val_offset r1, 3 (-24); offset_extended_sf r2, -1 (8); register
        // r3, r4; def_cfa_offset_sf -3 (24).
        #expect(run(&machine, [0x12, 7, 0x7e, 0x14, 1, 3, 0x11, 2, 0x7f, 0x09, 3, 4, 0x13, 0x7d])?.isEmpty == true)
        #expect(machine.row.frame == .register(7, 24, addressSpace: nil))
        #expect(
            machine.row.registers == [
                1: .frame(-24, isDereferenced: false), 2: .frame(8, isDereferenced: true), 3: .register(4, 0, addressSpace: nil),
            ])
    }

    @Test func `expressions are kept by their places`() {
        var machine = machine()
        // def_cfa_expression of two bytes at 2; expression r5, of one byte at 7; val_expression r6,
        // of none.
        #expect(run(&machine, [0x0f, 2, 0x77, 8, 0x10, 5, 1, 0x96, 0x16, 6, 0]) != nil)
        #expect(machine.row.frame == .expression(2..<4, isDereferenced: false))
        #expect(machine.row.registers == [5: .expression(7..<8, isDereferenced: true), 6: .expression(11..<11, isDereferenced: false)])
    }

    @Test func `one number is two vendors' instructions`() throws {
        var arm = machine(architecture: "arm64")
        #expect(run(&arm, [0x2d]) != nil)
        #expect(arm.row.registers == [34: .constant(1)])
        #expect(run(&arm, [0x2d]) != nil)
        #expect(arm.row.registers == [34: .constant(0)])
        var sparc = machine(architecture: "sparcv9")
        #expect(run(&sparc, [0x2d]) != nil)
        #expect(sparc.row.registers.count == 16 && sparc.row.registers[31] == .frame(120, isDereferenced: true))
        // 15 words of 4 bytes.
        var narrow = machine(architecture: "sparc")
        #expect(run(&narrow, [0x2d]) != nil)
        #expect(narrow.row.registers[31] == .frame(60, isDereferenced: true))
        var other = machine()
        #expect(run(&other, [0x2d]) == nil)
    }

    @Test(
        arguments: [
            [0x0b], [0x0e, 8], [0xc0 | 3], [0x01, 0, 0x10, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func `instructions without what they change are refused`(bytes: [UInt8]) {
        var machine = machine()
        #expect(run(&machine, bytes) == nil)
    }

    @Test func `states and rules are not kept without end`() {
        var states = machine()
        #expect(run(&states, [UInt8](repeating: 0x0a, count: Limits.standard.frameStates)) != nil)
        #expect(run(&states, [0x0a]) == nil)
        var rules = machine()
        // undefined, of registers in two bytes of LEB128.
        let many = (0...Limits.standard.frameRules).flatMap { [0x07, UInt8($0 & 0x7f) | 0x80, UInt8($0 >> 7)] as [UInt8] }
        #expect(run(&rules, Array(many.dropLast(3))) != nil)
        #expect(run(&rules, Array(many.suffix(3))) == nil)
    }

    @Test func `an unknown instruction, or one that is cut short, ends the reading`() {
        for bytes: [UInt8] in [[0x3f], [0x0c, 7], [0x0f, 5, 1], [0x04, 1, 2], [0x0e, 0x80]] {
            #expect(!section.forEachInstruction(in: 0..<bytes.count, addressSize: 8, of: bytes.span.rawBytes) { _ in true }, "\(bytes)")
        }
    }

    /// CIE (version 4, addresses of 4 bytes, alignments 2 and -4, return address in r14), FDE
    /// 0x8000 to 0x8010.
    private func debugFrame(_ order: ByteOrder, wide: Bool) -> [UInt8] {
        func entry(_ id: UInt64, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
            var content = ByteWriter(order)
            content.putWord(id, wide: wide)
            body(&content)
            var all = ByteWriter(order)
            if wide { all.put(UInt32.max) }
            all.putWord(UInt64(content.count), wide: wide)
            return all.bytes + content.bytes
        }
        let common = entry(.max) { $0.bytes += [4, 0, 4, 0, 2, 0x7c, 14, 0x0c, 13, 0] }
        let function = entry(0) {
            $0.put(UInt32(0x8000))
            $0.put(UInt32(0x10))
            $0.bytes += [0x41, 0x0e, 8]
        }
        return common + function
    }

    @Test(arguments: [ByteOrder.littleEndian, .bigEndian], [false, true])
    func `entries are read in both formats and byte orders`(order: ByteOrder, wide: Bool) throws {
        let bytes = debugFrame(order, wide: wide)
        let section = CallFrameSection(isExceptions: false, address: 0, addressSize: 8, byteOrder: order)
        let first = try section.entry(at: 0, in: bytes.span.rawBytes)
        #expect(first.isCommon && first.offsetSize == (wide ? 8 : 4))
        let common = try section.common(first, in: bytes.span.rawBytes)
        #expect(common.addressSize == 4 && common.codeAlignment == 2 && common.dataAlignment == -4 && common.returnRegister == 14)
        let second = try section.entry(at: first.end, in: bytes.span.rawBytes)
        #expect(!second.isCommon && second.common == 0 && second.end == bytes.count)
        let function = try section.function(second, common, in: bytes.span.rawBytes)
        #expect(function.start?.number == 0x8000 && function.size == 0x10)
        #expect(function.instructions == bytes.count - 3..<bytes.count)
    }

    @Test func `a section that is cut off, or changed in any byte, is read without a trap`() {
        let whole = debugFrame(.littleEndian, wide: false)
        func read(_ bytes: [UInt8], _ isExceptions: Bool) {
            let section = CallFrameSection(isExceptions: isExceptions, address: .max - 8, addressSize: 8, byteOrder: .littleEndian)
            var position = 0
            while position < bytes.count, let entry = try? section.entry(at: position, in: bytes.span.rawBytes) {
                let common = try? section.common(entry, in: bytes.span.rawBytes)
                let function = try? section.function(entry, common, in: bytes.span.rawBytes)
                for range in [common?.instructions, function?.instructions].compactMap({ $0 }) {
                    var machine = FrameMachine(common ?? CommonInformation(offset: 0), start: .max, architecture: "arm64")
                    _ = section.forEachInstruction(in: range, addressSize: common?.addressSize ?? 8, of: bytes.span.rawBytes) {
                        (try? machine.execute($0)) != nil
                    }
                }
                #expect(entry.end > position)
                position = entry.end
            }
        }
        for count in 0...whole.count { for isExceptions in [false, true] { read(Array(whole[..<count]), isExceptions) } }
        for index in whole.indices {
            for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff] {
                var bytes = whole
                bytes[index] = value
                for isExceptions in [false, true] { read(bytes, isExceptions) }
            }
        }
    }
}
