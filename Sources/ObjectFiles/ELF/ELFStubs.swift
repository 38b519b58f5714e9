internal import BinaryPrimitives
internal import Synchronization

/// The stubs of an ELF file: the few instructions of the procedure linkage table that jump to a function of another image, or to one that is chosen when the program starts (an IFUNC).
///
/// Whose stub it is, its own instructions say: they load a place that a relocation fills in with a symbol's address. (Counting stubs and relocations, as older tools do, fails where a linker leaves one
/// out or puts them in another order.) It is called as GNU's tools call it, `strcpy@plt`.
struct ELFStubs: Sendable {
    private struct Stub {
        var start: UInt64
        var size: UInt64
        /// The index of the symbol; 0 for an IFUNC of this file.
        var symbol: UInt64
        var addend: UInt64
    }

    /// By address, none over another.
    private var stubs: [Stub] = []
    private let relocations: ELFDynamicRelocations

    /// What the relocations fill in.
    private typealias Places = [UInt64: ELFDynamicRelocations.Relocation]

    /// - Returns: `nil` if there are none.
    init?(_ object: ObjectFile) {
        guard let code = ELFStubCode(object), let relocations = ELFDynamicRelocations(object) else { return nil }
        self.relocations = relocations
        var places: Places = [:]
        relocations.forEachRelocation(of: object) { relocation in
            guard relocation.symbol > 0 || relocation.type == code.indirect, places[relocation.place] == nil else { return }
            places[relocation.place] = relocation
        }
        for decoder in code.decoders(globalOffsetTable: relocations.globalOffsetTable) where stubs.isEmpty {
            for section in object.description.sections where section.isLoaded && section.isExecutable && section.compression == nil {
                let isTable = section.name == ".plt" || section.name.hasPrefix(".plt.") || [".iplt", ".MIPS.stubs"].contains(section.name)
                // In a file without section headers, and where the linker puts them between functions, stubs may lie anywhere; what else loads such a place may then be
                // another function's jump at its end, but not to a place that only stubs use.
                guard isTable || section.name.isEmpty || code.liesBetweenFunctions else { continue }
                object.file.withBytes { whole in
                    search(whole.clamped(to: section.fileRange), section.address.value, decoder, places, onlyOfStubs: !isTable, object)
                }
            }
        }
        if stubs.isEmpty { return nil }
        stubs.sort { $0.start < $1.start }
        for index in stubs.indices.dropLast() { stubs[index].size = min(stubs[index].size, stubs[index + 1].start - stubs[index].start) }
        stubs.removeAll { $0.size == 0 }
    }

    private mutating func search(
        _ bytes: RawSpan, _ address: UInt64, _ decoder: ELFStubDecoder, _ places: Places, onlyOfStubs: Bool, _ object: ObjectFile
    ) {
        guard address <= .max - UInt64(bytes.byteCount) else { return }
        let step = Int(decoder.alignment)
        var position = Int((0 &- address) % decoder.alignment)
        while position < bytes.byteCount, stubs.count < object.limits.stubs {
            let start = address + UInt64(position)
            var size = 0
            if let found = decoder.decode(bytes, at: position, address: start) {
                size = min(found.size, bytes.byteCount - position)
                var stub = Stub(start: start, size: UInt64(size), symbol: 0, addend: 0)
                switch found.target {
                case .symbol(let index) where index > 0 && !onlyOfStubs:
                    stub.symbol = index
                    stubs.append(stub)
                case .place(let place):
                    if let relocation = places[place], relocation.isOfStub || !onlyOfStubs {
                        stub.symbol = relocation.symbol
                        stub.addend = relocation.symbol == 0 ? relocation.addend ?? Self.word(at: place, object) : relocation.addend ?? 0
                        stubs.append(stub)
                    } else {
                        size = 0
                    }
                case .symbol: size = 0
                }
            }
            position += max(size / step, 1) * step
        }
    }

    /// What the file has at a place before the dynamic linker fills it in.
    private static func word(at place: UInt64, _ object: ObjectFile) -> UInt64 {
        let size = object.description.addressSize
        guard let range = object.fileRange(from: place, count: UInt64(size)) else { return 0 }
        return object.file.withBytes { (try? $0.clamped(to: range).unsigned(size: size, at: 0, object.description.byteOrder)) ?? 0 }
    }

    func stub(containing address: LinkAddress, in object: ObjectFile) -> LinkedName? {
        var low = 0
        var high = stubs.count
        while low < high {
            let middle = low + (high - low) / 2
            if stubs[middle].start <= address.value { low = middle + 1 } else { high = middle }
        }
        guard low > 0, address.value - stubs[low - 1].start < stubs[low - 1].size, let name = name(of: stubs[low - 1], object) else {
            return nil
        }
        return LinkedName(name: name, address: LinkAddress(stubs[low - 1].start), size: stubs[low - 1].size)
    }

    /// `strcpy@plt`; for an IFUNC of this file `*ABS*+0x1149@plt`, with the address of the function that chooses.
    private func name(of stub: Stub, _ object: ObjectFile) -> String? {
        guard let symbol = stub.symbol == 0 ? "*ABS*" : relocations.name(ofSymbol: stub.symbol, in: object) else { return nil }
        return symbol + (stub.addend == 0 ? "" : "+0x" + String(stub.addend, radix: 16)) + "@plt"
    }

    /// Where they lie, by address.
    var ranges: [Range<UInt64>] { stubs.map { $0.start..<$0.start + $0.size } }
}

/// The stubs of a file, found when they are first asked for.
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
