package import BinaryPrimitives
internal import Synchronization

/// The shared caches that are open in this process, so that each is mapped and listed once.
///
/// One whose files changed on disk is opened anew; those that were not used in a while are closed, when nothing reads their images
/// any more.
package final class OpenSharedCaches: Sendable {
    package static let shared = OpenSharedCaches()

    /// Versions of the files that a cache depends on.
    private struct Key: Hashable {
        var versions: [FileVersion]

        /// - Returns: `nil` if the file is not of a shared cache.
        init?(_ path: String) {
            guard let versions = OpenSharedCaches.cacheVersions(path) else { return nil }
            self.versions = versions
        }
    }

    /// Lists of images, which outlive the open caches: a folder may have the caches of many systems.
    private let lists = RecentlyUsed<Key, Result<SharedCacheList?, ObjectFileError>>(.init(count: 256))
    /// Maximum number of caches that stay open: each needs gigabytes of addresses, and up to a hundred descriptors.
    private let caches = RecentlyUsed<Key, Result<SharedCache?, ObjectFileError>>(.init(count: 4))

    init() {}

    /// Versions of everything that is read from an archive: the file, and of a shared cache also the folder that has its other files.
    /// Those are replaced, not written to: a folder's modification time changes with its entries.
    /// - Returns: an empty list if there is no file.
    package static func versions(_ path: String) -> [FileVersion] {
        cacheVersions(path) ?? FileVersion(path: path).flatMap { $0.isFolder ? nil : [$0] } ?? []
    }

    /// - Returns: `nil` if the file is not of a shared cache.
    private static func cacheVersions(_ path: String) -> [FileVersion]? {
        guard SharedCache.isCache(path), let main = FileVersion(path: path) else { return nil }
        return [main] + (FileVersion(path: Path.directory(of: path)).map { [$0] } ?? [])
    }

    /// The cache whose main file, or one of whose other files, is at the path.
    /// - Returns: `nil` if the file is not of a shared cache.
    /// - Throws: `ObjectFileError` if it is damaged, or a subcache without its main file.
    package func cache(at path: String) throws(ObjectFileError) -> SharedCache? {
        guard let key = Key(path) else { return nil }
        return try caches.value(for: key) { open(path, lists[key]) }.get()
    }

    /// The images of the cache whose main file, or one of whose other files, is at the path; as `cache(at:)`, but nothing else is
    /// opened.
    package func list(at path: String) throws(ObjectFileError) -> SharedCacheList? {
        guard let key = Key(path) else { return nil }
        let result: Result<SharedCacheList?, ObjectFileError> = lists.value(for: key) {
            do throws(ObjectFileError) { return .success(try SharedCacheList(try mainFile(of: path))) } catch { return .failure(error) }
        }
        return try result.get()
    }

    private func open(_ path: String, _ list: Result<SharedCacheList?, ObjectFileError>?) -> Result<SharedCache?, ObjectFileError> {
        do throws(ObjectFileError) {
            return .success(try Self.open(try mainFile(of: path), try list?.get()))
        } catch {
            return .failure(error)
        }
    }

    /// The file itself, or the one beside it whose name is the beginning of this one's and that lists images.
    private func mainFile(of path: String) throws(ObjectFileError) -> MappedFile {
        let own = try Self.map(path)
        guard let header = try SharedCacheHeader(own), header.images.count == 0, header.imagesText.count == 0 else { return own }
        var name = path
        while let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), !name[dot...].contains("/") {
            name = String(name[..<dot])
            for candidate in [name, name + ".development"] where candidate != path && SharedCache.isCache(candidate) {
                let main = try Self.map(candidate)
                if let header = try SharedCacheHeader(main), header.images.count + header.imagesText.count > 0 { return main }
            }
        }
        return own
    }

    private static func open(_ main: MappedFile, _ list: SharedCacheList?) throws(ObjectFileError) -> SharedCache? {
        try SharedCache(main, list: list) { (path) throws(FileError) in
            PathKind(path: path) == nil ? nil : try MappedFile(path: path)
        }
    }

    private static func map(_ path: String) throws(ObjectFileError) -> MappedFile {
        do throws(FileError) { return try MappedFile(path: path) } catch {
            throw ObjectFileError(.unreadable, path: path, error.problem)
        }
    }

    /// The image of a cache at a path such as `dyld_shared_cache_arm64e!/usr/lib/libobjc.A.dylib`.
    /// - Returns: `nil` if the path does not name a shared cache.
    /// - Throws: `ObjectFileError` if the cache has no such image, or it cannot be read.
    package func image(at path: String) throws(ObjectFileError) -> ObjectFile? {
        guard MemberPath.mayBeMember(path), let (file, names) = MemberPath.split(path), names.count == 1,
            let cache = try cache(at: file)
        else { return nil }
        guard let index = cache.list.image(path: "/" + names[0]) ?? cache.list.image(path: names[0]) else {
            throw ObjectFileError(
                .unreadable, path: path, "the shared cache has no image /\(names[0]). List its images: cairn inspect \(file)")
        }
        return try cache.open(index)
    }
}
