package import BinaryPrimitives

extension ObjectFiles {
    /// The objects of that name in a static library, for all architectures that it holds; or the
    /// entries of a kernel cache with that identifier.
    /// - Throws: `ObjectFileError` if there is no library and no kernel cache at the path, or it
    ///   is damaged.
    package static func open(
        member name: String, ofArchive path: String
    ) throws(ObjectFileError) -> [(object: ObjectFile, modificationTime: UInt64)] {
        let file: MappedFile
        do throws(FileError) { file = try MappedFile(path: path) } catch {
            throw ObjectFileError(.unreadable, path: path, error.problem)
        }
        return try open(member: name, of: file)
    }

    /// As `open(member:ofArchive:)`, for a file that is mapped already, or in memory.
    package static func open(
        member name: String, of file: MappedFile
    ) throws(ObjectFileError) -> [(object: ObjectFile, modificationTime: UInt64)] {
        var found: [(object: ObjectFile, modificationTime: UInt64)] = []
        for slice in try UniversalFile.slices(file) ?? [0..<file.size] {
            if let entries = try Fileset.open(file, slice) {
                for entry in entries where entry.name == name { found.append((try entry.object.get(), modificationTime(of: file))) }
                continue
            }
            guard let members = try Archive.members(file, slice) else {
                throw ObjectFileError(.unknownFormat, path: file.path, "not a static library, expected an ar archive")
            }
            for member in members where member.isNamed(name) {
                let contents = try member.contents(in: file)
                if let object = try MachOReader.open(contents.file, contents.range) {
                    found.append((object, member.modificationTime))
                } else if let object = try ELFReader.open(
                    MappedFile(contents.file, contents.range, path: "\(file.path)(\(name))"))
                {
                    found.append((object, member.modificationTime))
                }
            }
        }
        return found
    }

    private static func modificationTime(of file: MappedFile) -> UInt64 { file.modificationTime.map { UInt64(bitPattern: $0) } ?? 0 }
}

extension ObjectFiles {
    /// Every member of a static library, in its order, that is an object file.
    /// - Returns: the members' names with their objects, or why they cannot be opened; `nil` if
    ///   there is no static library at the path.
    /// - Throws: `ObjectFileError` if the library itself is damaged.
    package static func openMembers(
        ofArchive path: String
    ) throws(ObjectFileError) -> [(member: String, object: Result<ObjectFile, ObjectFileError>)]? {
        let file: MappedFile
        do throws(FileError) { file = try MappedFile(path: path) } catch {
            throw ObjectFileError(.unreadable, path: path, error.problem)
        }
        var found: [(String, Result<ObjectFile, ObjectFileError>)] = []
        for slice in try UniversalFile.slices(file) ?? [0..<file.size] {
            guard let members = try Archive.members(file, slice) else { return nil }
            for member in members {
                do throws(ObjectFileError) {
                    let contents = try member.contents(in: file)
                    let part = MappedFile(contents.file, contents.range, path: "\(path)(\(member.name))")
                    found += try openAll(part).map { (member.name, .success($0)) }
                } catch {
                    found.append((member.name, .failure(error)))
                }
            }
        }
        return found
    }
}
