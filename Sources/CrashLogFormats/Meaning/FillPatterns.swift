internal import CrashLogModel

/// Values with which allocators and kernels fill memory that is not in use, so that a pointer read
/// from there is recognisable.
struct FillPattern: Sendable {
    enum Writer: String, Sendable {
        /// Programs on Apple's systems.
        case apple
        /// Programs on Linux, Android and the BSDs.
        case unix
        /// Programs on Windows.
        case windows
        /// Firefox, on every system.
        case everywhere
        case linuxKernel
        case appleKernel
        case bsdKernel
    }
    /// A 32-bit value that is repeated.
    var word: UInt32
    var writer: Writer
    var meaning: Meaning

    /// - Parameter columns: the pattern, one byte or four, the program that writes it, its meaning,
    ///   and the source.
    private init?(_ columns: [String]) {
        guard columns.count == 4, let value = UInt32(columns[0].dropFirst(2), radix: 16), let writer = Writer(rawValue: columns[1]) else {
            return nil
        }
        word = value <= 0xFF ? value * 0x0101_0101 : value
        self.writer = writer
        meaning = Meaning(columns[2], source: columns[3])
    }

    static let all = TextTable.rows(
        """
        0x55 | apple | The address consists of the byte 0x55, with which MallocScribble overwrites freed memory. | malloc(3) of macOS, MallocScribble
        0xAA | apple | The address consists of the byte 0xaa, with which MallocPreScribble fills new memory. | malloc(3) of macOS, MallocPreScribble
        0x5A | unix | The address consists of the byte 0x5a, with which jemalloc overwrites freed memory when junk filling is on. | jemalloc(3), opt.junk
        0xA5 | unix | The address consists of the byte 0xa5, with which jemalloc fills new memory when junk filling is on. | jemalloc(3), opt.junk
        0xE5 | everywhere | The address consists of the byte 0xe5, with which Firefox's allocator overwrites freed memory. | Firefox, memory/build/mozjemalloc.h, kAllocPoison
        0xE4 | everywhere | The address consists of the byte 0xe4, with which Firefox's allocator fills new memory. | Firefox, memory/build/mozjemalloc.h, kAllocJunk
        0xDD | windows | The address consists of the byte 0xdd, with which the debug heap of Microsoft's C library overwrites freed memory. | Microsoft, CRT debug heap details
        0xCD | windows | The address consists of the byte 0xcd, with which the debug heap of Microsoft's C library fills new memory. | Microsoft, CRT debug heap details
        0xFD | windows | The address consists of the byte 0xfd, the guard of Microsoft's debug heap around allocated memory. | Microsoft, CRT debug heap details
        0x6B | linuxKernel | The address consists of the byte 0x6b, with which the slab allocator overwrites freed objects. | Linux, include/linux/poison.h, POISON_FREE
        0x5A | linuxKernel | The address consists of the byte 0x5a, with which the slab allocator fills new objects. | Linux, include/linux/poison.h, POISON_INUSE
        0xAA | linuxKernel | The address consists of the byte 0xaa, with which the page allocator overwrites freed pages. | Linux, include/linux/poison.h, PAGE_POISON
        0xCC | linuxKernel | The address consists of the byte 0xcc, with which the kernel overwrites freed init memory. | Linux, include/linux/poison.h, POISON_FREE_INITMEM
        0xDEADBEEF | appleKernel | The address is 0xdeadbeef, with which the zone allocator overwrites freed elements. | XNU, osfmk/kern/zalloc.c, ZP_POISON
        0xDEADC0DE | bsdKernel | The address is 0xdeadc0de, with which FreeBSD's allocator overwrites freed memory. | FreeBSD, sys/vm/uma_dbg.c, uma_junk
        0xDEADBEEF | bsdKernel | The address is 0xdeadbeef, with which OpenBSD's kernel overwrites freed memory. | OpenBSD, sys/kern/subr_poison.c, POISON0
        """
    ).compactMap(FillPattern.init)

    /// Whether the address is the pattern, or a field of an object there, in 32 or 64 bits.
    /// Processors with tags in a pointer's top byte report it without (arm64).
    func matches(_ address: UInt64) -> Bool {
        let whole = UInt64(word) << 32 | UInt64(word)
        for pattern in [UInt64(word), whole, whole & 0x00FF_FFFF_FFFF_FFFF] {
            let low = pattern >= FillPattern.field ? pattern - FillPattern.field : 0
            if address >= low, address - low < 2 * FillPattern.field { return true }
        }
        return false
    }

    /// How large an offset from the pattern a field may have.
    private static let field: UInt64 = 0x400
}
