import BinaryPrimitives
import TestSupport

@testable import DWARF

/// Puts a contribution to `.debug_line` together: its header from the properties, its program
/// opcode by opcode.
struct LineBuilder {
    var version: UInt16
    var is64Bit = false
    var addressSize = 8
    var minimumInstructionLength: UInt8 = 1
    var maximumOperations: UInt8 = 1
    // As gcc and clang on x86-64: a special opcode adds -5 to 8 lines and 0 to 17 bytes.
    var lineBase: Int8 = -5
    var lineRange: UInt8 = 14
    /// How many operands each standard opcode has, DWARF 5 section 6.2.4; one entry less than
    /// `opcode_base`.
    var operandCounts: [UInt8] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]
    var directories: [String] = []
    var files: [(name: String, directory: UInt64)] = [("a.c", 0), ("b.c", 0)]
    /// The tables of version 5, where a test writes them itself.
    var tables: [UInt8]?
    private var program: ByteWriter

    init(_ version: UInt16 = 4, _ order: ByteOrder = .littleEndian) {
        self.version = version
        program = ByteWriter(order)
        if version >= 5 { directories = ["/src"] }
    }

    var opcodeBase: UInt8 { UInt8(operandCounts.count + 1) }

    mutating func setAddress(_ address: UInt64) {
        var operand = ByteWriter(program.order)
        operand.put(address, size: addressSize)
        extended(LineOpcode.extendedSetAddress, operand.bytes)
    }

    mutating func endSequence() { extended(LineOpcode.extendedEndSequence, []) }

    mutating func extended(_ opcode: UInt8, _ operands: [UInt8]) {
        program.put(UInt8(0))
        program.putULEB128(UInt64(operands.count + 1))
        program.bytes += [opcode] + operands
    }

    /// A standard opcode with operands in unsigned LEB128; a special opcode without any.
    mutating func opcode(_ opcode: UInt8, _ operands: UInt64...) {
        program.put(opcode)
        for operand in operands { program.putULEB128(operand) }
    }

    mutating func copy() { opcode(LineOpcode.copy) }

    mutating func advanceLine(_ lines: Int64) {
        program.put(LineOpcode.advanceLine)
        program.putSLEB128(lines)
    }

    mutating func fixedAdvancePC(_ bytes: UInt16) {
        program.put(LineOpcode.fixedAdvancePC)
        program.put(bytes)
    }

    /// The special opcode for a step of lines and operations (DWARF 5, section 6.2.5.1).
    mutating func special(lines: Int, operations: Int) {
        program.put(UInt8(lines - Int(lineBase) + Int(lineRange) * operations + Int(opcodeBase)))
    }

    func build() -> [UInt8] {
        var header = ByteWriter(program.order)
        header.put(minimumInstructionLength)
        if version >= 4 { header.put(maximumOperations) }
        header.put(UInt8(1))  // default_is_stmt
        header.put(lineBase)
        header.put(lineRange)
        header.put(opcodeBase)
        header.bytes += operandCounts
        header.bytes += tables ?? (version >= 5 ? tables5 : tables4)

        var body = ByteWriter(program.order)
        body.put(version)
        if version >= 5 { body.bytes += [UInt8(addressSize), 0] }
        body.putWord(UInt64(header.count), wide: is64Bit)
        body.bytes += header.bytes + program.bytes

        var whole = ByteWriter(program.order)
        if is64Bit { whole.put(UInt32.max) }
        whole.putWord(UInt64(body.count), wide: is64Bit)
        return whole.bytes + body.bytes
    }

    private var tables4: [UInt8] {
        var result = ByteWriter(program.order)
        for directory in directories { result.put(text: directory) }
        result.put(UInt8(0))
        for file in files {
            result.put(text: file.name)
            result.putULEB128(file.directory)
            result.bytes += [0, 0]  // time and size: unknown
        }
        result.put(UInt8(0))
        return result.bytes
    }

    private var tables5: [UInt8] {
        var result = ByteWriter(program.order)
        result.bytes += [1, UInt8(LineOpcode.contentPath), UInt8(Form.string), UInt8(directories.count)]
        for directory in directories { result.put(text: directory) }
        result.bytes += [2, UInt8(LineOpcode.contentPath), UInt8(Form.string)]
        result.bytes += [UInt8(LineOpcode.contentDirectoryIndex), UInt8(Form.udata), UInt8(files.count)]
        for file in files {
            result.put(text: file.name)
            result.putULEB128(file.directory)
        }
        return result.bytes
    }

    /// Sections whose only unit, with this program, covers 0x1000 to 0x9000 and holds no functions.
    func sections(_ others: [DWARFSections.Name: [UInt8]] = [:]) throws -> DWARFSections {
        var info = InfoBuilder(program.order, version: version)
        info.addressSize = addressSize
        info.add(.unit(0x1000..<0x9000, line: 0, children: []))
        return try info.sections(others.merging([.line: build()]) { $1 })
    }
}
