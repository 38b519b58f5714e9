internal import BinaryPrimitives
internal import MemoryImages
internal import ObjectFiles
internal import Unwinding

/// Object files in memory that JIT compilers registered for debuggers: the names, lines and unwind rules of code that no file has
/// (GDB's manual, "JIT Compilation Interface"). LLVM, Node, .NET, wasmtime and qemu register theirs.
///
///     __jit_debug_descriptor   uint32 version, uint32 action, entry *relevant, entry *first
///     entry                    entry *next, entry *previous, const char *file, uint64 size of the file
struct RegisteredCode {
    private(set) var objects: [ObjectFile] = []
    private let data: ProcessData
    private let limits: Limits
    /// Bytes of further files that may be read.
    private var unread: Int

    /// - Parameter data: each image of it is searched for a descriptor: a program may have several compilers.
    init(_ data: ProcessData, limits: Limits = .standard) {
        self.data = data
        self.limits = limits
        unread = limits.inflatedAtOnce
        let name = "__jit_debug_descriptor"
        for image in data.finder.memory.files where image.isCodeKnown {
            guard let descriptor = data.symbols([name], in: image)[name]?.lowerBound else { continue }
            addEntries(from: descriptor &+ 8 &+ UInt64(data.wordSize))
        }
    }

    /// - Parameter link: where the address of the first entry is.
    private mutating func addEntries(from link: UInt64) {
        var link = link
        var seen: Set<UInt64> = []
        while objects.count < limits.images, let entry = data.word(at: link), entry != 0, seen.insert(entry).inserted {
            let word = UInt64(data.wordSize)
            // The size is aligned as the processor aligns eight bytes.
            let size = entry &+ (data.wordSize == 8 ? 24 : [.i386, .m68k].contains(data.finder.memory.processor) ? 12 : 16)
            if let file = data.word(at: entry &+ 2 &* word), let count = data.number(at: size, size: 8),
                let object = object(at: file, count: Int(clamping: count))
            {
                objects.append(object)
            }
            link = entry
        }
    }

    /// Returns the object file in memory; `nil` if it is not all there, or is no object.
    private mutating func object(at address: UInt64, count: Int) -> ObjectFile? {
        guard count <= unread else { return nil }
        unread -= count
        var bytes = data.finder.memory.memory.bytes(at: address, count: count)
        guard bytes.count == count, let read = open(bytes) else { return nil }
        // The sections that run are elsewhere, and have been relocated: frame descriptions, too.
        for section in read.description.sections where section.isLoaded && !section.fileRange.isEmpty && section.address.value != 0 {
            let loaded = data.finder.memory.memory.bytes(at: section.address.value, count: section.fileRange.count)
            if loaded.count == section.fileRange.count { bytes.replaceSubrange(section.fileRange, with: loaded) }
        }
        return open(bytes)
    }

    private func open(_ bytes: [UInt8]) -> ObjectFile? {
        guard let file = try? MappedFile(bytes: bytes.span.rawBytes, name: MemoryImage.generatedName),
            let object = try? ObjectFiles.openAll(file).first, !object.description.sectionsArePlaced
        else { return nil }
        return object
    }
}

extension MemoryImage {
    /// Whether a frame is in code that no file has, and that is not the kernel's.
    func hasGeneratedCode(in stacks: [UnwoundStack]) -> Bool {
        let kernel = embedded.map { $0.base..<max($0.base, $0.base &+ UInt64($0.file.size)) }
        let ranges = (files.flatMap { $0.parts.map(\.range) } + kernel).sorted { $0.lowerBound < $1.lowerBound }
        return stacks.contains { stack in
            stack.frames.contains { frame in
                let next = ranges.partitionPoint { $0.lowerBound > frame.programCounter }
                let isInFile = next > 0 && ranges[next - 1].contains(frame.programCounter)
                return !isInFile && memory.isExecutable(frame.programCounter)
            }
        }
    }
}
