#if Inspection
    public import BinaryPrimitives
    internal import CLibdwarf
    public import ObjectFiles

    /// Answers addresses from libdwarf: the second opinion beside cairn's own reader.
    ///
    /// It is made to be right rather than fast: no address table is believed. Units are read whole, every subroutine and every row of them is compared with
    /// the addresses; those first whose ranges cover an address, and where an address stays unanswered all the others too.
    public struct ReferenceSource: Sendable {
        private let object: ObjectFile
        /// No code of the image is linked at address zero, so that code there is code that the linker removed.
        private let zeroIsRemovedCode: Bool

        public init(_ object: ObjectFile) {
            self.object = object
            zeroIsRemovedCode = object.description.kind != .relocatable && object.section(containing: LinkAddress(0))?.isExecutable != true
        }

        /// The answers for some addresses, in their order.
        /// - Parameter addresses: ascending.
        /// - Throws: `InspectionError` if libdwarf cannot open the debug sections at all.
        public func answers(for addresses: [LinkAddress]) throws(InspectionError) -> [ReferenceAnswer] {
            var lookup = ReferenceLookup(wanted: addresses.map(\.value), zeroIsRemovedCode: zeroIsRemovedCode)
            try lookup.run(try LibdwarfSession(object))
            return lookup.results()
        }

        /// The first address of every subprogram that has code, ascending, each once.
        public func functionStarts() throws(InspectionError) -> [LinkAddress] {
            let session = try LibdwarfSession(object)
            let removed = RemovedCode(zeroIsRemoved: zeroIsRemovedCode)
            var starts: Set<UInt64> = []
            for unit in session.units().units {
                guard let root = session.entry(at: unit.root) else { continue }
                let base = root.lowAddress ?? 0
                try? root.forEachDescendant { (entry, _) throws(InspectionError) in
                    guard entry.tag == DW_TAG_subprogram, let ranges = try? entry.addressRanges(base: base) else { return }
                    for range in ranges where !removed.isRemoved(range.lowerBound) { starts.insert(range.lowerBound) }
                }
            }
            return starts.sorted().map { LinkAddress($0) }
        }
    }

    /// Code that the linker left out, as the debug information still has it: relocated to nothing. GNU ld writes 0 (and 1 in range lists of old versions), lld -1
    /// and, where -1 means something else, -2; 32-bit values likewise.
    struct RemovedCode {
        var zeroIsRemoved: Bool

        /// - Parameter start: the first address of a range or a sequence.
        func isRemoved(_ start: UInt64) -> Bool {
            (zeroIsRemoved && start <= 1) || start >= UInt64.max - 1 || (0xffff_fffe...0xffff_ffff).contains(start)
        }
    }

    extension LibdwarfEntry {
        /// Gives every entry below this one to `body`, with its depth below it, from 1.
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
#endif
