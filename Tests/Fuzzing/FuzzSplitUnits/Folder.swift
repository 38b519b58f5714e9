internal import LibC

/// A folder in memory for files that refer to one another by their names. Each process has its own.
struct Folder {
    let path: String

    static let shared: Folder? = {
        let parent = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        let path = "\(parent)/cairn-split-units-\(getpid())"
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { return nil }
        unsafe atexit {
            for name in ["program", "a.dwo", "program.dwp", "other.sup"] { Folder.shared?.remove(name) }
            if let path = Folder.shared?.path { unsafe _ = rmdir(path) }
        }
        return Folder(path: path)
    }()

    func write(_ name: String, _ bytes: [UInt8]) {
        let file = unsafe open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        unsafe bytes.withUnsafeBytes { part in unsafe _ = Glibc.write(file, part.baseAddress, part.count) }
    }

    func remove(_ name: String) { unsafe _ = unlink(path + "/" + name) }
}
