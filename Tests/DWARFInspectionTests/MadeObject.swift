import BinaryPrimitives
import ObjectFiles
import Recipes
import TestSupport
import Testing

@testable import DWARFInspection

/// An entry of debug information that a test states, with the numbers of DWARF 5, section 7.5.
struct MadeEntry: Sendable {
    enum Value: Sendable {
        /// In so many bytes.
        case number(UInt64, size: Int)
        case uleb(UInt64)
        case sleb(Int64)
        case text(String)
        /// `DW_FORM_exprloc`: its length and its bytes.
        case block([UInt8])
        /// `DW_FORM_ref4`, to the entry with that label.
        case entry(String)
        /// `DW_FORM_flag_present`.
        case none
    }

    struct Attribute: Sendable {
        var name: UInt64
        var form: UInt64
        var value: Value
    }

    var tag: UInt64
    var label = ""
    var attributes: [Attribute] = []
    var children: [MadeEntry] = []

    init(_ tag: UInt64, _ label: String = "", _ attributes: [Attribute] = [], _ children: [MadeEntry] = []) {
        (self.tag, self.label, self.attributes, self.children) = (tag, label, attributes, children)
    }
}

extension MadeEntry.Attribute {
    /// `DW_AT_name`, `DW_FORM_string`.
    static func name(_ text: String) -> Self { Self(name: 0x03, form: 0x08, value: .text(text)) }
    /// `DW_AT_type`, `DW_FORM_ref4`.
    static func type(_ label: String) -> Self { Self(name: 0x49, form: 0x13, value: .entry(label)) }
    /// `DW_FORM_data1`.
    static func byte(_ name: UInt64, _ value: UInt64) -> Self { Self(name: name, form: 0x0b, value: .number(value, size: 1)) }
    /// `DW_FORM_sec_offset`.
    static func offset(_ name: UInt64, _ value: UInt64) -> Self { Self(name: name, form: 0x17, value: .number(value, size: 4)) }
    /// `DW_AT_low_pc` as an address, and `DW_AT_high_pc` as the bytes from there.
    static func code(_ low: UInt64, size: UInt64) -> [Self] {
        [Self(name: 0x11, form: 0x01, value: .number(low, size: 8)), Self(name: 0x12, form: 0x06, value: .number(size, size: 4))]
    }
    /// `DW_AT_location`, `DW_FORM_exprloc`.
    static func location(_ bytes: [UInt8]) -> Self { Self(name: 0x02, form: 0x18, value: .block(bytes)) }
}

/// An ELF file for x86-64 whose sections a test states.
struct MadeObject: Sendable {
    private(set) var sections: [(name: String, bytes: [UInt8])]

    /// - Parameter sections: beside the units'.
    init(sections: [(name: String, bytes: [UInt8])]) { self.sections = sections }

    /// Units of DWARF 5 in 32-bit format, of `DW_UT_compile`, each entry with an abbreviation of
    /// its own.
    init(_ roots: [MadeEntry], sections: [(name: String, bytes: [UInt8])] = []) {
        var (info, abbreviations) = (ByteWriter(), ByteWriter())
        for root in roots {
            var unit = MadeUnit(start: info.count, abbreviations: abbreviations.count)
            unit.add(root)
            info.bytes += unit.finished
            abbreviations.bytes += unit.abbreviations.bytes + [0]
        }
        self.sections = [(".debug_info", info.bytes), (".debug_abbrev", abbreviations.bytes)] + sections
    }

    var bytes: [UInt8] { ELFImage.bytes(sections, .littleEndian) }

    /// The text that is written of the object, and the problems that are reported.
    private func write(_ body: (DumpedObject, DumpOutput) -> Void) throws -> (text: String, problems: [String]) {
        var (written, problems): ([UInt8], [String]) = ([], [])
        let contents = bytes
        let object = try ObjectFiles.openAll(try MappedFile(bytes: contents.span.rawBytes, name: "made"))[0]
        let output = DumpOutput { written += $0 }
        body(DumpedObject(object, name: "made") { problems.append($0) }, output)
        output.flush()
        return (String(decoding: written, as: UTF8.self), problems)
    }

    func dump(_ choose: (inout DumpOptions) -> Void) throws -> (text: String, problems: [String]) {
        var options = DumpOptions()
        options.showsChildren = true
        choose(&options)
        return try write { _ = Dumper($0, options, $1).run() }
    }

    func verify() throws -> String { try write { _ = Verifier($0, $1).run() }.text }

    private static let peer = "/usr/bin/llvm-dwarfdump-19"
    static let isPeerThere = TestPaths.isReadable(peer)
    static let absence: Comment = "llvm-dwarfdump-19 (package llvm-19) is not installed"

    /// The text that llvm-dwarfdump 19 writes of the same bytes.
    func peer(_ arguments: [String]) throws -> String {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/made", bytes)
            return try run(Self.peer, arguments + ["made"], directory: folder).output
        }
    }
}

private struct MadeUnit {
    var abbreviations = ByteWriter()
    private var unit = ByteWriter()
    private var count: UInt64 = 0
    private var offsets: [String: Int] = [:]
    private var references: [(offset: Int, label: String)] = []

    /// The header (section 7.5.1.1): length, version, type, size of addresses, abbreviations.
    init(start: Int, abbreviations: Int) {
        unit.put(UInt32(0))
        unit.put(UInt16(5))
        unit.put(UInt8(1))
        unit.put(UInt8(8))
        unit.put(UInt32(abbreviations))
    }

    mutating func add(_ entry: MadeEntry) {
        count += 1
        abbreviations.putULEB128(count)
        abbreviations.putULEB128(entry.tag)
        abbreviations.put(UInt8(entry.children.isEmpty ? 0 : 1))
        offsets[entry.label] = unit.count
        unit.putULEB128(count)
        for attribute in entry.attributes {
            abbreviations.putULEB128(attribute.name)
            abbreviations.putULEB128(attribute.form)
            switch attribute.value {
            case .number(let number, let size): unit.put(number, size: size)
            case .uleb(let number): unit.putULEB128(number)
            case .sleb(let number): unit.putSLEB128(number)
            case .text(let text): unit.put(text: text)
            case .block(let bytes):
                unit.putULEB128(UInt64(bytes.count))
                unit.bytes += bytes
            case .entry(let label):
                references.append((unit.count, label))
                unit.put(UInt32(0))
            case .none: break
            }
        }
        abbreviations.put(UInt16(0))
        for child in entry.children { add(child) }
        if !entry.children.isEmpty { unit.put(UInt8(0)) }
    }

    /// References count from the unit's first byte (section 7.5.5).
    var finished: [UInt8] {
        var unit = unit
        unit.patch(UInt32(unit.count - 4), at: 0)
        for (offset, label) in references { unit.patch(UInt32(offsets[label] ?? 0), at: offset) }
        return unit.bytes
    }
}
