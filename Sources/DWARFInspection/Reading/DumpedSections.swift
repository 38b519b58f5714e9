internal import BinaryPrimitives
internal import ObjectFiles

/// The sections of one object under ELF's names, read when they are first needed.
final class DumpedSections {
    let file: ObjectFile
    private var known: [String: SectionBytes] = [:]
    /// Owns what `known` points to.
    private var owned: [SectionContents] = []
    private var copies: [ArrayCopy] = []
    /// Problems of reading, one sentence each.
    private(set) var problems: [String] = []

    /// Address ranges that the loaded sections of a relocatable file were given, ascending; empty for other files.
    private let sectionRanges: [(start: UInt64, size: UInt64)]

    init(_ file: ObjectFile) {
        self.file = file
        let loaded = file.description.sectionsArePlaced ? file.description.sections.filter(\.isLoaded) : []
        sectionRanges = loaded.map { ($0.address.value, $0.size) }.sorted { $0.0 < $1.0 }
    }

    /// An address as the file has it. The sections of a relocatable file all begin at 0, and
    /// made-up sectionRanges distinguish them: those are left out again, so that an address counts from
    /// its section. A byte is left between sections, so the end of one is not the start of the
    /// next.
    func printed(_ address: UInt64) -> UInt64 {
        guard !sectionRanges.isEmpty else { return address }
        let low = sectionRanges.partitionPoint { $0.start > address }
        guard low > 0, address - sectionRanges[low - 1].start <= sectionRanges[low - 1].size else { return address }
        return address - sectionRanges[low - 1].start
    }

    /// Bytes that stay in their position.
    @safe private final class ArrayCopy {
        let start: UnsafeMutablePointer<UInt8>
        let count: Int
        init(_ bytes: UnsafeRawBufferPointer) {
            count = bytes.count
            unsafe start = .allocate(capacity: max(1, bytes.count))
            if let source = bytes.baseAddress { unsafe UnsafeMutableRawPointer(start).copyMemory(from: source, byteCount: bytes.count) }
        }
        deinit { unsafe start.deallocate() }
    }

    /// The bytes of a section (`.debug_line`), inflated and relocated; none where there is no such
    /// section, or it cannot be read.
    subscript(name: String) -> SectionBytes {
        do throws(DumpError) { return try bytes(name) } catch {
            problems.append(error.problem)
            known[name] = SectionBytes.none
            return .none
        }
    }

    /// The same, where the section cannot be done without.
    func bytes(_ name: String) throws(DumpError) -> SectionBytes {
        if let bytes = known[name] { return bytes }
        let bytes: SectionBytes
        do throws(ObjectFileError) { bytes = try read(name) } catch { throw DumpError("\(name) cannot be read: \(error.problem)") }
        known[name] = bytes
        return bytes
    }

    private func read(_ name: String) throws(ObjectFileError) -> SectionBytes {
        let found = file.debugSections(named: name)
        guard !found.isEmpty else { return .none }
        let order = file.description.byteOrder
        let contents = try file.contents(joining: found)
        owned.append(contents)
        return contents.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                switch contents {
                case .stored, .inflated:
                    // The mapping and the inflated memory stay where they are for as long as
                    // `owned` has them.
                    return unsafe SectionBytes(start: buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), count: buffer.count, order)
                case .streamed, .growing, .assembled:
                    let copy = unsafe ArrayCopy(buffer)
                    copies.append(copy)
                    return unsafe SectionBytes(start: UnsafePointer(copy.start), count: copy.count, order)
                }
            }
        }
    }

    /// Whether there is a section of that name, if only an empty one.
    static func has(_ name: String, in file: ObjectFile) -> Bool {
        let names = file.description.names(ofDebugSection: name)
        return file.description.sections.contains { names.contains($0.name) }
    }
}
