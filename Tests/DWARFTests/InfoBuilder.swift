import BinaryPrimitives
import ObjectFiles
import TestSupport

@testable import DWARF

/// A debugging information entry as a test states it; every entry gets an abbreviation of its own.
struct Entry {
    var tag: UInt16
    /// Label by which `Value.ref4` and `Value.refAddr` refer to it.
    var label: String?
    var attributes: [(name: UInt16, value: Value)]
    /// `nil`: `DW_CHILDREN_no`.
    var children: [Entry]?

    init(_ tag: UInt16, _ label: String? = nil, _ attributes: [(UInt16, Value)] = [], children: [Entry]? = nil) {
        self.tag = tag
        self.label = label
        self.attributes = attributes
        self.children = children
    }

    /// A root entry that covers `code` and says so.
    static func unit(_ code: Range<UInt64>, line: UInt64? = nil, children: [Entry]) -> Entry {
        var attributes: [(UInt16, Value)] = [
            (Attribute.name, .string("a.c")), (Attribute.compDir, .string("/src")), (Attribute.lowPC, .addr(code.lowerBound)),
            (Attribute.highPC, .data8(code.upperBound - code.lowerBound)),
        ]
        if let line { attributes.append((Attribute.stmtList, .data4(line))) }
        return Entry(Tag.compileUnit, nil, attributes, children: children)
    }

    static func subprogram(
        _ name: String?, _ code: Range<UInt64>? = nil, _ label: String? = nil, _ more: [(UInt16, Value)] = [], children: [Entry]? = nil
    ) -> Entry {
        Entry(Tag.subprogram, label, names(name) + addressRange(code) + more, children: children)
    }

    static func inlined(
        _ name: String?, _ code: Range<UInt64>, call: (file: UInt64, line: UInt64, column: UInt64) = (1, 1, 1),
        _ more: [(UInt16, Value)] = [], children: [Entry]? = nil
    ) -> Entry {
        let site: [(UInt16, Value)] = [
            (Attribute.callFile, .data1(call.file)), (Attribute.callLine, .data2(call.line)), (Attribute.callColumn, .data1(call.column)),
        ]
        return Entry(Tag.inlinedSubroutine, nil, names(name) + addressRange(code) + site + more, children: children)
    }

    private static func names(_ name: String?) -> [(UInt16, Value)] { name.map { [(Attribute.name, .string($0))] } ?? [] }

    private static func addressRange(_ code: Range<UInt64>?) -> [(UInt16, Value)] {
        code.map { [(Attribute.lowPC, .addr($0.lowerBound)), (Attribute.highPC, .data8($0.upperBound - $0.lowerBound))] } ?? []
    }
}

/// An attribute's form with what is written for it.
struct Value {
    enum Content {
        case bytes([UInt8])
        case number(UInt64, size: Int)
        case address(UInt64)
        case offset(UInt64)
        case uleb(UInt64)
        case sleb(Int64)
        /// Four bytes that are filled in when the label's entry is known, counted from the unit's
        /// header or from the section's start.
        case label(String, fromSection: Bool)
        /// In the abbreviation.
        case implicit(Int64)
    }

    var form: UInt16
    var content: Content

    static func addr(_ value: UInt64) -> Value { Value(form: Form.addr, content: .address(value)) }
    static func data1(_ value: UInt64) -> Value { Value(form: Form.data1, content: .number(value, size: 1)) }
    static func data2(_ value: UInt64) -> Value { Value(form: Form.data2, content: .number(value, size: 2)) }
    static func data4(_ value: UInt64) -> Value { Value(form: Form.data4, content: .number(value, size: 4)) }
    static func data8(_ value: UInt64) -> Value { Value(form: Form.data8, content: .number(value, size: 8)) }
    static func udata(_ value: UInt64) -> Value { Value(form: Form.udata, content: .uleb(value)) }
    static func string(_ text: String) -> Value { Value(form: Form.string, content: .bytes(Array(text.utf8) + [0])) }
    static func strp(_ offset: UInt64) -> Value { Value(form: Form.strp, content: .offset(offset)) }
    static func secOffset(_ offset: UInt64) -> Value { Value(form: Form.secOffset, content: .offset(offset)) }
    static func addrx(_ index: UInt64) -> Value { Value(form: Form.addrx, content: .uleb(index)) }
    static func rnglistx(_ index: UInt64) -> Value { Value(form: Form.rnglistx, content: .uleb(index)) }
    static func ref4(_ label: String) -> Value { Value(form: Form.ref4, content: .label(label, fromSection: false)) }
    static func refAddr(_ label: String) -> Value { Value(form: Form.refAddr, content: .label(label, fromSection: true)) }
    static func implicitConst(_ value: Int64) -> Value { Value(form: Form.implicitConst, content: .implicit(value)) }
    static var flagPresent: Value { Value(form: Form.flagPresent, content: .bytes([])) }
}

