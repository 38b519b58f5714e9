package import BinaryPrimitives
internal import Unwinding

/// Reads ELF cores of Linux.
package enum CoreReader {
    /// - Throws: `CoreError` if the file is not a core, or its machine is not known. Truncated parts are left
    ///   out, with a note.
    package static func read(_ file: MappedFile, limits: Limits = .standard) throws(CoreError) -> MemoryImage {
        let headers = try file.withBytes { (bytes: RawSpan) throws(CoreError) -> CoreHeaders in try CoreHeaders(bytes, limits) }
        guard let registers = CoreRegisters(machine: headers.machine, isWide: headers.isWide, headers.order) else {
            throw .machine(headers.machine)
        }
        var notes = CoreNotes(registers)
        var segments: [Memory.Segment] = []
        var executable: [Range<UInt64>] = []
        var tags: [MemoryTags] = []
        var missing: UInt64 = 0
        // Bytes that segments of notes may still have: a segment may be declared again and again.
        var unread = file.size
        for segment in headers.segments {
            let size = UInt64(file.size)
            let end = min(segment.offset &+ segment.fileSize, size)
            let range = segment.offset < end ? Int(segment.offset)..<Int(end) : 0..<0
            if UInt64(range.count) < segment.fileSize { missing &+= segment.fileSize - UInt64(range.count) }
            switch segment.type {
            case CoreHeaders.note where range.count <= unread:
                unread -= range.count
                file.withBytes { notes.read($0.clamped(to: range), limits) }
            case CoreHeaders.load:
                let (last, overflow) = segment.address.addingReportingOverflow(segment.memorySize)
                guard !overflow else { continue }
                if segment.isExecutable, segment.address < last { executable.append(segment.address..<last) }
                segments.append(
                    Memory.Segment(
                        address: segment.address, .file(file, range), size: segment.memorySize, isExecutable: segment.isExecutable))
            case CoreHeaders.memoryTags where registers.processor == .arm64:
                let (last, overflow) = segment.address.addingReportingOverflow(segment.memorySize)
                if !overflow, segment.address < last { tags.append(MemoryTags(range: segment.address..<last, file: file, contents: range)) }
            default: break
            }
        }
        var image = MemoryImage(notes.registers.processor, Memory(segments, headers.order))
        if notes.registers.processor == .mips64, !headers.isWide { image.fileArchitecture = .mips }
        notes.assignNetBSDStatus()
        image.operatingSystem.kind = notes.system == .linux ? .linux : .other
        image.operatingSystem.name = notes.system.rawValue
        image.threads = notes.threads
        if notes.threads.first?.signal != nil { image.crashedThread = 0 }
        image.process = notes.process
        image.codeMask = notes.codeMask
        image.tags = tags
        let files = CoreFiles(notes.files, executable: executable, memory: image.memory)
        image.files = files.images
        // AT_SYSINFO_EHDR: its pages are in every core, next to each other.
        if let base = notes.process.auxiliaryVector[33], let segment = segments.first(where: { $0.address == base }),
            case .file(_, let range) = segment.contents, !range.isEmpty
        {
            image.embedded = [(base, MappedFile(file, range, path: "[vdso]"))]
        }
        // Emulators and other systems leave ranges out, and a core that is cut short lacks some.
        image.knowsMappings = !notes.files.isEmpty && headers.missing == 0
        image.notes = notes.notes + files.notes
        image.compareWithLinks(limits)
        if headers.missing > 0 { image.notes.append("\(headers.missing) program headers are not in the file") }
        if missing > 0 { image.notes.append("\(missing) bytes of memory are not in the file: the core is cut short") }
        if image.threads.isEmpty { image.notes.append("the core has no thread's registers") }
        return image
    }
}

/// Why a file cannot be read as a core.
package enum CoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is not an ELF core.
    case notACore
    /// The machine, by ELF's number, is not known.
    case machine(UInt16)
    /// The file ends in its headers.
    case cut(ReadError)

    package var description: String {
        switch self {
        case .notACore: "the file is not an ELF core file"
        case .machine(let number): "stacks of ELF machine \(number) cannot be unwound"
        case .cut(let error): "the core's headers are damaged: \(error)"
        }
    }
}
