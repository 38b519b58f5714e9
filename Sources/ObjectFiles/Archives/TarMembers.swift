internal import BinaryPrimitives
internal import Decompression

/// The members of a tar or cpio archive that it is opened for, and where their bytes are.
struct TarMembers {
    typealias Found = [(FileArchive.Member, FileArchive.Location)]

    let purpose: FileArchive.Purpose
    let limits: Limits

    /// Lists the members of an uncompressed archive, with the ranges of their bytes.
    func stored(_ file: MappedFile) throws(ObjectFileError) -> Found {
        let isCPIO = CPIOReader<StoredBytes>.begins(file.bytes(in: 0..<6))
        do throws(DecodingFailure) {
            if isCPIO {
                var reader = CPIOReader(StoredBytes(file), limits: limits)
                return try located(&reader, in: file)
            }
            var reader = TarReader(StoredBytes(file), limits: limits)
            return try located(&reader, in: file)
        } catch {
            throw error.unpacking(file.path, isCPIO ? "the cpio archive" : "the tar archive")
        }
    }

    private func located(_ reader: inout some MemberReader & ~Copyable, in file: MappedFile) throws(DecodingFailure) -> Found {
        var found = Collected(purpose, limits)
        while let member = try reader.next() { try found.add(member, in: member.start..<member.start + member.size) }
        return found.located { range in
            range.upperBound <= file.size ? .stored(file, range) : .refused("it is cut short: the archive ends before it does")
        }
    }

    /// Decompresses an archive once and keeps the members that are wanted.
    /// - Returns: `nil` for a single compressed log, `crash.log.gz`: the reader of logs
    ///   decompresses it itself.
    func unpack(_ file: MappedFile, _ method: PackingMethod) throws(ObjectFileError) -> Found? {
        let label = "the file that is compressed with \(method.rawValue)"
        var target = UnlinkedFile()
        var found = Collected(purpose, limits)
        var problem: FileError?
        do throws(DecodingFailure) {
            var stream = try method.stream(file, limits)
            let head: [UInt8]
            do throws(DecodingFailure) { head = try stream.read(TarHeader.size) } catch {
                if purpose == .logs { return nil }
                throw error
            }
            switch ArchiveMagic(head) {
            case .tar:
                var reader = TarReader(Prefixed(head, stream), limits: limits)
                try unpack(&reader, &found, &target, &problem)
            case .cpio:
                var reader = CPIOReader(Prefixed(head, stream), limits: limits)
                try unpack(&reader, &found, &target, &problem)
            default:
                guard purpose == .logs else { throw .damaged("its contents are neither an object file nor a tar archive") }
                return nil
            }
        } catch {
            if let problem { throw ObjectFileError(.unsupported, path: file.path, "it could not be unpacked into \(problem)") }
            throw error.unpacking(file.path, label)
        }
        let unpacked: MappedFile
        do throws(FileError) { unpacked = try target.finish(path: file.path) } catch {
            throw ObjectFileError(.unsupported, path: file.path, "it could not be unpacked: \(error.problem)")
        }
        return found.located { .stored(unpacked, $0) }
    }

    private func unpack(
        _ reader: inout some MemberReader & ~Copyable, _ found: inout Collected, _ target: inout UnlinkedFile, _ problem: inout FileError?
    ) throws(DecodingFailure) {
        while let member = try reader.next() {
            let start = target.count
            let isWanted = member.linkTarget == nil && member.problem == nil && MemberName.isWanted(member.name, for: purpose)
            try found.add(member, in: start..<start + (isWanted ? member.size : 0))
            guard isWanted else { continue }
            try reader.read(member.size) { (bytes: [UInt8]) throws(DecodingFailure) in
                do throws(FileError) { try target.append(bytes) } catch {
                    problem = error
                    throw .damaged("")
                }
            }
        }
        try reader.drain()
    }

    /// Members collected while an archive is read.
    private struct Collected {
        private struct Known {
            var name: String
            var range: Range<Int>
            var problem: String?
        }

        private let purpose: FileArchive.Purpose
        private let limits: Limits
        private var files: [Known] = []
        /// Every file by its name, for the links to it: the number in `files`.
        private var numbers: [String: Int] = [:]
        private var memberCount = 0
        private var nameBytes = 0

        init(_ purpose: FileArchive.Purpose, _ limits: Limits) {
            self.purpose = purpose
            self.limits = limits
        }

        mutating func add(_ member: ArchivedFile, in range: Range<Int>)
            throws(DecodingFailure)
        {
            memberCount += 1
            guard memberCount <= limits.archiveMembers else { throw .damaged("it has more than \(limits.archiveMembers) members") }
            var known = Known(name: member.name, range: range, problem: member.problem)
            if let target = member.linkTarget {
                guard let number = numbers[target] else { return }
                known = files[number]
                known.name = member.name
            }
            guard MemberName.isWanted(member.name, for: purpose) else { return }
            nameBytes += member.name.utf8.count
            guard nameBytes <= limits.archiveNames else {
                throw .damaged("the names of its members have more than \(limits.archiveNames) bytes")
            }
            numbers[member.name] = files.count
            files.append(known)
        }

        func located(_ location: (Range<Int>) -> FileArchive.Location) -> Found {
            files.map { known in
                let member = FileArchive.Member(name: known.name, size: known.range.count, isPacked: false)
                return (member, known.problem.map { .refused($0) } ?? location(known.range))
            }
        }
    }
}

/// A stream of which the first bytes were read already.
private struct Prefixed<Rest: ByteStream & ~Copyable>: ByteStream, ~Copyable {
    private var prefix: ArraySlice<UInt8>
    private var rest: Rest

    init(_ prefix: [UInt8], _ rest: consuming Rest) {
        self.prefix = prefix[...]
        self.rest = rest
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(DecodingFailure) -> Int {
        guard !prefix.isEmpty else { return unsafe try rest.read(into: buffer) }
        let count = min(prefix.count, buffer.count)
        unsafe buffer.copyBytes(from: prefix.prefix(count))
        prefix = prefix.dropFirst(count)
        let others = unsafe try rest.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
        return count + others
    }

    mutating func skip(_ count: Int) throws(DecodingFailure) -> Int {
        let own = min(prefix.count, count)
        prefix = prefix.dropFirst(own)
        return own + (try rest.skip(count - own))
    }
}
