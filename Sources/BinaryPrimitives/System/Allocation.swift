internal import CCairn

/// How the C library's allocator keeps memory.
package enum Allocation {
    /// Gives large blocks back to the system as soon as they are freed, for the rest of the
    /// process.
    ///
    /// glibc's allocator does so from 128 KB on, until the first such block is freed: then it keeps
    /// blocks up to that size for later ones (`mallopt(3)`, "dynamic mmap threshold"). A program
    /// that reads a thousand units one after another, each into tables of another size, thus holds
    /// three times the memory that it uses.
    /// - Parameter size: bytes from which on a block is large. Each page of a block that is given
    ///   back comes anew and full of zeros.
    package static func returnLargeBlocks(from size: Int32 = 128 << 10) {
        #if canImport(Glibc)  // musl returns them always, and has no such switch
            _ = mallopt(M_MMAP_THRESHOLD, size)
        #endif
    }

    /// Keeps blocks of up to 4 MB for later ones, for the rest of the process.
    ///
    /// A service makes a response of some hundred kilobytes thousands of times. Given back each
    /// time (the other rule's case), every page of it comes anew and full of zeros: with blocks
    /// that are kept, `cairn serve` made a quarter to a third more responses in the same time.
    package static func keepLargeBlocks() {
        #if canImport(Glibc)
            _ = mallopt(M_MMAP_THRESHOLD, 4 << 20)
            _ = mallopt(M_TRIM_THRESHOLD, 8 << 20)
        #endif
    }

    /// Returns freed memory that the allocator keeps to the system (`malloc_trim(3)`): between two
    /// steps that each fill their own tables.
    package static func returnFreeMemory() {
        #if canImport(Glibc)
            _ = malloc_trim(0)
        #endif
    }
}
