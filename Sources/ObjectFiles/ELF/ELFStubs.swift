internal import BinaryPrimitives
internal import Synchronization

/// The stubs of an ELF file: the few instructions of the procedure linkage table that jump to a
/// function of another image, or to one that is chosen when the program starts (an IFUNC).
///
/// A stub's own instructions show its function: they load a slot that a relocation fills in with a
/// symbol's address. (Counting stubs and relocations, as older tools do, fails where a linker
/// leaves one out or puts them in another order.) It is named as GNU's tools name it, `strcpy@plt`.
struct ELFStubs: Sendable {
    private struct Stub {
        var start: UInt64
        var size: UInt64
        /// The index of the symbol; 0 for an IFUNC of this file.
        var symbol: UInt64
        var addend: UInt64
    }

    /// Sorted by address; stubs do not overlap.
    private var stubs: [Stub] = []
    private let relocations: ELFDynamicRelocations

    /// Code that is a stub if a relocation fills in the value that it loads.
    private struct Candidate {
        var start: UInt64
        var found: ELFStubDecoder.Found
        /// It is where only stubs are.
        var isInTable: Bool
    }

    /// - Returns: `nil` if there are none.
    init?(_ object: ObjectFile) {
        guard let code = ELFStubCode(object), let relocations = ELFDynamicRelocations(object) else { return nil }
        self.relocations = relocations
        for decoder in code.decoders(globalOffsetTable: relocations.globalOffsetTable) where stubs.isEmpty {
            var candidates: [Candidate] = []
            for section in object.description.sections where Self.mayHoldStubs(section, code) {
                let isTable = Self.isTable(section)
                object.file.withBytes { whole in
                    let bytes = whole.clamped(to: section.fileRange)
                    Self.search(bytes, section.address.value, decoder, isTable: isTable, &candidates, maxCount: object.limits.stubs)
                }
            }
            keepStubs(candidates.sorted { $0.start < $1.start }, code, object)
        }
        if stubs.isEmpty { return nil }
    }

    /// Whether a section holds nothing but stubs.
    private static func isTable(_ section: Section) -> Bool {
        section.name == ".plt" || section.name.hasPrefix(".plt.") || [".iplt", ".MIPS.stubs"].contains(section.name)
    }

    /// In a file without section headers, and where the linker puts them between functions, stubs
    /// may be anywhere in the code.
    private static func mayHoldStubs(_ section: Section, _ code: ELFStubCode) -> Bool {
        guard section.isLoaded, section.isExecutable, section.compression == nil else { return false }
        return isTable(section) || section.name.isEmpty || code.liesBetweenFunctions
    }

    /// Whether an address may be in a stub. All relocations of a file are read to find its stubs,
    /// and most addresses without a name are not in stubs.
    static func mayBeStub(_ address: LinkAddress, in object: ObjectFile) -> Bool {
        guard let section = object.section(containing: address), let code = ELFStubCode(object) else { return false }
        return mayHoldStubs(section, code)
    }

    private static func search(
        _ bytes: RawSpan, _ address: UInt64, _ decoder: ELFStubDecoder, isTable: Bool, _ candidates: inout [Candidate], maxCount: Int
    ) {
        guard address <= .max - UInt64(bytes.byteCount) else { return }
        let first = Int((0 &- address) % decoder.alignment)
        for position in stride(from: first, to: bytes.byteCount, by: Int(decoder.alignment)) where candidates.count < maxCount {
            guard var found = decoder.decode(bytes, at: position, address: address + UInt64(position)) else { continue }
            found.size = min(found.size, bytes.byteCount - position)
            candidates.append(Candidate(start: address + UInt64(position), found: found, isInTable: isTable))
        }
    }

    /// Keeps the candidates whose address has a relocation. There may be millions of relocations,
    /// and some hundred stubs.
    private mutating func keepStubs(_ candidates: [Candidate], _ code: ELFStubCode, _ object: ObjectFile) {
        var bySlot: [UInt64: ELFDynamicRelocations.Relocation?] = [:]
        for candidate in candidates { if case .slot(let slot) = candidate.found.target { bySlot[slot] = .some(nil) } }
        guard !candidates.isEmpty else { return }
        relocations.forEachRelocation(of: object) { relocation in
            guard relocation.symbol > 0 || relocation.type == code.indirect, case .some(nil) = bySlot[relocation.address] else { return }
            bySlot[relocation.address] = relocation
        }
        var end: UInt64 = 0
        // The instructions after a stub's first may look like another.
        for candidate in candidates where candidate.start >= end {
            var stub = Stub(start: candidate.start, size: UInt64(candidate.found.size), symbol: 0, addend: 0)
            switch candidate.found.target {
            case .symbol(let index):
                guard candidate.isInTable, index > 0 else { continue }
                stub.symbol = index
            case .slot(let slot):
                // A function may jump to another by such a slot at its end, but not by one that
                // only stubs use.
                guard let relocation = bySlot[slot].flatMap({ $0 }), candidate.isInTable || relocation.isOfStub else { continue }
                stub.symbol = relocation.symbol
                stub.addend = relocation.addend ?? (relocation.symbol == 0 ? Self.word(at: slot, object) : 0)
            }
            stubs.append(stub)
            end = stub.start &+ stub.size
        }
    }

    /// Reads the word at an address as it is in the file, before the dynamic linker fills it in.
    private static func word(at address: UInt64, _ object: ObjectFile) -> UInt64 {
        let size = object.description.addressSize
        guard let range = object.fileRange(from: address, count: UInt64(size)) else { return 0 }
        return object.file.withBytes { (try? $0.clamped(to: range).unsigned(size: size, at: 0, object.description.byteOrder)) ?? 0 }
    }

    func stub(containing address: LinkAddress, in object: ObjectFile) -> LinkedName? {
        let low = stubs.partitionPoint { $0.start > address.value }
        guard low > 0, address.value - stubs[low - 1].start < stubs[low - 1].size, let name = name(of: stubs[low - 1], object) else {
            return nil
        }
        return LinkedName(name: name, address: LinkAddress(stubs[low - 1].start), size: stubs[low - 1].size)
    }

    /// `strcpy@plt`; for an IFUNC of this file `*ABS*+0x1149@plt`, with the address of the function
    /// that chooses.
    private func name(of stub: Stub, _ object: ObjectFile) -> String? {
        guard let symbol = stub.symbol == 0 ? "*ABS*" : relocations.name(ofSymbol: stub.symbol, in: object) else { return nil }
        return symbol + (stub.addend == 0 ? "" : "+0x" + String(stub.addend, radix: 16)) + "@plt"
    }

    /// Address ranges of the stubs, by address.
    var ranges: [Range<UInt64>] { stubs.map { $0.start..<$0.start + $0.size } }
}

/// The stubs of a file, found when they are first needed.
final class FoundELFStubs: Sendable {
    private let found = Mutex<ELFStubs??>(nil)

    func stubs(of object: ObjectFile) -> ELFStubs? {
        found.withLock { known in
            if let known { return known }
            let stubs = ELFStubs(object)
            known = .some(stubs)
            return stubs
        }
    }
}
