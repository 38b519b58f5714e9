package import BinaryPrimitives
internal import CLibdwarf
package import ObjectFiles

/// Resolves addresses with libdwarf: the second opinion beside cairn's own reader.
///
/// It is written to be correct rather than fast: it does not trust address tables. Units are read completely,
/// and every subroutine and every row of them is compared with the addresses; units whose ranges cover an
/// address are read first and, if an address stays unresolved, all the others too.
package struct ReferenceSource: Sendable {
    private let object: ObjectFile
    private let files: ReferenceFiles
    /// No code of the image is linked at address zero, so code there is code that the linker removed.
    private let zeroIsRemovedCode: Bool

    /// - Parameter files: files that hold a part of the object's debug information.
    package init(_ object: ObjectFile, files: ReferenceFiles = ReferenceFiles()) {
        self.object = object
        self.files = files
        zeroIsRemovedCode = object.description.kind != .relocatable && object.section(containing: LinkAddress(0))?.isExecutable != true
    }

    /// Returns the results for some addresses, in their order.
    /// - Parameter addresses: ascending.
    /// - Throws: `InspectionError` if libdwarf cannot open the debug sections at all.
    package func results(for addresses: [LinkAddress]) throws(InspectionError) -> [ReferenceResult] {
        var results = [ReferenceResult](repeating: ReferenceResult(), count: addresses.count)
        try forEachResult(for: addresses) { index, result in results[index] = result }
        return results
    }

    /// Calls `body` with the index of each address and its result, as soon as no unread unit can change it:
    /// in no particular order.
    /// - Parameter addresses: ascending.
    /// - Throws: `InspectionError` if libdwarf cannot open the debug sections at all.
    package func forEachResult(
        for addresses: [LinkAddress], _ body: (Int, ReferenceResult) -> Void
    ) throws(InspectionError) {
        var lookup = ReferenceLookup(
            wanted: addresses.map(\.value), zeroIsRemovedCode: zeroIsRemovedCode, splitFiles: files.splitUnits)
        try lookup.run(try open(), report: body)
    }

    /// Returns the first address of every subprogram that has code, ascending, each once.
    package func functionStarts() throws(InspectionError) -> [LinkAddress] {
        let session = try open()
        InspectionPhase.units.begin()
        let split = LibdwarfSplitUnits(session, files.splitUnits)
        let removed = RemovedCode(zeroIsRemoved: zeroIsRemovedCode)
        var starts: Set<UInt64> = []
        for unit in session.units().units {
            guard let skeleton = session.entry(at: unit.root) else { continue }
            let base = skeleton.lowAddress ?? 0
            let found = try? split.find(for: unit)
            guard let root = (found?.addresses ?? session).entry(at: found?.root ?? unit.root) else { continue }
            try? root.forEachDescendant { (entry, _) throws(InspectionError) in
                guard entry.tag == DW_TAG_subprogram, let ranges = try? entry.addressRanges(base: base) else { return }
                for range in ranges where !removed.isRemoved(range.lowerBound) { starts.insert(range.lowerBound) }
            }
        }
        return starts.sorted().map { LinkAddress($0) }
    }

    private func open() throws(InspectionError) -> LibdwarfSession {
        InspectionPhase.sections.begin()
        let session = try LibdwarfSession(object)
        // A supplementary file that cannot be opened counts as missing: its names are missing, and reported
        // as such.
        if let supplementary = files.supplementary.flatMap({ try? LibdwarfSession($0) }) { try session.tie(to: supplementary) }
        return session
    }
}

/// Code that the linker removed, but that the debug information still describes, relocated to nothing. GNU ld
/// writes 0 (and 1 in range lists of old versions), lld -1 and, where -1 has another meaning, -2; 32-bit
/// values likewise.
struct RemovedCode {
    var zeroIsRemoved: Bool

    /// - Parameter start: the first address of a range or a sequence.
    func isRemoved(_ start: UInt64) -> Bool {
        (zeroIsRemoved && start <= 1) || start >= UInt64.max - 1 || (0xffff_fffe...0xffff_ffff).contains(start)
    }
}

extension LibdwarfEntry {
    /// Calls `body` with every entry below this one, and its depth below it, from 1.
    func forEachDescendant(_ body: (borrowing LibdwarfEntry, Int) throws(InspectionError) -> Void) throws(InspectionError) {
        try visitChildren(depth: 1, body)
    }

    private func visitChildren(
        depth: Int, _ body: (borrowing LibdwarfEntry, Int) throws(InspectionError) -> Void
    ) throws(InspectionError) {
        guard depth < Limits.standard.entryDepth else { throw InspectionError("entries are nested deeper than \(depth)") }
        var next = try firstChild()
        while let entry = next.take() {
            try body(entry, depth)
            try entry.visitChildren(depth: depth + 1, body)
            next = try entry.nextSibling()
        }
    }
}

/// The files other than an object that hold a part of its debug information: those that the reader under test
/// has found, so that both readers use the same.
package struct ReferenceFiles: Sendable {
    /// The `.dwo` file or the package with a split unit, by the offset in `.debug_info` of the header of its
    /// skeleton unit.
    package var splitUnits: [Int: ObjectFile]
    /// File with the debug information that dwz moved out of several files.
    package var supplementary: ObjectFile?

    package init(splitUnits: [Int: ObjectFile] = [:], supplementary: ObjectFile? = nil) {
        self.splitUnits = splitUnits
        self.supplementary = supplementary
    }
}
