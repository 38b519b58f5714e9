import LibC

extension TestPaths {
    /// The paths of all files below `folder`, sorted; none if there is no such folder.
    package static func files(under folder: String) -> [String] {
        names(in: folder).flatMap { name in
            let path = folder + "/" + name
            let below = Self.files(under: path)
            return below.isEmpty && isReadableFile(path) ? [path] : below
        }.sorted()
    }

    /// The names in a folder but `.` and `..`, in no order; none if there is no such folder.
    static func names(in folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                var name: [UInt8] = []
                for index in bytes.indices {
                    let byte = unsafe bytes[index]
                    if byte == 0 { break }
                    name.append(byte)
                }
                return String(decoding: name, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The bytes of a file; none if it cannot be read.
    package static func bytes(of path: String) -> [UInt8] {
        guard let file = unsafe fopen(path, "rb") else { return [] }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { part in unsafe fread(part.baseAddress, 1, part.count, file) }
            if count == 0 { return bytes }
            bytes += buffer[0..<count]
        }
    }

    private static func isReadableFile(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
