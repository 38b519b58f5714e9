internal import CCairn
internal import LibC

/// Why a file could not be opened or read: the system's error with the path it was about.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package var path: String
    /// `errno` of the call that failed; zero if it is not a regular file, `holes` if too little of
    /// it was written.
    package var errorNumber: Int32

    /// Most of the file was never written.
    package static let holes: Int32 = -1

    /// It has more bytes than are read as a whole (`EFBIG`).
    package static func tooLarge(_ path: String) -> FileError { FileError(path: path, errorNumber: EFBIG) }

    package init(path: String, errorNumber: Int32) {
        self.path = path
        self.errorNumber = errorNumber
    }

    package var description: String { "\(path): \(problem)" }

    /// Nothing is there.
    package var isMissing: Bool { errorNumber == ENOENT || errorNumber == ENOTDIR }

    /// Description of the error, without the path.
    package var problem: String {
        switch errorNumber {
        case 0: "not a regular file"
        case FileError.holes:
            "more than a gigabyte of it was never written (a hole). To read what follows: tail --bytes=+N"
        default: FileError.systemText(errorNumber)
        }
    }

    /// The system's description of an error (`strerror(3)`), as cairn spells it in all its messages: `no such file or
    /// directory`. Tools that cairn replaces have the system's capital letter.
    package static func systemText(_ number: Int32) -> String {
        let text = unsafe String(cString: strerror(number))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

/// A file, open for reading and mapped: `open(2)`, `fstat(2)` and `mmap(2)` with `PROT_READ`.
///
/// Small integers scattered over a large file are cheaper by `read(at:into:)` than through the
/// mapping, where each touches 64 KB (the kernel's fault-around); whole sections that are read once
/// are cheapest through one reused buffer. Strings and tables that are binary-searched are read
/// through the mapping.
///
/// A file that another process truncates while it is mapped raises `SIGBUS` on access, as for every
/// tool that maps its input; a program that wants to survive this says so once
/// (`FileChanges.survive()`). Data that was read from a file is valid if its `change` is still
/// `nil` afterwards.
@safe package final class MappedFile: Sendable {
    package let path: String
    /// The size in bytes when it was opened.
    package let size: Int
    /// When the file was last changed, in seconds since 1970 (`st_mtime`); `nil` for bytes that
    /// never were a file.
    package let modificationTime: Int64?
    /// When it was last changed, in nanoseconds; zero for bytes that never were a file.
    package let modified: Int64
    /// Negative for bytes that never were a file.
    private let descriptor: Int32
    /// Number of the mapping in the table of mappings whose pages may disappear; negative if it is
    /// not in the table.
    private let number: Int32
    // A mapping is immutable memory for as long as the object lives, whichever thread reads it.
    private nonisolated(unsafe) let start: UnsafeRawPointer?
    /// Memory to unmap at the end; empty for a part of another file, which owns the mapping.
    private nonisolated(unsafe) let mapping: UnsafeMutableRawBufferPointer
    /// The file that this one is a part of, and where in it.
    private let whole: (file: MappedFile, start: Int)?
    /// The files that this one joins, in their order; empty for any other.
    private let parts: [Part]

    /// A file that is joined with others.
    private struct Part: Sendable {
        let file: MappedFile
        /// Offset of its first byte in the joined file: a multiple of the page size.
        let start: Int
        /// As `MappedFile.number`, of its pages in the joined mapping.
        let number: Int32
    }

    /// - Throws: `FileError` if the file cannot be opened or mapped, or is not a regular file. An
    ///   empty file maps as no bytes.
    package convenience init(path: String) throws(FileError) {
        // A pipe would wait for its other end, and a terminal could become this process's own. For
        // a file both flags mean nothing.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw FileError(path: path, errorNumber: errno) }
        try self.init(descriptor: descriptor, path: path)
    }

    /// A file that is open already, with or without a name in the file system.
    /// - Parameters:
    ///   - descriptor: open for reading; closed in the end, and if this throws.
    ///   - path: used in messages.
    package init(descriptor: Int32, path: String) throws(FileError) {
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else {
            let number = errno
            close(descriptor)
            throw FileError(path: path, errorNumber: number)
        }
        guard information.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileError(path: path, errorNumber: information.st_mode & S_IFMT == S_IFDIR ? EISDIR : 0)
        }
        let size = Int(information.st_size)
        var start: UnsafeMutableRawPointer?
        if size > 0 {
            unsafe start = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0)
            guard unsafe start != nil, unsafe start != MAP_FAILED else {
                let number = errno
                close(descriptor)
                throw FileError(path: path, errorNumber: number)
            }
        }
        self.path = path
        self.size = size
        let time = Self.time(of: information)
        modificationTime = Int64(time.tv_sec)
        modified = Self.nanoseconds(time)
        self.descriptor = descriptor
        number = unsafe cairn_mapping_add(start, size)
        unsafe self.start = UnsafeRawPointer(start)
        unsafe mapping = UnsafeMutableRawBufferPointer(start: start, count: size)
        whole = nil
        parts = []
    }

    /// A part of another file as a separate file, such as a member that an archive stores
    /// uncompressed. Nothing is copied.
    /// - Parameters:
    ///   - range: of the other file's bytes, as far as they lie in it.
    ///   - path: used in messages.
    package init(_ file: MappedFile, _ range: Range<Int>, path: String) {
        let range = range.clamped(to: 0..<file.size)
        self.path = path
        size = range.count
        modificationTime = file.modificationTime
        modified = 0
        descriptor = -1
        number = -1
        unsafe start = file.start.map { unsafe $0 + range.lowerBound }
        unsafe mapping = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        whole = (file, range.lowerBound)
        parts = []
    }

    /// Several files as one, so that whatever reads a file reads all of them: each begins at a page, after the last page of the
    /// one before. Nothing is copied, except of files that exist in memory alone.
    ///
    ///     first file            second file
    ///     |bytes ......... 0 0 0|bytes ....... 0 0|
    ///     0                     a page            `size`
    ///
    /// - Parameters:
    ///   - files: their contents; they stay open as long as the joined file is.
    ///   - path: used in messages.
    /// - Throws: `FileError` if so many addresses cannot be reserved, or a file cannot be mapped.
    package init(joining files: [MappedFile], path: String) throws(FileError) {
        let page = Int(getpagesize())
        var starts: [Int] = []
        var total = 0
        for file in files {
            starts.append(total)
            let (end, isTooLarge) = total.addingReportingOverflow(file.size)
            guard !isTooLarge, end <= Int.max / 2 else { throw FileError(path: path, errorNumber: ENOMEM) }
            total = Self.pageEnd(end)
        }
        var flags = MAP_PRIVATE | MAP_ANON
        #if !canImport(Darwin)
            flags |= MAP_NORESERVE
        #endif
        let reserved = unsafe mmap(nil, max(total, page), PROT_NONE, flags, -1, 0)
        guard let memory = unsafe reserved, unsafe memory != MAP_FAILED else { throw FileError(path: path, errorNumber: errno) }
        var parts: [Part] = []
        for (file, start) in zip(files, starts) where file.size > 0 {
            let address = unsafe memory + start
            guard unsafe file.map(at: address) else {
                let number = errno
                for part in parts { cairn_mapping_remove(part.number) }
                unsafe munmap(memory, max(total, page))
                throw FileError(path: file.path, errorNumber: number)
            }
            parts.append(Part(file: file, start: start, number: file.descriptor >= 0 ? unsafe cairn_mapping_add(address, file.size) : -1))
        }
        self.path = path
        size = total
        modificationTime = files.first?.modificationTime
        modified = 0
        descriptor = -1
        number = -1
        unsafe start = UnsafeRawPointer(memory)
        unsafe mapping = UnsafeMutableRawBufferPointer(start: memory, count: max(total, page))
        whole = nil
        self.parts = parts
    }

    /// Maps the file over addresses that are reserved, up to the end of its last page.
    /// - Returns: `false` with `errno` if the system does not.
    private func map(at address: UnsafeMutableRawPointer) -> Bool {
        if descriptor >= 0 {
            return unsafe mmap(address, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor, 0) != MAP_FAILED
        }
        guard unsafe mprotect(address, size, PROT_READ | PROT_WRITE) == 0 else { return false }
        unsafe _ = read(at: FileOffset(0), into: UnsafeMutableRawBufferPointer(start: address, count: size))
        return unsafe mprotect(address, size, PROT_READ) == 0
    }

    /// The start of the next of several joined files, after one of that size: the end of its last page.
    package static func pageEnd(_ size: Int) -> Int {
        let page = Int(getpagesize())
        return (size + page - 1) / page * page
    }

    /// A file that exists in memory alone: unpacked from another file, or made by a test.
    ///
    /// As with a mapped file, a C library that writes into it stops the process; and one that reads
    /// past its end does too, because a page that cannot be read follows (after at most 15 bytes,
    /// so that the first byte stays aligned as `mmap` would align it for any header).
    /// - Parameters:
    ///   - bytes: copied.
    ///   - name: used in place of the path in messages.
    package convenience init(bytes: RawSpan, name: String) throws(FileError) {
        try unsafe self.init(count: bytes.byteCount, name: name) { target in
            unsafe bytes.withUnsafeBytes { source in
                if let from = source.baseAddress { unsafe target.baseAddress?.copyMemory(from: from, byteCount: source.count) }
            }
        }
    }

    /// A file that exists in memory alone and is filled in place, so that the unpacked bytes are in
    /// memory only once.
    /// - Parameters:
    ///   - name: used in place of the path in messages.
    ///   - inMemory: more bytes are pages of a file that has no name (`UnlinkedFile`), where there
    ///     is room for one: the system writes them there when it needs the memory.
    ///   - fill: gets `count` bytes, all zero, which cannot be written any more when it returns.
    package init(
        count: Int, name: String, inMemory: Int = .max, fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(FileError) {
        let page = Int(getpagesize())
        guard count >= 0, count <= Int.max / 2 else { throw FileError(path: name, errorNumber: ENOMEM) }
        let readable = (count + page - 1) / page * page
        let onDisk = unsafe count > inMemory ? UnlinkedFile.mapping(count: readable + page) : nil
        let memory = unsafe onDisk ?? mmap(nil, readable + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { throw FileError(path: name, errorNumber: errno) }
        let begin = (readable - count) & ~15
        unsafe fill(UnsafeMutableRawBufferPointer(start: memory + begin, count: count))
        guard unsafe mprotect(memory, readable, PROT_READ) == 0, unsafe mprotect(memory + readable, page, PROT_NONE) == 0 else {
            let number = errno
            unsafe munmap(memory, readable + page)
            throw FileError(path: name, errorNumber: number)
        }
        path = name
        size = count
        modificationTime = nil
        modified = 0
        descriptor = -1
        number = -1
        unsafe start = UnsafeRawPointer(memory + begin)
        unsafe mapping = UnsafeMutableRawBufferPointer(start: memory, count: readable + page)
        whole = nil
        parts = []
    }

    deinit {
        // First, because another mapping may lie there as soon as this one is gone.
        cairn_mapping_remove(number)
        for part in parts { cairn_mapping_remove(part.number) }
        if unsafe mapping.count > 0 { unsafe _ = munmap(mapping.baseAddress, mapping.count) }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Gives the whole file's bytes to `body`, through the mapping.
    package func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        try unsafe body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: size)))
    }

    /// Copies bytes of the file into the start of `buffer` with `pread(2)`.
    /// - Parameters:
    ///   - offset: position in the file, in bytes.
    ///   - buffer: filled from its start.
    /// - Returns: how many bytes were copied: fewer than the buffer holds only at the end of the
    ///   file or after an error.
    package func read(at offset: FileOffset, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if let whole {
            guard offset.value < UInt64(size) else { return 0 }
            let position = Int(offset.value)
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, size - position)])
            return unsafe whole.file.read(at: FileOffset(UInt64(whole.start + position)), into: part)
        }
        if !parts.isEmpty { return unsafe readParts(at: offset, into: buffer) }
        guard descriptor >= 0 else { return unsafe copy(from: offset, into: buffer) }
        guard let position = off_t(exactly: offset.value) else { return 0 }
        var done = 0
        while done < buffer.count {
            let part = unsafe pread(
                descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done, position + off_t(done))
            if part < 0, errno == EINTR { continue }
            if part <= 0 { break }
            done += part
        }
        return done
    }

    /// Reads from the joined files; the bytes between two of them are zero.
    private func readParts(at offset: FileOffset, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset.value < UInt64(size) else { return 0 }
        let first = Int(offset.value)
        let count = min(buffer.count, size - first)
        var done = 0
        var index = max(0, parts.partitionPoint { $0.start > first } - 1)
        while done < count, index < parts.count {
            let part = parts[index]
            let end = index + 1 < parts.count ? parts[index + 1].start : size
            let position = first + done - part.start
            let wanted = min(count - done, end - first - done)
            let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + wanted])
            let inFile = max(0, min(wanted, part.file.size - position))
            let read = inFile > 0 ? unsafe part.file.read(at: FileOffset(UInt64(position)), into: .init(rebasing: piece[..<inFile])) : 0
            guard read == inFile else { return done + read }
            for zero in inFile..<wanted { unsafe piece[zero] = 0 }
            done += wanted
            index += 1
        }
        return done
    }

    private func copy(from offset: FileOffset, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset.value < UInt64(size), let start = unsafe start else { return 0 }
        let position = Int(offset.value)
        let count = min(buffer.count, size - position)
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(start: start + position, count: count))
        return count
    }

    /// A copy of the bytes of `range`, made with `pread(2)`; fewer where the file ends before, or
    /// could not be read.
    package func bytes(in range: Range<Int>) -> [UInt8] {
        let inside = range.clamped(to: 0..<size)
        return unsafe [UInt8](unsafeUninitializedCapacity: inside.count) { buffer, count in
            unsafe count = read(at: FileOffset(UInt64(inside.lowerBound)), into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// A copy of all bytes.
    /// - Throws: `FileError` (`EFBIG`) where there are more than `limit`: a file of nothing can be
    ///   of any size.
    package func allBytes(limit: Int) throws(FileError) -> [UInt8] {
        guard size <= limit else { throw .tooLarge(path) }
        return bytes(in: 0..<size)
    }

    /// The zero-terminated string at `position`: read with one small `pread(2)` where it is short,
    /// so that names scattered over a large string table do not each make 64 KB of it resident.
    /// - Parameters:
    ///   - end: the zero must be before this position.
    ///   - limit: a longer string is cut there (bytes).
    /// - Returns: `nil` outside the file, or if the string has no end.
    package func string(from position: FileOffset, before end: FileOffset, limit: Int) -> String? {
        let end = min(end.value, UInt64(size))
        guard position.value < end else { return nil }
        let count = Int(end - position.value)
        let short: String? = unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(256, count, max(0, limit))])
            let read = unsafe self.read(at: position, into: piece)
            guard let length = unsafe piece[..<read].firstIndex(of: 0) else { return nil }
            return unsafe String(decoding: piece[..<length], as: UTF8.self)
        }
        if let short { return short }
        return withBytes { whole in
            guard let table = try? whole.slice(at: position.value, count: UInt64(count)) else { return nil }
            let text = table.prefix(limit)
            if let length = text.lengthOfCString() { return text.prefix(length).string() }
            return count > limit ? text.string() : nil
        }
    }

    private static func time(of information: stat) -> timespec {
        #if canImport(Darwin)
            information.st_mtimespec
        #else
            information.st_mtim
        #endif
    }

    private static func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }

    /// Change of the file since it was opened; `nil` if it is unchanged. Read it after each
    /// reading, before the result is trusted (`fstat(2)`).
    ///
    /// A file that was modified in place has another size, or another time of its last change, even
    /// if none of its pages disappeared: data read before and after does not belong together.
    /// Linkers and package managers replace the old file by a new one; this value then remains the
    /// old file.
    package var change: FileChange? { change(checksTime: true) }

    /// - Parameter checksTime: `false` for a file whose time is not the time of its last write,
    ///   and that is never modified in place.
    package func change(checksTime: Bool) -> FileChange? {
        if let whole { return whole.file.change(checksTime: checksTime) }
        for part in parts {
            if let change = part.file.change(checksTime: checksTime) { return change }
            if cairn_mapping_is_marked(part.number) != 0 { return .unreadable(part.file.path) }
        }
        guard descriptor >= 0 else { return nil }
        var information = stat()
        if unsafe fstat(descriptor, &information) == 0 {
            if information.st_size != size || (checksTime && Self.nanoseconds(Self.time(of: information)) != modified) {
                return .rewritten(path)
            }
        }
        return cairn_mapping_is_marked(number) != 0 ? .unreadable(path) : nil
    }

    /// A file that is open, and where in it the bytes of this one begin: to be handed to another
    /// process. `nil` for bytes that never were a file. Valid as long as this object lives.
    package var openPart: OpenPart? {
        guard let whole else { return descriptor >= 0 ? OpenPart(descriptor: descriptor, start: 0) : nil }
        return whole.file.openPart.map { OpenPart(descriptor: $0.descriptor, start: $0.start + whole.start) }
    }

    /// See `openPart`.
    package struct OpenPart: Sendable {
        package var descriptor: Int32
        /// In bytes.
        package var start: Int
    }

    /// Informs the kernel that the pages of the mapping are not needed for now (`madvise(2)`,
    /// `MADV_DONTNEED`), which removes them from the resident set. They are read again from the
    /// page cache when they are touched.
    package func releasePages() {
        if let whole { return whole.file.releasePages() }
        // Memory without a file would come back as zeros.
        guard descriptor >= 0 || !parts.isEmpty && parts.allSatisfy({ $0.file.descriptor >= 0 }) else { return }
        if unsafe mapping.count > 0 { unsafe _ = madvise(mapping.baseAddress, mapping.count, Int32(MADV_DONTNEED)) }
    }

    /// Removes the pages of a range of the file's bytes from the resident set, as `releasePages()` does for all.
    func releasePages(in range: Range<Int>) {
        if let whole { return whole.file.releasePages(in: whole.start + range.lowerBound..<whole.start + range.upperBound) }
        let inside = range.clamped(to: 0..<size)
        guard descriptor >= 0, let start = unsafe start, !inside.isEmpty else { return }
        // The mapping begins at a page.
        let page = Int(getpagesize())
        let first = inside.lowerBound / page * page
        unsafe _ = madvise(UnsafeMutableRawPointer(mutating: start + first), inside.upperBound - first, Int32(MADV_DONTNEED))
    }

    /// The mapped bytes for a C library that keeps a pointer to them. Valid as long as this object
    /// lives.
    @unsafe package var unsafeBytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: size) }
}
