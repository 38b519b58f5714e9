internal import LibC

/// A folder that no other process or thread has the lock of (`flock(2)`), until it is released. It
/// ends with the process, however that ends, and leaves no file.
package struct FolderLock: Sendable {
    /// -1 if the file system has no such locks: then no process has one.
    private let descriptor: Int32

    /// Waits until no other has it.
    package init(_ folder: String) {
        descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        while descriptor >= 0, flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    }

    /// To be called once.
    package func release() { if descriptor >= 0 { close(descriptor) } }
}
