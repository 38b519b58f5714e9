import BinaryPrimitives
import TestSupport
import Testing

@testable import DWARF

/// The calls that entries describe (DWARF 5, section 3.4): of whole units, and of some functions.
struct CallSiteReaderTests {
    private func call(_ attributes: [(UInt16, Value)], tag: UInt16 = Tag.callSite) -> Entry { Entry(tag, nil, attributes) }

    private var functions: [Entry] {
        [
            .subprogram("leaf", 0x1000..<0x1010, "leaf"),
            .subprogram(
                "caller", 0x1010..<0x1060, "caller",
                children: [
                    call([(Attribute.callReturnPC, .addr(0x1020)), (Attribute.callOrigin, .ref4("leaf"))]),
                    // As clang writes it: attribute by attribute.
                    call([
                        (Attribute.callOrigin, .ref4("leaf")), (Attribute.callReturnPC, .addr(0x1030)), (Attribute.callPC, .addr(0x102b)),
                    ]),
                    call([(Attribute.callReturnPC, .addr(0x1040)), (Attribute.callTailCall, .flagPresent)]),
                    call([(Attribute.lowPC, .addr(0x1050)), (Attribute.abstractOrigin, .ref4("far"))], tag: Tag.gnuCallSite),
                    // Code that the linker removed.
                    call([(Attribute.callReturnPC, .addr(0x8000))]),
                ]),
            // The declaration that calls name, and where it is.
            .subprogram("far", nil, "far"), .subprogram(nil, 0x1060..<0x1070, "far body", [(Attribute.specification, .ref4("far"))]),
        ]
    }

    private func read(_ functions: [Entry], only positions: ([Int]) -> [Int]?) throws -> CallSiteEntries {
        var info = InfoBuilder()
        info.add(.unit(0x1000..<0x9000, children: functions))
        let units = try UnitTable(try info.sections())
        return try units.withUnit(try units.header(at: 0), ReadBuffer()) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in
            var found: [Int] = []
            var walk = EntryWalk(unit)
            while let shape = (try? walk.next(bytes)) ?? nil {
                if shape.role == .subroutine { found.append(walk.entry) }
                guard (try? walk.pass(shape, bytes)) != nil else { break }
            }
            return CallSiteReader(unit, units, bytes, functionsAt: positions(found)).read(bytes)
        }
    }

    private func entry(_ address: UInt64, call: UInt64? = nil, target: UInt64?) -> CallSiteEntries.Entry {
        CallSiteEntries.Entry(
            returnAddress: LinkAddress(address), call: call.map { LinkAddress($0) }, target: target.map { LinkAddress($0) })
    }

    @Test func `calls have return addresses, their own addresses where these are given, and functions`() throws {
        let calls = try read(functions) { _ in nil }
        #expect(
            calls.entries == [entry(0x1020, target: 0x1000), entry(0x1030, call: 0x102b, target: 0x1000), entry(0x1050, target: 0x1060)])
        #expect(calls.functions.map(\.lowerBound.value) == [0x1000, 0x1010, 0x1060])
        #expect(calls.starts.isEmpty)
    }

    /// A function without entries in it does not end the list.
    @Test func `some functions are read by their entries`() throws {
        let all = try read(functions) { $0 }
        #expect(all.functions.map(\.lowerBound.value) == [0x1000, 0x1010, 0x1060])
        #expect(all.entries.map(\.returnAddress.value) == [0x1020, 0x1030, 0x1050])
        #expect(all.entries.map(\.target?.value) == [0x1000, 0x1000, 0x1060])
        let some = try read(functions) { [$0[1]] }
        #expect(some.functions.map(\.lowerBound.value) == [0x1010])
        #expect(some.entries.map(\.target) == [nil, nil, nil])
        #expect(some.entries.allSatisfy { $0.openTarget != nil })
    }

    @Test func `a nested function is read once`() throws {
        let inner = Entry.subprogram("inner", 0x1010..<0x1018, children: [call([(Attribute.callReturnPC, .addr(0x1014))])])
        let outer = Entry.subprogram("outer", 0x1000..<0x1010, children: [inner])
        let calls = try read([outer, .subprogram("next", 0x1020..<0x1030)]) { $0 }
        #expect(calls.functions.map(\.lowerBound.value) == [0x1000, 0x1010, 0x1020])
        #expect(calls.entries.map(\.returnAddress.value) == [0x1014])
    }
}

/// A table of functions beside a dictionary.
struct FunctionStartsTests {
    @Test(arguments: [1, 16, 0x1_0000_0000]) func `it holds what a dictionary holds`(step: Int) {
        var starts = FunctionStarts()
        var expected: [Int: UInt64] = [:]
        for number in 1...3_000 {
            let entry = (number * 7919 % 2_003 + 1) * step
            starts.keep(UInt64(number), of: entry)
            expected[entry] = UInt64(number)
        }
        for entry in expected.keys { #expect(starts.start(of: entry) == expected[entry]) }
        #expect(starts.start(of: 0) == nil && starts.start(of: 2_004 * step) == nil)
        var found: [Int: UInt64] = [:]
        starts.forEach { found[$0] = $1 }
        #expect(found == expected)
    }
}

struct CodeTableTests {
    /// Codes are ULEB128 of any size (DWARF 5, section 7.5.3).
    @Test func `small and large codes have values`() {
        var table = CodeTable<Int>()
        let codes: [UInt64] = [1, 2, 500, 65_535, 65_536, .max]
        for (index, code) in codes.enumerated() { table[code] = index }
        for (index, code) in codes.enumerated() { #expect(table[code] == index) }
        #expect(table[0] == nil && table[3] == nil && table[65_537] == nil)
        table.removeAll()
        for code in codes { #expect(table[code] == nil) }
    }
}
