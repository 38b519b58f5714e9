internal import CCairn

/// How the C library's allocator keeps memory.
package enum Allocation {
    /// Gives large blocks back to the system as soon as they are freed, for the rest of the
    /// process.
    ///
    /// glibc's allocator does so from 128 KB on, until the first such block is freed: then it keeps
    /// blocks up to that size for later ones (`mallopt(3)`, "dynamic mmap threshold"). A program
    /// that reads a thousand units one after another, each in tables of its own size, so comes to
    /// hold three times what it uses.
    package static func returnLargeBlocks() {
        #if canImport(Glibc)  // musl returns them always, and has no such switch
            _ = mallopt(M_MMAP_THRESHOLD, 128 << 10)
        #endif
    }

    /// Gives what was freed and is kept back to the system (`malloc_trim(3)`): between two steps of
    /// which each fills its own tables.
    package static func returnFreeMemory() {
        #if canImport(Glibc)
            _ = malloc_trim(0)
        #endif
    }
}
