package import BinaryPrimitives
internal import Decompression

/// Opens object files of every container: ELF, Mach-O, universal Mach-O, dSYM bundles, kernel
/// caches, PE, WebAssembly.
package enum ObjectFiles {
    /// Opens the object that is meant.
    /// - Parameters:
    ///   - path: a file, a dSYM bundle's directory, a member of an archive, or an image of a shared cache:
    ///     `base.apk!/lib/arm64-v8a/libfoo.so`, `dyld_shared_cache_arm64e!/usr/lib/libobjc.A.dylib`.
    ///   - choice: which of several objects is meant; never decided by their order.
    /// - Throws: `ObjectFileError`. Objects beside the one that is meant may be damaged.
    package static func open(path: String, choosing choice: SliceChoice = .only) throws(ObjectFileError) -> ObjectFile {
        try choice.choose(from: try openEach(path: path), path: path)
    }

    /// Opens every object that can be opened: all slices of a universal file, all members of a dSYM
    /// bundle, all entries of a kernel cache.
    /// - Returns: at least one object, in the order of the members' names and, in a file, of its
    ///   slices or entries.
    /// - Throws: `ObjectFileError` of the first object, if none can be opened.
    package static func openAll(path: String) throws(ObjectFileError) -> [ObjectFile] {
        // An ELF file that is named as such, which is what tools are started for a thousand times:
        // without the ways of archives, folders and slices.
        if !MemberPath.mayBeMember(path), PathKind(path: path) == .file, let object = try ELFReader.open(try map(path)) { return [object] }
        return try opened(try openEach(path: path), path: path)
    }

    /// As `openAll(path:)`, for a file that is mapped already, or in memory.
    /// - Parameter limits: the caps for all that is read of the objects.
    package static func openAll(_ file: MappedFile, limits: Limits = .standard) throws(ObjectFileError) -> [ObjectFile] {
        try opened(openEach(file, limits), path: file.path)
    }

    /// Opens every object, or says why it cannot be opened.
    /// - Throws: `ObjectFileError` if there is nothing at the path that could hold an object.
    package static func openEach(path: String) throws(ObjectFileError) -> [Result<ObjectFile, ObjectFileError>] {
        if let image = try OpenSharedCaches.shared.image(at: path) { return [.success(image)] }
        if let member = try OpenArchives.shared.contents(at: path) { return openEach(member) }
        guard PathKind(path: path) == .directory else { return openEach(try map(path)) }
        return try dsymMembers(path).flatMap { member in
            do throws(ObjectFileError) { return openEach(try map(member)) } catch { return [.failure(error)] }
        }
    }

    private static func openEach(_ file: MappedFile, _ limits: Limits = .standard) -> [Result<ObjectFile, ObjectFileError>] {
        do throws(ObjectFileError) {
            if let object = try ELFReader.open(file, limits) { return [.success(object)] }
            if let objects = try MachOReader.openEach(file, 0..<file.size, limits) { return objects }
            if let slices = try UniversalFile.slices(file, limits) {
                return slices.enumerated().flatMap { openEach(file, slice: $0.element, index: $0.offset, limits) }
            }
            if let object = try PEReader.open(file, limits) { return [.success(object)] }
            if let modules = try WasmReader.openEach(file, limits) { return modules }
            if let object = try COFFReader.open(file, limits) { return [.success(object)] }
            if let unpacked = try CompressedFile.unpack(file, limits: limits) { return openEach(unpacked, limits) }
            throw ObjectFileError(.unknownFormat, path: file.path, unknownFormat(file))
        } catch {
            return [.failure(error)]
        }
    }

    private static func openEach(
        _ file: MappedFile, slice: Range<Int>, index: Int, _ limits: Limits
    ) -> [Result<ObjectFile, ObjectFileError>] {
        do throws(ObjectFileError) {
            guard !slice.isEmpty else {
                throw ObjectFileError(
                    .corrupt, path: file.path, "slice \(index) of the universal file is outside of the file, which is cut short")
            }
            if let objects = try MachOReader.openEach(file, slice, limits) { return objects }
            let description = isArchive(file, at: slice.lowerBound) ? "is a static library (ar archive)" : "is not a Mach-O object"
            throw ObjectFileError(.unsupported, path: file.path, "slice \(index) of the universal file \(description)")
        } catch {
            return [.failure(error)]
        }
    }

    /// Opens the inflating library, which is otherwise opened at its first use. For processes that
    /// will soon be unable to open files.
    package static func openLibraries() { _ = ISALLibrary.shared }

    private static func map(_ path: String) throws(ObjectFileError) -> MappedFile {
        do throws(FileError) { return try MappedFile(path: path) } catch {
            throw ObjectFileError(.unreadable, path: path, error.problem)
        }
    }

    private static func opened(_ results: [Result<ObjectFile, ObjectFileError>], path: String) throws(ObjectFileError) -> [ObjectFile] {
        let objects = results.compactMap { try? $0.get() }
        if objects.isEmpty, let first = results.first { _ = try first.get() }
        return objects
    }

    private static func isArchive(_ file: MappedFile, at offset: Int) -> Bool {
        [Archive.magic, Archive.thinMagic].contains(file.bytes(in: offset..<offset + 8))
    }

    private static func unknownFormat(_ file: MappedFile) -> String {
        if let foreign = ForeignFormat.sentence(file) { return foreign }
        let description = file.size == 0 ? "an empty file" : isArchive(file, at: 0) ? "a static library (ar archive)" : "not an object file"
        if ArchiveMagic(file.bytes(in: 0..<TarHeader.size)) != nil {
            let member = "\(file.path)\(MemberPath.separator)NAME"
            return "an archive or compressed, expected ELF, Mach-O, PE, WebAssembly or a dSYM bundle, or a member of it: \(member)"
        }
        return "\(description), expected ELF, Mach-O, PE, WebAssembly or a dSYM bundle"
    }

    /// Files of a dSYM bundle: a directory with the debug information of one or more images in
    /// `Contents/Resources/DWARF`.
    /// - Returns: the paths, by name.
    private static func dsymMembers(_ path: String) throws(ObjectFileError) -> [String] {
        let folder = path + (path.hasSuffix("/") ? "" : "/") + "Contents/Resources/DWARF"
        guard PathKind(path: folder) == .directory else {
            let problem = path.hasSuffix(".dSYM") || path.hasSuffix(".dSYM/") ? "the dSYM bundle has no" : "a directory without"
            throw ObjectFileError(
                .unknownFormat, path: path, "\(problem) Contents/Resources/DWARF, expected a dSYM bundle or an object file")
        }
        let names: [String]
        do throws(FileError) { names = try Directory.names(in: folder) } catch {
            throw ObjectFileError(.unreadable, path: folder, error.problem)
        }
        // Names with a dot in front are the Finder's (`.DS_Store`) and those that archives leave
        // (`._App`).
        let members = names.filter { !$0.hasPrefix(".") }.map { folder + "/" + $0 }.filter { PathKind(path: $0) == .file }
        guard !members.isEmpty else {
            throw ObjectFileError(.unknownFormat, path: path, "the dSYM bundle's Contents/Resources/DWARF holds no file")
        }
        return members
    }
}