/// Puts `.debug_info` and `.debug_abbrev` together, unit by unit.
struct InfoBuilder {
    var version: UInt16 = 4
    var is64Bit = false
    var addressSize = 8
    private(set) var info: ByteWriter
    private(set) var abbrev: ByteWriter
    private var labels: [String: (offset: Int, unit: Int)] = [:]
    private var references: [(position: Int, label: String, unit: Int?)] = []

    init(_ order: ByteOrder = .littleEndian, version: UInt16 = 4) {
        self.version = version
        info = ByteWriter(order)
        abbrev = ByteWriter(order)
    }

    /// - Returns: the offset of the unit's header.
    @discardableResult
    mutating func add(_ root: Entry) -> Int {
        let start = info.count
        let table = abbrev.count
        if is64Bit { info.put(UInt32.max) }
        let lengthPosition = info.count
        info.putWord(0, wide: is64Bit)
        let body = info.count
        info.put(version)
        if version >= 5 {
            info.put(UnitKind.compile)
            info.put(UInt8(addressSize))
            info.putWord(UInt64(table), wide: is64Bit)
        } else {
            info.putWord(UInt64(table), wide: is64Bit)
            info.put(UInt8(addressSize))
        }
        var code: UInt64 = 0
        put(root, unit: start, &code)
        abbrev.put(UInt8(0))
        let length = info.count - body
        if is64Bit { info.patch(UInt64(length), at: lengthPosition) } else { info.patch(UInt32(length), at: lengthPosition) }
        return start
    }

    /// Overwrites the length of the unit at an offset, so that the next one is not found.
    mutating func damage(from offset: Int) { info.patch(UInt32(0xffff_fff0), at: offset) }

    private mutating func put(_ entry: Entry, unit: Int, _ code: inout UInt64) {
        code += 1
        if let label = entry.label { labels[label] = (info.count, unit) }
        info.putULEB128(code)
        abbrev.putULEB128(code)
        abbrev.putULEB128(UInt64(entry.tag))
        abbrev.put(UInt8(entry.children == nil ? 0 : 1))
        for (name, value) in entry.attributes {
            abbrev.putULEB128(UInt64(name))
            abbrev.putULEB128(UInt64(value.form))
            put(value.content, unit: unit)
        }
        abbrev.put(UInt16(0))
        guard let children = entry.children else { return }
        for child in children { put(child, unit: unit, &code) }
        info.put(UInt8(0))
    }

    private mutating func put(_ content: Value.Content, unit: Int) {
        switch content {
        case .bytes(let bytes): info.bytes += bytes
        case .number(let value, let size): info.put(value, size: size)
        case .address(let value): info.put(value, size: addressSize)
        case .offset(let value): info.putWord(value, wide: is64Bit)
        case .uleb(let value): info.putULEB128(value)
        case .sleb(let value): info.putSLEB128(value)
        case .label(let label, let fromSection):
            references.append((info.count, label, fromSection ? nil : unit))
            info.put(UInt32(0))
        case .implicit(let value): abbrev.putSLEB128(value)
        }
    }

    /// The sections, with every reference filled in, and others beside them.
    func sections(_ others: [DWARFSections.Name: [UInt8]] = [:], limits: Limits = .standard) throws -> DWARFSections {
        var info = info
        for (position, label, unit) in references {
            guard let target = labels[label] else { continue }
            info.patch(UInt32(target.offset - (unit ?? 0)), at: position)
        }
        return try makeSections(others.merging([.info: info.bytes, .abbrev: abbrev.bytes]) { $1 }, info.order, limits)
    }
}

/// Sections in memory.
func makeSections(
    _ contents: [DWARFSections.Name: [UInt8]], _ order: ByteOrder = .littleEndian, _ limits: Limits = .standard
) throws -> DWARFSections {
    var whole: [UInt8] = []
    var ranges: [DWARFSections.Name: Range<Int>] = [:]
    for (name, bytes) in contents {
        ranges[name] = whole.count..<whole.count + bytes.count
        whole += bytes
    }
    return DWARFSections(try MappedFile(bytes: whole.span.rawBytes, name: "sections"), ranges, order, limits: limits)
}

extension DWARFSections {
    /// One address's result.
    func result(_ address: UInt64) -> DWARFResult { DWARFReader(self).results(for: [LinkAddress(address)])[0] }

    /// The names at an address, innermost first; `?` for a function without a name.
    func names(_ address: UInt64) -> [String] { result(address).functions.map { $0.name ?? "?" } }

    /// The line at an address as `file:line:column`; `nil` without one.
    func location(_ address: UInt64) -> String? { result(address).location.map { "\($0.file):\($0.line):\($0.column)" } }
}
